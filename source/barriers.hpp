// Statements that only order threads or memory accesses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "source/program.hpp"
#include "source/tokens.hpp"

namespace evo::source {

/// Does the statement (without its semicolon) do nothing but order: __syncthreads(), __syncwarp(...), a
/// group's sync(), a fence, a wait for asynchronous copies, or asm() of such an instruction? One whose value
/// is used
/// (__syncthreads_or) does more. Hooks of kernels/common (EVO_SYNC...) count, too.
[[nodiscard]] bool is_barrier(const std::vector<Token>& tokens, Span span);
/// The same with names of macros and functions that do nothing else.
[[nodiscard]] bool is_barrier(const std::vector<Token>& tokens, Span span,
                              const std::set<std::string>& ordering);
/// The same with those of the text.
[[nodiscard]] bool is_barrier(const Program& program, Span span);

/// Macros whose text only orders: SYNC(), or SYNC where it has no parameters. `tokens`: of the whole text.
[[nodiscard]] std::set<std::string> ordering_macros(const std::vector<Token>& tokens);
/// Functions whose body only orders join Program::ordering.
void add_ordering_functions(Program& program);

}  // namespace evo::source
