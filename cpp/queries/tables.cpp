#include "queries/tables.hpp"

#include <algorithm>

#include "queries/deep.hpp"
#include "queries/group_compiler.hpp"

namespace fastpd {

namespace {

constexpr std::size_t blocks_a_group = 96;  // their tables fit in a second-level cache

std::vector<std::uint32_t> blocks_in_use(const Ensemble& ensemble, std::span<const double> values) {
    std::vector<std::uint32_t> used;
    for (std::uint32_t b = 0; b < ensemble.blocks.size(); ++b)
        for (const Leaf& leaf : ensemble.leaves_of(ensemble.blocks[b]))
            if (values[static_cast<std::size_t>(leaf.node)] != 0) {
                used.push_back(b);
                break;
            }
    return used;
}

std::span<const std::uint32_t> run_of(const std::vector<std::uint32_t>& blocks, std::size_t g) {
    const std::size_t first = g * blocks_a_group;
    return std::span(blocks).subspan(first, std::min(blocks_a_group, blocks.size() - first));
}

}  // namespace

std::size_t Tables::bytes() const {
    std::size_t total = constants.size() * sizeof(double) + deep_masks.size() * 16 + deep_chances.size() * 8;
    for (const Group& group : groups)
        total += group.fixed.size() * sizeof(std::int32_t) + group.exact.size() * sizeof(double) +
                 group.entries.size() * sizeof(Entry) + group.blocks.size() * sizeof(BlockTables);
    for (const DeepLeafQuery& leaf : deep) total += leaf.terms.size() * sizeof(DeepTerm) + leaf.columns.size() * 4;
    return total;
}

Tables compile_tables(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                      double base, const Query& query, const Sets& sets, bool fixed_point, int n_jobs, Monitor& monitor) {
    const ColumnOf column_of(sets, ensemble.n_players);
    const auto blocks = blocks_in_use(ensemble, values);
    const std::size_t n_groups = (blocks.size() + blocks_a_group - 1) / blocks_a_group;
    Tables tables;
    tables.fixed_point = fixed_point;
    tables.n_columns = sets.size();
    tables.groups.resize(n_groups);
    std::vector<std::vector<double>> constants(n_groups);
    const std::size_t n_parts = ensemble.deep.empty() ? 1 : 2;
    PartOf shallow(monitor, 0, n_parts), deep(monitor, n_parts - 1, n_parts);
    parallel_for(n_groups, n_jobs, shallow, [&](const Task& task) {
        GroupCompiler compiler(ensemble, measure, values, query, sets, column_of, task);
        compiler.lay_out(run_of(blocks, task.index));
        compiler.fill();
        if (fixed_point) compiler.make_fixed_point();
        tables.groups[task.index] = compiler.take_group();
        constants[task.index] = compiler.take_constants();
    });
    tables.constants.assign(sets.size(), base);
    for (const auto& part : constants)
        for (std::size_t c = 0; c < part.size(); ++c) tables.constants[c] += part[c];
    compile_deep(ensemble, measure, values, query, sets, column_of, tables, deep);
    return tables;
}

std::size_t estimate_table_bytes(const Ensemble& ensemble, std::span<const double> values, const Query& query,
                                 const Sets& sets, bool fixed_point, Monitor& monitor) {
    const ColumnOf column_of(sets, ensemble.n_players);
    const auto blocks = blocks_in_use(ensemble, values);
    std::size_t entries = 0;
    parallel_for((blocks.size() + blocks_a_group - 1) / blocks_a_group, 1, monitor, [&](const Task& task) {
        GroupCompiler compiler(ensemble, Measure{}, values, query, sets, column_of, task);
        compiler.lay_out(run_of(blocks, task.index));
        entries += compiler.n_table_entries();
    });
    return entries * (fixed_point ? sizeof(std::int32_t) : sizeof(double));
}

}  // namespace fastpd
