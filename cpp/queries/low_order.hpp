// The leaves' probabilities for sets of at most two players: all that second-order components need.
#pragma once

#include <span>
#include <vector>

#include "queries/tables.hpp"

namespace fastpd {

// p_j for at most two players of every leaf, times the leaf value: p({}), then p({k}), then p({k, l}) for k < l.
class LowOrder {
public:
    LowOrder(const Ensemble& ensemble, const Measure& measure, std::span<const double> values, int n_jobs,
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

}  // namespace fastpd
