// Components of one and two features as exact step functions on bins (engine: "exact functions, not grids").
#pragma once

#include "grid/tile.hpp"
#include "queries/evaluate.hpp"
#include "queries/tables.hpp"

namespace fastpd {

// p_j for at most two players of every leaf, times the leaf value: p({}), then p({k}), then p({k, l}) for k < l.
class LowOrder {
public:
    LowOrder(const Ensemble& ensemble, const Background& background, std::span<const double> values, int n_jobs,
             Monitor& monitor);

    std::size_t size() const { return leaves_.size(); }
    const Leaf& leaf(std::size_t i) const { return *leaves_[i]; }
    double none(std::size_t i) const { return p_[first_[i]]; }
    double one(std::size_t i, int k) const { return p_[first_[i] + 1 + static_cast<std::size_t>(k)]; }
    double two(std::size_t i, int k, int l) const;

private:
    std::vector<const Leaf*> leaves_;  // those of non-zero value
    std::vector<std::size_t> first_;
    std::vector<double> p_;
};

// Sum over leaves of c_j p_j({}): the part of v_{} that the trees bring.
double expected_value(const LowOrder& low);

// m_k at every bin of the given columns, one column after another.
std::vector<double> main_effects(const Ensemble& ensemble, const LowOrder& low, std::span<const std::int32_t> columns);

// m_kl at every pair of bins, (bins of k) x (bins of l), one pair after another; `offsets` says where each starts.
void pair_effects(const Ensemble& ensemble, const LowOrder& low, std::span<const std::int32_t> pairs,
                  std::span<const std::int64_t> offsets, double* grids, int n_jobs, Monitor& monitor);

// The compiled second-order model at rows: out[i] = main effect of columns[i], then one column a pair.
struct EffectModel {
    std::span<const std::int32_t> columns;
    std::span<const double> mains;
    std::span<const std::int64_t> main_offsets;
    std::span<const std::int32_t> pairs;
    std::span<const double> grids;
    std::span<const std::int64_t> grid_offsets;
};
void evaluate_effects(const Ensemble& ensemble, const Grid& grid, const EffectModel& model, const Rows& rows,
                      const Output& out, int n_jobs, Monitor& monitor);

}  // namespace fastpd
