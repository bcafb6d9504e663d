// Where in memory wmma.load and wmma.store find each register of each lane.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/virtual/program.hpp"

namespace evo::evaluators::virtual_device::semantics {

/// A matrix in memory is `runs` rows (or columns) of `run_bytes` neighbouring bytes each, a stride apart. A
/// register of a lane is one piece of 4 bytes, or a piece for each element where those are no neighbours.
struct FragmentTable {
  MatrixForm form;
  unsigned runs = 0, run_elements = 0, run_bytes = 0, element_bytes = 0;
  unsigned registers = 0;  ///< of the fragment; register r holds the same as register r % distinct
  unsigned distinct = 0;
  unsigned pieces = 0, piece_bytes = 0;  ///< of a register
  /// The first run has to be aligned to the size of the fragment (PTX ISA, "Matrix Storage for WMMA"). For
  /// the others PTX asks the same, the CUDA programming guide for 16 bytes ("ldm must be a multiple of 16
  /// bytes"), which is what kernels rely on (a pad of 8 halves): 16 bytes it is.
  unsigned base_alignment = 0, run_alignment = 0;
  /// [(register * pieces + piece) * 32 + lane]: run * run_bytes + byte in the run.
  std::vector<std::uint16_t> offsets;
};

/// `form` is that of a wmma_load or wmma_store.
[[nodiscard]] FragmentTable make_fragment_table(const MatrixForm& form);

}  // namespace evo::evaluators::virtual_device::semantics
