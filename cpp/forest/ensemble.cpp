#include "forest/ensemble.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "forest/cutting.hpp"

namespace fastpd {

namespace {

struct Step {
    std::int32_t node;
    bool left;
};

// Adds blocks, leaves and tests of one tree after another to an ensemble.
class Builder {
public:
    Builder(const Nodes& nodes, const Tree& tree, Ensemble& out) : nodes_(nodes), tree_(tree), out_(out) {}

    void add_block(std::int32_t root) {
        Block block{static_cast<std::uint32_t>(out_.tests.size()), static_cast<std::uint32_t>(out_.leaves.size()), 0, 0,
                    out_.n_counts};
        path_columns_.clear();
        for (const Side& side : sides_from(root)) {
            path_columns_.push_back(side.column);
            out_.tests.push_back(test_of(side, out_));
        }
        bit_of_node_.clear();
        add_node_tests(root);
        block.bits = static_cast<std::uint8_t>(out_.tests.size() - block.first_test);
        add_leaves(root, root);
        block.n_leaves = static_cast<std::uint32_t>(out_.leaves.size()) - block.first_leaf;
        out_.n_counts += std::uint64_t(1) << block.bits;
        out_.blocks.push_back(block);
    }

    void add_deep_leaf(std::int32_t node) {
        const auto sides = sides_from(node);
        if (sides.size() > static_cast<std::size_t>(max_deep_sides))
            throw std::length_error("a path of the model tests " + std::to_string(sides.size()) +
                                    " different features; at most " + std::to_string(max_deep_sides) +
                                    " are representable");
        out_.deep.push_back(add_leaf(node, sides));
    }

private:
    // Bins that pass the path from the tree's root to `node`, one entry a column, in order of first use.
    std::vector<Side> sides_from(std::int32_t node) const {
        std::vector<Step> path;
        for (std::int32_t below = node, above = tree_.parent(node); above >= 0; below = above, above = tree_.parent(above))
            path.push_back({above, nodes_.left[above] == below});
        std::vector<Side> sides;
        for (auto step = path.rbegin(); step != path.rend(); ++step) narrow(sides, *step);
        return sides;
    }

    void narrow(std::vector<Side>& sides, Step step) const {
        const Side passing = side_of(step);
        auto side = std::find_if(sides.begin(), sides.end(), [&](const Side& s) { return s.column == passing.column; });
        if (side == sides.end()) sides.push_back(passing);
        else *side = both(*side, passing);
    }

    // The bins that take one step.
    Side side_of(Step step) const {
        const std::int32_t column = nodes_.column[step.node], bins = out_.bins_of_column[column];
        if (!nodes_.has_members(step.node)) {
            const std::int32_t cut = nodes_.cut[step.node] + 1;
            const bool missing = (nodes_.default_left[step.node] != 0) == step.left;
            return {column, step.left ? 1 : cut, step.left ? cut : bins, missing, 0};
        }
        std::vector<bool> members(static_cast<std::size_t>(bins));
        const auto first = static_cast<std::size_t>(nodes_.first_member[step.node]);
        for (std::size_t bin = 0; bin < members.size(); ++bin) members[bin] = (nodes_.members[first + bin] != 0) == step.left;
        return side_from(column, members);
    }

    Side both(const Side& a, const Side& b) const {
        if (a.set < 0 && b.set < 0)
            return {a.column, std::max(a.lo, b.lo), std::min(a.hi, b.hi), static_cast<std::uint8_t>(a.missing & b.missing), 0};
        std::vector<bool> members = members_of(a, out_);
        const std::vector<bool> others = members_of(b, out_);
        for (std::size_t bin = 0; bin < members.size(); ++bin) members[bin] = members[bin] && others[bin];
        return side_from(a.column, members);
    }

    // An interval where the members are one, for those are tested fastest.
    Side side_from(std::int32_t column, const std::vector<bool>& members) const {
        const auto begin = members.begin() + 1;
        const auto lo = std::find(begin, members.end(), true), hi = std::find(lo, members.end(), false);
        if (std::find(hi, members.end(), true) == members.end())
            return {column, static_cast<std::int32_t>(lo - members.begin()), static_cast<std::int32_t>(hi - members.begin()), members[0], 0};
        return {column, 0, 0, members[0], 0, out_.sets.intern(members)};
    }

    void add_node_tests(std::int32_t node) {
        if (nodes_.column[node] < 0) return;
        bit_of_node_.push_back(node);
        out_.tests.push_back(test_of(side_of({node, true}), out_));
        add_node_tests(nodes_.left[node]);
        add_node_tests(nodes_.right[node]);
    }

    void add_leaves(std::int32_t node, std::int32_t root) {
        if (nodes_.column[node] >= 0) {
            add_leaves(nodes_.left[node], root);
            add_leaves(nodes_.right[node], root);
            return;
        }
        Leaf leaf = add_leaf(node, sides_from(node));
        for (std::size_t bit = 0; bit < path_columns_.size(); ++bit) require(leaf, path_columns_[bit], bit, true);
        for (std::int32_t below = node; below != root; below = tree_.parent(below)) {
            const std::int32_t above = tree_.parent(below);
            const auto found = std::find(bit_of_node_.begin(), bit_of_node_.end(), above) - bit_of_node_.begin();
            require(leaf, nodes_.column[above], path_columns_.size() + static_cast<std::size_t>(found),
                    nodes_.left[above] == below);
        }
        out_.leaves.push_back(leaf);
    }

    void require(const Leaf& leaf, std::int32_t column, std::size_t bit, bool set) {
        Clause* clause = out_.clauses.data() + leaf.first_clause;
        while (clause->player != out_.player_of_column[column]) ++clause;
        clause->need |= static_cast<std::uint8_t>(1u << bit);
        if (set) clause->want |= static_cast<std::uint8_t>(1u << bit);
    }

    Leaf add_leaf(std::int32_t node, const std::vector<Side>& sides) {
        Leaf leaf{node, static_cast<std::uint32_t>(out_.clauses.size()), static_cast<std::uint32_t>(out_.sides.size()), 0,
                  static_cast<std::uint8_t>(sides.size())};
        for (Side side : sides) {
            const std::int32_t player = out_.player_of_column[side.column];
            int bit = 0;
            while (bit < leaf.tau && out_.clauses[leaf.first_clause + bit].player != player) ++bit;
            if (bit == leaf.tau) {
                out_.clauses.push_back({player, 0, 0});
                ++leaf.tau;
            }
            side.bit = static_cast<std::uint8_t>(bit);
            out_.sides.push_back(side);
        }
        return leaf;
    }

    const Nodes& nodes_;
    const Tree& tree_;
    Ensemble& out_;
    std::vector<std::int32_t> path_columns_;
    std::vector<std::int32_t> bit_of_node_;
};

std::uint8_t lane_for(std::int32_t bins) { return bins <= 256 ? 1 : bins <= 65536 ? 2 : 4; }

}  // namespace

std::size_t Ensemble::bytes() const {
    return tests.size() * sizeof(Test) + blocks.size() * sizeof(Block) + (leaves.size() + deep.size()) * sizeof(Leaf) +
           clauses.size() * sizeof(Clause) + sides.size() * sizeof(Side) + sets.bytes();
}

std::vector<bool> members_of(const Side& side, const Ensemble& ensemble) {
    std::vector<bool> members(static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(side.column)]));
    for (std::size_t bin = 1; bin < members.size(); ++bin)
        members[bin] = side.set >= 0 ? ensemble.sets.has(side.set, bin)
                                     : std::int32_t(bin) >= side.lo && std::int32_t(bin) < side.hi;
    members[0] = side.missing != 0;
    return members;
}

// An interval test wraps around zero where the missing bin and the upper end of the range pass together.
Test test_of(const Side& side, const Ensemble& ensemble) {
    const std::uint8_t lane = ensemble.lane_of_column[side.column];
    if (side.set >= 0) return {side.column, 0, 0, lane, 0, ensemble.sets.bits(side.set)};
    const auto lo = static_cast<std::uint32_t>(side.lo);
    const auto width = static_cast<std::uint32_t>(std::max(side.hi - side.lo, 0));
    if (!side.missing) return {side.column, lo, width, lane, 0, nullptr};
    if (side.lo == 1) return {side.column, 0, width + 1, lane, 0, nullptr};
    if (side.hi == ensemble.bins_of_column[side.column] && width > 0) {
        const std::uint64_t range = std::uint64_t(1) << (8 * lane);
        return {side.column, lo, static_cast<std::uint32_t>(range - lo + 1), lane, 0, nullptr};
    }
    return {side.column, lo, width, lane, 1, nullptr};
}

void pattern_masks(const Ensemble& ensemble, const Leaf& leaf, int bits, std::uint8_t* masks) {
    const int n = 1 << bits;
    for (int p = 0; p < n; ++p) masks[p] = 0;
    std::uint8_t flag = 1;
    for (const Clause& clause : ensemble.clauses_of(leaf)) {
        for (int p = 0; p < n; ++p) masks[p] |= (p & clause.need) == clause.want ? flag : 0;
        flag = static_cast<std::uint8_t>(flag << 1);
    }
}

Ensemble compile_ensemble(const Nodes& nodes, std::span<const std::int32_t> bins_of_column,
                          std::span<const std::int32_t> player_of_column) {
    Ensemble out;
    out.bins_of_column.assign(bins_of_column.begin(), bins_of_column.end());
    out.player_of_column.assign(player_of_column.begin(), player_of_column.end());
    for (const std::int32_t bins : bins_of_column) out.lane_of_column.push_back(lane_for(bins));
    for (const std::int32_t player : player_of_column) out.n_players = std::max(out.n_players, player + 1);
    for (std::size_t t = 0; t < nodes.roots.size(); ++t) {
        const auto end = t + 1 < nodes.roots.size() ? nodes.roots[t + 1] : static_cast<std::int32_t>(nodes.column.size());
        const Tree tree(nodes, nodes.roots[t], end);
        Builder builder(nodes, tree, out);
        for (const std::int32_t root : tree.block_roots())
            if (tree.path_columns(root) <= max_block_bits) builder.add_block(root);
            else builder.add_deep_leaf(root);
    }
    return out;
}

}  // namespace fastpd
