// Leaves with too many players for tables, answered from the distinct masks of the background (engine 5).
#pragma once

#include "grid/tile.hpp"
#include "queries/tables.hpp"

namespace fastpd {

void compile_deep(const Ensemble& ensemble, const Background& background, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of, Monitor& monitor,
                  Tables& tables);

// Adds the deep leaves' share to the sums of `n` rows of a tile.
void add_deep(const Ensemble& ensemble, const Tables& tables, const Tile& tile, std::size_t n, const Kernels& kernels,
              const Task& task, double* const* sums);

}  // namespace fastpd
