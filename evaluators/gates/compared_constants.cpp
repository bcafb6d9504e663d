#include "evaluators/gates/compared_constants.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
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

}  // namespace

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
