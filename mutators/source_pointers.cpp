#include "mutators/source_pointers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace evo::mutators {

std::vector<source::Span> parameters_of(const EditedSource& source, const source::Function& function) {
  std::vector<source::Span> result;
  int depth = 0;
  std::size_t begin = function.head.begin;
  for (std::size_t i = function.head.begin; i < function.head.end; ++i) {
    const source::Token& token = source.program.tokens[i];
    if (token.is("(") || token.is("<") || token.is("[")) ++depth;
    if (token.is(")") || token.is(">") || token.is("]")) --depth;
    if (depth != 0 || !token.is(",")) continue;
    result.push_back({begin, i});
    begin = i + 1;
  }
  if (function.head.end > begin) result.push_back({begin, function.head.end});
  return result;
}

std::optional<Pointer> pointer_of(const EditedSource& source, source::Span parameter) {
  Pointer pointer;
  bool star = false;
  for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
    const source::Token& token = source.program.tokens[i];
    if (token.is("=") || token.is("[")) break;
    if (token.is("*")) pointer.star = i, star = true;
    if (token.is("const") && !star) pointer.constant = true;
    if (token.kind == source::TokenKind::name && !star && !token.is("const"))
      pointer.element += (pointer.element.empty() ? "" : " ") + token.text;
    if (token.is("__restrict__") || token.is("__restrict")) pointer.restricted = true;
    if (token.kind == source::TokenKind::name) pointer.name = token.text;
  }
  if (!star) return std::nullopt;
  return pointer;
}

std::vector<Pointer> pointers_of(const EditedSource& source, const source::Function& function) {
  std::vector<Pointer> result;
  for (const source::Span parameter : parameters_of(source, function)) {
    if (auto pointer = pointer_of(source, parameter)) result.push_back(std::move(*pointer));
  }
  return result;
}

bool is_target(const EditedSource& source, source::Span statement, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 13> signs{
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=", "++", "--", "."};
  const auto& tokens = source.program.tokens;
  if (begin > statement.begin) {
    const source::Token& before = tokens[begin - 1];
    if (before.is("&") || before.is("++") || before.is("--") || before.is(".") || before.is("->"))
      return true;
  }
  return end < statement.end && std::find(signs.begin(), signs.end(), tokens[end].text) != signs.end();
}

}  // namespace evo::mutators
