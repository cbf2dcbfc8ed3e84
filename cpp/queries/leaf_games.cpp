#include "queries/leaf_games.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fastpd {

namespace {

void axpy(Lane& out, double factor, const Lane& in) {
    for (std::size_t l = 0; l < lanes; ++l) out[l] += factor * in[l];
}

// out += factor * sum over W in `inside` of (-1)^|inside \ W| game[rest | W]
void add_difference(const std::vector<Lane>& game, std::uint32_t rest, std::uint32_t inside, double factor, Lane& out) {
    for (std::uint32_t w = inside;; w = (w - 1) & inside) {
        const bool odd = std::popcount(inside ^ w) & 1;
        axpy(out, odd ? -factor : factor, game[rest | w]);
        if (w == 0) break;
    }
}

// The derivative at `S` of the multilinear extension, at the diagonal point t, of the game restricted to
// the passing players e (all terms that need a failing player vanish):
//   (-1)^|S\e| (1-t)^(tau-|e|-|S\e|) t^-|S&e| * difference over S&e of the extension.
void add_derivatives(const std::vector<Lane>& extended, int tau, double t, double weight,
                     std::span<const std::uint32_t> subsets, int size, Lane* index) {
    std::array<double, max_block_bits + 1> power{}, inverse{};
    power[0] = inverse[0] = 1;
    for (std::size_t i = 1; i < power.size(); ++i) {
        power[i] = power[i - 1] * (1 - t);
        inverse[i] = inverse[i - 1] / t;
    }
    const std::uint32_t n_masks = 1u << tau;
    for (std::size_t s = 0; s < subsets.size(); ++s) {
        if (std::popcount(subsets[s]) != size) continue;
        for (std::uint32_t e = 0; e < n_masks; ++e) {
            const std::uint32_t inside = subsets[s] & e;
            const int within = std::popcount(inside), outside = size - within;
            const double factor = weight * (outside & 1 ? -1.0 : 1.0) * inverse[static_cast<std::size_t>(within)] *
                                  power[static_cast<std::size_t>(tau - std::popcount(e) - outside)];
            add_difference(extended, e ^ inside, inside, factor, index[s * n_masks + e]);
        }
    }
}

// The same for single players, which are most of the work there is.
void add_single_derivatives(const std::vector<Lane>& extended, int tau, double t, double weight, const Kernels& kernels,
                            Lane* index) {
    std::array<double, max_block_bits + 1> inside{}, outside{};
    for (int passing = 0; passing <= tau; ++passing) {
        inside[static_cast<std::size_t>(passing)] = weight * std::pow(1 - t, tau - passing) / t;
        outside[static_cast<std::size_t>(passing)] = passing < tau ? -weight * std::pow(1 - t, tau - passing - 1) : 0.0;
    }
    kernels.derive_singles(extended.data()->data(), tau, inside.data(), outside.data(), index->data());
}

void add_moebius(const LeafBatch& batch, double weight, std::span<const std::uint32_t> subsets, int size, Lane* index) {
    const std::uint32_t n_masks = 1u << batch.tau;
    for (std::size_t s = 0; s < subsets.size(); ++s) {
        if (std::popcount(subsets[s]) != size) continue;
        for (std::uint32_t e = 0; e < n_masks; ++e) {
            const std::uint32_t inside = subsets[s] & e;
            const bool odd = std::popcount(subsets[s] ^ inside) & 1;
            add_difference(batch.value, 0, inside, odd ? -weight : weight, index[s * n_masks + e]);
        }
    }
}

// Counts by mask, then superset sums.
void fill_passing(const Ensemble& ensemble, const Counted& counted, const Kernels& kernels, LeafBatch& batch) {
    for (std::size_t l = 0; l < batch.size; ++l) {
        const Block& block = ensemble.blocks[batch.block[l]];
        const double* counts = counted.patterns.data() + block.first_count;
        for (int p = 0; p < 1 << block.bits; ++p) batch.passing[batch.masks[l][static_cast<std::size_t>(p)]][l] += counts[p];
    }
    kernels.superset_sums(batch.passing.data()->data(), batch.tau);
}

// Products of the players' chances, a player more at a time.
void fill_passing(const Ensemble& ensemble, const Independent& independent, const Kernels&, LeafBatch& batch) {
    for (std::size_t l = 0; l < batch.size; ++l) {
        const double* chance = independent.chances.data() + ensemble.leaves[batch.leaf[l]].first_clause;
        batch.passing[0][l] = 1;
        for (int k = 0; k < batch.tau; ++k)
            for (std::size_t set = 0; set < std::size_t(1) << k; ++set)
                batch.passing[set | std::size_t(1) << k][l] = batch.passing[set][l] * chance[k];
    }
}

void fill_passing(const Ensemble&, const Joint& joint, const Kernels&, LeafBatch& batch) {
    for (std::size_t l = 0; l < batch.size; ++l) {
        const double* chances = joint.chances.data() + joint.first[batch.leaf[l]];
        for (std::size_t set = 0; set < batch.passing.size(); ++set) batch.passing[set][l] = chances[set];
    }
}

}  // namespace

void fill_values(const Ensemble& ensemble, const Measure& measure, std::span<const double> leaf_values,
                 const Kernels& kernels, LeafBatch& batch) {
    const std::size_t n_masks = std::size_t(1) << batch.tau;
    const double total = total_of(measure);
    batch.passing.assign(n_masks, Lane{});
    Lane scale{};
    for (std::size_t l = 0; l < batch.size; ++l) {
        const Leaf& leaf = ensemble.leaves[batch.leaf[l]];
        pattern_masks(ensemble, leaf, ensemble.blocks[batch.block[l]].bits, batch.masks[l].data());
        scale[l] = leaf_values[static_cast<std::size_t>(leaf.node)] / total;
    }
    std::visit([&](const auto& known) { fill_passing(ensemble, known, kernels, batch); }, measure);
    // p_j(U) is what passes at least the players outside U.
    const std::vector<Lane>& passing = batch.passing;
    batch.value.resize(n_masks);
    for (std::size_t u = 0; u < n_masks; ++u)
        for (std::size_t l = 0; l < lanes; ++l) batch.value[u][l] = scale[l] * passing[n_masks - 1 - u][l];
}

void fill_index(const LeafBatch& batch, const Query& query, std::span<const std::uint32_t> subsets,
                const Kernels& kernels, std::vector<Lane>& index) {
    const std::size_t n_masks = std::size_t(1) << batch.tau;
    index.assign(subsets.size() * n_masks, Lane{});
    std::vector<Lane> extended(n_masks);
    for (int size = 1; size <= std::min(query.order, batch.tau); ++size) {
        const double moebius = query.moebius[static_cast<std::size_t>(size - 1)];
        if (moebius != 0) add_moebius(batch, moebius, subsets, size, index.data());
        const Quadrature& rule = query.quadrature(size, batch.tau);
        for (std::size_t i = 0; i < rule.points.size(); ++i) {
            const double t = rule.points[i], weight = rule.weights[i];
            kernels.extend(batch.value.data()->data(), batch.tau, t, extended.data()->data());
            if (size == 1) add_single_derivatives(extended, batch.tau, t, weight, kernels, index.data());
            else add_derivatives(extended, batch.tau, t, weight, subsets, size, index.data());
        }
    }
}

}  // namespace fastpd
