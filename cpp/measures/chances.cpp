#include "measures/chances.hpp"

#include <array>

namespace fastpd {

namespace {

// Calls `body(number of the leaf, leaf, passing players, weight)` for all that was counted at every leaf.
template <class Body>
void visit_counts(const Ensemble& ensemble, const Counted& counted, const Body& body) {
    std::array<std::uint8_t, 256> masks;
    std::size_t number = 0;
    for (const Block& block : ensemble.blocks)
        for (const Leaf& leaf : ensemble.leaves_of(block)) {
            pattern_masks(ensemble, leaf, block.bits, masks.data());
            for (std::size_t p = 0; p < std::size_t(1) << block.bits; ++p)
                body(number, leaf, std::uint64_t(masks[p]), counted.patterns[block.first_count + p]);
            ++number;
        }
    for (std::size_t d = 0; d < ensemble.deep.size(); ++d, ++number)
        for (std::size_t m = counted.deep_offsets[d]; m < counted.deep_offsets[d + 1]; ++m)
            body(number, ensemble.deep[d], counted.deep_masks[m], counted.deep_counts[m]);
}

}  // namespace

std::vector<double> player_weights(const Ensemble& ensemble, const Counted& counted) {
    std::vector<double> weights(ensemble.clauses.size(), 0.0);
    visit_counts(ensemble, counted, [&](std::size_t, const Leaf& leaf, std::uint64_t passing, double weight) {
        for (std::uint32_t k = 0; k < leaf.tau; ++k)
            if (passing >> k & 1) weights[leaf.first_clause + k] += weight;
    });
    return weights;
}

std::vector<double> leaf_weights(const Ensemble& ensemble, const Counted& counted) {
    std::vector<double> weights(ensemble.leaves.size() + ensemble.deep.size(), 0.0);
    visit_counts(ensemble, counted, [&](std::size_t number, const Leaf& leaf, std::uint64_t passing, double weight) {
        const std::uint64_t full = leaf.tau == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << leaf.tau) - 1;
        if (passing == full) weights[number] += weight;
    });
    return weights;
}

}  // namespace fastpd
