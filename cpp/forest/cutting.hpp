// Where to cut a tree into pattern blocks, by estimated cost.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/ensemble.hpp"

namespace fastpd {

// The shape of one tree; its nodes stand together, from `begin` to `end`.
class Tree {
public:
    Tree(const Nodes& nodes, std::int32_t begin, std::int32_t end);

    std::int32_t parent(std::int32_t node) const { return parent_[node - begin_]; }  // -1 at the root
    int path_columns(std::int32_t node) const { return path_columns_[node - begin_]; }
    // Roots of the blocks, left to right; a root with too long a path for a table is a single deep leaf.
    std::vector<std::int32_t> block_roots() const;

private:
    void visit_top_down(const Nodes& nodes);
    void choose_cuts();

    const Nodes& nodes_;
    std::int32_t begin_;
    std::vector<std::int32_t> parent_;
    std::vector<std::int32_t> order_;  // parents before children
    std::vector<int> path_columns_;
    std::vector<int> inner_nodes_;  // below and at the node
    std::vector<double> cost_;
    std::vector<char> is_block_;
};

}  // namespace fastpd
