#include "evaluators/devices/virtual/warp/memory.inl"

namespace evo::evaluators::virtual_device::warp {

Handler avx2_memory(const Instruction& instruction, bool checked) {
  return avx2::select_memory(instruction, checked);
}

}  // namespace evo::evaluators::virtual_device::warp
