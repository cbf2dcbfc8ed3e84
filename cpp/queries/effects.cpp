#include "queries/effects.hpp"

#include <algorithm>
#include <array>

namespace fastpd {

namespace {

// Runs of bins that pass a side: the interval, and the missing bin where it stands apart.
struct Runs {
    std::array<std::pair<std::int32_t, std::int32_t>, 2> run;
    int count = 0;
    explicit Runs(const Side& side) {
        const bool joined = side.missing && side.lo == 1;
        const std::int32_t lo = joined ? 0 : side.lo, hi = std::max(side.hi, joined ? 1 : side.lo);
        if (hi > lo) run[static_cast<std::size_t>(count++)] = {lo, hi};
        if (side.missing && !joined) run[static_cast<std::size_t>(count++)] = {0, 1};
    }
};

const Side* side_of(const Ensemble& ensemble, const Leaf& leaf, std::int32_t column) {
    for (const Side& side : ensemble.sides_of(leaf))
        if (side.column == column) return &side;
    return nullptr;
}

// Leaves that test each column.
std::vector<std::vector<std::uint32_t>> leaves_by_column(const Ensemble& ensemble, const LowOrder& low) {
    std::vector<std::vector<std::uint32_t>> leaves(ensemble.n_columns());
    for (std::size_t i = 0; i < low.size(); ++i)
        for (const Side& side : ensemble.sides_of(low.leaf(i)))
            leaves[static_cast<std::size_t>(side.column)].push_back(static_cast<std::uint32_t>(i));
    return leaves;
}

// A grid given by its differences: rectangles cost four updates each, and two passes of sums make values.
class DifferenceGrid {
public:
    DifferenceGrid(double* cells, std::size_t rows, std::size_t columns)
        : cells_(cells), rows_(rows), columns_(columns), row_strip_(rows + 1, 0.0), column_strip_(columns + 1, 0.0) {
        std::fill_n(cells_, rows * columns, 0.0);
    }

    void add_leaf(const Runs& a, const Runs& b, double none, double first, double second, double both) {
        constant_ += none;
        for (int i = 0; i < a.count; ++i) strip(row_strip_, a.run[static_cast<std::size_t>(i)], -first);
        for (int j = 0; j < b.count; ++j) strip(column_strip_, b.run[static_cast<std::size_t>(j)], -second);
        for (int i = 0; i < a.count; ++i)
            for (int j = 0; j < b.count; ++j) rectangle(a.run[static_cast<std::size_t>(i)], b.run[static_cast<std::size_t>(j)], both);
    }

    void integrate() {
        for (std::size_t i = 1; i < rows_; ++i) row_strip_[i] += row_strip_[i - 1];
        for (std::size_t j = 1; j < columns_; ++j) column_strip_[j] += column_strip_[j - 1];
        for (std::size_t i = 0; i < rows_; ++i) {
            double* row = cells_ + i * columns_;
            for (std::size_t j = 1; j < columns_; ++j) row[j] += row[j - 1];
            if (i > 0) for (std::size_t j = 0; j < columns_; ++j) row[j] += row[j - columns_];
        }
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t j = 0; j < columns_; ++j) cells_[i * columns_ + j] += constant_ + row_strip_[i] + column_strip_[j];
    }

private:
    static void strip(std::vector<double>& differences, std::pair<std::int32_t, std::int32_t> run, double value) {
        differences[static_cast<std::size_t>(run.first)] += value;
        differences[static_cast<std::size_t>(run.second)] -= value;
    }
    void corner(std::int32_t row, std::int32_t column, double value) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        if (i < rows_ && j < columns_) cells_[i * columns_ + j] += value;
    }
    void rectangle(std::pair<std::int32_t, std::int32_t> a, std::pair<std::int32_t, std::int32_t> b, double value) {
        corner(a.first, b.first, value);
        corner(a.second, b.first, -value);
        corner(a.first, b.second, -value);
        corner(a.second, b.second, value);
    }

    double* cells_;
    std::size_t rows_, columns_;
    double constant_ = 0;
    std::vector<double> row_strip_, column_strip_;
};

}  // namespace

std::vector<double> main_effects(const Ensemble& ensemble, const LowOrder& low, std::span<const std::int32_t> columns) {
    const auto leaves = leaves_by_column(ensemble, low);
    std::vector<double> out;
    for (const std::int32_t column : columns) {
        const auto bins = static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(column)]);
        std::vector<double> differences(bins + 1, 0.0);
        double constant = 0;
        for (const std::uint32_t i : leaves[static_cast<std::size_t>(column)]) {
            const Side& side = *side_of(ensemble, low.leaf(i), column);
            constant -= low.none(i);
            const Runs runs(side);
            for (int r = 0; r < runs.count; ++r) {
                differences[static_cast<std::size_t>(runs.run[static_cast<std::size_t>(r)].first)] += low.one(i, side.bit);
                differences[static_cast<std::size_t>(runs.run[static_cast<std::size_t>(r)].second)] -= low.one(i, side.bit);
            }
        }
        double sum = 0;
        for (std::size_t b = 0; b < bins; ++b) out.push_back(constant + (sum += differences[b]));
    }
    return out;
}

void pair_effects(const Ensemble& ensemble, const LowOrder& low, std::span<const std::int32_t> pairs,
                  std::span<const std::int64_t> offsets, double* grids, int n_jobs, Monitor& monitor) {
    const auto leaves = leaves_by_column(ensemble, low);
    parallel_for(pairs.size() / 2, n_jobs, monitor, [&](const Task& task) {
        const std::int32_t k = pairs[2 * task.index], l = pairs[2 * task.index + 1];
        const auto rows = static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(k)]);
        const auto columns = static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(l)]);
        DifferenceGrid grid(grids + offsets[task.index], rows, columns);
        for (const std::uint32_t i : leaves[static_cast<std::size_t>(k)]) {
            const Side* second = side_of(ensemble, low.leaf(i), l);
            if (second == nullptr) continue;
            const Side& first = *side_of(ensemble, low.leaf(i), k);
            grid.add_leaf(Runs(first), Runs(*second), low.none(i), low.one(i, first.bit), low.one(i, second->bit),
                          low.two(i, first.bit, second->bit));
        }
        grid.integrate();
    });
}

void evaluate_effects(const Ensemble& ensemble, const Grid& grid, const EffectModel& model, const Rows& rows,
                      const Output& out, int n_jobs, Monitor& monitor) {
    // Many rows at a time: a pair's grid fills a good part of the cache, and is read once a chunk.
    constexpr std::size_t chunk = 131072, strip = 4096;
    const Kernels& set = kernels();
    const std::size_t n_mains = model.columns.size(), n_columns = n_mains + model.pairs.size() / 2;
    Tile tile(grid, std::min(chunk, rows.n));
    for (std::size_t first = 0; first < rows.n; first += chunk) {
        const std::size_t n = std::min(chunk, rows.n - first);
        const int jobs = n * n_columns > 20000 ? n_jobs : 1;
        parallel_for(grid.feature.size(), jobs, monitor, [&](const Task& task) { tile.fill_column(rows, task.index, first, n, set); });
        parallel_for(n_columns, jobs, monitor, [&](const Task& task) {
            const bool is_main = task.index < n_mains;
            const std::size_t pair = is_main ? 0 : task.index - n_mains;
            const auto a = static_cast<std::size_t>(is_main ? model.columns[task.index] : model.pairs[2 * pair]);
            const auto b = static_cast<std::size_t>(is_main ? a : model.pairs[2 * pair + 1]);
            const double* cells = is_main ? model.mains.data() + model.main_offsets[task.index] : model.grids.data() + model.grid_offsets[pair];
            // A main effect is a grid of a single row: the width of 0 keeps the first index there.
            double values[strip];
            for (std::size_t at = 0; at < n; at += strip) {
                const std::size_t count = std::min(strip, n - at);
                const auto lane_a = grid.lane[a], lane_b = grid.lane[b];
                const auto* bins_a = static_cast<const std::byte*>(tile.columns()[a]) + at * lane_a;
                const auto* bins_b = static_cast<const std::byte*>(tile.columns()[b]) + at * lane_b;
                const std::size_t width = is_main ? 0 : static_cast<std::size_t>(ensemble.bins_of_column[b]);
                set.grid_lookup(cells, width, bins_a, lane_a, bins_b, lane_b, count, values);
                out.write(task.index, first + at, values, count);
            }
        });
    }
}

}  // namespace fastpd
