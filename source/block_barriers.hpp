// Barriers of all threads of a block, however they are written.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "source/program.hpp"

namespace evo::source {

/// Is the statement (without its semicolon) __syncthreads(), this_thread_block().sync() or asm() of bar.sync
/// 0 for all threads, and nothing else?
[[nodiscard]] bool is_block_barrier(const std::vector<Token>& tokens, Span span);

/// Macros and functions of the text that are one barrier of the block and nothing else. A macro with several
/// definitions counts where each of them is.
[[nodiscard]] std::set<std::string> block_barrier_names(const Program& program);

/// Is the statement of this node such a barrier? `names`: of block_barrier_names(). A group's sync() counts
/// where the group is declared as the block's.
[[nodiscard]] bool is_block_barrier(const Program& program, std::size_t node,
                                    const std::set<std::string>& names);

}  // namespace evo::source
