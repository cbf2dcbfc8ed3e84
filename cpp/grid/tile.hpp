// Rows become bins, one column after another, in tiles that stay in cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.hpp"

namespace fastpd {

// The thresholds of every column, each padded with NaN to 2^levels - 1 entries.
struct Grid {
    bool single = true;  // compare as float32; else as float64
    std::vector<std::int32_t> feature;     // position of the column in the caller's rows
    std::vector<std::int32_t> levels;
    std::vector<std::size_t> first;        // where the column's thresholds start
    std::vector<float> thresholds_f32;
    std::vector<double> thresholds_f64;
    std::vector<std::uint8_t> lane;
    double missing = 0;                    // counts as missing where `has_missing`
    bool has_missing = false;
    std::size_t bytes() const;
};

Grid make_grid(std::span<const double> thresholds, std::span<const std::int64_t> offsets,
               std::span<const std::int32_t> feature, bool single, double missing);

// The caller's rows: float32 or float64, any strides (in bytes).
struct Rows {
    const std::byte* data = nullptr;
    std::size_t n = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t column_stride = 0;
    bool single = false;
};

// Bins of a run of rows, column by column, padded to whole vectors with the missing bin.
class Tile {
public:
    Tile(const Grid& grid, std::size_t capacity);
    void fill(const Rows& rows, std::size_t first, std::size_t n, const Kernels& kernels);
    void fill_column(const Rows& rows, std::size_t column, std::size_t first, std::size_t n, const Kernels& kernels);
    const void* const* columns() const { return pointers_.data(); }
    std::size_t capacity() const { return capacity_; }
    std::uint32_t bin(std::size_t column, std::size_t row) const {
        const void* bins = pointers_[column];
        if (grid_.lane[column] == 1) return static_cast<const std::uint8_t*>(bins)[row];
        if (grid_.lane[column] == 2) return static_cast<const std::uint16_t*>(bins)[row];
        return static_cast<const std::uint32_t*>(bins)[row];
    }

private:
    const Grid& grid_;
    std::size_t capacity_;
    std::vector<std::byte> bytes_;
    std::vector<void*> pointers_;
};

constexpr std::size_t padded(std::size_t rows) { return (rows + row_step - 1) / row_step * row_step; }

}  // namespace fastpd
