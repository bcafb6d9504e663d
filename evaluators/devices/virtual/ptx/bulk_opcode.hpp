// The opcodes of bulk copies (TMA), of their groups, and of the fences between proxies: words in a fixed
// order.
#pragma once

#include <string_view>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {

/// Decodes cp.async.bulk.*, cp.reduce.async.bulk.*, prefetch.tensormap, fence.proxy.* and fence.mbarrier_init
/// (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy", "membar"). Not known: copies
/// between the blocks of a cluster, im2col, scatter and gather, .cta_group, .cp_mask.
[[nodiscard]] Form decode_bulk_opcode(std::string_view spelling);

}  // namespace evo::evaluators::virtual_device::ptx
