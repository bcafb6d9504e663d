#include "evaluators/reference/division_traps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/reference/trimmed.hpp"

namespace evo::evaluators::reference {
namespace {

constexpr std::string_view blanks = " \t\r";

bool divides_integers(std::string_view opcode) {
  for (const std::string_view root : {std::string_view("div."), std::string_view("rem.")}) {
    if (!opcode.starts_with(root) || opcode.size() < root.size() + 3) continue;
    const std::string_view type = opcode.substr(root.size());
    return (type[0] == 's' || type[0] == 'u') && type.find('.') == std::string_view::npos;
  }
  return false;
}

/// The trap for an instruction that divides by a register; empty for all others.
std::string trap_for(std::string_view line) {
  const std::string_view text = trimmed(line);
  const auto space = text.find_first_of(blanks), comma = text.rfind(','), end = text.rfind(';');
  if (space == std::string_view::npos || comma == std::string_view::npos || end == std::string_view::npos ||
      end < comma || !divides_integers(text.substr(0, space)))
    return {};
  const std::string_view opcode = text.substr(0, space);
  const std::string_view divisor = trimmed(text.substr(comma + 1, end - comma - 1));
  if (!divisor.starts_with('%')) return {};
  return fmt::format("{{ .reg .pred evo_zero; setp.eq.{} evo_zero, {}, 0; @evo_zero trap; }}\n",
                     opcode.substr(4), divisor);
}

}  // namespace

std::string with_division_traps(std::string_view ptx) {
  std::string text;
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size() - 1);
    const std::string_view line = ptx.substr(0, end + 1);
    text += trap_for(line.substr(0, line.find('\n')));
    text += line;
    ptx.remove_prefix(line.size());
  }
  return text;
}

}  // namespace evo::evaluators::reference
