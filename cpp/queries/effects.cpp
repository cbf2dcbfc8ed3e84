#include "queries/effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fastpd {

namespace {

using BinRun = std::pair<std::int32_t, std::int32_t>;

// Runs of bins that pass a side: an interval, and the missing bin where it stands apart; or those of a set.
class BinRuns {
public:
    BinRuns(const Side& side, const Ensemble& ensemble) {
        if (side.set >= 0) {
            add_set(side, ensemble);
            return;
        }
        const bool joined = side.missing && side.lo == 1;
        const std::int32_t lo = joined ? 0 : side.lo, hi = std::max(side.hi, joined ? 1 : side.lo);
        if (hi > lo) few_[n_few_++] = {lo, hi};
        if (side.missing && !joined) few_[n_few_++] = {0, 1};
    }
    const BinRun* begin() const { return many_.empty() ? few_.data() : many_.data(); }
    const BinRun* end() const { return begin() + (many_.empty() ? n_few_ : many_.size()); }

private:
    void add_set(const Side& side, const Ensemble& ensemble) {
        const std::vector<bool> members = members_of(side, ensemble);
        for (auto at = members.begin(); at != members.end();) {
            const auto lo = std::find(at, members.end(), true), hi = std::find(lo, members.end(), false);
            if (lo != hi) many_.emplace_back(lo - members.begin(), hi - members.begin());
            at = hi;
        }
    }

    std::array<BinRun, 2> few_;
    std::size_t n_few_ = 0;
    std::vector<BinRun> many_;
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

    void add_leaf(const BinRuns& a, const BinRuns& b, double none, double first, double second, double both) {
        constant_ += none;
        for (const BinRun& run : a) strip(row_strip_, run, -first);
        for (const BinRun& run : b) strip(column_strip_, run, -second);
        for (const BinRun& in_rows : a)
            for (const BinRun& in_columns : b) rectangle(in_rows, in_columns, both);
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
    static void strip(std::vector<double>& differences, BinRun run, double value) {
        differences[static_cast<std::size_t>(run.first)] += value;
        differences[static_cast<std::size_t>(run.second)] -= value;
    }
    void corner(std::int32_t row, std::int32_t column, double value) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        if (i < rows_ && j < columns_) cells_[i * columns_ + j] += value;
    }
    void rectangle(BinRun a, BinRun b, double value) {
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

// Replaces values by whole numbers of one step, which is returned; 0 where all are zero.
double make_fixed(const std::vector<double>& values, std::int32_t* out, const Kernels& kernels) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    const double room = std::numeric_limits<std::int32_t>::max();
    const double scale = largest > 0 ? room / largest : 0;
    const bool usable = std::isfinite(scale);  // else below what a float64 can tell from zero
    kernels.round_to_fixed(values.data(), values.size(), usable ? scale : 0, out);
    return usable ? largest / room : 0;
}

// Many rows at a time: a pair's grid fills a good part of the cache, and is read from memory once a chunk.
std::size_t rows_a_chunk(const Grid& grid) {
    constexpr std::size_t cells = std::size_t(1) << 23;
    return std::clamp<std::size_t>(cells / std::max<std::size_t>(grid.feature.size(), 1), 4096, 524288) / row_step * row_step;
}

// One column of the answer: a main effect, or a pair.
class ColumnLookup {
public:
    ColumnLookup(const Ensemble& ensemble, const Grid& grid, const EffectModel& model, const Tile& tile, std::size_t index,
                 const Kernels& kernels)
        : kernels_(kernels) {
        const std::size_t n_mains = model.columns.size();
        const bool is_main = index < n_mains;
        const std::size_t pair = is_main ? 0 : index - n_mains;
        const auto a = static_cast<std::size_t>(is_main ? model.columns[index] : model.grids.pairs[2 * pair]);
        const auto b = static_cast<std::size_t>(is_main ? a : model.grids.pairs[2 * pair + 1]);
        // A main effect is a grid of a single row: the width of 0 keeps the first index there.
        const std::size_t width = is_main ? 0 : static_cast<std::size_t>(ensemble.bins_of_column[b]);
        axes_ = {tile.columns()[a], tile.columns()[b], grid.lane[a], grid.lane[b], width};
        if (is_main) exact_ = model.mains.data() + model.main_offsets[index];
        else if (model.grids.fixed == nullptr) exact_ = model.grids.exact + model.grids.offsets[pair];
        else {
            fixed_ = model.grids.fixed + model.grids.offsets[pair];
            step_ = model.grids.steps[pair];
        }
    }

    void look_up(std::size_t row, std::size_t n, double* out) const {
        GridAxes axes = axes_;
        axes.first = static_cast<const std::byte*>(axes.first) + row * static_cast<std::size_t>(axes.first_lane);
        axes.second = static_cast<const std::byte*>(axes.second) + row * static_cast<std::size_t>(axes.second_lane);
        if (exact_ != nullptr) kernels_.grid_f64(exact_, axes, n, out);
        else kernels_.grid_i32(fixed_, step_, axes, n, out);
    }

private:
    const Kernels& kernels_;
    GridAxes axes_{};
    const double* exact_ = nullptr;
    const std::int32_t* fixed_ = nullptr;
    double step_ = 0;
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
            for (const BinRun& run : BinRuns(side, ensemble)) {
                differences[static_cast<std::size_t>(run.first)] += low.one(i, side.bit);
                differences[static_cast<std::size_t>(run.second)] -= low.one(i, side.bit);
            }
        }
        double sum = 0;
        for (std::size_t b = 0; b < bins; ++b) out.push_back(constant + (sum += differences[b]));
    }
    return out;
}

void pair_effects(const Ensemble& ensemble, const LowOrder& low, const PairGrids& grids, int n_jobs, Monitor& monitor) {
    const auto leaves = leaves_by_column(ensemble, low);
    const Kernels& set = kernels();
    parallel_for(grids.size(), n_jobs, monitor, [&](const Task& task) {
        const std::int32_t k = grids.pairs[2 * task.index], l = grids.pairs[2 * task.index + 1];
        const auto rows = static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(k)]);
        const auto columns = static_cast<std::size_t>(ensemble.bins_of_column[static_cast<std::size_t>(l)]);
        std::vector<double> scratch(grids.fixed != nullptr ? rows * columns : 0);
        double* cells = grids.fixed != nullptr ? scratch.data() : grids.exact + grids.offsets[task.index];
        DifferenceGrid grid(cells, rows, columns);
        for (const std::uint32_t i : leaves[static_cast<std::size_t>(k)]) {
            const Side* second = side_of(ensemble, low.leaf(i), l);
            if (second == nullptr) continue;
            const Side& first = *side_of(ensemble, low.leaf(i), k);
            grid.add_leaf(BinRuns(first, ensemble), BinRuns(*second, ensemble), low.none(i), low.one(i, first.bit), low.one(i, second->bit),
                          low.two(i, first.bit, second->bit));
        }
        grid.integrate();
        if (grids.fixed != nullptr) grids.steps[task.index] = make_fixed(scratch, grids.fixed + grids.offsets[task.index], set);
    });
}

void evaluate_effects(const Ensemble& ensemble, const Grid& grid, const EffectModel& model, const Rows& rows,
                      const Output& out, int n_jobs, Monitor& monitor) {
    const Kernels& set = kernels();
    const std::size_t n_columns = model.columns.size() + model.grids.size(), chunk = rows_a_chunk(grid);
    Tile tile(grid, std::min(chunk, rows.n));
    for (std::size_t first = 0; first < rows.n; first += chunk) {
        const std::size_t n = std::min(chunk, rows.n - first);
        const int jobs = n * n_columns > 20000 ? n_jobs : 1;
        parallel_for(grid.feature.size(), jobs, monitor, [&](const Task& task) { tile.fill_column(rows, task.index, first, n, set); });
        parallel_for(n_columns, jobs, monitor, [&](const Task& task) {
            constexpr std::size_t strip = 512;
            const ColumnLookup column(ensemble, grid, model, tile, task.index, set);
            double values[strip];
            for (std::size_t at = 0; at < n; at += strip) {
                const std::size_t count = std::min(strip, n - at);
                column.look_up(at, count, values);
                out.write(task.index, first + at, values, count);
            }
        });
    }
}

}  // namespace fastpd
