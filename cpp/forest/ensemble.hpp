// The ensemble on bins, cut into pattern blocks (engine: "pattern blocks").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/bin_sets.hpp"
#include "kernels/kernels.hpp"

namespace fastpd {

constexpr int max_block_bits = 8;   // a pattern is one byte
constexpr int max_deep_sides = 64;  // a mask of a deep leaf is one word

// A forest whose thresholds were replaced by cuts: a row goes left when its bin is at most `cut`, or, at a node with
// `first_member`, when the byte of its bin from there on in `members` is not zero.
struct Nodes {
    std::span<const std::int32_t> column;  // -1 at a leaf
    std::span<const std::int32_t> cut;
    std::span<const std::int32_t> left;
    std::span<const std::int32_t> right;
    std::span<const std::uint8_t> default_left;
    std::span<const std::int32_t> roots;
    std::span<const std::int64_t> first_member;  // -1 at a node with a cut
    std::span<const std::uint8_t> members;

    bool has_members(std::int32_t node) const { return first_member[static_cast<std::size_t>(node)] >= 0; }
};

// The bins of one column that pass a path: [lo, hi) of the real bins (which start at 1), and the missing bin; or,
// where that does not describe them, a set.
struct Side {
    std::int32_t column;
    std::int32_t lo;
    std::int32_t hi;
    std::uint8_t missing;
    std::uint8_t bit;  // which of the leaf's players owns the column
    std::int32_t set = -1;
};

// One player on the path to a leaf: it passes when (pattern & need) == want. Deep leaves use only `player`.
struct Clause {
    std::int32_t player;
    std::uint8_t need;
    std::uint8_t want;
};

struct Leaf {
    std::int32_t node;
    std::uint32_t first_clause;
    std::uint32_t first_side;
    std::uint8_t tau;      // players on the path
    std::uint8_t n_sides;  // columns on the path
};

// A bottom subtree: `bits` tests make a row's pattern, and every leaf mask is a function of the pattern.
struct Block {
    std::uint32_t first_test;
    std::uint32_t first_leaf;
    std::uint32_t n_leaves;
    std::uint8_t bits;
    std::uint64_t first_count;  // where its 2^bits pattern counts stand
};

struct Ensemble {
    std::vector<std::int32_t> bins_of_column;  // number of bins, the missing one included
    std::vector<std::uint8_t> lane_of_column;
    std::vector<std::int32_t> player_of_column;
    std::vector<Test> tests;
    std::vector<Block> blocks;
    std::vector<Leaf> leaves;  // those of the blocks, in their order
    std::vector<Leaf> deep;    // those with too many players for a table
    std::vector<Clause> clauses;
    std::vector<Side> sides;
    BinSets sets;
    std::uint64_t n_counts = 0;
    int n_players = 0;

    std::span<const Leaf> leaves_of(const Block& block) const { return {leaves.data() + block.first_leaf, block.n_leaves}; }
    std::span<const Clause> clauses_of(const Leaf& leaf) const { return {clauses.data() + leaf.first_clause, leaf.tau}; }
    std::span<const Side> sides_of(const Leaf& leaf) const { return {sides.data() + leaf.first_side, leaf.n_sides}; }
    std::size_t n_columns() const { return bins_of_column.size(); }
    std::size_t bytes() const;
};

// Which bins of the column belong to a side.
std::vector<bool> members_of(const Side& side, const Ensemble& ensemble);
Test test_of(const Side& side, const Ensemble& ensemble);

// The mask of the leaf's players that pass, for every pattern of its block.
void pattern_masks(const Ensemble& ensemble, const Leaf& leaf, int bits, std::uint8_t* masks);

// Throws std::length_error where a path has more columns than a mask has bits.
Ensemble compile_ensemble(const Nodes& nodes, std::span<const std::int32_t> bins_of_column,
                          std::span<const std::int32_t> player_of_column);

}  // namespace fastpd
