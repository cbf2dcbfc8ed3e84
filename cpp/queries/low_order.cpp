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

// From "exactly these fail" to "at most these fail", times the leaf value.
void accumulate(int tau, double scale, double* p) {
    for (int k = 0; k < tau; ++k)
        for (int l = k + 1; l < tau; ++l)
            p[1 + static_cast<std::size_t>(tau) + pair_index(tau, k, l)] += p[0] + p[1 + k] + p[1 + l];
    for (int k = 0; k < tau; ++k) p[1 + k] += p[0];
    for (std::size_t i = 0; i < n_low(tau); ++i) p[i] *= scale;
}

void place_block(const Ensemble& ensemble, const Background& background, const Block& block, const Leaf& leaf, double* p) {
    std::array<std::uint8_t, 256> masks;
    pattern_masks(ensemble, leaf, block.bits, masks.data());
    const std::uint64_t full = (std::uint64_t(1) << leaf.tau) - 1;
    for (std::size_t q = 0; q < std::size_t(1) << block.bits; ++q)
        place(leaf.tau, full & ~std::uint64_t(masks[q]), background.counts[block.first_count + q], p);
}

void place_deep(const Background& background, std::uint32_t deep, int tau, double* p) {
    const std::uint64_t full = tau == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << tau) - 1;
    for (std::size_t m = background.deep_offsets[deep]; m < background.deep_offsets[deep + 1]; ++m)
        place(tau, full & ~background.deep_masks[m], background.deep_counts[m], p);
}

}  // namespace

LowOrder::LowOrder(const Ensemble& ensemble, const Background& background, std::span<const double> values, int n_jobs,
                   Monitor& monitor) {
    std::vector<std::uint32_t> home;  // of each leaf: its block, or its place among the deep leaves
    std::size_t size = 0;
    const auto add = [&](const Leaf& leaf, std::uint32_t place) {
        leaves_.push_back(&leaf);
        home.push_back(place);
        first_.push_back(size);
        size += n_low(leaf.tau);
    };
    for (std::uint32_t b = 0; b < ensemble.blocks.size(); ++b)
        for (const Leaf& leaf : ensemble.leaves_of(ensemble.blocks[b]))
            if (values[static_cast<std::size_t>(leaf.node)] != 0) add(leaf, b);
    const std::size_t n_shallow = leaves_.size();
    for (std::uint32_t d = 0; d < ensemble.deep.size(); ++d)
        if (values[static_cast<std::size_t>(ensemble.deep[d].node)] != 0) add(ensemble.deep[d], d);
    p_.assign(size, 0.0);
    constexpr std::size_t run = 256;
    parallel_for((leaves_.size() + run - 1) / run, n_jobs, monitor, [&](const Task& task) {
        for (std::size_t i = task.index * run; i < std::min(leaves_.size(), (task.index + 1) * run); ++i) {
            const Leaf& leaf = *leaves_[i];
            double* p = p_.data() + first_[i];
            if (i < n_shallow) place_block(ensemble, background, ensemble.blocks[home[i]], leaf, p);
            else place_deep(background, home[i], leaf.tau, p);
            accumulate(leaf.tau, values[static_cast<std::size_t>(leaf.node)] / background.total, p);
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
