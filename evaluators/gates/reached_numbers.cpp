#include "evaluators/gates/reached_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

/// Beyond these are the constants of mathematical functions.
constexpr double least_number = 0x1p-10, greatest_number = 0x1p20;

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return code::names_instruction(opcode, name); });
}

std::optional<double> number_in(const code::Operand& operand) {
  if (operand.tokens.empty()) return std::nullopt;
  const auto value = code::real_of(operand.tokens.back());
  if (!value) return std::nullopt;
  const double size = std::abs(*value);
  return size >= least_number && size <= greatest_number ? value : std::nullopt;
}

bool is_floating_word(std::string_view word) {
  return word == "f16" || word == "bf16" || word == "f32" || word == "f64";
}

/// Of floating-point numbers, in a type that holds integers or by a rounding to whole numbers.
bool makes_integers(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  if (!code::names_instruction(opcode, "cvt") || words.size() < 3 || !is_floating_word(words.back()))
    return false;
  return std::ranges::any_of(words, [](std::string_view word) {
    return word == "rni" || word == "rmi" || word == "rpi" || word == "rzi";
  });
}

}  // namespace

ReachedNumbers reached_numbers(const std::string& ptx) {
  ReachedNumbers found;
  const code::PtxModule module(ptx);
  if (module.unreadable()) return found;
  for (const code::Statement& statement : module.statements()) {
    const std::string_view opcode = instruction_of(statement).opcode;
    if (opcode.empty()) continue;
    const auto words = code::modifiers_of(opcode);
    if (words.empty() || !is_floating_word(words.back())) continue;
    found.rounds = found.rounds || makes_integers(opcode);
    const bool compares = is_one_of(opcode, {"setp", "set"});
    found.compares = found.compares || compares;
    const bool adds = is_one_of(opcode, {"add", "sub"}), fused = is_one_of(opcode, {"fma", "mad"});
    if (!compares && !adds && !fused && !is_one_of(opcode, {"mul", "div"})) continue;
    const auto operands = code::operands_of(statement);
    for (std::size_t place = 1; place < operands.size(); ++place) {
      const auto value = number_in(operands[place]);
      if (!value) continue;
      const bool addend = compares || adds || (fused && place == 3);
      // What is added is what a sum is compared with, but for its sign.
      (addend ? found.thresholds : found.factors).insert(addend && !compares ? std::abs(*value) : *value);
    }
  }
  return found;
}

ReachedNumbers in_both(const ReachedNumbers& a, const ReachedNumbers& b) {
  ReachedNumbers both{{}, {}, a.compares && b.compares, a.rounds && b.rounds};
  std::ranges::set_intersection(a.thresholds, b.thresholds,
                                std::inserter(both.thresholds, both.thresholds.end()));
  std::ranges::set_intersection(a.factors, b.factors, std::inserter(both.factors, both.factors.end()));
  return both;
}

}  // namespace evo::evaluators::gates
