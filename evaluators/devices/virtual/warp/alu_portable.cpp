#include "evaluators/devices/virtual/warp/alu.inl"

namespace evo::evaluators::virtual_device::warp {

Handler portable_alu(const Instruction& instruction, bool checked) {
  return portable::select_alu(instruction, checked);
}

Handler portable_special(SpecialStep which) {
  return portable::select_special(which);
}

}  // namespace evo::evaluators::virtual_device::warp
