#include "queries/group_compiler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fastpd {

namespace {

constexpr int min_width_bits = 5;  // a table fills whole vectors

}  // namespace

GroupCompiler::GroupCompiler(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                             const Query& query, const Sets& sets, const ColumnOf& column_of, const Task& task)
    : ensemble_(ensemble), measure_(measure), values_(values), query_(query), sets_(sets), column_of_(column_of), task_(task), kernels_(kernels()),
      constants_(sets.size(), 0.0), local_(sets.size(), -1) {
    for (int tau = 0; tau <= max_block_bits && !query.is_value; ++tau)
        subsets_[static_cast<std::size_t>(tau)] = subsets_up_to(tau, std::min(query.order, tau));
}

void GroupCompiler::lay_out(std::span<const std::uint32_t> blocks) {
    for (const std::uint32_t b : blocks) lay_out_block(b);
}

void GroupCompiler::fill() {
    group_.exact.assign(size_, 0.0);
    for (int tau = 0; tau <= max_block_bits; ++tau) {
        LeafBatch batch;
        batch.tau = tau;
        std::vector<const LeafPlan*> members;
        for (const LeafPlan& plan : plans_) {
            if (ensemble_.leaves[plan.leaf].tau != tau) continue;
            batch.leaf[batch.size] = plan.leaf;
            batch.block[batch.size++] = plan.block;
            members.push_back(&plan);
            if (batch.size == lanes) flush(batch, members);
        }
        if (batch.size > 0) flush(batch, members);
    }
}

void GroupCompiler::make_fixed_point() {
    const std::size_t n = group_.columns.size();
    std::vector<double> bound(n, 0.0), count(n, 0.0), scale(n, 0.0);
    for_tables([&](const Entry& entry, std::size_t size) {
        double largest = 0;
        for (std::size_t p = 0; p < size; ++p) largest = std::max(largest, std::abs(group_.exact[entry.table + p]));
        bound[entry.column] += largest;
        count[entry.column] += 1;
    });
    group_.steps.assign(n, 0.0);
    for (std::size_t c = 0; c < n; ++c) {
        if (bound[c] <= 0) continue;
        // Each entry rounds by at most one half, so the sum stays within 31 bits.
        const double room = static_cast<double>(std::numeric_limits<std::int32_t>::max()) - count[c];
        scale[c] = room / bound[c];
        group_.steps[c] = bound[c] / room;
        if (!std::isfinite(scale[c])) scale[c] = group_.steps[c] = 0;  // below what a float64 can tell from zero
    }
    group_.fixed.assign(group_.exact.size(), 0);
    for_tables([&](const Entry& entry, std::size_t size) {
        kernels_.round_to_fixed(group_.exact.data() + entry.table, size, scale[entry.column], group_.fixed.data() + entry.table);
    });
    group_.exact = {};
}

// Columns that a leaf contributes to, in the order in which its contributions are computed.
std::vector<std::int32_t> GroupCompiler::columns_of(const Leaf& leaf) {
    std::vector<std::int32_t> columns;
    if (query_.is_value) {
        for (std::size_t s = 0; s < sets_.size(); ++s) columns.push_back(overlap(leaf, s) ? static_cast<std::int32_t>(s) : -1);
        return columns;
    }
    for (const std::uint32_t subset : subsets_[leaf.tau]) {
        players_in(ensemble_, leaf, subset, players_);
        columns.push_back(column_of_(players_));
    }
    return columns;
}

// The leaf's players that belong to a set.
std::uint32_t GroupCompiler::overlap(const Leaf& leaf, std::size_t set) const {
    std::uint32_t bits = 0, flag = 1;
    const auto players = sets_[set];
    for (const Clause& clause : ensemble_.clauses_of(leaf)) {
        if (std::binary_search(players.begin(), players.end(), clause.player)) bits |= flag;
        flag <<= 1;
    }
    return bits;
}

void GroupCompiler::lay_out_block(std::uint32_t b) {
    const Block& block = ensemble_.blocks[b];
    const std::size_t first_plan = plans_.size(), first_table = size_;
    std::vector<std::int32_t> used;
    for (std::uint32_t i = 0; i < block.n_leaves; ++i) {
        const Leaf& leaf = ensemble_.leaves[block.first_leaf + i];
        task_.checkpoint();
        if (values_[static_cast<std::size_t>(leaf.node)] == 0) continue;
        const auto columns = columns_of(leaf);
        used.insert(used.end(), columns.begin(), columns.end());
        plans_.push_back({block.first_leaf + i, b, {columns.begin(), columns.end()}});
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    if (!used.empty() && used.front() < 0) used.erase(used.begin());
    if (used.empty()) return;
    const int width_bits = std::max<int>(block.bits, min_width_bits);
    group_.blocks.push_back({b, static_cast<std::uint32_t>(group_.entries.size()), static_cast<std::uint32_t>(used.size()), width_bits});
    for (const std::int32_t column : used) {
        group_.entries.push_back({local_column(column), static_cast<std::uint32_t>(size_)});
        size_ += std::size_t(1) << width_bits;
    }
    place_tables(used, width_bits, first_plan, first_table);
}

// Turn the columns that the block's leaves add to into the places of their tables.
void GroupCompiler::place_tables(std::span<const std::int32_t> used, int width_bits, std::size_t first_plan,
                                 std::size_t first_table) {
    for (std::size_t p = first_plan; p < plans_.size(); ++p)
        for (std::int64_t& at : plans_[p].tables) {
            if (at < 0) continue;
            const auto slot = std::lower_bound(used.begin(), used.end(), static_cast<std::int32_t>(at)) - used.begin();
            at = static_cast<std::int64_t>(first_table) + (static_cast<std::int64_t>(slot) << width_bits);
        }
}

std::uint32_t GroupCompiler::local_column(std::int32_t column) {
    std::int32_t& local = local_[static_cast<std::size_t>(column)];
    if (local < 0) {
        local = static_cast<std::int32_t>(group_.columns.size());
        group_.columns.push_back(column);
    }
    return static_cast<std::uint32_t>(local);
}

void GroupCompiler::flush(LeafBatch& batch, std::vector<const LeafPlan*>& members) {
    task_.checkpoint();
    fill_values(ensemble_, measure_, values_, kernels_, batch);
    const auto& subsets = subsets_[static_cast<std::size_t>(batch.tau)];
    if (!subsets.empty()) fill_index(batch, query_, subsets, kernels_, index_);
    for (std::size_t lane = 0; lane < batch.size; ++lane)
        if (query_.is_value) add_value_tables(batch, lane, *members[lane]);
        else add_index_tables(batch, lane, *members[lane]);
    batch.size = 0;
    members.clear();
}

void GroupCompiler::add_index_tables(const LeafBatch& batch, std::size_t lane, const LeafPlan& plan) {
    const std::size_t n_patterns = std::size_t(1) << ensemble_.blocks[plan.block].bits;
    const std::uint8_t* masks = batch.masks[lane].data();
    for (std::size_t s = 0; s < plan.tables.size(); ++s) {
        if (plan.tables[s] < 0) continue;
        const double* index = index_[s << batch.tau].data() + lane;
        kernels_.add_to_table(index, masks, n_patterns, group_.exact.data() + plan.tables[s]);
    }
}

void GroupCompiler::add_value_tables(const LeafBatch& batch, std::size_t lane, const LeafPlan& plan) {
    const std::size_t n_patterns = std::size_t(1) << ensemble_.blocks[plan.block].bits;
    const std::uint8_t* masks = batch.masks[lane].data();
    for (std::size_t s = 0; s < plan.tables.size(); ++s) {
        if (plan.tables[s] < 0) {
            constants_[s] += batch.value[0][lane];
            continue;
        }
        const std::uint32_t inside = overlap(ensemble_.leaves[plan.leaf], s);
        double* table = group_.exact.data() + plan.tables[s];
        for (std::size_t p = 0; p < n_patterns; ++p)
            if ((masks[p] & inside) == inside) table[p] += batch.value[inside][lane];
    }
}

}  // namespace fastpd
