#include "evaluators/compile/host_code.hpp"

#include <algorithm>
#include <array>

#include "evaluators/compile/source_text.hpp"

namespace evo::evaluators::compile {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

constexpr std::array device_words{"__global__", "__device__", "__constant__", "__managed__", "constexpr"};

/// Walks over the code of a text: comments, strings and preprocessor lines are passed over.
class Walker {
 public:
  explicit Walker(std::string_view source) : source_(source), layout_(layout_of(source)) {}

  std::vector<Declaration> run() {
    while (at_ < source_.size()) declaration();
    lines();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_code(std::size_t at) const { return layout_.kinds[at] == TextKind::code; }

  /// At the beginning of a line but for blanks.
  [[nodiscard]] bool begins_line(std::size_t at) const {
    while (at > 0 && (source_[at - 1] == ' ' || source_[at - 1] == '\t')) --at;
    return at == 0 || source_[at - 1] == '\n';
  }

  void pass_directive() {
    while (at_ < source_.size() && !(source_[at_] == '\n' && (at_ == 0 || source_[at_ - 1] != '\\'))) ++at_;
  }

  /// The next character of the code at or behind at_; the end of the text where there is none.
  bool next() {
    while (at_ < source_.size()) {
      if (!is_code(at_) || is_space(source_[at_])) {
        ++at_;
      } else if (source_[at_] == '#' && begins_line(at_)) {
        pass_directive();
      } else {
        return true;
      }
    }
    return false;
  }

  std::string_view word() {
    const std::size_t first = at_;
    while (at_ < source_.size() && is_name(source_[at_])) ++at_;
    return source_.substr(first, at_ - first);
  }

  /// From '{' behind its '}'.
  void pass_braces(Declaration& into) {
    int depth = 0;
    while (next()) {
      const char c = source_[at_];
      if (c == '<' && source_.substr(at_, 3) == "<<<") into.launches = true;
      ++at_;
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) return;
    }
  }

  /// From the '<' of a template's parameters behind its '>'; a comparison stands in brackets there.
  void pass_angles() {
    int angles = 0, brackets = 0;
    while (next()) {
      const char c = source_[at_];
      if (c == '{' || c == ';') return;  // none of a template: whoever reads on copes
      ++at_;
      if (c == '(') ++brackets;
      if (c == ')') --brackets;
      if (brackets > 0) continue;
      if (c == '<') ++angles;
      if (c == '>' && --angles == 0) return;
    }
  }

  void declaration() {
    if (!next()) return;
    if (source_[at_] == '}' || source_[at_] == ';') {  // of a namespace that was entered, or nothing
      ++at_;
      return;
    }
    Declaration made;
    made.begin = at_;
    bool scope = false, parameters = false, value = false, type = false, any = false;
    std::string_view before_bracket, last;
    int brackets = 0;
    while (next()) {
      const char c = source_[at_];
      if (is_name(c)) {
        last = word();
        if (!any && (last == "namespace" || last == "inline")) scope = scope || last == "namespace";
        if (any && last == "namespace") scope = true;
        any = any || last != "inline";
        if (brackets == 0 && (last == "struct" || last == "class" || last == "union" || last == "enum"))
          type = true;
        made.device =
            made.device || std::find(device_words.begin(), device_words.end(), last) != device_words.end();
        made.kernel = made.kernel || last == "__global__";
        continue;
      }
      if (c == '"') {  // extern "C"
        ++at_;
        while (at_ < source_.size() && !is_code(at_)) ++at_;
        ++at_;
        if (last == "extern" && next() && source_[at_] == '{') {
          ++at_;
          return;  // its declarations come next
        }
        continue;
      }
      if (c == '{') {
        if (scope && !parameters) {
          ++at_;
          return;
        }
        pass_braces(made);
        if (parameters && !value && !(type && !parameters)) break;
        continue;
      }
      if (c == '<' && brackets == 0 && !parameters && !value && last != "operator") {
        // What a parameter is by default is no value of the declaration, and k<64>(...) is called k.
        pass_angles();
        continue;
      }
      ++at_;
      if (c == '(') {
        if (brackets++ == 0 && !value) {
          before_bracket = last;
          parameters = true;
        }
      }
      if (c == ')') --brackets;
      if (c == '=' && brackets == 0) value = true;
      if (c == ';' && brackets <= 0) break;
    }
    made.end = at_;
    made.is_main = parameters && before_bracket == "main";
    if (parameters) made.name = before_bracket;
    found_.push_back(made);
  }

  void lines() {
    std::size_t at = 0;
    int line = 1;
    for (Declaration& each : found_) {
      for (; at < each.begin; ++at) line += source_[at] == '\n';
      each.first_line = line;
      each.last_line =
          line + static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(each.begin),
                                             source_.begin() + static_cast<std::ptrdiff_t>(each.end), '\n'));
    }
  }

  std::string_view source_;
  SourceLayout layout_;
  std::size_t at_ = 0;
  std::vector<Declaration> found_;
};

}  // namespace

std::vector<Declaration> declarations_of(std::string_view source) {
  return Walker(source).run();
}

bool has_host_code(std::string_view source) {
  if (source.find("<<<") == std::string_view::npos && source.find("main") == std::string_view::npos)
    return false;
  const auto all = declarations_of(source);
  return std::any_of(all.begin(), all.end(),
                     [](const Declaration& each) { return each.launches || each.is_main; });
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  bool line_begins = false, directive = false;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (c == '\n') {
      directive = directive && i > 0 && text[i - 1] == '\\';
      line_begins = true;
      continue;
    }
    if (line_begins && c == '#') directive = true;
    if (c != ' ' && c != '\t') line_begins = false;
    if (!directive) text[i] = ' ';
  }
}

}  // namespace evo::evaluators::compile
