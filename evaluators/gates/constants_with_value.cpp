#include "evaluators/gates/constants_with_value.hpp"

#include <cctype>
#include <sstream>

namespace evo::evaluators::gates {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// `source` with blanks in the place of comments, strings and characters.
std::string without_texts(std::string_view source) {
  std::string code(source);
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at + 1;
    if (source.substr(at, 2) == "//") {
      end = source.find('\n', at);
    } else if (source.substr(at, 2) == "/*") {
      end = source.find("*/", at + 2);
      if (end != std::string_view::npos) end += 2;
    } else if (code[at] == '"' || (code[at] == '\'' && (at == 0 || !is_word(code[at - 1])))) {
      while (end < code.size() && code[end] != code[at]) end += code[end] == '\\' ? 2U : 1U;
      ++end;
    } else {
      ++at;
      continue;
    }
    end = end < code.size() ? end : code.size();
    for (; at < end; ++at) code[at] = code[at] == '\n' ? '\n' : ' ';
  }
  return code;
}

}  // namespace

std::vector<std::string> constants_with_value(std::string_view source) {
  constexpr std::string_view mark = "__constant__";
  std::vector<std::string> names;
  const std::string code = without_texts(source);
  for (std::size_t at = code.find(mark); at != std::string::npos; at = code.find(mark, at + 1)) {
    // Up to the end of the declaration; the last word in front of [, =, { or a comma is a name.
    std::string word;
    int brackets = 0, angles = 0;
    for (std::size_t i = at + mark.size(); i < code.size() && code[i] != ';'; ++i) {
      const char c = code[i];
      brackets += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
      angles += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (brackets > 0 || angles > 0 || c == ']' || c == ')' || c == '>') continue;
      if (is_word(c)) {
        if (i == 0 || !is_word(code[i - 1])) word.clear();
        word += c;
        continue;
      }
      if (c == '=' || c == '{') {
        if (!word.empty()) names.push_back(word);
        // The value itself, with the words and commas in it.
        int depth = 0;
        for (; i < code.size() && code[i] != ';'; ++i) {
          depth += code[i] == '{' || code[i] == '(' ? 1 : code[i] == '}' || code[i] == ')' ? -1 : 0;
          if (depth == 0 && code[i] == ',') break;
        }
        if (i >= code.size() || code[i] == ';') break;
      }
    }
  }
  return names;
}

std::vector<std::string> variables_with_value(const std::string& ptx, std::string_view source) {
  std::vector<std::string> found;
  const std::vector<std::string> names = constants_with_value(source);
  if (names.empty()) return found;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".const") == std::string::npos || line.starts_with('\t')) continue;
    std::string word;
    for (const char c : line + " ") {
      if (is_word(c) || c == '$') {
        word += c;
        continue;
      }
      for (const std::string& name : names) {
        // Mangled, a name stands behind its length: _ZN2ns5tableE, _ZL5table.
        const std::string part = std::to_string(name.size()) + name;
        if (word == name || (word.starts_with("_Z") && (word.ends_with(part) || word.ends_with(part + "E"))))
          found.push_back(word);
      }
      word.clear();
    }
  }
  return found;
}

}  // namespace evo::evaluators::gates
