#include "queries/tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "queries/deep.hpp"
#include "queries/leaf_games.hpp"

namespace fastpd {

namespace {

constexpr std::size_t blocks_a_group = 96;  // their tables fit in a second-level cache
constexpr int min_width_bits = 5;           // a table fills whole vectors

// One leaf of a group and where its subsets' contributions go: a table offset each, or -1.
struct LeafPlan {
    std::uint32_t leaf;
    std::uint32_t block;
    std::vector<std::int64_t> tables;
};

// Compiles one group: first lays out the entries of its blocks, then fills their tables leaf by leaf.
class GroupCompiler {
public:
    GroupCompiler(const Ensemble& ensemble, const Background& background, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of)
        : ensemble_(ensemble), background_(background), values_(values), query_(query), sets_(sets),
          column_of_(column_of), constants(sets.size(), 0.0) {}

    void lay_out(std::span<const std::uint32_t> blocks) {
        for (const std::uint32_t b : blocks) lay_out_block(b);
    }

    void fill() {
        group.exact.assign(size_, 0.0);
        for (int tau = 0; tau <= max_block_bits; ++tau) {
            const auto subsets = query_.is_value ? std::vector<std::uint32_t>{} : subsets_of(tau);
            LeafBatch batch;
            batch.tau = tau;
            std::vector<const LeafPlan*> members;
            for (const LeafPlan& plan : plans_) {
                if (ensemble_.leaves[plan.leaf].tau != tau) continue;
                batch.leaf[batch.size] = plan.leaf;
                batch.block[batch.size++] = plan.block;
                members.push_back(&plan);
                if (batch.size == lanes) flush(batch, members, subsets);
            }
            if (batch.size > 0) flush(batch, members, subsets);
        }
    }

    // Replace the float64 tables by integers with one step a column, so small that no sum overflows.
    void make_fixed_point() {
        const std::size_t n = group.columns.size();
        std::vector<double> bound(n, 0.0);
        std::vector<double> count(n, 0.0);
        for_tables([&](const Entry& entry, std::size_t size) {
            double largest = 0;
            for (std::size_t p = 0; p < size; ++p) largest = std::max(largest, std::abs(group.exact[entry.table + p]));
            bound[entry.column] += largest;
            count[entry.column] += 1;
        });
        std::vector<double> scale(n, 0.0);
        group.steps.assign(n, 0.0);
        for (std::size_t c = 0; c < n; ++c) {
            if (bound[c] <= 0) continue;
            const double room = static_cast<double>(std::numeric_limits<std::int32_t>::max()) - count[c];
            scale[c] = room / bound[c];
            group.steps[c] = bound[c] / room;
            if (!std::isfinite(scale[c])) scale[c] = group.steps[c] = 0;  // below what a float64 can tell from zero
        }
        group.fixed.assign(group.exact.size(), 0);
        for_tables([&](const Entry& entry, std::size_t size) {
            for (std::size_t p = 0; p < size; ++p)
                group.fixed[entry.table + p] = static_cast<std::int32_t>(
                    std::nearbyint(group.exact[entry.table + p] * scale[entry.column]));
        });
        group.exact.clear();
        group.exact.shrink_to_fit();
    }

    std::size_t n_table_entries() const { return size_; }

private:
    std::vector<std::uint32_t> subsets_of(int tau) const { return subsets_up_to(tau, std::min(query_.order, tau)); }

    template <class Body>
    void for_tables(const Body& body) const {
        for (const BlockTables& block : group.blocks)
            for (std::uint32_t e = 0; e < block.n_entries; ++e)
                body(group.entries[block.first_entry + e], std::size_t(1) << block.width_bits);
    }

    // Columns that a leaf contributes to, in the order in which its contributions are computed.
    std::vector<std::int32_t> columns_of(const Leaf& leaf) {
        std::vector<std::int32_t> columns;
        if (query_.is_value) {
            for (std::size_t s = 0; s < sets_.size(); ++s) columns.push_back(overlap(leaf, s) ? static_cast<std::int32_t>(s) : -1);
        } else {
            for (const std::uint32_t subset : subsets_of(leaf.tau)) {
                players_in(ensemble_, leaf, subset, players_);
                columns.push_back(column_of_(players_));
            }
        }
        return columns;
    }

    // The leaf's players that belong to set `s`.
    std::uint32_t overlap(const Leaf& leaf, std::size_t s) const {
        std::uint32_t bits = 0, flag = 1;
        const auto set = sets_[s];
        for (const Clause& clause : ensemble_.clauses_of(leaf)) {
            if (std::binary_search(set.begin(), set.end(), clause.player)) bits |= flag;
            flag <<= 1;
        }
        return bits;
    }

    void lay_out_block(std::uint32_t b) {
        const Block& block = ensemble_.blocks[b];
        const std::size_t first_plan = plans_.size();
        std::vector<std::int32_t> used;
        for (std::uint32_t i = 0; i < block.n_leaves; ++i) {
            const Leaf& leaf = ensemble_.leaves[block.first_leaf + i];
            if (values_[static_cast<std::size_t>(leaf.node)] == 0) continue;
            const auto columns = columns_of(leaf);
            used.insert(used.end(), columns.begin(), columns.end());
            plans_.push_back({block.first_leaf + i, b, {columns.begin(), columns.end()}});
        }
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        if (!used.empty() && used.front() < 0) used.erase(used.begin());
        const int width_bits = std::max<int>(block.bits, min_width_bits);
        const std::size_t first_table = size_;
        if (!used.empty()) {
            group.blocks.push_back({b, static_cast<std::uint32_t>(group.entries.size()),
                                    static_cast<std::uint32_t>(used.size()), width_bits});
            for (const std::int32_t column : used) {
                group.entries.push_back({local_column(column), static_cast<std::uint32_t>(size_)});
                size_ += std::size_t(1) << width_bits;
            }
        }
        for (std::size_t p = first_plan; p < plans_.size(); ++p)
            for (std::int64_t& at : plans_[p].tables) {
                if (at < 0) continue;
                const auto slot = std::lower_bound(used.begin(), used.end(), static_cast<std::int32_t>(at)) - used.begin();
                at = static_cast<std::int64_t>(first_table) + (static_cast<std::int64_t>(slot) << width_bits);
            }
    }

    std::uint32_t local_column(std::int32_t column) {
        if (local_.empty()) local_.assign(sets_.size(), -1);
        std::int32_t& local = local_[static_cast<std::size_t>(column)];
        if (local < 0) {
            local = static_cast<std::int32_t>(group.columns.size());
            group.columns.push_back(column);
        }
        return static_cast<std::uint32_t>(local);
    }

    void flush(LeafBatch& batch, std::vector<const LeafPlan*>& members, std::span<const std::uint32_t> subsets) {
        fill_values(ensemble_, background_, values_, batch);
        if (!query_.is_value && batch.tau > 0) fill_index(batch, query_, subsets, index_);
        for (std::size_t l = 0; l < batch.size; ++l)
            if (query_.is_value) add_value_tables(batch, l, *members[l]);
            else add_index_tables(batch, l, *members[l]);
        batch.size = 0;
        members.clear();
    }

    void add_index_tables(const LeafBatch& batch, std::size_t l, const LeafPlan& plan) {
        const std::size_t n_patterns = std::size_t(1) << ensemble_.blocks[plan.block].bits;
        const std::uint8_t* masks = batch.masks[l].data();
        for (std::size_t s = 0; s < plan.tables.size(); ++s) {
            if (plan.tables[s] < 0) continue;
            double* table = group.exact.data() + plan.tables[s];
            const Lane* index = index_.data() + (s << batch.tau);
            for (std::size_t p = 0; p < n_patterns; ++p) table[p] += index[masks[p]][l];
        }
    }

    void add_value_tables(const LeafBatch& batch, std::size_t l, const LeafPlan& plan) {
        const std::size_t n_patterns = std::size_t(1) << ensemble_.blocks[plan.block].bits;
        const std::uint8_t* masks = batch.masks[l].data();
        for (std::size_t s = 0; s < plan.tables.size(); ++s) {
            if (plan.tables[s] < 0) {
                constants[s] += batch.value[0][l];
                continue;
            }
            const std::uint32_t inside = overlap(ensemble_.leaves[plan.leaf], s);
            double* table = group.exact.data() + plan.tables[s];
            for (std::size_t p = 0; p < n_patterns; ++p)
                if ((masks[p] & inside) == inside) table[p] += batch.value[inside][l];
        }
    }

    const Ensemble& ensemble_;
    const Background& background_;
    std::span<const double> values_;
    const Query& query_;
    const Sets& sets_;
    const ColumnOf& column_of_;
    std::vector<LeafPlan> plans_;
    std::vector<std::int32_t> local_;
    std::vector<std::int32_t> players_;
    std::vector<Lane> index_;
    std::size_t size_ = 0;

public:
    Group group;
    std::vector<double> constants;
};

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
    std::size_t total = constants.size() * sizeof(double) + deep_masks.size() * 16;
    for (const Group& group : groups)
        total += group.fixed.size() * sizeof(std::int32_t) + group.exact.size() * sizeof(double) +
                 group.entries.size() * sizeof(Entry) + group.blocks.size() * sizeof(BlockTables);
    for (const DeepLeafQuery& leaf : deep) total += leaf.terms.size() * sizeof(DeepTerm) + leaf.columns.size() * 4;
    return total;
}

Tables compile_tables(const Ensemble& ensemble, const Background& background, std::span<const double> values,
                      double base, const Query& query, const Sets& sets, bool fixed_point, int n_jobs, Monitor& monitor) {
    const ColumnOf column_of(sets, ensemble.n_players);
    const auto blocks = blocks_in_use(ensemble, values);
    const std::size_t n_groups = (blocks.size() + blocks_a_group - 1) / blocks_a_group;
    Tables tables;
    tables.fixed_point = fixed_point;
    tables.n_columns = sets.size();
    tables.groups.resize(n_groups);
    std::vector<std::vector<double>> constants(n_groups);
    parallel_for(n_groups, n_jobs, monitor, [&](const Task& task) {
        GroupCompiler compiler(ensemble, background, values, query, sets, column_of);
        compiler.lay_out(run_of(blocks, task.index));
        compiler.fill();
        if (fixed_point) compiler.make_fixed_point();
        tables.groups[task.index] = std::move(compiler.group);
        constants[task.index] = std::move(compiler.constants);
    });
    tables.constants.assign(sets.size(), base);
    for (const auto& part : constants)
        for (std::size_t c = 0; c < part.size(); ++c) tables.constants[c] += part[c];
    compile_deep(ensemble, background, values, query, sets, column_of, tables);
    return tables;
}

std::size_t estimate_table_bytes(const Ensemble& ensemble, std::span<const double> values, const Query& query,
                                 const Sets& sets, bool fixed_point) {
    const ColumnOf column_of(sets, ensemble.n_players);
    const auto blocks = blocks_in_use(ensemble, values);
    std::size_t entries = 0;
    for (std::size_t first = 0; first < blocks.size(); first += blocks_a_group) {
        GroupCompiler compiler(ensemble, Background{}, values, query, sets, column_of);
        compiler.lay_out(run_of(blocks, first / blocks_a_group));
        entries += compiler.n_table_entries();
    }
    return entries * (fixed_point ? sizeof(std::int32_t) : sizeof(double));
}

}  // namespace fastpd
