#include "evaluators/devices/virtual/warp/memory.inl"

namespace evo::evaluators::virtual_device::warp {

Handler portable_memory(const Instruction& instruction, bool checked) {
  return portable::select_memory(instruction, checked);
}

}  // namespace evo::evaluators::virtual_device::warp
