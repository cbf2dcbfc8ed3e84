// Sets of bins that are no interval, such as the categories that a split sends to one side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace fastpd {

// Each distinct set is kept once: bit b of its bytes says whether bin b belongs to it.
class BinSets {
public:
    std::int32_t intern(const std::vector<bool>& members);
    // Stays valid while sets are added, and when the whole is moved.
    const std::uint8_t* bits(std::int32_t set) const { return sets_[static_cast<std::size_t>(set)].data(); }
    bool has(std::int32_t set, std::size_t bin) const { return bits(set)[bin >> 3] >> (bin & 7) & 1; }
    std::size_t bytes() const;

private:
    std::vector<std::vector<std::uint8_t>> sets_;
    std::unordered_map<std::string, std::int32_t> known_;
};

}  // namespace fastpd
