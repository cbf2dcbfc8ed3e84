#include "measures/counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace fastpd {

namespace {

constexpr std::size_t chunk_rows = 65536;  // rows binned at a time: bounds memory, stays near the cache
constexpr std::size_t strip_rows = 1024;   // patterns of a block held at a time
constexpr std::size_t max_patterns = std::size_t(1) << max_block_bits;

// Four histograms side by side, so that equal neighbours do not wait for each other.
void add_unit_counts(const std::uint8_t* patterns, std::size_t n, std::array<std::uint32_t, 4 * max_patterns>& parts) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        ++parts[patterns[i]];
        ++parts[max_patterns + patterns[i + 1]];
        ++parts[2 * max_patterns + patterns[i + 2]];
        ++parts[3 * max_patterns + patterns[i + 3]];
    }
    for (; i < n; ++i) ++parts[patterns[i]];
}

void count_block(const Ensemble& ensemble, const Block& block, const Tile& tile, std::size_t first, std::size_t n,
                 std::size_t n_rows, const Weights& weights, std::int64_t* counts, const Kernels& kernels) {
    alignas(64) std::uint8_t patterns[strip_rows];
    std::array<std::uint32_t, 4 * max_patterns> parts{};
    const Test* tests = ensemble.tests.data() + block.first_test;
    for (std::size_t row = 0; row < n; row += strip_rows) {
        const std::size_t count = std::min(strip_rows, n - row);
        kernels.patterns(tests, block.bits, tile.columns(), row, padded(count), patterns);
        if (weights.planes == nullptr) {
            add_unit_counts(patterns, count, parts);
            continue;
        }
        for (std::size_t plane = 0; plane < weights.n_planes; ++plane) {
            const std::uint32_t* weight = weights.planes + plane * n_rows + first + row;
            std::int64_t* sums = counts + plane * ensemble.n_counts + block.first_count;
            for (std::size_t i = 0; i < count; ++i) sums[patterns[i]] += weight[i];
        }
    }
    if (weights.planes != nullptr) return;
    for (std::size_t p = 0; p < std::size_t(1) << block.bits; ++p)
        counts[block.first_count + p] += std::int64_t(parts[p]) + parts[max_patterns + p] + parts[2 * max_patterns + p] +
                                         parts[3 * max_patterns + p];
}

// Calls `body(tile, first row, rows, monitor)` for the rows, a chunk at a time, each binned by all threads.
template <class Body>
void for_chunks(const Grid& grid, const Rows& rows, int n_jobs, Monitor& monitor, const Kernels& kernels,
                const Body& body) {
    Tile tile(grid, std::min(chunk_rows, rows.n));
    const std::size_t n_parts = 2 * ((rows.n + chunk_rows - 1) / chunk_rows);
    for (std::size_t first = 0, part = 0; first < rows.n; first += chunk_rows, part += 2) {
        const std::size_t n = std::min(chunk_rows, rows.n - first);
        PartOf binning(monitor, part, n_parts), counting(monitor, part + 1, n_parts);
        parallel_for(grid.feature.size(), n * grid.feature.size() > 20000 ? n_jobs : 1, binning,
                     [&](const Task& task) { tile.fill_column(rows, task.index, first, n, kernels); });
        body(tile, first, n, counting);
    }
}

struct Counted {
    std::vector<std::uint64_t> masks;
    std::vector<std::int64_t> counts;  // a run of n_planes for every mask
};

// Sort the rows by mask and add up the weights of equal ones.
Counted tally(const std::uint64_t* masks, std::size_t n, std::size_t first, std::size_t n_rows, const Weights& weights,
              std::uint64_t full, int max_failing) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> kept;
    for (std::size_t i = 0; i < n; ++i)
        if (std::popcount(full & ~masks[i]) <= max_failing) kept.emplace_back(masks[i], static_cast<std::uint32_t>(i));
    std::sort(kept.begin(), kept.end());
    Counted out;
    for (const auto& [mask, row] : kept) {
        if (out.masks.empty() || out.masks.back() != mask) {
            out.masks.push_back(mask);
            out.counts.resize(out.counts.size() + weights.n_planes, 0);
        }
        std::int64_t* sums = out.counts.data() + out.counts.size() - weights.n_planes;
        for (std::size_t plane = 0; plane < weights.n_planes; ++plane)
            sums[plane] += weights.planes ? weights.planes[plane * n_rows + first + row] : 1;
    }
    return out;
}

Counted merge(const Counted& a, const Counted& b, std::size_t n_planes) {
    Counted out;
    std::size_t i = 0, j = 0;
    while (i < a.masks.size() || j < b.masks.size()) {
        const bool from_a = j == b.masks.size() || (i < a.masks.size() && a.masks[i] <= b.masks[j]);
        const bool from_b = i == a.masks.size() || (j < b.masks.size() && b.masks[j] <= a.masks[i]);
        out.masks.push_back(from_a ? a.masks[i] : b.masks[j]);
        for (std::size_t plane = 0; plane < n_planes; ++plane)
            out.counts.push_back((from_a ? a.counts[i * n_planes + plane] : 0) + (from_b ? b.counts[j * n_planes + plane] : 0));
        i += from_a;
        j += from_b;
    }
    return out;
}

DeepCounts flatten(const std::vector<Counted>& leaves, std::size_t n_planes) {
    DeepCounts out;
    out.offsets.push_back(0);
    for (const auto& leaf : leaves) {
        out.masks.insert(out.masks.end(), leaf.masks.begin(), leaf.masks.end());
        out.offsets.push_back(out.masks.size());
    }
    for (std::size_t plane = 0; plane < n_planes; ++plane)
        for (const auto& leaf : leaves)
            for (std::size_t i = 0; i < leaf.masks.size(); ++i) out.counts.push_back(leaf.counts[i * n_planes + plane]);
    return out;
}

}  // namespace

void count_patterns(const Ensemble& ensemble, const Grid& grid, const Rows& rows, const Weights& weights,
                    std::int64_t* counts, int n_jobs, Monitor& monitor) {
    const Kernels& set = kernels();
    // Tasks are runs of blocks, not of rows: no two threads add to one histogram.
    constexpr std::size_t run = 16;
    const std::size_t n_runs = (ensemble.blocks.size() + run - 1) / run;
    // Half a millisecond of work is done before threads have started.
    if (rows.n * ensemble.blocks.size() < 1'000'000) n_jobs = 1;
    for_chunks(grid, rows, n_jobs, monitor, set, [&](const Tile& tile, std::size_t first, std::size_t n, Monitor& part) {
        parallel_for(n_runs, n_jobs, part, [&](const Task& task) {
            const std::size_t end = std::min(ensemble.blocks.size(), (task.index + 1) * run);
            for (std::size_t b = task.index * run; b < end; ++b)
                count_block(ensemble, ensemble.blocks[b], tile, first, n, rows.n, weights, counts, set);
        });
    });
}

void deep_masks(const Ensemble& ensemble, const Leaf& leaf, const Tile& tile, std::size_t row, std::size_t n,
                const Kernels& kernels, std::uint64_t* masks) {
    alignas(64) std::uint8_t passes[strip_rows];
    const std::uint64_t full = leaf.tau == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << leaf.tau) - 1;
    for (std::size_t at = 0; at < n; at += strip_rows) {
        const std::size_t count = std::min(strip_rows, n - at);
        std::fill_n(masks + at, count, full);
        for (const Side& side : ensemble.sides_of(leaf)) {
            const Test test = test_of(side, ensemble);
            kernels.patterns(&test, 1, tile.columns(), row + at, padded(count), passes);
            // A player passes when all of its columns do: every failing one clears the bit.
            for (std::size_t i = 0; i < count; ++i) masks[at + i] &= ~(std::uint64_t(passes[i] ^ 1) << side.bit);
        }
    }
}

DeepCounts count_deep(const Ensemble& ensemble, const Grid& grid, const Rows& rows, const Weights& weights,
                      int max_failing, std::size_t limit, int n_jobs, Monitor& monitor) {
    const Kernels& set = kernels();
    std::vector<Counted> leaves(ensemble.deep.size());
    std::atomic<std::size_t> total{0};
    for_chunks(grid, rows, n_jobs, monitor, set, [&](const Tile& tile, std::size_t first, std::size_t n, Monitor& part) {
        parallel_for(leaves.size(), n_jobs, part, [&](const Task& task) {
            if (total > limit) return;
            const Leaf& leaf = ensemble.deep[task.index];
            const std::uint64_t full = leaf.tau == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << leaf.tau) - 1;
            std::vector<std::uint64_t> masks(n);
            deep_masks(ensemble, leaf, tile, 0, n, set, masks.data());
            Counted& seen = leaves[task.index];
            const std::size_t before = seen.masks.size();
            seen = merge(seen, tally(masks.data(), n, first, rows.n, weights, full, max_failing), weights.n_planes);
            total += seen.masks.size() - before;
        });
    });
    if (total <= limit) return flatten(leaves, weights.n_planes);
    DeepCounts out;
    out.exceeded = true;
    return out;
}

}  // namespace fastpd
