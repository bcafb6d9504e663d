#include "suites/source_edit.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace evo::suites {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_identifier(std::string_view token) {
  return in_word(token.front()) && std::isdigit(static_cast<unsigned char>(token.front())) == 0;
}

/// The end of what begins at `at` and is no token: blanks, a comment. `at` itself where a token begins.
std::size_t past_blank(std::string_view text, std::size_t at) {
  if (std::isspace(static_cast<unsigned char>(text[at])) != 0) return at + 1;
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  return at;
}

std::size_t end_of_token(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (in_word(text[at])) {
    // 1.5f, 0x7f and 1e-3 are one token; so is a name.
    const bool number = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    while (end < text.size() && (in_word(text[end]) || (number && text[end] == '.'))) ++end;
  } else if (text[at] == '"' || text[at] == '\'') {
    while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
  }
  return end;
}

struct Range {
  std::size_t first = 0, last = 0;  ///< tokens: [first, last)
};

bool ends_statement(std::string_view token) {
  return token == ";" || token == "{" || token == "}";
}

/// The statement that the anchor stands behind, or, on a line of its own, before.
std::optional<Range> statement_at(const std::string& source, const std::vector<Token>& tokens,
                                  const std::string& anchor) {
  const std::string comment = "// @" + anchor;
  std::size_t at = source.find(comment);
  while (at != std::string::npos && at + comment.size() < source.size() &&
         in_word(source[at + comment.size()]))
    at = source.find(comment, at + 1);
  if (at == std::string::npos) return std::nullopt;
  const auto behind =
      std::find_if(tokens.begin(), tokens.end(), [&](const Token& one) { return one.begin > at; });
  std::size_t first = static_cast<std::size_t>(behind - tokens.begin()), last = first;
  const std::size_t line = source.rfind('\n', at) + 1;
  if (source.find_first_not_of(" \t", line) == at) {
    int depth = 0;
    while (last < tokens.size()) {
      const std::string_view text = tokens[last++].text;
      depth += text == "(" ? 1 : text == ")" ? -1 : 0;
      if (depth == 0 && ends_statement(text)) break;
    }
  } else {
    int depth = 0;
    for (bool own_end = true; first > 0; --first, own_end = false) {
      const std::string_view text = tokens[first - 1].text;
      depth += text == ")" ? 1 : text == "(" ? -1 : 0;
      if (!own_end && depth == 0 && ends_statement(text)) break;
    }
  }
  return Range{first, last};
}

using Renamed = std::map<std::string_view, std::string_view>;

/// What the gone names stand for where the pattern's tokens stand at tokens[first]; nullopt where they do
/// not.
std::optional<Renamed> match(const std::vector<Token>& pattern, const std::vector<Token>& tokens,
                             std::size_t first, const std::set<std::string_view>& gone) {
  Renamed renamed;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view wanted = pattern[i].text, found = tokens[first + i].text;
    if (!gone.contains(wanted)) {
      if (wanted != found) return std::nullopt;
      continue;
    }
    if (!is_identifier(found)) return std::nullopt;
    if (!renamed.emplace(wanted, found).second && renamed.at(wanted) != found) return std::nullopt;
  }
  return renamed;
}

/// The text with other names.
std::string with_names(const std::string& text, const Renamed& names) {
  std::string out;
  std::size_t done = 0;
  for (const Token& token : tokens_of(text)) {
    const auto name = names.find(token.text);
    if (name == names.end()) continue;
    out.append(text, done, token.begin - done).append(name->second);
    done = token.begin + token.text.size();
  }
  return out.append(text, done);
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t past = past_blank(text, at); past != at) {
      at = past;
      continue;
    }
    const std::size_t end = end_of_token(text, at);
    tokens.push_back({text.substr(at, end - at), at});
    at = end;
  }
  return tokens;
}

model::Expected<EditedSource> apply_edit(const std::string& source, const SourceEdit& edit) {
  const auto misfit = [](std::string message) {
    return tl::make_unexpected(model::Error{std::move(message)});
  };
  const std::vector<Token> tokens = tokens_of(source), pattern = tokens_of(edit.old_text);
  Range range{0, tokens.size()};
  if (!edit.at.empty()) {
    const auto statement = statement_at(source, tokens, edit.at);
    if (!statement) return misfit(fmt::format("the anchor '// @{}' is not there any more", edit.at));
    range = *statement;
  }
  if (pattern.empty()) return misfit("the text to be replaced is empty");

  std::set<std::string_view> gone;
  for (const Token& token : pattern) {
    if (is_identifier(token.text)) gone.insert(token.text);
  }
  const std::size_t names_in_pattern = gone.size();
  for (const Token& token : tokens) gone.erase(token.text);
  // Where most names are gone it is another place, or none.
  if (gone.size() > std::max<std::size_t>(1, names_in_pattern / 2))
    return misfit("the text to be replaced is not there any more");

  std::optional<Renamed> names;
  std::size_t place = 0;
  for (std::size_t first = range.first; first + pattern.size() <= range.last; ++first) {
    auto found = match(pattern, tokens, first, gone);
    if (!found) continue;
    if (names) return misfit("the text to be replaced stands there more than once");
    names = std::move(found);
    place = first;
  }
  if (!names) return misfit("the text to be replaced is not there any more");

  const std::string inserted = with_names(edit.new_text, *names);
  const std::size_t begin = tokens[place].begin;
  const Token& last = tokens[place + pattern.size() - 1];
  const std::vector<Token> fresh = tokens_of(inserted);
  std::size_t same = 0;
  while (same < fresh.size() && same < pattern.size() && fresh[same].text == tokens[place + same].text)
    ++same;
  EditedSource edited;
  edited.text = source;
  edited.text.replace(begin, last.begin + last.text.size() - begin, inserted);
  const std::size_t differs = same < fresh.size() ? begin + fresh[same].begin : begin + inserted.size();
  edited.line =
      1 + static_cast<int>(std::count(edited.text.begin(),
                                      edited.text.begin() + static_cast<std::ptrdiff_t>(differs), '\n'));
  return edited;
}

}  // namespace evo::suites
