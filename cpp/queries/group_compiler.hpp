// Makes the tables of a run of blocks: lays out which leaf adds to which table, then fills them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "queries/leaf_games.hpp"
#include "queries/tables.hpp"

namespace fastpd {

class GroupCompiler {
public:
    GroupCompiler(const Ensemble& ensemble, const Measure& measure, std::span<const double> values,
                  const Query& query, const Sets& sets, const ColumnOf& column_of, const Task& task);

    void lay_out(std::span<const std::uint32_t> blocks);
    void fill();
    // Replace the float64 tables by integers with one step a column, so small that no sum overflows.
    void make_fixed_point();

    std::size_t n_table_entries() const { return size_; }
    Group take_group() { return std::move(group_); }
    std::vector<double> take_constants() { return std::move(constants_); }

private:
    // One leaf and where its contributions go: a table offset each, or -1.
    struct LeafPlan {
        std::uint32_t leaf;
        std::uint32_t block;
        std::vector<std::int64_t> tables;
    };

    std::vector<std::int32_t> columns_of(const Leaf& leaf);
    std::uint32_t overlap(const Leaf& leaf, std::size_t set) const;
    void lay_out_block(std::uint32_t b);
    void place_tables(std::span<const std::int32_t> used, int width_bits, std::size_t first_plan, std::size_t first_table);
    std::uint32_t local_column(std::int32_t column);
    void flush(LeafBatch& batch, std::vector<const LeafPlan*>& members);
    void add_index_tables(const LeafBatch& batch, std::size_t lane, const LeafPlan& plan);
    void add_value_tables(const LeafBatch& batch, std::size_t lane, const LeafPlan& plan);

    // Calls `body(entry, size)` for every table.
    template <class Body>
    void for_tables(const Body& body) const {
        for (const BlockTables& block : group_.blocks)
            for (std::uint32_t e = 0; e < block.n_entries; ++e)
                body(group_.entries[block.first_entry + e], std::size_t(1) << block.width_bits);
    }

    const Ensemble& ensemble_;
    const Measure& measure_;
    std::span<const double> values_;
    const Query& query_;
    const Sets& sets_;
    const ColumnOf& column_of_;
    const Task& task_;
    const Kernels& kernels_;
    std::array<std::vector<std::uint32_t>, max_block_bits + 1> subsets_;  // of the players of a leaf, by their number
    Group group_;
    std::vector<double> constants_;
    std::vector<LeafPlan> plans_;
    std::vector<std::int32_t> local_;  // place of each column among the group's
    std::vector<std::int32_t> players_;
    std::vector<Lane> index_;
    std::size_t size_ = 0;
};

}  // namespace fastpd
