// The background pass: what an empirical measure keeps of its rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/ensemble.hpp"
#include "grid/tile.hpp"
#include "threads/parallel.hpp"

namespace fastpd {

// Weights as whole numbers, a plane a power of two: integer sums are exact and the same in any order.
// Without planes every row counts once.
struct Weights {
    const std::uint32_t* planes = nullptr;  // (n_planes, n rows)
    std::size_t n_planes = 1;
};

// counts[plane][pattern of block] += weight, for every row.
void count_patterns(const Ensemble& ensemble, const Grid& grid, const Rows& rows, const Weights& weights,
                    std::int64_t* counts, int n_jobs, Monitor& monitor);

// The distinct masks "which players pass" of the rows at each deep leaf, sorted, with their counts.
struct DeepCounts {
    std::vector<std::uint64_t> offsets;  // n deep leaves + 1
    std::vector<std::uint64_t> masks;
    std::vector<std::int64_t> counts;  // (n_planes, masks)
    bool exceeded = false;             // more than `limit` masks: the rest was not counted
};

// Masks with more than `max_failing` players that do not pass are left out (components of order q need
// only those with at most q).
DeepCounts count_deep(const Ensemble& ensemble, const Grid& grid, const Rows& rows, const Weights& weights,
                      int max_failing, std::size_t limit, int n_jobs, Monitor& monitor);

// For every row of a tile, the mask of players that pass the path of a deep leaf.
void deep_masks(const Ensemble& ensemble, const Leaf& leaf, const Tile& tile, std::size_t row, std::size_t n,
                const Kernels& kernels, std::uint64_t* masks);

}  // namespace fastpd
