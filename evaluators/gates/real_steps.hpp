// What the instructions of a PTX module make of real numbers, where these are of few parameters: no rounding.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace evo::evaluators::gates {

/// The result of an instruction of 32- or 64-bit floating-point numbers (mov, cvt, add, sub, mul, fma, div,
/// neg, abs, rcp, sqrt, rsqrt, ex2, lg2, min, max). nullopt: it is none, or has no finite result.
[[nodiscard]] std::optional<double> real_step(std::string_view opcode, std::span<const double> operands);

/// Is it an instruction of such numbers that looks which of two is larger?
[[nodiscard]] bool compares_reals(std::string_view opcode);

}  // namespace evo::evaluators::gates
