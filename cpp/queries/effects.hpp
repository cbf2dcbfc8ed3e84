// Components of one and two features as exact step functions on bins (engine: "exact functions, not grids").
#pragma once

#include "grid/tile.hpp"
#include "queries/evaluate.hpp"
#include "queries/low_order.hpp"

namespace fastpd {

// m_k at every bin of the given columns, one column after another.
std::vector<double> main_effects(const Ensemble& ensemble, const LowOrder& low, std::span<const std::int32_t> columns);

// m_kl at every pair of bins, (bins of k) x (bins of l), one pair after another; `offsets` says where each starts.
// With `fixed`, whole numbers of a `step` for each pair instead of float64: half the memory to look up in.
struct PairGrids {
    std::span<const std::int32_t> pairs;
    std::span<const std::int64_t> offsets;
    double* exact = nullptr;
    std::int32_t* fixed = nullptr;
    double* steps = nullptr;
    std::size_t size() const { return pairs.size() / 2; }
};
void pair_effects(const Ensemble& ensemble, const LowOrder& low, const PairGrids& grids, int n_jobs, Monitor& monitor);

// The compiled second-order model at rows: out[i] = main effect of columns[i], then one column a pair.
struct EffectModel {
    std::span<const std::int32_t> columns;
    std::span<const double> mains;
    std::span<const std::int64_t> main_offsets;
    PairGrids grids;
};
void evaluate_effects(const Ensemble& ensemble, const Grid& grid, const EffectModel& model, const Rows& rows,
                      const Output& out, int n_jobs, Monitor& monitor);

}  // namespace fastpd
