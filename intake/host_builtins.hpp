// Built-in functions of host compilers that headers compute constants with, which NVRTC has not:
// __builtin_clz.
#pragma once

#include <string>

namespace evo::intake {

inline constexpr const char* host_builtins = "evo_host_builtins.cuh";
/// The header's text: constexpr functions of these names, for both sides.
[[nodiscard]] std::string host_builtins_header();
/// Whether the compiler misses one of them.
[[nodiscard]] bool is_host_builtin(const std::string& message);

}  // namespace evo::intake
