#include "evaluators/reference/division_traps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/reference/integer_division.hpp"

namespace evo::evaluators::reference {
namespace {

/// `ptx` with `change` of each line that divides integers by a register.
template <typename Change>
std::string with_divisions(std::string_view ptx, const Change& change) {
  std::string text;
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size() - 1);
    const std::string_view line = ptx.substr(0, end + 1);
    const auto division = integer_division(line);
    text += division ? change(*division, line) : std::string(line);
    ptx.remove_prefix(line.size());
  }
  return text;
}

}  // namespace

std::string with_division_traps(std::string_view ptx) {
  return with_divisions(ptx, [](const IntegerDivision& division, std::string_view line) {
    return fmt::format("{{ {}@evo_undefined trap; }}\n{}", division.is_undefined("evo_undefined"), line);
  });
}

std::string with_other_quotients(std::string_view ptx, std::uint64_t draw) {
  return with_divisions(ptx, [&](const IntegerDivision& division, std::string_view line) {
    // Asked before it divides: the result may stand in the register of an operand.
    return fmt::format("{{ {}{} @evo_undefined mov.{} {}, {}; }}\n", division.is_undefined("evo_undefined"),
                       line.substr(0, line.find('\n')), division.type, division.result,
                       draw == 0 ? 21845 : 0);
  });
}

}  // namespace evo::evaluators::reference
