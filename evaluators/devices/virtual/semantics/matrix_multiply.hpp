// D = A B + C for the fragments of one warp (mma.sync, wmma.mma).
//
// Numerics. Products are exact; all products of one output and C are summed in double precision, and the sum
// is rounded once: toward zero to f32, to nearest even to f16. A tensor core also multiplies exactly, but
// aligns the addends of a group (8 on sm_80 and sm_89, 16 on sm_90, for 16-bit operands) to the largest of
// them, cuts them off one or two bits below the last place of f32, and rounds each group's sum toward zero
// (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021; Khattak, Mikaitis,
// "Accurate models of NVIDIA tensor cores", 2025; to nearest even for f16 results). So with M the largest
// magnitude among C, the products and the partial sums, our result differs from a GPU's by at most (k + 4)
// 2^-23 M, and by one unit more in the last place of f16 for f16 results. Subnormals are neither flushed on
// input nor on output. tf32 operands: the low 13 bits of the registers are ignored. Sums of 8-bit integers
// are exact and wrap, or saturate with .satfinite.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::semantics {

/// Most registers of a fragment.
constexpr unsigned max_fragment = 8;

/// The 32 lanes (128 bytes) of each register, in the order of PTX. Destinations may be sources as well.
struct MatrixOperands {
  std::array<const std::byte*, max_fragment> a{}, b{}, c{};
  std::array<std::byte*, max_fragment> d{};
};
using MatrixMultiply = void (*)(const Instruction& instruction, const MatrixOperands& operands);

/// For mma and wmma_mma; the results of both are the same. Null for a form that does not exist.
[[nodiscard]] MatrixMultiply portable_multiply(const Instruction& instruction);
[[nodiscard]] MatrixMultiply avx2_multiply(const Instruction& instruction);

/// The lanes whose results depend on a lane that `a`, `b` or `c` marks (bit masks of lanes, by register).
/// Used for what nothing has written: a garbage row of A spoils that row of D only. Marks as many masks of
/// `d` as D has registers.
void spread_marks(const Instruction& instruction, const std::array<std::uint32_t, max_fragment>& a,
                  const std::array<std::uint32_t, max_fragment>& b,
                  const std::array<std::uint32_t, max_fragment>& c,
                  std::array<std::uint32_t, max_fragment>& d);

}  // namespace evo::evaluators::virtual_device::semantics
