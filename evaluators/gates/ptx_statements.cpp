#include "evaluators/gates/ptx_statements.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace evo::evaluators::gates {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

InstructionText instruction_of(const Statement& statement) {
  std::string_view text = statement.text;
  if (text.empty() || text.front() == '.') return {};
  if (text.front() == '@') text = text.substr(std::min(text.find_first_of(" \t"), text.size()));
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), text.substr(end)};
}

PtxModule::PtxModule(const std::string& ptx) {
  text_.reserve(ptx.size());
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    if (ptx.compare(i, 2, "//") == 0) {
      i = std::min(ptx.find('\n', i), ptx.size());
      text_ += '\n';
    } else if (ptx.compare(i, 2, "/*") == 0) {
      i = std::min(ptx.find("*/", i + 2), ptx.size() - 2) + 1;
      text_ += ' ';
    } else {
      text_ += ptx[i];
    }
  }
  int file = 0;
  int line = 0;
  int scope = 0;
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = end_of(begin);
    const std::string_view statement = trim(std::string_view(text_).substr(begin, end - begin));
    begin = end + 1;
    const char cut = end < text_.size() ? text_[end] : '\n';
    if (statement.starts_with(".loc")) {
      const auto words = words_of(statement.substr(4));
      if (words.size() >= 2) file = number(words[0]), line = number(words[1]);
    } else if (statement.starts_with(".file")) {
      const std::size_t open = statement.find('"');
      const std::size_t close = statement.rfind('"');
      const auto words = words_of(statement.substr(5));
      if (!words.empty() && open < close)
        files_[number(words[0])] = statement.substr(open + 1, close - open - 1);
    } else if (!statement.empty()) {
      statements_.push_back({statement, file, line, cut, scope});
    }
    if (cut == '{') {
      around_.push_back(scope);
      scope = static_cast<int>(around_.size()) - 1;
    } else if (cut == '}') {
      scope = scope_around(scope);
    }
  }
}

std::string PtxModule::file(int index) const {
  const auto found = files_.find(index);
  return found == files_.end() ? std::string() : std::string(found->second);
}

std::size_t PtxModule::end_of(std::size_t begin) const {
  const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", begin), text_.size());
  for (const std::string_view directive : {".loc", ".file", ".version", ".target", ".address_size"}) {
    if (text_.compare(first, directive.size(), directive) == 0)
      return std::min(text_.find('\n', first), text_.size());
  }
  int braces = 0;  // of vector operands and initialisers
  for (std::size_t i = first; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == ';') return i;
    if (c == ':' && is_label(first, i)) return i;
    if (c == '{') {
      if (braces == 0 && !opens_operand(first, i)) return i;
      ++braces;
    } else if (c == '}') {
      if (braces == 0) return i;
      --braces;
    }
  }
  return text_.size();
}

bool PtxModule::is_label(std::size_t first, std::size_t colon) const {
  if (colon + 1 < text_.size() && text_[colon + 1] == ':') return false;
  return colon > first && std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(first),
                                      text_.begin() + static_cast<std::ptrdiff_t>(colon), is_word);
}

/// `{%f1, %f2}` of an instruction, or the values of a variable; otherwise a block begins.
bool PtxModule::opens_operand(std::size_t first, std::size_t brace) const {
  if (brace == first) return false;
  const char before = text_[text_.find_last_not_of(" \t\r\n", brace - 1)];
  return text_[first] == '.' ? before == '=' : true;
}

}  // namespace evo::evaluators::gates
