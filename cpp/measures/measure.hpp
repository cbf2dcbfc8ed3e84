// What a measure tells queries: how likely it is that players pass the path to a leaf (p_j, engine formula 1).
#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace fastpd {

// A sample's weighted counts: of patterns in the blocks, of masks at the deep leaves.
struct Counted {
    std::span<const double> patterns;
    double total = 1;
    std::span<const std::uint64_t> deep_offsets;
    std::span<const std::uint64_t> deep_masks;
    std::span<const double> deep_counts;
};

// Players pass independently of each other: a chance for every clause of the ensemble.
struct Independent {
    std::span<const double> chances;
};

// A chance for every set of a leaf's players that all of them pass, 2^tau numbers a leaf of the blocks; deep leaves
// have none.
struct Joint {
    std::span<const double> chances;
    std::span<const std::uint64_t> first;  // by leaf
};

using Measure = std::variant<Counted, Independent, Joint>;

// What the numbers of a measure are to be divided by.
inline double total_of(const Measure& measure) {
    const auto* counted = std::get_if<Counted>(&measure);
    return counted != nullptr ? counted->total : 1.0;
}

}  // namespace fastpd
