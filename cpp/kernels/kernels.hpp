// The inner loops, one table of functions for each instruction set; every set gives the same bits.
// Plain types only: these files are compiled with wider instruction sets than the rest, so no
// inline function of the standard library may be instantiated in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fastpd {

constexpr std::size_t row_step = 64;  // rows of a tile come in multiples of this

// "The bin of this column lies in [lo, lo + width), or is the missing bin" (modulo the lane's range); or, with a set,
// "the bit of the bin is set".
struct Test {
    std::int32_t column;
    std::uint32_t lo;
    std::uint32_t width;
    std::uint8_t lane;     // bytes of a bin in this column: 1, 2 or 4
    std::uint8_t missing;  // the missing bin (0) passes as well, and the interval does not say so
    const std::uint8_t* set;  // at least 32 bytes; null where the bins are an interval
};

// One table of a block: where it stands and which accumulator takes what it says.
struct Entry {
    std::uint32_t column;  // local to the group
    std::uint32_t table;   // offset into the group's tables
};

// Bins of rows in two columns, which say the row and the column of a grid; lanes as in `Test`.
struct GridAxes {
    const void* first;
    const void* second;
    int first_lane;
    int second_lane;
    std::size_t columns;  // cells in a row of the grid
};

// Eight leaves with the same number of players side by side: arrays of (mask of players, leaf).
constexpr std::size_t lanes = 8;

struct Kernels {
    const char* name;
    // Bins of values that are NaN where missing: 1 + number of thresholds <= value. `thresholds` holds
    // 2^levels - 1 entries, sorted, padded with NaN.
    void (*bin_f32)(const float* thresholds, int levels, const float* values, std::size_t n, int lane, void* bins);
    void (*bin_f64)(const double* thresholds, int levels, const double* values, std::size_t n, int lane, void* bins);
    // Bit b of every row's pattern says whether the row passes test b.
    void (*patterns)(const Test* tests, int bits, const void* const* columns, std::size_t row, std::size_t n,
                     std::uint8_t* out);
    // accumulators[column][row] += table[pattern[row]] for every entry; `stride` rows an accumulator.
    void (*lookup_i32)(const std::uint8_t* patterns, std::size_t n, int width_bits, const Entry* entries,
                       std::size_t n_entries, const std::int32_t* tables, std::int32_t* accumulators,
                       std::size_t stride);
    void (*lookup_f64)(const std::uint8_t* patterns, std::size_t n, const Entry* entries, std::size_t n_entries,
                       const double* tables, double* const* accumulators);
    // out[row] += step * sums[row]
    void (*flush)(const std::int32_t* sums, std::size_t n, double step, double* out);
    // values[e] += values[e | bit] for every bit in turn: from "exactly these pass" to "at least these pass".
    void (*superset_sums)(double* values, int tau);
    // out[e] = sum over U in e of t^|U| (1-t)^(|e|-|U|) value[U]: one subset transform, a bit at a time.
    void (*extend)(const double* value, int tau, double t, double* out);
    // index[k][e] += e has k ? inside[|e|] * (extended[e] - extended[e without k]) : outside[|e|] * extended[e]
    void (*derive_singles)(const double* extended, int tau, const double* inside, const double* outside, double* index);
    // table[p] += index[masks[p]] of one leaf, whose lane `index` points to.
    void (*add_to_table)(const double* index, const std::uint8_t* masks, std::size_t n, double* table);
    // out[i] = values[i] * scale, rounded to the nearest whole number; the products lie within 31 bits.
    void (*round_to_fixed)(const double* values, std::size_t n, double scale, std::int32_t* out);
    // out[row] = the cell of the grid at the row's pair of bins
    void (*grid_f64)(const double* grid, const GridAxes& axes, std::size_t n, double* out);
    // ... times `step`, for cells that are whole numbers
    void (*grid_i32)(const std::int32_t* grid, double step, const GridAxes& axes, std::size_t n, double* out);
};

// The best set that this processor has, or the one that the environment variable FASTPD_ISA names.
const Kernels& kernels();
// Names of the sets that this processor can run, best first.
const char* const* available_kernels();

extern const Kernels portable_kernels;
#if defined(FASTPD_X86)
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

}  // namespace fastpd
