#include "queries/deep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "measures/counts.hpp"

namespace fastpd {

namespace {

using Mask = std::uint64_t;

constexpr std::size_t masks_a_check = 64;  // looking at the clock costs about as much as one mask

Mask full_mask(int tau) { return tau == 64 ? ~Mask(0) : (Mask(1) << tau) - 1; }

// Visits the subsets of size 1 .. order of a mask's bits with their rank among all subsets of 64 bits: by size,
// then in colexicographic order (the rank does not depend on which other bits there are).
class Subsets {
public:
    Subsets(int tau, int order) : order_(order) {
        std::size_t before = 0;
        for (int size = 1; size <= order; ++size) {
            first_.push_back(before);
            before += binomial(tau, size);
        }
        count_ = before;
        for (int size = 1; size <= order; ++size)
            for (int n = 0; n < 64; ++n) choose_.push_back(binomial(n, size));
    }
    std::size_t count() const { return count_; }

    template <class Body>
    void visit(Mask mask, const Body& body) const {
        descend(mask, 0, 0, 0, body);
    }

private:
    template <class Body>
    void descend(Mask candidates, Mask chosen, int size, std::size_t rank, const Body& body) const {
        if (size > 0) body(chosen, size, first_[static_cast<std::size_t>(size - 1)] + rank);
        if (size == order_) return;
        for (Mask rest = candidates; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            const std::size_t step = choose_[static_cast<std::size_t>(size) * 64 + static_cast<std::size_t>(bit)];
            descend(bit == 63 ? 0 : rest & ~((Mask(2) << bit) - 1), chosen | Mask(1) << bit, size + 1, rank + step, body);
        }
    }

    int order_;
    std::size_t count_ = 0;
    std::vector<std::size_t> first_;
    std::vector<std::size_t> choose_;
};

// What is known of a deep leaf: its distinct masks and their weights, or, where players are independent, their chances.
struct Seen {
    std::span<const Mask> masks;
    std::span<const double> counts;
    std::span<const double> chances;
};

Seen seen_at(const Tables& tables, const Leaf& leaf, std::uint32_t index) {
    if (!tables.deep_chances.empty()) return {{}, {}, std::span(tables.deep_chances).subspan(leaf.first_clause, leaf.tau)};
    const std::size_t first = tables.deep_offsets[index], n = tables.deep_offsets[index + 1] - first;
    return {{tables.deep_masks.data() + first, n}, {tables.deep_counts.data() + first, n}, {}};
}

// p_j(U): how much passes at least the players outside U.
double passing_outside(const Seen& seen, Mask inside, Mask full) {
    double product = 1, sum = 0;
    for (std::size_t k = 0; k < seen.chances.size(); ++k)
        if (!(inside >> k & 1)) product *= seen.chances[k];
    for (std::size_t i = 0; i < seen.masks.size(); ++i)
        if ((seen.masks[i] | inside) == full) sum += seen.counts[i];
    return seen.chances.empty() ? sum : product;
}

void compile_value_leaf(const Ensemble& ensemble, const Leaf& leaf, const Sets& sets, const Seen& seen,
                        const Task& task, DeepLeafQuery& out, std::vector<double>& constants) {
    const auto clauses = ensemble.clauses_of(leaf);
    for (std::size_t s = 0; s < sets.size(); ++s) {
        task.checkpoint();
        const auto set = sets[s];
        Mask inside = 0;
        for (int i = 0; i < leaf.tau; ++i)
            if (std::binary_search(set.begin(), set.end(), clauses[static_cast<std::size_t>(i)].player)) inside |= Mask(1) << i;
        const double value = out.value * passing_outside(seen, inside, full_mask(leaf.tau));
        if (inside == 0) constants[s] += value;
        else if (value != 0) out.terms.push_back({static_cast<std::int32_t>(s), inside, value});
    }
}

// What every subset of the leaf's players gets when exactly `passing` pass: the sum over background masks b of
// the index of the game 1[A in S, B disjoint from S], A = players that only x passes, B = only b.
// Where neither passes, the leaf is out of reach.
void index_of_mask(Mask passing, Mask full, const Seen& seen, const Query& query, const Subsets& subsets,
                   const Task& task, std::vector<double>& out) {
    const Mask b_only = full & ~passing;
    const int b = std::popcount(b_only);
    for (std::size_t i = 0; i < seen.masks.size(); ++i) {
        if (i % masks_a_check == 0) task.checkpoint();
        if ((seen.masks[i] | passing) != full) continue;
        const Mask a_only = full & ~seen.masks[i];
        const int a = std::popcount(a_only);
        subsets.visit(a_only | b_only, [&](Mask subset, int size, std::size_t rank) {
            out[rank] += seen.counts[i] * query.deep_weight(size, a, b, std::popcount(subset & b_only));
        });
    }
}

// The same where players are independent: the game is the product of e_k + (1 - e_k) r_k, of which a player inside U
// keeps e_k only. Its multilinear extension is a product as well, t e_k + (1 - t) r_k, and so are its derivatives.
void add_product_derivatives(Mask passing, std::span<const double> chances, double t, double weight, int size_asked,
                             const Subsets& subsets, std::vector<double>& out) {
    const std::size_t tau = chances.size();
    std::array<double, 64> extended{}, derivative{};
    for (std::size_t k = 0; k < tau; ++k) {
        const double e = passing >> k & 1 ? 1.0 : 0.0;
        extended[k] = t * e + (1 - t) * chances[k];
        derivative[k] = e - chances[k];
    }
    subsets.visit(full_mask(static_cast<int>(tau)), [&](Mask subset, int size, std::size_t rank) {
        if (size != size_asked) return;
        double product = weight;
        for (std::size_t k = 0; k < tau; ++k) product *= subset >> k & 1 ? derivative[k] : extended[k];
        out[rank] += product;
    });
}

void index_of_product(Mask passing, const Seen& seen, const Query& query, const Subsets& subsets, const Task& task,
                      std::vector<double>& out) {
    const int tau = static_cast<int>(seen.chances.size());
    for (int size = 1; size <= std::min(query.order, tau); ++size) {
        // A component is the derivative at zero.
        const double moebius = query.moebius[static_cast<std::size_t>(size - 1)];
        if (moebius != 0) add_product_derivatives(passing, seen.chances, 0, moebius, size, subsets, out);
        const Quadrature& rule = query.quadrature(size, tau);
        for (std::size_t i = 0; i < rule.points.size(); ++i) {
            task.checkpoint();
            add_product_derivatives(passing, seen.chances, rule.points[i], rule.weights[i], size, subsets, out);
        }
    }
}

void add_index_leaf(const Leaf& leaf, const DeepLeafQuery& asked, const Tables& tables, const Subsets& subsets,
                    std::span<const Mask> masks, const Task& task, double* const* sums) {
    std::vector<std::uint32_t> rows(masks.size());
    std::iota(rows.begin(), rows.end(), 0u);
    std::sort(rows.begin(), rows.end(), [&](auto i, auto j) { return masks[i] < masks[j]; });
    const Seen seen = seen_at(tables, leaf, asked.leaf);
    std::vector<double> index(subsets.count());
    for (std::size_t at = 0; at < rows.size();) {
        const Mask passing = masks[rows[at]];
        std::fill(index.begin(), index.end(), 0.0);
        if (seen.chances.empty()) index_of_mask(passing, full_mask(leaf.tau), seen, tables.query, subsets, task, index);
        else index_of_product(passing, seen, tables.query, subsets, task, index);
        const std::size_t first = at;
        while (at < rows.size() && masks[rows[at]] == passing) ++at;
        for (std::size_t s = 0; s < index.size(); ++s) {
            if (asked.columns[s] < 0 || index[s] == 0) continue;
            const double term = asked.value * index[s];
            for (std::size_t r = first; r < at; ++r) sums[asked.columns[s]][rows[r]] += term;
        }
    }
}

void keep(const Counted& counted, Tables& tables) {
    tables.deep_offsets.assign(counted.deep_offsets.begin(), counted.deep_offsets.end());
    tables.deep_masks.assign(counted.deep_masks.begin(), counted.deep_masks.end());
    tables.deep_counts.assign(counted.deep_counts.begin(), counted.deep_counts.end());
}

void keep(const Independent& independent, Tables& tables) {
    tables.deep_chances.assign(independent.chances.begin(), independent.chances.end());
}

void keep(const Joint&, Tables&) { throw std::invalid_argument("a joint measure knows nothing of deep leaves"); }

}  // namespace

void compile_deep(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of, Tables& tables, Monitor& monitor) {
    if (ensemble.deep.empty()) return;
    tables.query = query;
    std::visit([&](const auto& known) { keep(known, tables); }, measure);
    std::vector<std::int32_t> players;
    parallel_for(ensemble.deep.size(), 1, monitor, [&](const Task& task) {
        const auto i = static_cast<std::uint32_t>(task.index);
        const Leaf& leaf = ensemble.deep[i];
        const double value = values[static_cast<std::size_t>(leaf.node)] / total_of(measure);
        if (value == 0) return;
        DeepLeafQuery asked{i, value, {}, {}};
        if (query.is_value) {
            compile_value_leaf(ensemble, leaf, sets, seen_at(tables, leaf, i), task, asked, tables.constants);
        } else {
            const Subsets subsets(leaf.tau, std::min<int>(query.order, leaf.tau));
            asked.columns.assign(subsets.count(), -1);
            subsets.visit(full_mask(leaf.tau), [&](Mask subset, int, std::size_t rank) {
                players_in(ensemble, leaf, subset, players);
                asked.columns[rank] = column_of(players);
            });
        }
        tables.deep.push_back(std::move(asked));
    });
}

void add_deep(const Ensemble& ensemble, const Tables& tables, const Tile& tile, std::size_t n, const Kernels& kernels,
              const Task& task, double* const* sums) {
    std::vector<Mask> masks(n);
    for (const DeepLeafQuery& asked : tables.deep) {
        task.checkpoint();
        const Leaf& leaf = ensemble.deep[asked.leaf];
        deep_masks(ensemble, leaf, tile, 0, n, kernels, masks.data());
        if (tables.query.is_value) {
            for (const DeepTerm& term : asked.terms)
                for (std::size_t r = 0; r < n; ++r)
                    sums[term.column][r] += (masks[r] & term.players) == term.players ? term.value : 0.0;
        } else {
            const Subsets subsets(leaf.tau, std::min<int>(tables.query.order, leaf.tau));
            add_index_leaf(leaf, asked, tables, subsets, masks, task, sums);
        }
    }
}

}  // namespace fastpd
