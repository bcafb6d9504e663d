#include "evaluators/compile/source_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "evaluators/compile/include_scan.hpp"

namespace evo::evaluators::compile {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class SourceLexer {
 public:
  explicit SourceLexer(std::string_view source) : source_(source) {
    layout_.kinds.assign(source.size(), TextKind::code);
  }

  SourceLayout run() {
    for (std::size_t at = spliced(0); at < source_.size(); at = spliced(at)) {
      const char c = source_[at];
      const std::size_t next = spliced(at + 1);
      const char second = next < source_.size() ? source_[next] : '\0';
      if (c == '/' && second == '/') {
        at = line_comment(at);
      } else if (c == '/' && second == '*') {
        at = block_comment(at, next + 1);
      } else if (c == '"' || c == '\'') {
        at = quoted(at);
      } else if (is_digit(c) || (c == '.' && is_digit(second))) {
        at = number(at);
      } else if (is_word(c)) {
        at = word(at);
      } else {
        const bool digraph = c == '%' && second == ':' && at_splice(next + 1, "%:");
        layout_.pastes = layout_.pastes || digraph || (c == '#' && second == '#');
        ++at;
      }
    }
    return std::move(layout_);
  }

 private:
  /// Past the line splices at `at`.
  [[nodiscard]] std::size_t spliced(std::size_t at) const {
    while (at < source_.size() && source_[at] == '\\') {
      std::size_t end = at + 1;
      if (end < source_.size() && source_[end] == '\r') ++end;
      if (end >= source_.size() || source_[end] != '\n') break;
      at = end + 1;
    }
    return at;
  }
  [[nodiscard]] bool at_splice(std::size_t at, std::string_view text) const {
    for (const char c : text) {
      at = spliced(at);
      if (at >= source_.size() || source_[at] != c) return false;
      ++at;
    }
    return true;
  }
  void mark(std::size_t first, std::size_t last, TextKind kind) {
    std::fill(layout_.kinds.begin() + static_cast<std::ptrdiff_t>(first),
              layout_.kinds.begin() + static_cast<std::ptrdiff_t>(std::min(last, source_.size())), kind);
  }

  std::size_t line_comment(std::size_t first) {
    std::size_t at = spliced(first);
    while (at < source_.size() && source_[at] != '\n') at = spliced(at + 1);
    mark(first, at, TextKind::comment);
    return at;
  }

  std::size_t block_comment(std::size_t first, std::size_t at) {
    for (at = spliced(at); at < source_.size(); at = spliced(at + 1)) {
      if (source_[at] != '*') continue;
      const std::size_t slash = spliced(at + 1);
      if (slash >= source_.size() || source_[slash] != '/') continue;
      mark(first, slash + 1, TextKind::comment);
      return slash + 1;
    }
    return source_.size();  // without its end: code, as far as this goes
  }

  std::size_t quoted(std::size_t open) {
    const char quote = source_[open];
    std::size_t at = spliced(open + 1);
    while (at < source_.size() && source_[at] != '\n' && source_[at] != quote)
      at = spliced(source_[at] == '\\' ? spliced(at + 1) + 1 : at + 1);
    const bool closed = at < source_.size() && source_[at] == quote;
    if (closed && quote == '"') {
      mark(open + 1, at, TextKind::text);
    } else {
      names_in(open + 1, at);
    }
    return closed ? at + 1 : at;
  }

  /// R"x( ... )x", where splices are no splices. What has no end is an ordinary string.
  std::size_t raw(std::size_t open) {
    const std::size_t bracket = source_.find('(', open);
    if (bracket == std::string_view::npos || bracket - open > 17) return quoted(open);
    const std::string end = fmt::format("){}\"", source_.substr(open + 1, bracket - open - 1));
    const std::size_t close = source_.find(end, bracket);
    if (close == std::string_view::npos) return quoted(open);
    names_in(open, close);
    return close + end.size();
  }

  std::size_t word(std::size_t first) {
    std::string name;
    std::size_t at = first;
    while (at < source_.size() && is_word(source_[at])) {
      name += source_[at];
      at = spliced(at + 1);
    }
    constexpr std::array<std::string_view, 5> raw_prefixes{"R", "LR", "uR", "UR", "u8R"};
    const bool is_raw = at < source_.size() && source_[at] == '"' &&
                        std::find(raw_prefixes.begin(), raw_prefixes.end(), name) != raw_prefixes.end();
    layout_.names.push_back(std::move(name));
    layout_.name_offsets.push_back(first);
    return is_raw ? raw(at) : at;
  }

  /// A preprocessing number, with its digit separators; what stands behind one counts as a name, too.
  std::size_t number(std::size_t first) {
    std::size_t at = first;
    std::string name;
    std::size_t begin = first;
    const auto keep = [&] {
      if (!name.empty() && !is_digit(name.front())) {
        layout_.names.push_back(name);
        layout_.name_offsets.push_back(begin);
      }
      name.clear();
    };
    for (; at < source_.size(); at = spliced(at + 1)) {
      const char c = source_[at];
      if (is_word(c)) {
        if (name.empty()) begin = at;
        name += c;
        continue;
      }
      const std::size_t next = spliced(at + 1);
      const bool separator = c == '\'' && next < source_.size() && is_word(source_[next]);
      const bool sign = (c == '+' || c == '-') && !name.empty() &&
                        std::string_view("eEpP").find(name.back()) != std::string_view::npos;
      if (c != '.' && !separator && !sign) break;
      keep();
    }
    keep();
    return at;
  }

  void names_in(std::size_t first, std::size_t last) {
    std::string name;
    std::size_t begin = first;
    for (std::size_t at = spliced(first); at <= last; at = spliced(at + 1)) {
      if (at < last && is_word(source_[at])) {
        if (name.empty()) begin = at;
        name += source_[at];
      } else if (!name.empty()) {
        layout_.names.push_back(std::move(name));
        layout_.name_offsets.push_back(begin);
        name.clear();
      }
      if (at >= last) break;
    }
  }

  std::string_view source_;
  SourceLayout layout_;
};

}  // namespace

SourceLayout layout_of(std::string_view source) {
  return SourceLexer(source).run();
}

std::string without_comments(std::string_view source) {
  const SourceLayout layout = layout_of(source);
  std::string text;
  text.reserve(source.size() + 64);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (layout.kinds[i] != TextKind::comment) {
      text += source[i];
    } else if (source[i] == '\n') {
      text += "\\\n";
    } else {
      text += ' ';
    }
  }
  return text;
}

std::string without_line_directives(std::string_view source, int own) {
  const SourceLayout layout = layout_of(source);
  std::string text(source);
  const auto spliced = [&](std::size_t at) {
    while (at + 1 < text.size() && text[at] == '\\') {
      const std::size_t next = text[at + 1] == '\r' ? at + 2 : at + 1;
      if (next >= text.size() || text[next] != '\n') break;
      at = next + 1;
    }
    return at;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && text[end] != '\n') end = spliced(end + 1);
    std::string word;  // the hash, and what follows it up to a blank
    for (std::size_t at = spliced(begin); at < end; at = spliced(at + 1)) {
      const char c = text[at];
      const bool blank = c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
      if (blank && (word.empty() || word == "#" || word == "%:")) continue;
      if (blank || layout.kinds[at] != TextKind::code) break;
      word += c;
      if (word.size() == 1 && c != '#' && c != '%') break;
    }
    const std::size_t hash = word.starts_with("%:") ? 2 : word.starts_with('#') ? 1 : 0;
    const std::string_view name = std::string_view(word).substr(std::min(hash, word.size()));
    const bool marker = !name.empty() && name.front() >= '0' && name.front() <= '9';
    if (hash > 0 && (marker || name == "line")) {
      for (std::size_t at = begin; own <= 0 && at < end; ++at) {
        if (text[at] != '\n') text[at] = ' ';
      }
      --own;
    }
    begin = end + 1;
  }
  return text;
}

std::string prepared_source(std::string_view source, int own_line_directives) {
  std::string text = without_line_directives(without_comments(source), own_line_directives);
  constexpr std::string_view mark = "\xef\xbb\xbf";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + mark.size())) {
    if (at == 0 || text[at - 1] == '\n') text.replace(at, mark.size(), "   ");
  }
  const SourceLayout layout = layout_of(text);
  std::vector<std::size_t> places = include_places(text);
  std::sort(places.begin(), places.end(), std::greater<>());
  for (const std::size_t at : places) {
    if (layout.kinds[at] != TextKind::text) continue;
    const auto byte = static_cast<unsigned char>(text[at]);
    text.replace(at, 1, fmt::format("\\{:03o}", byte));
  }
  return text;
}

}  // namespace evo::evaluators::compile
