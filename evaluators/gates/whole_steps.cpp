#include "evaluators/gates/whole_steps.hpp"

#include <algorithm>
#include <array>

#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideBits;

struct WholeType {
  int bits = 0;  ///< 1: a predicate
  bool has_sign = false;
};

std::optional<WholeType> type_of(std::string_view word) {
  if (word == "pred") return WholeType{1, false};
  constexpr std::array sizes{8, 16, 32, 64};
  constexpr std::array<std::string_view, 4> digits{"8", "16", "32", "64"};
  if (word.size() < 2 || (word[0] != 's' && word[0] != 'u' && word[0] != 'b')) return std::nullopt;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (word.substr(1) == digits[i]) return WholeType{sizes[i], word[0] == 's'};
  }
  return std::nullopt;
}

std::uint64_t cut(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// The number that these bits are.
Wide as_number(std::uint64_t bits, WholeType type) {
  const std::uint64_t own = cut(bits, type.bits);
  const bool negative = type.has_sign && (own >> (type.bits - 1) & 1) != 0;
  return negative ? Wide{own} - (Wide{1} << type.bits) : Wide{own};
}

std::uint64_t as_bits(Wide value, int bits) {
  return cut(static_cast<std::uint64_t>(value), bits);
}

constexpr std::array<std::string_view, 21> steps{"mov", "cvt", "add", "sub", "mul",  "mad",  "div",
                                                 "rem", "shl", "shr", "and", "or",   "xor",  "not",
                                                 "neg", "min", "max", "abs", "selp", "setp", "cvta"};

std::optional<bool> compared(std::string_view how, Wide a, Wide b) {
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  if (how == "lt" || how == "lo") return a < b;
  if (how == "le" || how == "ls") return a <= b;
  if (how == "gt" || how == "hi") return a > b;
  if (how == "ge" || how == "hs") return a >= b;
  return std::nullopt;
}

bool is_product(std::string_view opcode) {
  return code::names_instruction(opcode, "mul") || code::names_instruction(opcode, "mad");
}

std::optional<std::uint64_t> product(std::string_view opcode, std::span<const std::uint64_t> operands,
                                     WholeType type) {
  const auto words = code::modifiers_of(opcode);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const bool adds = code::names_instruction(opcode, "mad");
  if (operands.size() != (adds ? 3U : 2U)) return std::nullopt;
  // Of two unsigned numbers of 64 bits the product has 128, all of which count.
  WideBits result = static_cast<WideBits>(as_number(operands[0], type)) *
                    static_cast<WideBits>(as_number(operands[1], type));
  const int bits = has("wide") ? 2 * type.bits : type.bits;
  if (has("hi")) result >>= type.bits;
  if (adds) result += static_cast<WideBits>(as_number(operands[2], {bits, type.has_sign}));
  return as_bits(static_cast<Wide>(result), bits);
}

std::optional<std::uint64_t> of_two(std::string_view opcode, std::span<const std::uint64_t> operands,
                                    WholeType type) {
  const auto is = [&](std::string_view name) { return code::names_instruction(opcode, name); };
  const Wide a = as_number(operands[0], type), b = as_number(operands[1], type);
  if (is("add")) return as_bits(a + b, type.bits);
  if (is("sub")) return as_bits(a - b, type.bits);
  if (is("min")) return as_bits(std::min(a, b), type.bits);
  if (is("max")) return as_bits(std::max(a, b), type.bits);
  if (is("and")) return cut(operands[0] & operands[1], type.bits);
  if (is("or")) return cut(operands[0] | operands[1], type.bits);
  if (is("xor")) return cut(operands[0] ^ operands[1], type.bits);
  if ((is("div") || is("rem")) && b == 0) return std::nullopt;
  if (is("div")) return as_bits(a / b, type.bits);
  if (is("rem")) return as_bits(a % b, type.bits);
  // A shift by more than all bits is one by all.
  const auto by = static_cast<int>(std::min<std::uint64_t>(cut(operands[1], 32), 64));
  if (is("shl")) return by >= type.bits ? 0 : cut(operands[0] << by, type.bits);
  if (is("shr")) return as_bits(a >> by, type.bits);
  return std::nullopt;
}

std::optional<std::uint64_t> of_one(std::string_view opcode, std::uint64_t operand, WholeType type) {
  const auto is = [&](std::string_view name) { return code::names_instruction(opcode, name); };
  const Wide value = as_number(operand, type);
  if (is("mov") || is("cvta")) return cut(operand, type.bits);
  if (is("not")) return cut(~operand, type.bits);
  if (is("neg")) return as_bits(-value, type.bits);
  if (is("abs")) return as_bits(value < 0 ? -value : value, type.bits);
  if (!is("cvt")) return std::nullopt;
  const auto words = code::modifiers_of(opcode);
  const auto to = words.size() < 2 ? std::nullopt : type_of(words[words.size() - 2]);
  const bool saturates = std::ranges::find(words, "sat") != words.end();
  return to && !saturates ? std::optional(as_bits(value, to->bits)) : std::nullopt;
}

}  // namespace

bool is_whole_step(std::string_view opcode) {
  const auto words = code::modifiers_of(opcode);
  return !words.empty() && type_of(words.back()) && std::ranges::any_of(steps, [&](std::string_view step) {
    return code::names_instruction(opcode, step);
  });
}

std::optional<std::uint64_t> loaded_whole(std::string_view opcode, std::uint64_t value) {
  const auto words = code::modifiers_of(opcode);
  const auto type = words.empty() ? std::nullopt : type_of(words.back());
  return type ? std::optional(as_bits(as_number(value, *type), 64)) : std::nullopt;
}

std::optional<std::uint64_t> whole_step(std::string_view opcode, std::span<const std::uint64_t> operands) {
  const auto words = code::modifiers_of(opcode);
  const auto type = words.empty() ? std::nullopt : type_of(words.back());
  if (!type || operands.empty()) return std::nullopt;
  if (is_product(opcode)) return product(opcode, operands, *type);
  if (code::names_instruction(opcode, "setp")) {
    if (operands.size() != 2 || words.size() != 2) return std::nullopt;  // with a third it is and, or, xor
    const auto told = compared(words.front(), as_number(operands[0], *type), as_number(operands[1], *type));
    return told ? std::optional<std::uint64_t>(*told ? 1 : 0) : std::nullopt;
  }
  if (code::names_instruction(opcode, "selp"))
    return operands.size() == 3 ? std::optional(cut(operands[operands[2] != 0 ? 0 : 1], type->bits))
                                : std::nullopt;
  if (operands.size() == 1) return of_one(opcode, operands[0], *type);
  return operands.size() == 2 ? of_two(opcode, operands, *type) : std::nullopt;
}

}  // namespace evo::evaluators::gates
