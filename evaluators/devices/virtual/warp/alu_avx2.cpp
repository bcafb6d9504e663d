#include "evaluators/devices/virtual/warp/alu.inl"

namespace evo::evaluators::virtual_device::warp {

Handler avx2_alu(const Instruction& instruction, bool checked) {
  return avx2::select_alu(instruction, checked);
}

Handler avx2_special(SpecialStep which) {
  return avx2::select_special(which);
}

}  // namespace evo::evaluators::virtual_device::warp
