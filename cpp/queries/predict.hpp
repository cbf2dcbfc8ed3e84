// The raw prediction of the ensemble at rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/ensemble.hpp"
#include "queries/evaluate.hpp"

namespace fastpd {

// A node as the walk reads it: a row goes left when `bin - offset < limit`, modulo 2^32, so that the missing bin 0
// goes left with offset 0 and right with offset 1. A leaf leads to itself.
struct WalkNode {
    std::uint32_t column;
    std::uint32_t offset;
    std::uint32_t limit;
    std::int32_t left;
    std::int32_t right;
};

// The nodes of a walk; one with members has their first byte in `first_member`, and the others -1.
struct Walk {
    std::vector<WalkNode> nodes;
    std::vector<std::int32_t> roots;
    std::vector<std::int64_t> first_member;  // empty where no node has members
    std::vector<std::uint8_t> members;
    std::size_t bytes() const;
};

Walk make_walk(const Nodes& nodes);

// Sums of leaf values, tree after tree in float64: out[output][row] = base[output] + sum over its trees.
// `values` is (nodes, width); a tree of output -1 adds to all of them.
struct TreeSums {
    std::span<const double> values;
    std::size_t width;
    std::span<const std::int32_t> tree_output;
    std::span<const double> base;
};
void predict(const Walk& walk, const TreeSums& sums, const Grid& grid, const Rows& rows,
             const Output& out, int n_jobs, Monitor& monitor);

}  // namespace fastpd
