// A source as tokens with their places in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evo::source {

enum class TokenKind : std::uint8_t { name, number, symbol, text };

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::string text;
  int line = 0;            ///< from 1
  std::size_t begin = 0;   ///< offset in the source
  bool directive = false;  ///< of a preprocessor line
  bool first = false;      ///< the first one on its line; a line that ends in a backslash goes on

  [[nodiscard]] bool is(std::string_view wanted) const { return text == wanted; }
  [[nodiscard]] std::size_t end() const { return begin + text.size(); }
};

/// Without comments. Operators of several characters are one token, and so is a raw string.
[[nodiscard]] std::vector<Token> tokens_of(const std::string& source);

/// Part of the tokens: [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
};

/// The token that closes the bracket at `open`, or tokens.size().
[[nodiscard]] std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

}  // namespace evo::source
