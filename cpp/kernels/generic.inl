// Kernels in plain loops that compilers vectorise; included once for each instruction set, inside
// an anonymous namespace.

template <class T, class Bin>
void bin_values(const T* thresholds, int levels, const T* values, std::size_t n, Bin* bins) {
    constexpr std::size_t step = 64;
    for (std::size_t first = 0; first < n; first += step) {
        const std::size_t count = n - first < step ? n - first : step;
        std::int32_t passed[step] = {0};
        for (int level = levels - 1; level >= 0; --level) {
            const std::int32_t half = std::int32_t(1) << level;
            for (std::size_t i = 0; i < count; ++i)
                passed[i] += thresholds[passed[i] + half - 1] <= values[first + i] ? half : 0;
        }
        for (std::size_t i = 0; i < count; ++i)
            bins[first + i] = static_cast<Bin>(values[first + i] == values[first + i] ? passed[i] + 1 : 0);
    }
}

template <class T>
void bin_lane(const T* thresholds, int levels, const T* values, std::size_t n, int lane, void* bins) {
    if (lane == 1) bin_values(thresholds, levels, values, n, static_cast<std::uint8_t*>(bins));
    else if (lane == 2) bin_values(thresholds, levels, values, n, static_cast<std::uint16_t*>(bins));
    else bin_values(thresholds, levels, values, n, static_cast<std::uint32_t*>(bins));
}

void bin_f32(const float* thresholds, int levels, const float* values, std::size_t n, int lane, void* bins) {
    bin_lane(thresholds, levels, values, n, lane, bins);
}

void bin_f64(const double* thresholds, int levels, const double* values, std::size_t n, int lane, void* bins) {
    bin_lane(thresholds, levels, values, n, lane, bins);
}

template <class Bin>
void add_bit(const Test& test, int bit, const Bin* bins, std::size_t n, std::uint8_t* out) {
    const auto lo = static_cast<Bin>(test.lo), width = static_cast<Bin>(test.width);
    const auto flag = static_cast<std::uint8_t>(1u << bit);
    if (test.set != nullptr) {
        for (std::size_t i = 0; i < n; ++i) out[i] |= test.set[bins[i] >> 3] >> (bins[i] & 7) & 1 ? flag : 0;
    } else if (test.missing) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] |= ((static_cast<Bin>(bins[i] - lo) < width) | (bins[i] == 0)) ? flag : 0;
    } else {
        for (std::size_t i = 0; i < n; ++i)
            out[i] |= static_cast<Bin>(bins[i] - lo) < width ? flag : 0;
    }
}

void add_test(const Test& test, int bit, const void* column, std::size_t row, std::size_t n, std::uint8_t* out) {
    if (test.lane == 1) add_bit(test, bit, static_cast<const std::uint8_t*>(column) + row, n, out);
    else if (test.lane == 2) add_bit(test, bit, static_cast<const std::uint16_t*>(column) + row, n, out);
    else add_bit(test, bit, static_cast<const std::uint32_t*>(column) + row, n, out);
}

[[maybe_unused]] void patterns_generic(const Test* tests, int bits, const void* const* columns, std::size_t row,
                                       std::size_t n, std::uint8_t* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 0;
    for (int b = 0; b < bits; ++b) add_test(tests[b], b, columns[tests[b].column], row, n, out);
}

// Sums wrap modulo 2^32 on the way; the scale of the tables makes the final sum fit (tables.cpp).
void lookup_rows(const std::uint8_t* patterns, std::size_t n, const std::int32_t* table, std::int32_t* sums) {
    for (std::size_t i = 0; i < n; ++i)
        sums[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                            static_cast<std::uint32_t>(table[patterns[i]]));
}

[[maybe_unused]] void lookup_i32_generic(const std::uint8_t* patterns, std::size_t n, int, const Entry* entries,
                                         std::size_t n_entries, const std::int32_t* tables,
                                         std::int32_t* accumulators, std::size_t stride) {
    for (std::size_t e = 0; e < n_entries; ++e)
        lookup_rows(patterns, n, tables + entries[e].table, accumulators + entries[e].column * stride);
}

void lookup_f64(const std::uint8_t* patterns, std::size_t n, const Entry* entries, std::size_t n_entries,
                const double* tables, double* const* accumulators) {
    for (std::size_t e = 0; e < n_entries; ++e) {
        const double* table = tables + entries[e].table;
        double* sums = accumulators[entries[e].column];
        for (std::size_t i = 0; i < n; ++i) sums[i] += table[patterns[i]];
    }
}

void flush(const std::int32_t* sums, std::size_t n, double step, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        // A fused multiply-add would give other bits than two roundings on machines without it.
        const double term = step * static_cast<double>(sums[i]);
        out[i] += term;
    }
}

void superset_sums(double* values, int tau) {
    const std::size_t n = std::size_t(1) << tau;
    for (std::size_t bit = 1; bit < n; bit *= 2)
        for (std::size_t e = 0; e < n; ++e) {
            if (e & bit) continue;
            double* out = values + e * lanes;
            const double* with = values + (e | bit) * lanes;
            for (std::size_t l = 0; l < lanes; ++l) out[l] += with[l];
        }
}

void extend(const double* value, int tau, double t, double* out) {
    const std::size_t n = std::size_t(1) << tau;
    for (std::size_t i = 0; i < n * lanes; ++i) out[i] = value[i];
    const double rest = 1 - t;
    for (std::size_t bit = 1; bit < n; bit *= 2)
        for (std::size_t e = 0; e < n; ++e) {
            if (!(e & bit)) continue;
            double* with = out + e * lanes;
            const double* without = out + (e ^ bit) * lanes;
            for (std::size_t l = 0; l < lanes; ++l) with[l] = t * with[l] + rest * without[l];
        }
}

int count_bits(std::size_t mask) {
    int count = 0;
    for (; mask != 0; mask &= mask - 1) ++count;
    return count;
}

void derive_singles(const double* extended, int tau, const double* inside, const double* outside, double* index) {
    const std::size_t n = std::size_t(1) << tau;
    double factor_in[256], factor_out[256];
    for (std::size_t e = 0; e < n; ++e) {
        factor_in[e] = inside[count_bits(e)];
        factor_out[e] = outside[count_bits(e)];
    }
    for (std::size_t bit = 1; bit < n; bit *= 2, index += n * lanes)
        for (std::size_t e = 0; e < n; ++e) {
            if (e & bit) continue;
            const double* without = extended + e * lanes;
            const double* with = extended + (e | bit) * lanes;
            double *fails = index + e * lanes, *passes = index + (e | bit) * lanes;
            for (std::size_t l = 0; l < lanes; ++l) fails[l] += factor_out[e] * without[l];
            for (std::size_t l = 0; l < lanes; ++l) passes[l] += factor_in[e | bit] * (with[l] - without[l]);
        }
}

void add_to_table(const double* index, const std::uint8_t* masks, std::size_t n, double* table) {
    for (std::size_t p = 0; p < n; ++p) table[p] += index[masks[p] * lanes];
}

// Adding 1.5 * 2^52 leaves the rounded number in the low bits, on every machine in the same way.
void round_to_fixed(const double* values, std::size_t n, double scale, std::int32_t* out) {
    constexpr double shift = 6755399441055744.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double shifted = values[i] * scale + shift;
        std::int64_t bits;
        std::memcpy(&bits, &shifted, sizeof bits);
        out[i] = static_cast<std::int32_t>(bits);
    }
}

// Looks cells up by a pair of bins: `cell(index)` gives the value of one.
template <class First, class Second, class Cell>
void grid_rows(std::size_t columns, const First* first, const Second* second, std::size_t n, const Cell& cell,
               double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = cell(std::size_t(first[i]) * columns + second[i]);
}

template <class First, class Cell>
void grid_second(std::size_t columns, const First* first, const void* second, int lane, std::size_t n,
                 const Cell& cell, double* out) {
    if (lane == 1) grid_rows(columns, first, static_cast<const std::uint8_t*>(second), n, cell, out);
    else if (lane == 2) grid_rows(columns, first, static_cast<const std::uint16_t*>(second), n, cell, out);
    else grid_rows(columns, first, static_cast<const std::uint32_t*>(second), n, cell, out);
}

template <class Cell>
void grid_cells(const GridAxes& axes, std::size_t n, const Cell& cell, double* out) {
    if (axes.first_lane == 1)
        grid_second(axes.columns, static_cast<const std::uint8_t*>(axes.first), axes.second, axes.second_lane, n, cell, out);
    else if (axes.first_lane == 2)
        grid_second(axes.columns, static_cast<const std::uint16_t*>(axes.first), axes.second, axes.second_lane, n, cell, out);
    else
        grid_second(axes.columns, static_cast<const std::uint32_t*>(axes.first), axes.second, axes.second_lane, n, cell, out);
}

void grid_f64(const double* grid, const GridAxes& axes, std::size_t n, double* out) {
    grid_cells(axes, n, [grid](std::size_t at) { return grid[at]; }, out);
}

[[maybe_unused]] void grid_i32_generic(const std::int32_t* grid, double step, const GridAxes& axes, std::size_t n,
                                       double* out) {
    grid_cells(axes, n, [grid, step](std::size_t at) { return step * static_cast<double>(grid[at]); }, out);
}
