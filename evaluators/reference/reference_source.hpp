// The text that the compiler gets of a problem's reference kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "evaluators/compile/compiler.hpp"
#include "model/problem.hpp"

namespace evo::evaluators::reference {

/// The kernel in the compiled module.
inline constexpr const char* wrapper_entry = "evo_reference";

enum class Powers { as_written, by_exp2 };

/// Asks for the problem's reference (it has one) behind a kernel that takes the problem's arguments: arrays
/// and scalars of floating-point type as double, all others in their type, so that a parameter of another
/// type is an error of the compiler, at its line. Compile-time axes are macros, as for templates. The
/// reference may be a function template or stand in a namespace: its entry is called, not launched. `real` is
/// what EVO_REAL stands for: double or float; in float, numbers such as 0.5 are floats too.
/// `powers`: whether pow stays, or becomes what powers.hpp says.
[[nodiscard]] compile::CompileRequest reference_request(
    const model::Problem& problem, const std::map<std::string, std::int64_t, std::less<>>& compile_time_axes,
    const std::string& arch, std::string_view real = "double", Powers powers = Powers::as_written);

}  // namespace evo::evaluators::reference
