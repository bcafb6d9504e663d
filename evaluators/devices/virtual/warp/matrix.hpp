// Operands of matrix steps, and the steps.
#pragma once

#include <cstdint>

#include "evaluators/devices/virtual/semantics/matrix_multiply.hpp"

namespace evo::evaluators::virtual_device::warp {

struct Warp;
struct Op;

/// The registers of one fragment: byte offsets of their slots, and their poison masks.
struct FragmentSlots {
  std::uint32_t slot[semantics::max_fragment] = {}, poison[semantics::max_fragment] = {};
  unsigned count = 0;
};

/// mma, wmma.mma: all four; movmatrix: d and a; loads: d; stores: a.
struct MatrixStep {
  FragmentSlots d, a, b, c;
  semantics::MatrixMultiply multiply = nullptr;
  std::uint32_t table = 0;  ///< wmma.load, wmma.store: index into Code::fragments
};

// Op::extra is the index into Code::matrix. Memory: a the base, offset the offset, pc 1 for a base of 64
// bits; b the stride, if Op::c is 1.
const Op* multiply_step(Warp& warp, const Op* op);
const Op* movmatrix_step(Warp& warp, const Op* op);
const Op* ldmatrix_step(Warp& warp, const Op* op);
const Op* stmatrix_step(Warp& warp, const Op* op);
const Op* fragment_load_step(Warp& warp, const Op* op);
const Op* fragment_store_step(Warp& warp, const Op* op);

}  // namespace evo::evaluators::virtual_device::warp
