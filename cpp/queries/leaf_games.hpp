// The game that each leaf plays: U -> v_U, and the indices of it, for eight leaves of one size at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/ensemble.hpp"
#include "queries/tables.hpp"

namespace fastpd {

// One number for each of eight leaves: every step is the same for all leaves of one tau.
using Lane = std::array<double, lanes>;

// Up to eight leaves with `tau` players each.
struct LeafBatch {
    int tau = 0;
    std::size_t size = 0;
    std::array<std::uint32_t, lanes> leaf{};                  // index into Ensemble::leaves
    std::array<std::uint32_t, lanes> block{};
    std::array<std::array<std::uint8_t, 256>, lanes> masks{};  // of each leaf, by pattern
    std::vector<Lane> value;                                   // c_j p_j(U), by U
    std::vector<Lane> passing;                                 // how much passes at least a set of players
};

// c_j p_j(U) for all U (engine formula 1).
void fill_values(const Ensemble& ensemble, const Measure& measure, std::span<const double> leaf_values,
                 const Kernels& kernels, LeafBatch& batch);

// index[s][e]: what subset `subsets[s]` of the leaf's players gets when exactly the players in `e` pass.
void fill_index(const LeafBatch& batch, const Query& query, std::span<const std::uint32_t> subsets,
                const Kernels& kernels, std::vector<Lane>& index);

}  // namespace fastpd
