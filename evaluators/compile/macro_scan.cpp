#include "evaluators/compile/macro_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace evo::evaluators::compile {
namespace {

constexpr std::array<std::string_view, 3> clocks{"__DATE__", "__TIME__", "__TIMESTAMP__"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// N - 1 of "#line N", so that the newline after it makes N; `line` where `text` is no such directive.
int line_before(std::string_view text, int line) {
  constexpr std::string_view directive = "#line ";
  if (!text.starts_with(directive)) return line;
  int number = line + 1;
  std::from_chars(text.data() + directive.size(), text.data() + text.size(), number);
  return number - 1;
}

}  // namespace

std::vector<model::Evidence> forbidden_macros(std::string_view source, std::string_view file) {
  std::vector<model::Evidence> found;
  int line = 1;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') ++line;
    if (source[i] == '#') line = line_before(source.substr(i), line);
    if (!is_word(source[i])) continue;
    const std::size_t begin = i;
    while (i + 1 < source.size() && is_word(source[i + 1])) ++i;
    const std::string_view word = source.substr(begin, i + 1 - begin);
    if (std::find(clocks.begin(), clocks.end(), word) == clocks.end()) continue;
    found.push_back(
        {"error",
         fmt::format("{} is not allowed in a candidate: it differs from compile to compile", word),
         std::string(file),
         line,
         {}});
  }
  return found;
}

}  // namespace evo::evaluators::compile
