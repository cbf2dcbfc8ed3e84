#include "queries/sets.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <unordered_set>

namespace fastpd {

namespace {

std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
}

std::string key_of(std::span<const std::int32_t> players) {
    return {reinterpret_cast<const char*>(players.data()), players.size_bytes()};
}

// Calls `body` with every subset of size 1 .. order of the sorted players.
template <class Body>
void for_subsets(std::span<const std::int32_t> players, int order, std::size_t from, std::vector<std::int32_t>& chosen,
                 const Body& body) {
    if (!chosen.empty()) body(chosen);
    if (chosen.size() == static_cast<std::size_t>(order)) return;
    for (std::size_t i = from; i < players.size(); ++i) {
        chosen.push_back(players[i]);
        for_subsets(players, order, i + 1, chosen, body);
        chosen.pop_back();
    }
}

}  // namespace

ColumnOf::ColumnOf(const Sets& sets) {
    // Sets may name players that no tree tests, as trees test players that no set names.
    std::size_t n_players = 0;
    for (const std::int32_t player : sets.players) n_players = std::max(n_players, static_cast<std::size_t>(player) + 1);
    singles_.assign(n_players, -1);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto set = sets[i];
        const auto column = static_cast<std::int32_t>(i);
        if (set.size() == 1) singles_[static_cast<std::size_t>(set[0])] = column;
        else if (set.size() == 2) pairs_[pair_key(set[0], set[1])] = column;
        else larger_[key_of(set)] = column;
    }
}

std::int32_t ColumnOf::operator()(std::span<const std::int32_t> players) const {
    if (players.size() == 1) {
        const auto player = static_cast<std::size_t>(players[0]);
        return player < singles_.size() ? singles_[player] : -1;
    }
    if (players.size() == 2) {
        const auto found = pairs_.find(pair_key(players[0], players[1]));
        return found == pairs_.end() ? -1 : found->second;
    }
    const auto found = larger_.find(key_of(players));
    return found == larger_.end() ? -1 : found->second;
}

std::vector<std::uint32_t> subsets_up_to(int tau, int order) {
    std::vector<std::uint32_t> subsets;
    for (int size = 1; size <= order; ++size)
        for (std::uint32_t mask = 1; mask < (1u << tau); ++mask)
            if (std::popcount(mask) == size) subsets.push_back(mask);
    return subsets;
}

void players_in(const Ensemble& ensemble, const Leaf& leaf, std::uint64_t bits, std::vector<std::int32_t>& out) {
    out.clear();
    const auto clauses = ensemble.clauses_of(leaf);
    for (int i = 0; i < leaf.tau; ++i)
        if (bits >> i & 1) out.push_back(clauses[static_cast<std::size_t>(i)].player);
    std::sort(out.begin(), out.end());
}

std::size_t binomial(int n, int k) {
    if (k < 0 || k > n) return 0;
    std::size_t value = 1;
    for (int i = 1; i <= k; ++i) value = value * static_cast<std::size_t>(n - k + i) / static_cast<std::size_t>(i);
    return value;
}

Sets present_sets(const Ensemble& ensemble, std::span<const double> values, int order, std::size_t limit,
                  Monitor& monitor) {
    const auto shorter = [](const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    };
    std::set<std::vector<std::int32_t>, decltype(shorter)> found(shorter);
    std::unordered_set<std::string> paths;  // leaves of one path's players are looked at once
    std::vector<std::int32_t> players, chosen;
    Run run(ensemble.leaves.size() + ensemble.deep.size(), monitor);
    for (const auto* leaves : {&ensemble.leaves, &ensemble.deep})
        for (const Leaf& leaf : *leaves) {
            if (values[static_cast<std::size_t>(leaf.node)] == 0) continue;
            players_in(ensemble, leaf, ~std::uint64_t(0), players);
            if (!paths.insert(key_of(players)).second) continue;
            for_subsets(players, order, 0, chosen, [&](const std::vector<std::int32_t>& set) {
                run.poll_if_due();
                found.insert(set);
                if (found.size() > limit) throw std::length_error("too many sets");
            });
        }
    Sets sets;
    for (const auto& set : found) {
        sets.players.insert(sets.players.end(), set.begin(), set.end());
        sets.offsets.push_back(static_cast<std::int64_t>(sets.players.size()));
    }
    return sets;
}

}  // namespace fastpd
