#include "queries/deep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "measures/counts.hpp"

namespace fastpd {

namespace {

using Mask = std::uint64_t;

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

// The deep leaf's distinct masks and their weights.
struct Seen {
    std::span<const Mask> masks;
    std::span<const double> counts;
};

Seen seen_at(const std::vector<std::uint64_t>& offsets, const std::vector<std::uint64_t>& masks,
             const std::vector<double>& counts, std::uint32_t leaf) {
    const std::size_t first = offsets[leaf], n = offsets[leaf + 1] - first;
    return {{masks.data() + first, n}, {counts.data() + first, n}};
}

// p_j(U) in rows: those that pass at least the players outside U.
double passing_outside(const Seen& seen, Mask inside, Mask full) {
    double sum = 0;
    for (std::size_t i = 0; i < seen.masks.size(); ++i)
        if ((seen.masks[i] | inside) == full) sum += seen.counts[i];
    return sum;
}

void compile_value_leaf(const Ensemble& ensemble, const Leaf& leaf, const Sets& sets, const Seen& seen,
                        DeepLeafQuery& out, std::vector<double>& constants) {
    const auto clauses = ensemble.clauses_of(leaf);
    for (std::size_t s = 0; s < sets.size(); ++s) {
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
                   std::vector<double>& out) {
    const Mask b_only = full & ~passing;
    const int b = std::popcount(b_only);
    for (std::size_t i = 0; i < seen.masks.size(); ++i) {
        if ((seen.masks[i] | passing) != full) continue;
        const Mask a_only = full & ~seen.masks[i];
        const int a = std::popcount(a_only);
        subsets.visit(a_only | b_only, [&](Mask subset, int size, std::size_t rank) {
            out[rank] += seen.counts[i] * query.deep_weight(size, a, b, std::popcount(subset & b_only));
        });
    }
}

void add_index_leaf(const Leaf& leaf, const DeepLeafQuery& asked, const Tables& tables, const Subsets& subsets,
                    std::span<const Mask> masks, const Task& task, double* const* sums) {
    std::vector<std::uint32_t> rows(masks.size());
    std::iota(rows.begin(), rows.end(), 0u);
    std::sort(rows.begin(), rows.end(), [&](auto i, auto j) { return masks[i] < masks[j]; });
    const Seen seen = seen_at(tables.deep_offsets, tables.deep_masks, tables.deep_counts, asked.leaf);
    std::vector<double> index(subsets.count());
    for (std::size_t at = 0; at < rows.size();) {
        task.checkpoint();
        const Mask passing = masks[rows[at]];
        std::fill(index.begin(), index.end(), 0.0);
        index_of_mask(passing, full_mask(leaf.tau), seen, tables.query, subsets, index);
        const std::size_t first = at;
        while (at < rows.size() && masks[rows[at]] == passing) ++at;
        for (std::size_t s = 0; s < index.size(); ++s) {
            if (asked.columns[s] < 0 || index[s] == 0) continue;
            const double term = asked.value * index[s];
            for (std::size_t r = first; r < at; ++r) sums[asked.columns[s]][rows[r]] += term;
        }
    }
}

}  // namespace

void compile_deep(const Ensemble& ensemble, const Background& background, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of, Monitor& monitor, Tables& tables) {
    if (ensemble.deep.empty()) return;
    tables.query = query;
    tables.deep_offsets.assign(background.deep_offsets.begin(), background.deep_offsets.end());
    tables.deep_masks.assign(background.deep_masks.begin(), background.deep_masks.end());
    tables.deep_counts.assign(background.deep_counts.begin(), background.deep_counts.end());
    std::vector<std::int32_t> players;
    // One after another, as constants are summed in this order.
    parallel_for(ensemble.deep.size(), 1, monitor, [&](const Task& task) {
        const auto i = static_cast<std::uint32_t>(task.index);
        const Leaf& leaf = ensemble.deep[i];
        const double value = values[static_cast<std::size_t>(leaf.node)] / background.total;
        if (value == 0) return;
        DeepLeafQuery asked{i, value, {}, {}};
        if (query.is_value) {
            compile_value_leaf(ensemble, leaf, sets, seen_at(tables.deep_offsets, tables.deep_masks, tables.deep_counts, i),
                               asked, tables.constants);
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
