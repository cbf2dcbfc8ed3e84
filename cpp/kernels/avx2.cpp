#include "kernels/kernels.hpp"

namespace fastpd {
namespace {
#include "kernels/generic.inl"
}  // namespace

const Kernels avx2_kernels{"avx2",      bin_f32,       bin_f64,        patterns_generic, lookup_i32_generic,
                               lookup_f64,    flush,         superset_sums,  extend,           derive_singles,
                               add_to_table,  round_to_fixed, grid_f64,
                               grid_i32_generic};

}  // namespace fastpd
