#include "intake/constexpr_marks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "intake/macros.hpp"
#include "intake/pieces.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;

bool ends_declaration(const Token& token) {
  return token.is(";") || token.is("{") || token.is("}");
}

bool says_space(const Token& token) {
  constexpr std::array<std::string_view, 3> spaces{"__device__", "__host__", "__global__"};
  return std::ranges::any_of(spaces, [&](std::string_view space) { return token.is(space); });
}

/// Of the declaration around `at`, a constexpr: whether it is of a function that says no execution space.
bool is_unmarked_function(const std::vector<Token>& tokens, std::size_t at) {
  if (at > 0 && tokens[at - 1].is("if")) return false;
  for (std::size_t i = at; i > 0 && !ends_declaration(tokens[i - 1]); --i) {
    // A macro may hold it.
    const bool name = tokens[i - 1].kind == diagnose::TokenKind::name;
    if (says_space(tokens[i - 1]) || (name && is_macro_name(tokens[i - 1].text))) return false;
  }
  for (std::size_t i = at + 1; i < tokens.size() && !ends_declaration(tokens[i]); ++i) {
    if (says_space(tokens[i]) || tokens[i].is("=")) return false;
    if (tokens[i].is("[")) i = diagnose::closing(tokens, i);
    // operator==(a, b)
    if (tokens[i].is("operator")) return true;
    if (tokens[i].is("(")) return tokens[i - 1].kind == diagnose::TokenKind::name;
  }
  return false;
}

}  // namespace

std::string with_constexpr_marked(const std::string& source) {
  std::string marked;
  std::size_t done = 0;
  const std::vector<Token> tokens = code_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("constexpr") || !is_unmarked_function(tokens, i)) continue;
    marked += source.substr(done, tokens[i].begin - done) + "__host__ __device__ ";
    done = tokens[i].begin;
  }
  return marked + source.substr(done);
}

}  // namespace evo::intake
