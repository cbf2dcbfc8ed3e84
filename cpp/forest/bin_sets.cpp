#include "forest/bin_sets.hpp"

#include <algorithm>

namespace fastpd {

namespace {

constexpr std::size_t byte_lane_bytes = 32;  // kernels read the 256 bits of a byte's range at once

}  // namespace

std::int32_t BinSets::intern(const std::vector<bool>& members) {
    std::string bits(std::max((members.size() + 7) / 8, byte_lane_bytes), '\0');
    for (std::size_t bin = 0; bin < members.size(); ++bin)
        if (members[bin]) bits[bin >> 3] = static_cast<char>(bits[bin >> 3] | 1 << (bin & 7));
    const auto [found, added] = known_.try_emplace(bits, static_cast<std::int32_t>(sets_.size()));
    if (added) sets_.emplace_back(bits.begin(), bits.end());
    return found->second;
}

std::size_t BinSets::bytes() const {
    std::size_t total = 0;
    for (const auto& set : sets_) total += 2 * set.size();
    return total;
}

}  // namespace fastpd
