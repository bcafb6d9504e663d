#include "evaluators/compile/include_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace evo::evaluators::compile {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\0';
}
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// The text without line splices (trigraph ones and those with blanks before the newline too), and each
/// character's line in the original.
struct Spliced {
  std::string text;
  std::vector<std::uint32_t> line;
  std::vector<std::size_t> offset;  ///< in the original

  explicit Spliced(std::string_view source) {
    text.reserve(source.size());
    line.reserve(source.size());
    std::uint32_t current = 1;
    for (std::size_t i = 0; i < source.size();) {
      if (const std::size_t length = splice_length(source, i); length > 0) {
        ++current;
        i += length;
      } else if (source.substr(i, 3) == "?\?=") {
        put('#', current, i);
        i += 3;
      } else {
        put(source[i], current, i);
        current += source[i] == '\n';
        ++i;
      }
    }
  }

 private:
  void put(char c, std::uint32_t at, std::size_t from) {
    text += c;
    line.push_back(at);
    offset.push_back(from);
  }
  static std::size_t splice_length(std::string_view source, std::size_t at) {
    std::size_t end = at;
    if (source[at] == '\\') {
      end += 1;
    } else if (source.substr(at, 3) == "?\?/") {
      end += 3;
    } else {
      return 0;
    }
    while (end < source.size() && is_blank(source[end])) ++end;
    return end < source.size() && source[end] == '\n' ? end + 1 - at : 0;
  }
};

class Scanner {
 public:
  Scanner(std::string_view source, std::string_view file)
      : spliced_(source), text_(spliced_.text), file_(file) {}

  std::vector<model::Evidence> run() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '#') {
        directive(i, i + 1);
      } else if (text_.substr(i, 2) == "%:") {
        directive(i, i + 2);
      } else if (is_name_character(text_[i])) {
        const std::string_view word = word_at(i);
        if (word == "__has_include" || word == "__has_include_next" || word == "__has_embed") {
          has_include(i, i + word.size());
        } else if (word == "import") {
          module_import(i, i + word.size());
        }
        i += word.size() - 1;
      }
    }
    return std::move(found_);
  }
  [[nodiscard]] std::vector<std::size_t> places() const { return places_; }

 private:
  std::string_view word_at(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    return text_.substr(at, end - at);
  }

  /// Past blanks and /* comments */, which may span lines.
  std::size_t skip(std::size_t at) const {
    while (at < text_.size()) {
      if (is_blank(text_[at])) {
        ++at;
      } else if (text_.substr(at, 2) == "/*") {
        const auto end = text_.find("*/", at + 2);
        if (end == std::string_view::npos) return text_.size();
        at = end + 2;
      } else {
        break;
      }
    }
    return at;
  }

  void forbid(std::size_t at, const std::string& message) {
    places_.push_back(spliced_.offset[at]);
    const int line = static_cast<int>(spliced_.line[at]) + line_shift_;
    const auto same = [&](const model::Evidence& e) {
      return e.line == line && e.file == file_ && e.message == message;
    };
    if (std::any_of(found_.begin(), found_.end(), same)) return;
    found_.push_back({"error", message, file_, line, {}});
  }

  void directive(std::size_t hash, std::size_t at) {
    const std::size_t name_at = skip(at);
    const std::string_view name = word_at(name_at);
    const std::size_t after = skip(name_at + name.size());
    if (name == "include") {
      header_name(hash, after, "#include");
    } else if (name == "include_next" || name == "import" || name == "embed" || name == "using") {
      forbid(hash, fmt::format("#{} is not allowed in a candidate", name));
    } else if (name == "pragma" && word_at(after) == "include_alias") {
      forbid(hash, "#pragma include_alias is not allowed in a candidate");
    } else if (name == "line" && starts_line(hash)) {
      line_directive(hash, after);
    }
  }

  void header_name(std::size_t hash, std::size_t at, std::string_view what) {
    const char open = at < text_.size() ? text_[at] : '\n';
    if (open != '"' && open != '<') {
      forbid(hash, fmt::format("{} must name its header directly, as \"name\" or <name>, not through a macro",
                               what));
      return;
    }
    const std::size_t end = text_.find_first_of(open == '"' ? "\"\n" : ">\n", at + 1);
    const std::string_view name = text_.substr(at + 1, std::min(end, text_.size()) - at - 1);
    if (const auto wrong = objection(name)) forbid(hash, fmt::format("{} of '{}': {}", what, name, *wrong));
  }

  static std::optional<std::string_view> objection(std::string_view name) {
    if (name.find('\\') != std::string_view::npos) return "a backslash is not allowed in a header's name";
    if (name.find('\0') != std::string_view::npos) return "a zero byte is not allowed in a header's name";
    const std::size_t first = name.find_first_not_of(" \t\v\f\r");
    if (first != std::string_view::npos && name[first] == '/') return "an absolute path is not allowed";
    if (name.size() > first && name[first] == '~') return "a home folder is not allowed";
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('/', begin), name.size());
      std::string_view part = name.substr(begin, end - begin);
      while (!part.empty() && is_blank(part.back())) part.remove_suffix(1);
      while (!part.empty() && is_blank(part.front())) part.remove_prefix(1);
      if (part == "..")
        return "'..' is not allowed: headers stand beside the source or below it; copy it there, or let evo "
               "new write the "
               "folder";
      begin = end + 1;
    }
    return std::nullopt;
  }

  /// __has_include("name") is fine for a name that #include could have; so is asking whether it exists at
  /// all.
  void has_include(std::size_t word, std::size_t after) {
    std::size_t at = skip(after);
    if (at < text_.size() && text_[at] == '(') {
      at = skip(at + 1);
      if (at < text_.size() && (text_[at] == '"' || text_[at] == '<'))
        return header_name(word, at, "__has_include");
    }
    std::size_t before = word;
    while (before > 0 && (is_blank(text_[before - 1]) || text_[before - 1] == '(')) --before;
    for (const std::string_view asking : {"defined", "ifdef", "ifndef"}) {
      if (text_.substr(0, before).ends_with(asking)) return;
    }
    forbid(word, "__has_include must name its header directly, as \"name\" or <name>");
  }

  void module_import(std::size_t word, std::size_t after) {
    const std::size_t at = skip(after);
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '<')) {
      // `#import` is reported as a directive already.
      std::size_t before = word;
      while (before > 0 && is_blank(text_[before - 1])) --before;
      if (before > 0 && text_[before - 1] == '#') return;
      forbid(word, "a module import is not allowed in a candidate");
    }
  }

  bool starts_line(std::size_t at) const {
    while (at > 0 && is_blank(text_[at - 1])) --at;
    return at == 0 || text_[at - 1] == '\n';
  }

  void line_directive(std::size_t hash, std::size_t at) {
    const std::string_view digits = word_at(at);
    int number = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return;
    std::size_t newline = std::min(text_.find('\n', hash), text_.size() - 1);
    line_shift_ = number - 1 - static_cast<int>(spliced_.line[newline]);
    const std::size_t quote = skip(at + digits.size());
    if (quote >= text_.size() || text_[quote] != '"') return;
    const std::size_t end = text_.find_first_of("\"\n", quote + 1);
    if (end != std::string_view::npos && text_[end] == '"') file_ = text_.substr(quote + 1, end - quote - 1);
  }

  Spliced spliced_;
  std::string_view text_;
  std::string file_;
  int line_shift_ = 0;
  std::vector<model::Evidence> found_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::vector<model::Evidence> forbidden_includes(std::string_view source, std::string_view file) {
  return Scanner(source, file).run();
}

std::vector<std::size_t> include_places(std::string_view source) {
  Scanner scanner(source, {});
  static_cast<void>(scanner.run());
  return scanner.places();
}

}  // namespace evo::evaluators::compile
