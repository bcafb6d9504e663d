#include "evaluators/gates/real_steps.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

bool is_real_step(std::string_view opcode, std::string_view name) {
  return code::names_instruction(opcode, name);
}

bool is_of_reals(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  return !words.empty() && (words.back() == "f32" || words.back() == "f64");
}

std::optional<double> real_of_one(std::string_view opcode, double a) {
  // What rounds to whole numbers is a step, at which nothing can be found by halves.
  if (is_real_step(opcode, "mov")) return a;
  if (is_real_step(opcode, "cvt")) {
    const auto words = code::modifiers_of(opcode);
    const bool whole = std::ranges::any_of(words, [](std::string_view word) {
      return word == "rni" || word == "rzi" || word == "rmi" || word == "rpi";
    });
    return whole ? std::nullopt : std::optional(a);
  }
  if (is_real_step(opcode, "neg")) return -a;
  if (is_real_step(opcode, "abs")) return std::abs(a);
  if (is_real_step(opcode, "rcp")) return 1 / a;
  if (is_real_step(opcode, "sqrt")) return std::sqrt(a);
  if (is_real_step(opcode, "rsqrt")) return 1 / std::sqrt(a);
  if (is_real_step(opcode, "ex2")) return std::exp2(a);
  if (is_real_step(opcode, "lg2")) return std::log2(a);
  return std::nullopt;
}

std::optional<double> real_of_two(std::string_view opcode, double a, double b) {
  if (is_real_step(opcode, "add")) return a + b;
  if (is_real_step(opcode, "sub")) return a - b;
  if (is_real_step(opcode, "mul")) return a * b;
  if (is_real_step(opcode, "div")) return a / b;
  if (is_real_step(opcode, "min")) return std::min(a, b);
  if (is_real_step(opcode, "max")) return std::max(a, b);
  return std::nullopt;
}

}  // namespace

std::optional<double> real_step(std::string_view opcode, std::span<const double> operands) {
  // A parameter that is an integer becomes a real number by a cvt, too, whose last type is not one.
  if (!is_of_reals(opcode) && !is_real_step(opcode, "cvt")) return std::nullopt;
  std::optional<double> result;
  if (operands.size() == 1) result = real_of_one(opcode, operands[0]);
  if (operands.size() == 2) result = real_of_two(opcode, operands[0], operands[1]);
  if (operands.size() == 3 && (is_real_step(opcode, "fma") || is_real_step(opcode, "mad")))
    result = operands[0] * operands[1] + operands[2];
  const auto words = code::modifiers_of(opcode);
  if (result && std::ranges::find(words, "sat") != words.end()) result = std::clamp(*result, 0.0, 1.0);
  return result && std::isfinite(*result) ? result : std::nullopt;
}

bool compares_reals(std::string_view opcode) {
  const bool asks = is_real_step(opcode, "setp") || is_real_step(opcode, "set") ||
                    is_real_step(opcode, "min") || is_real_step(opcode, "max");
  return asks && is_of_reals(opcode);
}

}  // namespace evo::evaluators::gates
