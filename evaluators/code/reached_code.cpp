#include "evaluators/code/reached_code.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "evaluators/code/ptx_lexer.hpp"

namespace evo::evaluators::code {
namespace {

/// A directive, variable or function of the module.
struct Part {
  std::span<const Token> tokens;
  bool function = false, entry = false;
  std::string_view name;  ///< of a function
};

/// Directives that no ';' ends: the next one does.
constexpr std::array<std::string_view, 4> open_ended{".version", ".target", ".address_size", ".file"};

/// Throws SyntaxError.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next())
    tokens.push_back(token);
  return tokens;
}

/// How many of `tokens` the first part has, and what it is.
Part first_part(std::span<const Token> tokens) {
  Part part;
  const std::string_view first = tokens.front().text;
  const bool open = std::find(open_ended.begin(), open_ended.end(), first) != open_ended.end();
  const bool section = first == ".section";
  int braces = 0, brackets = 0;
  std::size_t at = 0;
  for (; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (braces == 0 && open && at > 0 && token.kind == Token::Kind::dot_word) break;
    if (braces == 0 && (token.text == ".func" || token.text == ".entry")) {
      part.function = true;
      part.entry = token.text == ".entry";
    }
    brackets += token.is('(') ? 1 : token.is(')') ? -1 : 0;
    if (part.function && part.name.empty() && brackets == 0 && token.kind == Token::Kind::identifier)
      part.name = token.text;
    if (token.is('{')) ++braces;
    const bool closed = token.is('}') && --braces == 0;
    if ((closed && (part.function || section)) || (braces == 0 && token.is(';'))) {
      ++at;
      break;
    }
  }
  part.tokens = tokens.first(at);
  return part;
}

std::vector<Part> parts_of(std::span<const Token> tokens) {
  std::vector<Part> parts;
  while (!tokens.empty()) {
    parts.push_back(first_part(tokens));
    tokens = tokens.subspan(parts.back().tokens.size());
  }
  return parts;
}

/// Functions that are reached, by name: from `entries`, and from what the module's variables hold.
std::set<std::string_view> reached_from(const std::vector<Part>& parts,
                                        const std::vector<std::string>& entries) {
  std::set<std::string_view> functions, reached;
  for (const Part& part : parts) {
    if (part.function) functions.insert(part.name);
  }
  std::vector<std::string_view> open;
  const auto reach = [&](std::string_view name) {
    if (reached.insert(name).second) open.push_back(name);
  };
  const auto reach_all = [&](const Part& part) {
    for (const Token& token : part.tokens) {
      if (token.kind == Token::Kind::identifier && functions.contains(token.text)) reach(token.text);
    }
  };
  for (const std::string& entry : entries) reach(entry);
  for (const Part& part : parts) {
    if (!part.function && part.tokens.front().text != ".section") reach_all(part);
  }
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    for (const Part& part : parts) {
      if (part.function && part.name == name) reach_all(part);
    }
  }
  return reached;
}

}  // namespace

std::string reached_code(const std::string& ptx, const std::vector<std::string>& entries) {
  try {
    const std::vector<Token> tokens = tokens_of(ptx);
    const std::vector<Part> parts = parts_of(tokens);
    for (const std::string& entry : entries) {
      const bool known = std::any_of(parts.begin(), parts.end(),
                                     [&](const Part& part) { return part.entry && part.name == entry; });
      if (!known) return ptx;
    }
    const std::set<std::string_view> reached = reached_from(parts, entries);
    std::string text = ptx;
    for (const Part& part : parts) {
      if (!part.function || reached.contains(part.name)) continue;
      const Token& last = part.tokens.back();
      const auto begin = static_cast<std::size_t>(part.tokens.front().text.data() - ptx.data());
      const auto end = static_cast<std::size_t>(last.text.data() - ptx.data()) + last.text.size();
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
          [](char c) { return c != '\n'; }, ' ');
    }
    return text;
  } catch (const SyntaxError&) {
    return ptx;
  }
}

std::vector<std::string> kernels_in(const std::string& ptx) {
  std::vector<std::string> names;
  try {
    const std::vector<Token> tokens = tokens_of(ptx);
    for (const Part& part : parts_of(tokens)) {
      if (part.entry && part.tokens.back().is('}')) names.emplace_back(part.name);
    }
  } catch (const SyntaxError&) {
    names.clear();
  }
  return names;
}

}  // namespace evo::evaluators::code
