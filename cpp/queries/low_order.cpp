#include "queries/low_order.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "queries/leaf_games.hpp"

namespace fastpd {

namespace {

std::size_t pair_index(int tau, int k, int l) {  // among pairs k < l
    return static_cast<std::size_t>(k * (2 * tau - k - 1) / 2 + (l - k - 1));
}

std::size_t n_low(int tau) { return 1 + static_cast<std::size_t>(tau) + static_cast<std::size_t>(tau) * static_cast<std::size_t>(tau - 1) / 2; }

// Adds the weight of rows whose failing players are exactly `failing` (at most two of them) to p's places.
void place(int tau, std::uint64_t failing, double weight, double* p) {
    if (failing == 0) p[0] += weight;
    else if (std::popcount(failing) == 1) p[1 + std::countr_zero(failing)] += weight;
    else if (std::popcount(failing) == 2)
        p[1 + static_cast<std::size_t>(tau) + pair_index(tau, std::countr_zero(failing), 63 - std::countl_zero(failing))] += weight;
}

// From "exactly these fail" to "at most these fail".
void accumulate(int tau, double* p) {
    for (int k = 0; k < tau; ++k)
        for (int l = k + 1; l < tau; ++l)
            p[1 + static_cast<std::size_t>(tau) + pair_index(tau, k, l)] += p[0] + p[1 + k] + p[1 + l];
    for (int k = 0; k < tau; ++k) p[1 + k] += p[0];
}

// Where a leaf stands: its block and its place among all leaves of blocks, or its place among the deep ones.
struct Home {
    const Block* block;
    std::uint32_t index;
};

void fill(const Ensemble& ensemble, const Counted& counted, const Home& home, const Leaf& leaf, double* p) {
    const std::uint64_t full = leaf.tau == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << leaf.tau) - 1;
    if (home.block != nullptr) {
        std::array<std::uint8_t, 256> masks;
        pattern_masks(ensemble, leaf, home.block->bits, masks.data());
        for (std::size_t q = 0; q < std::size_t(1) << home.block->bits; ++q)
            place(leaf.tau, full & ~std::uint64_t(masks[q]), counted.patterns[home.block->first_count + q], p);
    } else {
        for (std::size_t m = counted.deep_offsets[home.index]; m < counted.deep_offsets[home.index + 1]; ++m)
            place(leaf.tau, full & ~counted.deep_masks[m], counted.deep_counts[m], p);
    }
    accumulate(leaf.tau, p);
}

// Products of all chances but one or two: of those before, between and after.
void fill(const Ensemble&, const Independent& independent, const Home&, const Leaf& leaf, double* p) {
    const double* chance = independent.chances.data() + leaf.first_clause;
    const int tau = leaf.tau;
    std::array<double, max_deep_sides + 1> after;
    after[static_cast<std::size_t>(tau)] = 1;
    for (int k = tau - 1; k >= 0; --k) after[static_cast<std::size_t>(k)] = after[static_cast<std::size_t>(k + 1)] * chance[k];
    p[0] = after[0];
    double before = 1;
    for (int k = 0; k < tau; ++k) {
        p[1 + k] = before * after[static_cast<std::size_t>(k + 1)];
        double between = before;
        for (int l = k + 1; l < tau; ++l) {
            p[1 + static_cast<std::size_t>(tau) + pair_index(tau, k, l)] = between * after[static_cast<std::size_t>(l + 1)];
            between *= chance[l];
        }
        before *= chance[k];
    }
}

void fill(const Ensemble&, const Joint& joint, const Home& home, const Leaf& leaf, double* p) {
    const double* chances = joint.chances.data() + joint.first[home.index];
    const std::size_t full = (std::size_t(1) << leaf.tau) - 1;
    p[0] = chances[full];
    for (int k = 0; k < leaf.tau; ++k) {
        const std::size_t others = full & ~(std::size_t(1) << k);
        p[1 + k] = chances[others];
        for (int l = k + 1; l < leaf.tau; ++l)
            p[1 + static_cast<std::size_t>(leaf.tau) + pair_index(leaf.tau, k, l)] = chances[others & ~(std::size_t(1) << l)];
    }
}

}  // namespace

LowOrder::LowOrder(const Ensemble& ensemble, const Measure& measure, std::span<const double> values, int n_jobs,
                   Monitor& monitor) {
    std::vector<Home> homes;
    std::size_t size = 0;
    const auto add = [&](const Leaf& leaf, Home home) {
        if (values[static_cast<std::size_t>(leaf.node)] == 0) return;
        leaves_.push_back(&leaf);
        homes.push_back(home);
        first_.push_back(size);
        size += n_low(leaf.tau);
    };
    for (const Block& block : ensemble.blocks)
        for (std::uint32_t i = 0; i < block.n_leaves; ++i) add(ensemble.leaves[block.first_leaf + i], {&block, block.first_leaf + i});
    for (std::uint32_t d = 0; d < ensemble.deep.size(); ++d) add(ensemble.deep[d], {nullptr, d});
    p_.assign(size, 0.0);
    constexpr std::size_t run = 256;
    parallel_for((leaves_.size() + run - 1) / run, n_jobs, monitor, [&](const Task& task) {
        for (std::size_t i = task.index * run; i < std::min(leaves_.size(), (task.index + 1) * run); ++i) {
            const Leaf& leaf = *leaves_[i];
            double* p = p_.data() + first_[i];
            std::visit([&](const auto& known) { fill(ensemble, known, homes[i], leaf, p); }, measure);
            const double scale = values[static_cast<std::size_t>(leaf.node)] / total_of(measure);
            for (std::size_t at = 0; at < n_low(leaf.tau); ++at) p[at] *= scale;
        }
    });
}

double LowOrder::two(std::size_t i, int k, int l) const {
    const int tau = leaves_[i]->tau;
    return p_[first_[i] + 1 + static_cast<std::size_t>(tau) + pair_index(tau, std::min(k, l), std::max(k, l))];
}

double expected_value(const LowOrder& low) {
    double sum = 0;
    for (std::size_t i = 0; i < low.size(); ++i) sum += low.none(i);
    return sum;
}

}  // namespace fastpd
