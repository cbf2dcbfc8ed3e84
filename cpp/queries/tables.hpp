// Queries compiled to tables: for every block, pattern -> contribution to each asked-for column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/ensemble.hpp"
#include "measures/measure.hpp"
#include "queries/sets.hpp"
#include "threads/parallel.hpp"

namespace fastpd {

// Points and weights of a rule that is exact for the polynomials at hand.
struct Quadrature {
    std::vector<double> points;
    std::vector<double> weights;
};

// What to compute for the asked-for sets. Either the partial dependence function v_S itself, or an index
//   moebius[s-1] * m_S + sum_i weight_i * (d/dt)_S f(t_i),   f = multilinear extension of U -> v_U,
// of which Shapley values, interaction indices and components are instances.
struct Query {
    bool is_value = false;
    int order = 1;
    std::vector<double> moebius;          // by size of S
    std::vector<Quadrature> quadratures;  // [(s - 1) * (largest_tau + 1) + tau]
    int largest_tau = max_block_bits;
    // The same index of the game 1[A in S and B disjoint from S]: [s-1][|A|][|B|][|S & B|], for deep leaves.
    std::vector<double> deep_weights;
    int deep_size = 0;  // largest |A| + |B|

    const Quadrature& quadrature(int size, int tau) const {
        return quadratures[static_cast<std::size_t>((size - 1) * (largest_tau + 1) + tau)];
    }
    double deep_weight(int size, int a, int b, int in_b) const {
        const auto side = static_cast<std::size_t>(deep_size + 1);
        const auto row = ((static_cast<std::size_t>(size - 1) * side + static_cast<std::size_t>(a)) * side + static_cast<std::size_t>(b));
        return deep_weights[row * static_cast<std::size_t>(order + 1) + static_cast<std::size_t>(in_b)];
    }
};

struct BlockTables {
    std::uint32_t block;
    std::uint32_t first_entry;
    std::uint32_t n_entries;
    int width_bits;  // a table has 2^width_bits entries
};

// Tables of a run of blocks that fit in the cache together, with one scale a column.
struct Group {
    std::vector<BlockTables> blocks;
    std::vector<Entry> entries;
    std::vector<std::int32_t> columns;  // of the answer, for each local column
    std::vector<double> steps;          // value of one unit of the fixed-point tables
    std::vector<std::int32_t> fixed;
    std::vector<double> exact;
};

// A deep leaf's terms of a value query: add `value` where all players in `players` pass.
struct DeepTerm {
    std::int32_t column;
    std::uint64_t players;
    double value;
};

struct DeepLeafQuery {
    std::uint32_t leaf;
    double value;                       // leaf value / total weight
    std::vector<DeepTerm> terms;        // value queries
    std::vector<std::int32_t> columns;  // index queries: by size and rank of the subset of the leaf's players
};

struct Tables {
    bool fixed_point = true;
    std::size_t n_columns = 0;
    std::vector<double> constants;
    std::vector<Group> groups;
    std::vector<DeepLeafQuery> deep;
    Query query;
    // What the measure knows of the deep leaves, kept here so that the tables outlive a change of it: masks and
    // their counts, or the chances of clauses.
    std::vector<std::uint64_t> deep_offsets, deep_masks;
    std::vector<double> deep_counts, deep_chances;
    std::size_t bytes() const;
};

// `values` holds the leaf value of every node for one output, `base` what each column starts from.
Tables compile_tables(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                      double base, const Query& query, const Sets& sets, bool fixed_point, int n_jobs, Monitor& monitor);

// Bytes that the tables of such a query would take, without making them.
std::size_t estimate_table_bytes(const Ensemble& ensemble, std::span<const double> values, const Query& query,
                                 const Sets& sets, bool fixed_point, Monitor& monitor);

}  // namespace fastpd
