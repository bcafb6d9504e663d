// Instructions that the machines do not know stay in the program, with their text.
#include <utility>

#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

/// Compilers write calls over several lines.
std::string in_one_line(std::string_view statement) {
  std::string text;
  for (const char c : statement) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

}  // namespace

/// Executing it is the verdict; `blank` has its guard and place.
void Lowering::emit_unknown(const AstInstruction& source, const Instruction& blank) {
  Instruction unknown = blank;
  unknown.text = static_cast<std::uint32_t>(program_.texts.size());
  std::string text = in_one_line(source.statement);
  if (std::exchange(too_deep_, false))
    text = std::string(recursion_text) + std::to_string(recursion_) + " calls: " + text;
  program_.texts.push_back(std::move(text));
  emit(unknown);
}

}  // namespace evo::evaluators::virtual_device::ptx
