#include "evaluators/devices/virtual/semantics/matrix_multiply.inl"

namespace evo::evaluators::virtual_device::semantics {

MatrixMultiply avx2_multiply(const Instruction& instruction) {
  return avx2::select_multiply(instruction);
}

}  // namespace evo::evaluators::virtual_device::semantics
