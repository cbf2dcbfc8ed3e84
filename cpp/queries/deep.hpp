// Leaves with too many players for tables, answered from the distinct masks of the background, or from chances
// (engine 5).
#pragma once

#include "grid/tile.hpp"
#include "queries/tables.hpp"

namespace fastpd {

void compile_deep(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of, Tables& tables, Monitor& monitor);

// Adds the deep leaves' share to the sums of `n` rows of a tile.
void add_deep(const Ensemble& ensemble, const Tables& tables, const Tile& tile, std::size_t n, const Kernels& kernels,
              const Task& task, double* const* sums);

}  // namespace fastpd
