#include "queries/predict.hpp"

#include <algorithm>
#include <array>

namespace fastpd {

namespace {

constexpr std::size_t tile_rows = 512;
constexpr std::size_t abreast = 8;  // rows walked together: their waits for memory overlap

// Bins of a tile, row after row.
std::vector<std::uint32_t> bins_by_row(const Tile& tile, std::size_t n_columns, std::size_t n) {
    std::vector<std::uint32_t> bins(padded(n) * n_columns, 0);
    for (std::size_t column = 0; column < n_columns; ++column)
        for (std::size_t row = 0; row < n; ++row) bins[row * n_columns + column] = tile.bin(column, row);
    return bins;
}

// Where a row goes from a node; `Members` says whether any node of the walk has members.
template <bool Members>
std::int32_t next_node(const Walk& walk, std::int32_t at, const std::uint32_t* bins) {
    const WalkNode& node = walk.nodes[static_cast<std::size_t>(at)];
    const std::uint32_t bin = bins[node.column];
    if constexpr (Members) {
        const std::int64_t first = walk.first_member[static_cast<std::size_t>(at)];
        if (first >= 0) return walk.members[static_cast<std::size_t>(first) + bin] != 0 ? node.left : node.right;
    }
    return bin - node.offset < node.limit ? node.left : node.right;
}

template <bool Members>
std::array<std::int32_t, abreast> leaves_of(const Walk& walk, std::int32_t root, const std::uint32_t* bins,
                                            std::size_t n_columns) {
    std::array<std::int32_t, abreast> at;
    at.fill(root);
    for (bool moving = true; moving;) {
        moving = false;
        for (std::size_t i = 0; i < abreast; ++i) {
            const std::int32_t next = next_node<Members>(walk, at[i], bins + i * n_columns);
            moving |= next != at[i];
            at[i] = next;
        }
    }
    return at;
}

void add_tree(const TreeSums& sums, std::int32_t output, std::int32_t leaf, double* scores, std::size_t stride) {
    const double* value = sums.values.data() + static_cast<std::size_t>(leaf) * sums.width;
    if (output >= 0) scores[static_cast<std::size_t>(output) * stride] += value[0];
    else for (std::size_t o = 0; o < sums.base.size(); ++o) scores[o * stride] += value[o];
}

}  // namespace

std::size_t Walk::bytes() const {
    return nodes.size() * sizeof(WalkNode) + roots.size() * sizeof(std::int32_t) +
           first_member.size() * sizeof(std::int64_t) + members.size();
}

Walk make_walk(const Nodes& nodes) {
    Walk walk;
    walk.roots.assign(nodes.roots.begin(), nodes.roots.end());
    if (!nodes.members.empty()) {
        walk.first_member.assign(nodes.first_member.begin(), nodes.first_member.end());
        walk.members.assign(nodes.members.begin(), nodes.members.end());
    }
    walk.nodes.reserve(nodes.column.size());
    for (std::size_t i = 0; i < nodes.column.size(); ++i) {
        const auto self = static_cast<std::int32_t>(i);
        const std::uint32_t offset = nodes.default_left[i] ? 0 : 1;
        if (nodes.column[i] < 0) walk.nodes.push_back({0, 0, 0, self, self});
        else walk.nodes.push_back({static_cast<std::uint32_t>(nodes.column[i]), offset,
                                   static_cast<std::uint32_t>(nodes.cut[i]) + 1 - offset, nodes.left[i], nodes.right[i]});
    }
    return walk;
}

void predict(const Walk& walk, const TreeSums& sums, const Grid& grid, const Rows& rows, const Output& out, int n_jobs,
             Monitor& monitor) {
    const Kernels& set = kernels();
    const auto descend = walk.members.empty() ? leaves_of<false> : leaves_of<true>;
    const std::size_t n_columns = std::max<std::size_t>(grid.feature.size(), 1), n_outputs = sums.base.size();
    parallel_for((rows.n + tile_rows - 1) / tile_rows, n_jobs, monitor, [&](const Task& task) {
        const std::size_t first = task.index * tile_rows, n = std::min(tile_rows, rows.n - first), stride = padded(n);
        Tile tile(grid, n);
        tile.fill(rows, first, n, set);
        auto bins = bins_by_row(tile, grid.feature.size(), n);
        bins.resize(stride * n_columns);
        std::vector<double> scores(n_outputs * stride);
        for (std::size_t o = 0; o < n_outputs; ++o)
            std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(o * stride), stride, sums.base[o]);
        for (std::size_t t = 0; t < walk.roots.size(); ++t) {
            task.checkpoint();
            for (std::size_t row = 0; row < n; row += abreast) {
                const auto leaves = descend(walk, walk.roots[t], bins.data() + row * n_columns, n_columns);
                for (std::size_t i = 0; i < abreast; ++i) add_tree(sums, sums.tree_output[t], leaves[i], scores.data() + row + i, stride);
            }
        }
        for (std::size_t o = 0; o < n_outputs; ++o) out.write(o, first, scores.data() + o * stride, n);
    });
}

}  // namespace fastpd
