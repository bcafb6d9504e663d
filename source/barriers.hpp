// Statements that only order threads or memory accesses.
#pragma once

#include <vector>

#include "source/tokens.hpp"

namespace evo::source {

/// Does the statement (without its semicolon) do nothing but order: __syncthreads(), __syncwarp(...), a
/// group's sync(), a fence, a wait for asynchronous copies, or asm() of such an instruction? One whose value
/// is used
/// (__syncthreads_or) does more. Hooks of kernels/common (EVO_SYNC...) count, too.
[[nodiscard]] bool is_barrier(const std::vector<Token>& tokens, Span span);

}  // namespace evo::source
