// Which instruction set to use: found at run time, or forced by the environment variable FASTPD_ISA.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"

#if defined(FASTPD_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace fastpd {

namespace {

#if defined(FASTPD_X86) && defined(_MSC_VER)
struct Leaf7 {
    int ebx = 0;
    bool os_saves_ymm = false, os_saves_zmm = false;
    Leaf7() {
        int words[4];
        __cpuid(words, 1);
        if (!(words[2] & (1 << 27))) return;
        const auto saved = _xgetbv(0);
        os_saves_ymm = (saved & 0x6) == 0x6;
        os_saves_zmm = (saved & 0xE6) == 0xE6;
        __cpuidex(words, 7, 0);
        ebx = words[1];
    }
    bool bit(int b) const { return ebx & (1 << b); }
};
bool has_avx2() { const Leaf7 cpu; return cpu.os_saves_ymm && cpu.bit(5); }
bool has_avx512() {
    const Leaf7 cpu;
    return cpu.os_saves_zmm && cpu.bit(16) && cpu.bit(17) && cpu.bit(30) && (cpu.ebx < 0);
}
#elif defined(FASTPD_X86)
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif

std::vector<const Kernels*> runnable() {
    std::vector<const Kernels*> found;
#if defined(FASTPD_X86)
    if (has_avx512()) found.push_back(&avx512_kernels);
    if (has_avx2()) found.push_back(&avx2_kernels);
#endif
    found.push_back(&portable_kernels);
    return found;
}

const Kernels& choose() {
    const auto found = runnable();
    const char* wanted = std::getenv("FASTPD_ISA");
    if (wanted == nullptr || *wanted == '\0') return *found.front();
    for (const auto* set : found)
        if (std::strcmp(set->name, wanted) == 0) return *set;
    std::string names;
    for (const auto* set : found) names += std::string(names.empty() ? "" : ", ") + set->name;
    throw std::invalid_argument("FASTPD_ISA is " + std::string(wanted) + "; this processor can run: " + names);
}

}  // namespace

// Read at every call so that a test can switch within one process; it costs next to nothing.
const Kernels& kernels() { return choose(); }

const char* const* available_kernels() {
    static const std::vector<const char*> names = [] {
        std::vector<const char*> list;
        for (const auto* set : runnable()) list.push_back(set->name);
        list.push_back(nullptr);
        return list;
    }();
    return names.data();
}

}  // namespace fastpd
