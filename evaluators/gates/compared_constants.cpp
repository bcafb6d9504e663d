#include "evaluators/gates/compared_constants.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t least_constant = 33, greatest_constant = std::int64_t{1} << 24;

bool compares_integers(std::string_view opcode) {
  if (!opcode.starts_with("setp.") && !opcode.starts_with("set.")) return false;
  return std::ranges::any_of(code::modifiers_of(opcode), [](std::string_view word) {
    return word == "s16" || word == "u16" || word == "b16" || word == "s32" || word == "u32" ||
           word == "b32" || word == "s64" || word == "u64" || word == "b64";
  });
}

bool asks_for_equality(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  return std::ranges::find(words, "eq") != words.end() || std::ranges::find(words, "ne") != words.end();
}

std::optional<std::int64_t> number_in(std::string_view operands) {
  std::string_view last = operands.substr(operands.rfind(',') + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), value);
  if (error != std::errc{} || end == last.data()) return std::nullopt;
  // 0x10 would be read as 0, and 0f3F800000 is no integer.
  if (end != last.data() + last.size() && *end != ' ' && *end != 'U') return std::nullopt;
  return value;
}

std::string_view last_operand(std::string_view operands) {
  std::string_view last = operands.substr(operands.rfind(',') + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  while (last.ends_with(' ')) last.remove_suffix(1);
  return last;
}

/// Bits that no comparison of sizes or flags is about.
constexpr double least_number = 1e-6, greatest_number = 1e12;

/// 0f40400000, 0d4008000000000000; or the bits of such a number as an integer.
std::optional<double> floating_in(std::string_view opcode, std::string_view operands) {
  const std::string_view last = last_operand(operands);
  const auto words = code::modifiers_of(opcode);
  const auto is = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  std::uint64_t bits = 0;
  const auto read = [&](std::size_t skip, int base) {
    const auto [end, error] = std::from_chars(last.data() + skip, last.data() + last.size(), bits, base);
    return error == std::errc{} && end == last.data() + last.size();
  };
  if (last.size() == 10 && last.starts_with("0f") && read(2, 16))
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (last.size() == 18 && last.starts_with("0d") && read(2, 16)) return std::bit_cast<double>(bits);
  if (!(is("s32") || is("u32") || is("b32")) || !asks_for_equality(opcode)) return std::nullopt;
  std::int64_t word = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), word);
  if (error != std::errc{} || end != last.data() + last.size() || word < INT32_MIN || word > UINT32_MAX)
    return std::nullopt;
  const double value = std::bit_cast<float>(static_cast<std::uint32_t>(word));
  const bool ordinary = std::abs(value) >= least_number && std::abs(value) <= greatest_number;
  return ordinary ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<double> compared_numbers(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  std::set<double> equal, other, centres;
  for (const code::Statement& statement : module.statements()) {
    const InstructionText instruction = instruction_of(statement);
    const std::string_view opcode = instruction.opcode;
    const bool adds = opcode.starts_with("add."), subtracts = opcode.starts_with("sub.");
    if (!opcode.starts_with("setp.") && !opcode.starts_with("set.") && !adds && !subtracts) continue;
    const auto value = floating_in(opcode, instruction.operands);
    if (!value || !std::isfinite(*value) || *value == 0) continue;
    if (adds || subtracts) {
      centres.insert(adds ? -*value : *value);
      continue;
    }
    const auto words = code::modifiers_of(opcode);
    const bool equality = asks_for_equality(opcode) || std::ranges::find(words, "neu") != words.end() ||
                          std::ranges::find(words, "equ") != words.end();
    (equality ? equal : other).insert(*value);
  }
  if (equal.empty() && other.empty()) return {};
  std::set<double> chosen;
  for (const std::set<double>* from : {&equal, &other, &centres}) {
    for (const double value : *from) {
      if (chosen.size() < most) chosen.insert(value);
    }
  }
  std::vector<double> values;
  for (const double value : chosen) {
    if (!values.empty()) values.push_back((values.back() + value) / 2);
    values.push_back(value);
  }
  return values;
}

std::vector<std::int64_t> compared_constants(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  std::map<std::int64_t, bool> found;  // whether one asks for equality
  for (const code::Statement& statement : module.statements()) {
    const InstructionText instruction = instruction_of(statement);
    if (!compares_integers(instruction.opcode)) continue;
    const auto value = number_in(instruction.operands);
    if (!value || *value < least_constant || *value > greatest_constant) continue;
    found[*value] = found[*value] || asks_for_equality(instruction.opcode);
  }
  std::vector<std::int64_t> values;
  for (const bool equality : {true, false}) {
    for (auto at = found.rbegin(); at != found.rend() && values.size() < most; ++at) {
      if (at->second == equality) values.push_back(at->first);
    }
  }
  return values;
}

}  // namespace evo::evaluators::gates
