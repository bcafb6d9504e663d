#include "evaluators/devices/virtual/semantics/matrix_multiply.inl"

namespace evo::evaluators::virtual_device::semantics {

MatrixMultiply portable_multiply(const Instruction& instruction) {
  return portable::select_multiply(instruction);
}

}  // namespace evo::evaluators::virtual_device::semantics
