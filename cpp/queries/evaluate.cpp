#include "queries/evaluate.hpp"

#include <algorithm>
#include <memory>

#include "queries/deep.hpp"

namespace fastpd {

namespace {

constexpr std::size_t max_tile_rows = 4096;  // tables of a group are read once for so many rows
constexpr std::size_t max_strip_rows = 512;  // accumulators of a strip stay in the first-level cache
constexpr std::size_t tile_bytes = std::size_t(1) << 23;
constexpr std::size_t strip_sums = 16384;

// Rows a task handles: enough to share the tables' cost, few enough that all threads have work. Rows do not
// influence each other, so this choice changes no bit of a result.
std::size_t rows_a_task(std::size_t n, std::size_t n_columns, int n_jobs) {
    const std::size_t fit = tile_bytes / (8 * std::max<std::size_t>(n_columns, 1));
    const std::size_t shared = padded(n / static_cast<std::size_t>(std::max(n_jobs, 1)) + 1);
    return std::max(row_step, std::min({max_tile_rows, fit / row_step * row_step, std::max<std::size_t>(shared, 256)}));
}

// Memory of one thread, and the walk of one tile through all groups.
class Evaluator {
public:
    Evaluator(const Ensemble& ensemble, const Grid& grid, const Tables& tables, std::size_t tile_rows)
        : ensemble_(ensemble), tables_(tables), kernels_(kernels()), tile_(grid, tile_rows),
          stride_(tile_.capacity()), sums_(stride_ * tables.n_columns), columns_(tables.n_columns) {
        for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c] = sums_.data() + c * stride_;
    }

    void run(const Rows& rows, std::size_t first, std::size_t n, const Task& task, const Output& out) {
        tile_.fill(rows, first, n, kernels_);
        for (std::size_t c = 0; c < columns_.size(); ++c) std::fill_n(columns_[c], n, tables_.constants[c]);
        for (const Group& group : tables_.groups) {
            task.checkpoint();
            if (tables_.fixed_point) add_fixed(group, n);
            else add_exact(group, n);
        }
        add_deep(ensemble_, tables_, tile_, n, kernels_, task, columns_.data());
        for (std::size_t c = 0; c < columns_.size(); ++c) out.write(c, first, columns_[c], n);
    }

private:
    void find_patterns(const BlockTables& tables, std::size_t row, std::size_t n) {
        const Block& block = ensemble_.blocks[tables.block];
        kernels_.patterns(ensemble_.tests.data() + block.first_test, block.bits, tile_.columns(), row, padded(n), patterns_);
    }

    void add_fixed(const Group& group, std::size_t n) {
        const std::size_t n_local = std::max<std::size_t>(group.columns.size(), 1);
        const std::size_t strip = std::clamp(strip_sums / n_local / row_step * row_step, row_step, max_strip_rows);
        for (std::size_t row = 0; row < n; row += strip) {
            const std::size_t count = std::min(strip, n - row);
            units_.assign(n_local * strip, 0);
            for (const BlockTables& block : group.blocks) {
                find_patterns(block, row, count);
                kernels_.lookup_i32(patterns_, count, block.width_bits, group.entries.data() + block.first_entry,
                                    block.n_entries, group.fixed.data(), units_.data(), strip);
            }
            for (std::size_t c = 0; c < group.columns.size(); ++c)
                kernels_.flush(units_.data() + c * strip, count, group.steps[c], columns_[static_cast<std::size_t>(group.columns[c])] + row);
        }
    }

    void add_exact(const Group& group, std::size_t n) {
        std::vector<double*> local(group.columns.size());
        for (std::size_t row = 0; row < n; row += max_strip_rows) {
            const std::size_t count = std::min(max_strip_rows, n - row);
            for (std::size_t c = 0; c < local.size(); ++c) local[c] = columns_[static_cast<std::size_t>(group.columns[c])] + row;
            for (const BlockTables& block : group.blocks) {
                find_patterns(block, row, count);
                kernels_.lookup_f64(patterns_, count, group.entries.data() + block.first_entry, block.n_entries,
                                    group.exact.data(), local.data());
            }
        }
    }

    const Ensemble& ensemble_;
    const Tables& tables_;
    const Kernels& kernels_;
    Tile tile_;
    std::size_t stride_;
    std::vector<double> sums_;
    std::vector<double*> columns_;
    std::vector<std::int32_t> units_;
    alignas(64) std::uint8_t patterns_[max_strip_rows];
};

}  // namespace

void Output::write(std::size_t column, std::size_t row, const double* values, std::size_t n) const {
    if (single) std::transform(values, values + n, static_cast<float*>(data) + column * column_stride + row,
                               [](double value) { return static_cast<float>(value); });
    else std::copy_n(values, n, static_cast<double*>(data) + column * column_stride + row);
}

void evaluate_tables(const Ensemble& ensemble, const Grid& grid, const Tables& tables, const Rows& rows,
                     const Output& out, int n_jobs, Monitor& monitor) {
    const std::size_t step = rows_a_task(rows.n, tables.n_columns, n_jobs);
    const std::size_t n_tasks = (rows.n + step - 1) / step;
    std::vector<std::unique_ptr<Evaluator>> workers(static_cast<std::size_t>(std::max(n_jobs, 1)));
    parallel_for(n_tasks, n_jobs, monitor, [&](const Task& task) {
        auto& worker = workers[static_cast<std::size_t>(task.worker)];
        if (!worker) worker = std::make_unique<Evaluator>(ensemble, grid, tables, std::min(step, rows.n));
        const std::size_t first = task.index * step;
        worker->run(rows, first, std::min(step, rows.n - first), task, out);
    });
}

}  // namespace fastpd
