#include "forest/cutting.hpp"

#include <array>
#include <limits>

namespace fastpd {

namespace {

// Rough instructions a vector of 16 rows: the histogram and pattern of a block, and one table lookup of 2^bits
// entries. Measured on AVX-512; other machines differ little in where the minimum lies.
constexpr double block_cost = 40;
constexpr std::array<double, max_block_bits + 1> lookup_cost{4, 4, 4, 4, 4, 4, 6, 10, 18};

}  // namespace

Tree::Tree(const Nodes& nodes, std::int32_t begin, std::int32_t end) : nodes_(nodes), begin_(begin) {
    const auto size = static_cast<std::size_t>(end - begin);
    parent_.assign(size, -1);
    path_columns_.assign(size, 0);
    inner_nodes_.assign(size, 0);
    cost_.assign(size, 0.0);
    is_block_.assign(size, 0);
    visit_top_down(nodes);
    choose_cuts();
}

// Without recursion: a chain of a hundred thousand nodes must not end the stack.
void Tree::visit_top_down(const Nodes& nodes) {
    order_.push_back(begin_);
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::int32_t node = order_[i];
        if (nodes.column[node] < 0) continue;
        bool repeated = false;
        for (std::int32_t above = parent(node); above >= 0 && !repeated; above = parent(above))
            repeated = nodes.column[above] == nodes.column[node];
        for (const std::int32_t child : {nodes.left[node], nodes.right[node]}) {
            parent_[child - begin_] = node;
            path_columns_[child - begin_] = path_columns(node) + (repeated ? 0 : 1);
            order_.push_back(child);
        }
    }
}

void Tree::choose_cuts() {
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        const std::int32_t i = *at - begin_;
        const bool leaf = nodes_.column[*at] < 0;
        double split = std::numeric_limits<double>::infinity();
        if (!leaf) {
            const std::int32_t left = nodes_.left[*at] - begin_, right = nodes_.right[*at] - begin_;
            inner_nodes_[i] = 1 + inner_nodes_[left] + inner_nodes_[right];
            split = cost_[left] + cost_[right];
        }
        const int bits = path_columns_[i] + inner_nodes_[i];
        const double whole = bits <= max_block_bits ? block_cost + bits + bits * lookup_cost[bits]
                                                    : std::numeric_limits<double>::infinity();
        is_block_[i] = leaf || whole <= split;
        cost_[i] = is_block_[i] ? (bits <= max_block_bits ? whole : 0.0) : split;
    }
}

std::vector<std::int32_t> Tree::block_roots() const {
    std::vector<std::int32_t> roots, stack{begin_};
    while (!stack.empty()) {
        const std::int32_t node = stack.back();
        stack.pop_back();
        if (is_block_[node - begin_]) {
            roots.push_back(node);
            continue;
        }
        stack.push_back(nodes_.right[node]);
        stack.push_back(nodes_.left[node]);
    }
    return roots;
}

}  // namespace fastpd
