#include "evaluators/compile/compound_literals.hpp"

#include <cctype>
#include <string_view>

#include "evaluators/compile/source_text.hpp"

namespace evo::evaluators::compile {
namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// ns::vec<float, 4>, with blanks around it: one word in front of the first bracket.
bool is_type(std::string_view text) {
  int angles = 0;
  bool word = false, ended = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++angles;
    if (c == '>' && --angles < 0) return false;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (angles > 0) {
      if (!blank && !is_letter(c) && c != '<' && c != ',' && c != ':' && c != '*') return false;
      continue;
    }
    if (blank) {
      ended = ended || word;
    } else if (is_letter(c)) {
      if (ended || (!word && std::isdigit(static_cast<unsigned char>(c)) != 0)) return false;
      word = true;
    } else if (c != ':' && c != '>') {
      return false;
    }
  }
  return word && angles == 0;
}

/// Can a value stand behind this? Behind a name or a bracket, (x) is a call or belongs to a statement; behind
/// the name of a macro that is being defined, and a blank, it is what the macro stands for.
bool value_may_follow(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  if (end == 0) return false;
  const char before = text[end - 1];
  if (before == ')' || before == ']' || before == '}' || before == ';' || before == '\n' || before == '\\')
    return false;
  if (!is_letter(before)) return true;
  std::size_t begin = end;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  if (text.compare(begin, end - begin, "return") == 0) return true;
  if (end == at) return false;
  std::size_t line = text.rfind('\n', begin);
  line = line == std::string::npos ? 0 : line + 1;
  const std::string_view head(text.data() + line, begin - line);
  const auto hash = head.find_first_not_of(" \t");
  return hash != std::string_view::npos && head[hash] == '#' &&
         head.find("define") != std::string_view::npos &&
         head.find_first_not_of(" \t", head.find("define") + 6) == std::string_view::npos;
}

}  // namespace

std::string without_compound_literals(std::string text) {
  const SourceLayout layout = layout_of(text);
  const auto is_code = [&](std::size_t at) { return layout.kinds[at] == TextKind::code; };
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    const std::size_t close = text.find_first_of("();{", open + 1);
    if (close == std::string::npos || text[close] != ')' || !is_code(open) || !is_code(close)) continue;
    std::size_t brace = close + 1;
    while (brace < text.size() && (text[brace] == ' ' || text[brace] == '\t')) ++brace;
    if (brace >= text.size() || text[brace] != '{') continue;
    const std::string_view type(text.data() + open + 1, close - open - 1);
    if (!is_type(type) || !value_may_follow(text, open)) continue;
    text[open] = ' ';
    text[close] = ' ';
  }
  return text;
}

}  // namespace evo::evaluators::compile
