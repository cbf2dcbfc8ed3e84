#include "grid/tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace fastpd {

namespace {

constexpr std::size_t chunk = 512;  // values read from the caller's rows at a time

template <class From, class To>
void read(const Rows& rows, std::size_t feature, std::size_t first, std::size_t n, To* values) {
    const std::byte* at = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row_stride +
                          static_cast<std::ptrdiff_t>(feature) * rows.column_stride;
    for (std::size_t i = 0; i < n; ++i, at += rows.row_stride) {
        From value;
        std::memcpy(&value, at, sizeof value);
        values[i] = static_cast<To>(value);
    }
}

template <class To>
void read_as(const Rows& rows, const Grid& grid, std::size_t column, std::size_t first, std::size_t n, To* values) {
    const auto feature = static_cast<std::size_t>(grid.feature[column]);
    if (rows.single) read<float>(rows, feature, first, n, values);
    else read<double>(rows, feature, first, n, values);
    if (!grid.has_missing) return;
    const auto missing = static_cast<To>(grid.missing);
    for (std::size_t i = 0; i < n; ++i)
        if (values[i] == missing) values[i] = std::numeric_limits<To>::quiet_NaN();
}

}  // namespace

std::size_t Grid::bytes() const {
    return thresholds_f32.size() * sizeof(float) + thresholds_f64.size() * sizeof(double) +
           feature.size() * (3 * sizeof(std::int32_t) + sizeof(std::size_t));
}

Grid make_grid(std::span<const double> thresholds, std::span<const std::int64_t> offsets,
               std::span<const std::int32_t> feature, bool single, double missing) {
    Grid grid;
    grid.single = single;
    grid.missing = missing;
    grid.has_missing = !std::isnan(missing);
    grid.feature.assign(feature.begin(), feature.end());
    std::size_t size = 0;
    for (std::size_t c = 0; c < feature.size(); ++c) {
        const auto count = static_cast<std::size_t>(offsets[c + 1] - offsets[c]);
        int levels = 1;
        while ((std::size_t(1) << levels) - 1 < count) ++levels;
        grid.levels.push_back(levels);
        grid.first.push_back(size);
        grid.lane.push_back(count + 2 <= 256 ? 1 : count + 2 <= 65536 ? 2 : 4);
        size += (std::size_t(1) << levels) - 1;
    }
    if (single) grid.thresholds_f32.assign(size, std::numeric_limits<float>::quiet_NaN());
    else grid.thresholds_f64.assign(size, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < feature.size(); ++c)
        for (std::int64_t i = offsets[c]; i < offsets[c + 1]; ++i) {
            const std::size_t at = grid.first[c] + static_cast<std::size_t>(i - offsets[c]);
            if (single) grid.thresholds_f32[at] = static_cast<float>(thresholds[static_cast<std::size_t>(i)]);
            else grid.thresholds_f64[at] = thresholds[static_cast<std::size_t>(i)];
        }
    return grid;
}

Tile::Tile(const Grid& grid, std::size_t capacity) : grid_(grid), capacity_(padded(capacity)) {
    std::size_t size = 0;
    for (const auto lane : grid.lane) size += lane * capacity_;
    bytes_.assign(size, std::byte{0});
    std::size_t at = 0;
    for (const auto lane : grid.lane) {
        pointers_.push_back(bytes_.data() + at);
        at += lane * capacity_;
    }
}

void Tile::fill(const Rows& rows, std::size_t first, std::size_t n, const Kernels& kernels) {
    for (std::size_t column = 0; column < grid_.feature.size(); ++column) fill_column(rows, column, first, n, kernels);
}

void Tile::fill_column(const Rows& rows, std::size_t column, std::size_t first, std::size_t n, const Kernels& kernels) {
    auto* bins = static_cast<std::byte*>(pointers_[column]);
    const std::size_t lane = grid_.lane[column];
    for (std::size_t done = 0; done < n; done += chunk) {
        const std::size_t count = std::min(chunk, n - done);
        if (grid_.single) {
            float values[chunk];
            read_as(rows, grid_, column, first + done, count, values);
            kernels.bin_f32(grid_.thresholds_f32.data() + grid_.first[column], grid_.levels[column], values, count,
                            static_cast<int>(lane), bins + done * lane);
        } else {
            double values[chunk];
            read_as(rows, grid_, column, first + done, count, values);
            kernels.bin_f64(grid_.thresholds_f64.data() + grid_.first[column], grid_.levels[column], values, count,
                            static_cast<int>(lane), bins + done * lane);
        }
    }
    std::memset(bins + n * lane, 0, (padded(n) - n) * lane);
}

}  // namespace fastpd
