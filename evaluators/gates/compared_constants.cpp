#include "evaluators/gates/compared_constants.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t least_constant = 33, greatest_constant = std::int64_t{1} << 24;
/// Bits that something is cut off to: beyond bytes, which every run goes beyond, and short of what no size
/// is.
constexpr int least_narrow_bits = 10, most_narrow_bits = 18;

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

/// 65536 for cvt.u16.u32, 4096 for and.b32 with 4095: the first number that does not come through.
std::optional<std::int64_t> cut_off_at(const InstructionText& instruction) {
  const auto words = code::modifiers_of(instruction.opcode);
  if (instruction.opcode.starts_with("cvt.") && words.size() >= 2) {
    const std::string_view to = words[words.size() - 2], from = words.back();
    const bool wide = from == "u32" || from == "s32" || from == "u64" || from == "s64";
    if (!wide) return std::nullopt;
    if (to == "u16") return 65536;
    if (to == "s16") return 32768;
  }
  if (!instruction.opcode.starts_with("and.b32") && !instruction.opcode.starts_with("and.b64"))
    return std::nullopt;
  const auto mask = number_in(instruction.operands);
  for (int bits = least_narrow_bits; mask && bits <= most_narrow_bits; ++bits) {
    if (*mask == (std::int64_t{1} << bits) - 1) return *mask + 1;
  }
  return std::nullopt;
}

std::string_view last_operand(std::string_view operands) {
  std::string_view last = operands.substr(operands.rfind(',') + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  while (last.ends_with(' ')) last.remove_suffix(1);
  return last;
}

/// Bits that no comparison of sizes or flags is about.
constexpr double least_number = 1e-6, greatest_number = 1e12, greatest_centre = 0x1p20;

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

std::string_view operand_at(std::string_view operands, std::size_t index) {
  for (; index > 0; --index) {
    const std::size_t comma = operands.find(',');
    if (comma == std::string_view::npos) return {};
    operands.remove_prefix(comma + 1);
  }
  return last_operand(operands.substr(0, operands.find(',')));
}

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return opcode.starts_with(name); });
}

/// Numbers that sizes are held against in other ways: what a remainder is asked of (n % 384), where something
/// is cut off (min(blocks, 1024)), and both ends of a range that is asked for at once (n - 3001, as a number
/// without a sign, below 99).
std::set<std::int64_t> divisors_and_ends(const code::PtxModule& module) {
  std::set<std::int64_t> found;
  std::map<std::string_view, std::int64_t> less;  // register: what was taken away
  for (const code::Statement& statement : module.statements()) {
    const InstructionText instruction = instruction_of(statement);
    const std::string_view opcode = instruction.opcode, operands = instruction.operands;
    const auto value = number_in(operands);
    if (!value || *value < -greatest_constant || *value > greatest_constant) continue;
    if (is_one_of(opcode,
                  {"rem.s32", "rem.u32", "rem.s64", "rem.u64", "min.s32", "min.u32", "min.s64", "min.u64"}))
      found.insert(*value);
    if (is_one_of(opcode, {"add.s32", "add.s64"}) && *value < 0) less[operand_at(operands, 0)] = -*value;
    if (!opcode.starts_with("setp.") || !(opcode.ends_with("u32") || opcode.ends_with("u64"))) continue;
    if (const auto from = less.find(operand_at(operands, 1)); from != less.end()) {
      found.insert(from->second);
      found.insert(from->second + *value);
    }
  }
  std::erase_if(found,
                [](std::int64_t value) { return value < least_constant || value > greatest_constant; });
  return found;
}

/// What setp and set compare integers with, and whether one of them asks for equality.
using Compared = std::map<std::int64_t, bool>;

Compared integers_of(const code::PtxModule& module) {
  Compared found;
  for (const code::Statement& statement : module.statements()) {
    const InstructionText instruction = instruction_of(statement);
    if (!compares_integers(instruction.opcode)) continue;
    const auto value = number_in(instruction.operands);
    if (value) found[*value] = found[*value] || asks_for_equality(instruction.opcode);
  }
  return found;
}

}  // namespace

namespace {

struct FloatingNumbers {
  std::set<double> equal, other, centres;
};

FloatingNumbers numbers_of(const code::PtxModule& module) {
  FloatingNumbers found;
  for (const code::Statement& statement : module.statements()) {
    const InstructionText instruction = instruction_of(statement);
    const std::string_view opcode = instruction.opcode;
    const bool adds = opcode.starts_with("add."), subtracts = opcode.starts_with("sub.");
    const bool bounds = opcode.starts_with("min.") || opcode.starts_with("max.");
    if (!opcode.starts_with("setp.") && !opcode.starts_with("set.") && !adds && !subtracts && !bounds)
      continue;
    const auto value = floating_in(opcode, instruction.operands);
    if (!value || !std::isfinite(*value) || *value == 0) continue;
    if (adds || subtracts) {
      // Larger ones are what a mathematical function adds to round.
      if (std::abs(*value) < greatest_centre) found.centres.insert(adds ? -*value : *value);
      continue;
    }
    const auto words = code::modifiers_of(opcode);
    const bool equality = asks_for_equality(opcode) || std::ranges::find(words, "neu") != words.end() ||
                          std::ranges::find(words, "equ") != words.end();
    (equality ? found.equal : found.other).insert(*value);
  }
  return found;
}

}  // namespace

std::vector<double> directly_compared(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  const auto [equal, other, centres] = numbers_of(module);
  std::vector<double> values;
  for (const std::set<double>* from : {&equal, &other}) {
    for (const double value : *from) {
      if (values.size() < most && std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> compared_numbers(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  const auto [equal, other, centres] = numbers_of(module);
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
  Compared found;
  for (const auto& [value, equality] : integers_of(module)) {
    if (value >= least_constant && value <= greatest_constant) found[value] = equality;
  }
  std::vector<std::int64_t> values;
  for (const bool equality : {true, false}) {
    for (auto at = found.rbegin(); at != found.rend() && values.size() < most; ++at) {
      if (at->second == equality) values.push_back(at->first);
    }
  }
  std::set<std::int64_t> narrow;
  for (const code::Statement& statement : module.statements()) {
    if (const auto end = cut_off_at(instruction_of(statement))) narrow.insert(*end);
  }
  for (auto at = narrow.rbegin(); at != narrow.rend() && values.size() < most; ++at) {
    if (!found.contains(*at)) values.push_back(*at);
  }
  for (const std::int64_t value : divisors_and_ends(module)) {
    if (values.size() < most && !found.contains(value) && !narrow.contains(value)) values.push_back(value);
  }
  return values;
}

std::vector<std::int64_t> compared_integers(const std::string& ptx, std::size_t most) {
  const code::PtxModule module(ptx);
  if (module.unreadable()) return {};
  const Compared found = integers_of(module);
  std::vector<std::int64_t> values;
  for (const bool equality : {true, false}) {
    for (const auto& [value, asked] : found) {
      // A number near zero is among those that any set draws, but not where -1 is the largest of a type.
      const bool tells = value <= -least_constant || value >= least_constant || (asked && value < 0);
      if (tells && asked == equality && values.size() < most) values.push_back(value);
    }
  }
  return values;
}

}  // namespace evo::evaluators::gates
