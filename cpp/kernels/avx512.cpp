// AVX-512 (F, BW, VL, DQ): 64 bins an instruction, tables of up to 256 entries held in registers.
#include "kernels/kernels.hpp"

#include <immintrin.h>

namespace fastpd {
namespace {
#include "kernels/generic.inl"

// Bit b & 7 of byte b >> 3 of a set, for 64 bins b: shuffles look both up.
__mmask64 in_set_u8(const std::uint8_t* set, __m512i bins) {
    const __m512i low = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(set)));
    const __m512i high = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(set + 16)));
    const __m512i flags = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201ULL));
    const __m512i byte = _mm512_and_si512(_mm512_srli_epi16(bins, 3), _mm512_set1_epi8(15));
    const __m512i found = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low, byte), _mm512_movepi8_mask(bins), high, byte);
    const __m512i bit = _mm512_shuffle_epi8(flags, _mm512_and_si512(bins, _mm512_set1_epi8(7)));
    return _mm512_test_epi8_mask(found, bit);
}

__mmask64 passes_u8(const Test& test, const std::uint8_t* bins, __m512i lo, __m512i width) {
    const __m512i values = _mm512_loadu_si512(bins);
    if (test.set != nullptr) return in_set_u8(test.set, values);
    const __mmask64 inside = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(values, lo), width);
    return test.missing ? inside | _mm512_testn_epi8_mask(values, values) : inside;
}

void add_bit_u8(const Test& test, int bit, const std::uint8_t* bins, std::size_t n, std::uint8_t* out) {
    const __m512i lo = _mm512_set1_epi8(static_cast<char>(test.lo));
    const __m512i width = _mm512_set1_epi8(static_cast<char>(test.width));
    const __m512i flag = _mm512_set1_epi8(static_cast<char>(1u << bit));
    for (std::size_t i = 0; i < n; i += 64) {
        const __mmask64 inside = passes_u8(test, bins + i, lo, width);
        const __m512i before = _mm512_loadu_si512(out + i);
        _mm512_storeu_si512(out + i, _mm512_or_si512(before, _mm512_maskz_mov_epi8(inside, flag)));
    }
}

// Up to eight tests on 256 rows at a time, patterns kept in registers.
void patterns_u8(const Test* tests, int bits, const void* const* columns, std::size_t row, std::size_t n,
                 std::uint8_t* out) {
    std::size_t i = 0;
    for (; i + 256 <= n; i += 256) {
        __m512i pattern[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                              _mm512_setzero_si512()};
        for (int b = 0; b < bits; ++b) {
            const auto* bins = static_cast<const std::uint8_t*>(columns[tests[b].column]) + row + i;
            const __m512i lo = _mm512_set1_epi8(static_cast<char>(tests[b].lo));
            const __m512i width = _mm512_set1_epi8(static_cast<char>(tests[b].width));
            const __m512i flag = _mm512_set1_epi8(static_cast<char>(1u << b));
            for (int v = 0; v < 4; ++v) {
                const __mmask64 inside = passes_u8(tests[b], bins + 64 * v, lo, width);
                pattern[v] = _mm512_or_si512(pattern[v], _mm512_maskz_mov_epi8(inside, flag));
            }
        }
        for (int v = 0; v < 4; ++v) _mm512_storeu_si512(out + i + 64 * v, pattern[v]);
    }
    for (std::size_t k = i; k < n; k += 64) _mm512_storeu_si512(out + k, _mm512_setzero_si512());
    for (int b = 0; b < bits && i < n; ++b)
        add_bit_u8(tests[b], b, static_cast<const std::uint8_t*>(columns[tests[b].column]) + row + i, n - i, out + i);
}

void patterns(const Test* tests, int bits, const void* const* columns, std::size_t row, std::size_t n,
              std::uint8_t* out) {
    bool narrow = true;
    for (int b = 0; b < bits; ++b) narrow &= tests[b].lane == 1;
    if (narrow) patterns_u8(tests, bits, columns, row, n, out);
    else patterns_generic(tests, bits, columns, row, n, out);
}

__m512i choose(__m512i mask, __m512i yes, __m512i no) { return _mm512_ternarylogic_epi32(mask, yes, no, 0xCA); }

// Look 16 patterns up in a table of 2^Bits entries; bit 5 and up choose between registers.
template <int Bits>
__m512i lookup_16(__m512i index, const __m512i* high, const __m512i* table) {
    __m512i found[1 << (Bits - 5)];
    for (int i = 0; i < 1 << (Bits - 5); ++i) found[i] = _mm512_permutex2var_epi32(table[2 * i], index, table[2 * i + 1]);
    for (int level = 0, left = 1 << (Bits - 5); left > 1; ++level, left /= 2)
        for (int i = 0; i < left / 2; ++i) found[i] = choose(high[level], found[2 * i + 1], found[2 * i]);
    return found[0];
}

template <int Bits, int Vectors>
void lookup_chunk(const std::uint8_t* patterns, const Entry* entries, std::size_t n_entries,
                  const std::int32_t* tables, std::int32_t* sums, std::size_t stride) {
    constexpr int levels = Bits > 5 ? Bits - 5 : 1, registers = 1 << (Bits - 4);
    __m512i index[Vectors], high[Vectors][levels];
    for (int v = 0; v < Vectors; ++v) {
        index[v] = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(patterns + 16 * v)));
        for (int level = 0; level < levels; ++level)
            high[v][level] = _mm512_srai_epi32(_mm512_slli_epi32(index[v], 26 - level), 31);
    }
    for (std::size_t e = 0; e < n_entries; ++e) {
        __m512i table[registers];
        for (int i = 0; i < registers; ++i) table[i] = _mm512_loadu_si512(tables + entries[e].table + 16 * i);
        std::int32_t* sum = sums + entries[e].column * stride;
        for (int v = 0; v < Vectors; ++v) {
            const __m512i before = _mm512_loadu_si512(sum + 16 * v);
            _mm512_storeu_si512(sum + 16 * v, _mm512_add_epi32(before, lookup_16<Bits>(index[v], high[v], table)));
        }
    }
}

template <int Bits, int Vectors>
void lookup_tile(const std::uint8_t* patterns, std::size_t n, const Entry* entries, std::size_t n_entries,
                 const std::int32_t* tables, std::int32_t* sums, std::size_t stride) {
    std::size_t i = 0;
    for (; i + 16 * Vectors <= n; i += 16 * Vectors)
        lookup_chunk<Bits, Vectors>(patterns + i, entries, n_entries, tables, sums + i, stride);
    for (; i < n; i += 16) lookup_chunk<Bits, 1>(patterns + i, entries, n_entries, tables, sums + i, stride);
}

// Below this many rows it costs less to read single table entries than whole tables.
constexpr std::size_t few_rows = 12;

void lookup_i32(const std::uint8_t* patterns, std::size_t n, int width_bits, const Entry* entries,
                std::size_t n_entries, const std::int32_t* tables, std::int32_t* sums, std::size_t stride) {
    if (n <= few_rows) lookup_i32_generic(patterns, n, width_bits, entries, n_entries, tables, sums, stride);
    else if (width_bits == 5) lookup_tile<5, 4>(patterns, n, entries, n_entries, tables, sums, stride);
    else if (width_bits == 6) lookup_tile<6, 4>(patterns, n, entries, n_entries, tables, sums, stride);
    else if (width_bits == 7) lookup_tile<7, 4>(patterns, n, entries, n_entries, tables, sums, stride);
    else lookup_tile<8, 2>(patterns, n, entries, n_entries, tables, sums, stride);
}

void store_scaled(__m256i cells, __m512d step, double* out) {
    _mm512_storeu_pd(out, _mm512_mul_pd(_mm512_cvtepi32_pd(cells), step));
}

// Sixteen cells a gather, where both bins are bytes: the index then fits in 32 bits.
void grid_i32(const std::int32_t* grid, double step, const GridAxes& axes, std::size_t n, double* out) {
    std::size_t i = 0;
    const auto* first = static_cast<const std::uint8_t*>(axes.first);
    const auto* second = static_cast<const std::uint8_t*>(axes.second);
    if (axes.first_lane == 1 && axes.second_lane == 1) {
        const __m512i columns = _mm512_set1_epi32(static_cast<int>(axes.columns));
        const __m512d steps = _mm512_set1_pd(step);
        for (; i + 16 <= n; i += 16) {
            const __m512i row = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first + i)));
            const __m512i column = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(second + i)));
            const __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(row, columns), column);
            const __m512i cells = _mm512_i32gather_epi32(at, grid, 4);
            store_scaled(_mm512_castsi512_si256(cells), steps, out + i);
            store_scaled(_mm512_extracti64x4_epi64(cells, 1), steps, out + i + 8);
        }
    }
    const auto skip = [i](const void* bins, int lane) { return static_cast<const char*>(bins) + i * static_cast<std::size_t>(lane); };
    const GridAxes rest{skip(axes.first, axes.first_lane), skip(axes.second, axes.second_lane), axes.first_lane,
                        axes.second_lane, axes.columns};
    grid_i32_generic(grid, step, rest, n - i, out + i);
}

}  // namespace

const Kernels avx512_kernels{"avx512", bin_f32, bin_f64, patterns, lookup_i32, lookup_f64, flush,
                             superset_sums, extend, derive_singles, add_to_table, round_to_fixed, grid_f64, grid_i32};

}  // namespace fastpd
