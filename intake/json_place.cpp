#include "intake/json_place.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace evo::intake {
namespace {

/// Walks along one path through text that has been parsed before: it trusts that brackets match.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::optional<int> line_of(std::string_view path) {
    blanks();
    std::size_t place = at_;
    while (!path.empty() && enter(path)) place = at_;
    if (place >= text_.size()) return std::nullopt;
    return 1 + static_cast<int>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
  }

 private:
  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  /// The text between the quotes at `at_`, and on behind them.
  std::string_view quoted() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return word;
  }
  /// Behind the value at `at_`.
  void skip() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        quoted();
      } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
        return;
      } else {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at_;
      }
      if (depth == 0 && (c == '"' || c == '}' || c == ']')) return;
    }
  }
  /// To the value that the first step of `path` names, which it takes away; false: there is none.
  bool enter(std::string_view& path) {
    if (path.front() == '.') path.remove_prefix(1);
    const bool index = path.starts_with('[');
    const std::size_t end = index ? path.find(']') : path.find_first_of(".[");
    const std::string step(
        path.substr(index ? 1 : 0, end == std::string_view::npos ? end : end - (index ? 1 : 0)));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + (index ? 1 : 0));
    std::size_t wanted = 0;
    if (index) std::from_chars(step.data(), step.data() + step.size(), wanted);
    if (now() != (index ? '[' : '{')) return false;
    ++at_;
    for (std::size_t number = 0;; ++number) {
      blanks();
      if (at_ >= text_.size() || now() == '}' || now() == ']') return false;
      bool here = index && number == wanted;
      if (!index) {
        if (now() != '"') return false;
        here = quoted() == step;
        at_ = std::min(text_.find(':', at_), text_.size());
        if (at_ < text_.size()) ++at_;
        blanks();
      }
      if (here) return true;
      skip();
      blanks();
      if (now() == ',') ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<int> json_line(std::string_view text, std::string_view path) {
  return Walk(text).line_of(path);
}

}  // namespace evo::intake
