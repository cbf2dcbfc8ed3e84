// Sets of players: as asked for by the caller, and as subsets of a leaf's players.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "forest/ensemble.hpp"
#include "threads/parallel.hpp"

namespace fastpd {

// Sorted sets of players, one after another.
struct Sets {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> players;
    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t i) const {
        return {players.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }
};

// Finds the column of a set of players; -1 where it was not asked for.
class ColumnOf {
public:
    explicit ColumnOf(const Sets& sets);
    std::int32_t operator()(std::span<const std::int32_t> sorted_players) const;

private:
    std::vector<std::int32_t> singles_;
    std::unordered_map<std::uint64_t, std::int32_t> pairs_;
    std::unordered_map<std::string, std::int32_t> larger_;
};

// Subsets of up to `order` of the first `tau` bits, smallest first; the same list for every leaf of a tau.
std::vector<std::uint32_t> subsets_up_to(int tau, int order);

// The players of a leaf that `bits` selects, sorted.
void players_in(const Ensemble& ensemble, const Leaf& leaf, std::uint64_t bits, std::vector<std::int32_t>& out);

// Number of subsets of size 1 .. size-1 of `tau` elements, and of size `size`: ranks of subsets of any size.
std::size_t binomial(int n, int k);

// Sets of at most `order` players that share a path to a leaf of non-zero value, in order of size, then players.
Sets present_sets(const Ensemble& ensemble, std::span<const double> values, int order, std::size_t limit,
                  Monitor& monitor);

}  // namespace fastpd
