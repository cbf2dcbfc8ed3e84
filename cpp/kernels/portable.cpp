#include "kernels/kernels.hpp"

namespace fastpd {
namespace {
#include "kernels/generic.inl"
}  // namespace

const Kernels portable_kernels{"portable", bin_f32,    bin_f64, patterns_generic, lookup_i32_generic,
                               lookup_f64, flush,      grid_lookup};

}  // namespace fastpd
