// Rows through compiled tables.
#pragma once

#include "grid/tile.hpp"
#include "queries/tables.hpp"

namespace fastpd {

// A matrix to write, one column after another, in float64 or float32.
struct Output {
    void* data;
    std::size_t column_stride;  // in elements
    bool single;
    void write(std::size_t column, std::size_t row, const double* values, std::size_t n) const;
};

// out[column][row] = constants[column] + the column's contributions of every block and deep leaf.
void evaluate_tables(const Ensemble& ensemble, const Grid& grid, const Tables& tables, const Rows& rows,
                     const Output& out, int n_jobs, Monitor& monitor);

}  // namespace fastpd
