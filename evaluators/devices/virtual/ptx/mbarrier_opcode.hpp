// The opcodes of mbarrier objects: their words come in a fixed order.
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Decodes mbarrier.* and cp.async.mbarrier.arrive (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier"). Not known: objects of other blocks of a cluster (.shared::cluster).
[[nodiscard]] Form decode_mbarrier_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
