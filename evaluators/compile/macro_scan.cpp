#include "evaluators/compile/macro_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/compile/source_text.hpp"

namespace evo::evaluators::compile {
namespace {

constexpr std::array<std::string_view, 3> clocks{"__DATE__", "__TIME__", "__TIMESTAMP__"};

/// N - 1 of "#line N", so that the newline after it makes N; `line` where `text` is no such directive.
int line_before(std::string_view text, int line) {
  constexpr std::string_view directive = "#line ";
  if (!text.starts_with(directive)) return line;
  int number = line + 1;
  std::from_chars(text.data() + directive.size(), text.data() + text.size(), number);
  return number - 1;
}

int line_at(std::string_view source, std::size_t offset) {
  int line = 1;
  for (std::size_t i = 0; i < offset; ++i) {
    if (source[i] == '\n') ++line;
    if (source[i] == '#') line = line_before(source.substr(i), line);
  }
  return line;
}

/// Of which of the names pasting can make `word`; empty if of none. Each may be taken several times.
std::vector<std::string_view> pieces_of(std::string_view word, const std::vector<std::string>& names) {
  // The piece that ends at each place that can be reached from the beginning.
  std::vector<std::string_view> last(word.size() + 1);
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (at > 0 && last[at].empty()) continue;
    for (const std::string& name : names) {
      if (name.empty() || name.size() == word.size() || !word.substr(at).starts_with(name)) continue;
      std::string_view& place = last[at + name.size()];
      if (place.empty()) place = name;
    }
  }
  std::vector<std::string_view> pieces;
  for (std::size_t at = word.size(); at > 0; at -= last[at].size()) {
    if (last[at].empty()) return {};
    pieces.insert(pieces.begin(), last[at]);
  }
  return pieces;
}

}  // namespace

std::vector<model::Evidence> forbidden_macros(std::string_view source, std::string_view file) {
  std::vector<model::Evidence> found;
  const SourceLayout layout = layout_of(source);
  const auto add = [&](std::string message, std::size_t offset) {
    found.push_back({"error", std::move(message), std::string(file), line_at(source, offset), {}});
  };
  bool includes = false;
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    includes = includes || layout.names[i] == "include";
    if (std::find(clocks.begin(), clocks.end(), layout.names[i]) == clocks.end()) continue;
    add(fmt::format("{} is not allowed in a candidate: it differs from compile to compile", layout.names[i]),
        layout.name_offsets[i]);
  }
  // A header of the toolkit may have a macro that pastes.
  if (!layout.pastes && !includes) return found;
  for (const std::string_view word : clocks) {
    const auto pieces = pieces_of(word, layout.names);
    if (pieces.empty()) continue;
    const auto first = std::find(layout.names.begin(), layout.names.end(), pieces.front());
    add(fmt::format(
            "pasting can make {} of {}: it is not allowed in a candidate, since it differs from compile "
            "to compile",
            word, fmt::join(pieces, ", ")),
        layout.name_offsets[static_cast<std::size_t>(first - layout.names.begin())]);
  }
  return found;
}

}  // namespace evo::evaluators::compile
