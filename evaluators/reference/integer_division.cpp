#include "evaluators/reference/integer_division.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "evaluators/reference/trimmed.hpp"

namespace evo::evaluators::reference {
namespace {

/// "s32" of "div.s32"; empty for all that divides no integers.
std::string_view divided_type(std::string_view opcode) {
  for (const std::string_view root : {std::string_view("div."), std::string_view("rem.")}) {
    if (!opcode.starts_with(root) || opcode.size() < root.size() + 3) continue;
    const std::string_view type = opcode.substr(root.size());
    if ((type[0] == 's' || type[0] == 'u') && type.find('.') == std::string_view::npos) return type;
  }
  return {};
}

/// The least number of a signed type, as PTX has it.
std::string_view least_of(std::string_view type) {
  if (type == "s16") return "-32768";
  return type == "s64" ? "0x8000000000000000" : "0x80000000";
}

}  // namespace

std::string IntegerDivision::is_undefined(std::string_view name) const {
  std::string text = fmt::format(".reg .pred {0}; setp.eq.{1} {0}, {2}, 0; ", name, type, divisor);
  if (!type.starts_with('s') || !dividend.starts_with('%')) return text;
  return text + fmt::format(
                    ".reg .pred {0}_least, {0}_less; setp.eq.{1} {0}_least, {2}, {3}; setp.eq.{1} {0}_less, "
                    "{4}, -1; and.pred {0}_least, {0}_least, {0}_less; or.pred {0}, {0}, {0}_least; ",
                    name, type, dividend, least_of(type), divisor);
}

std::optional<IntegerDivision> integer_division(std::string_view line) {
  const std::string_view text = trimmed(line);
  const auto space = text.find_first_of(" \t"), end = text.rfind(';');
  if (space == std::string_view::npos || end == std::string_view::npos || end < space) return std::nullopt;
  const std::string_view type = divided_type(text.substr(0, space));
  if (type.empty()) return std::nullopt;
  std::string_view rest = text.substr(space, end - space);
  std::array<std::string_view, 3> operands;
  for (std::string_view& operand : operands) {
    const auto comma = rest.find(',');
    operand = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  IntegerDivision found{type, operands[0], operands[1], operands[2]};
  if (!found.result.starts_with('%') || found.dividend.empty() || !found.divisor.starts_with('%') ||
      !rest.empty())
    return std::nullopt;
  return found;
}

}  // namespace evo::evaluators::reference
