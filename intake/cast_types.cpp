#include "intake/cast_types.hpp"

#include <algorithm>
#include <optional>

#include "diagnose/tokens.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;
using Tokens = std::vector<Token>;

/// Words with a blank where two of them would become one.
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const bool words =
        !text.empty() && tokens[i].kind != TokenKind::symbol && tokens[i - 1].kind != TokenKind::symbol;
    text += (words ? " " : "") + tokens[i].text;
  }
  return text;
}

/// The type of `T*` between `begin` and `end`, without const; nothing where that is no pointer to something.
std::optional<std::string> pointed_to(const Tokens& tokens, std::size_t begin, std::size_t end) {
  Tokens type;
  std::size_t stars = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens[i];
    const bool passed =
        token.is("const") || token.is("volatile") || token.is("__restrict__") || token.is("typename");
    if (passed) continue;
    if (token.is("*")) {
      ++stars;
      continue;
    }
    // What stands behind the star, numbers and calls make an expression.
    const bool in_type = token.kind == TokenKind::name || token.is("::") || token.is("<") || token.is(">") ||
                         token.is(",") || token.kind == TokenKind::number;
    if (stars > 0 || !in_type) return std::nullopt;
    type.push_back(token);
  }
  if (stars != 1 || type.empty() || type.front().kind != TokenKind::name) return std::nullopt;
  const std::string text = joined(type, 0, type.size());
  return text == "void" ? std::nullopt : std::optional(text);
}

/// Whether `a.b->name` begins at `at` and ends in the name, alone or in parentheses.
bool is_member(const Tokens& tokens, std::size_t at, const std::string& name) {
  while (at < tokens.size() && tokens[at].is("(")) ++at;
  while (at + 2 < tokens.size() && tokens[at].kind == TokenKind::name &&
         (tokens[at + 1].is(".") || tokens[at + 1].is("->")))
    at += 2;
  if (at >= tokens.size() || !tokens[at].is(name)) return false;
  const bool goes_on = at + 1 < tokens.size() && (tokens[at + 1].is(".") || tokens[at + 1].is("->") ||
                                                  tokens[at + 1].is("[") || tokens[at + 1].is("("));
  return !goes_on;
}

}  // namespace

std::vector<std::string> casts_of(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<std::string> types;
  for (const std::string& text : texts) {
    const Tokens tokens = code_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::size_t begin = 0, end = 0, operand = 0;
      if (tokens[i].is("(")) {
        begin = i + 1;
        end = diagnose::closing(tokens, i);
        operand = end + 1;
      } else if (i + 1 < tokens.size() && tokens[i + 1].is("<") &&
                 (tokens[i].is("reinterpret_cast") || tokens[i].is("static_cast"))) {
        begin = i + 2;
        std::size_t paren = begin;
        while (paren < tokens.size() && !tokens[paren].is("(") && !tokens[paren].is(";")) ++paren;
        if (paren >= tokens.size() || !tokens[paren].is("(")) continue;
        end = paren - 1;
        operand = paren;
      } else {
        continue;
      }
      if (end >= tokens.size() || !is_member(tokens, operand, name)) continue;
      const auto type = pointed_to(tokens, begin, end);
      if (type && std::ranges::find(types, *type) == types.end()) types.push_back(*type);
    }
  }
  return types;
}

std::string spelled_out(const std::string& type, const std::string& text,
                        const std::vector<std::pair<std::string, std::string>>& values) {
  const Tokens code = code_of(text);
  const auto meaning = [&](const std::string& word) -> std::string {
    for (const auto& [name, value] : values) {
      if (name == word) return value;
    }
    for (std::size_t i = 0; i + 2 < code.size(); ++i) {
      std::size_t end = i;
      while (end < code.size() && !code[end].is(";")) ++end;
      if (code[i].is("using") && code[i + 1].is(word) && code[i + 2].is("=")) return joined(code, i + 3, end);
      if (code[i].is("typedef") && end < code.size() && end > i + 2 && code[end - 1].is(word))
        return joined(code, i + 1, end - 1);
    }
    return {};
  };
  std::string result = type;
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    const Tokens tokens = diagnose::tokens_of(result);
    std::string next;
    bool changed = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string word = tokens[i].text;
      // A member of a type has that type's meaning.
      const bool own = tokens[i].kind == TokenKind::name && (i == 0 || !tokens[i - 1].is("::"));
      if (const std::string found = own ? meaning(word) : std::string(); !found.empty() && found != word) {
        word = found;
        changed = true;
      }
      const bool words =
          i > 0 && tokens[i].kind != TokenKind::symbol && tokens[i - 1].kind != TokenKind::symbol;
      next += (words ? " " : "") + word;
    }
    result = next;
    if (!changed) break;
  }
  return result;
}

}  // namespace evo::intake
