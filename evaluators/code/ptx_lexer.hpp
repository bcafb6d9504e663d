// Tokens of PTX text. No allocation: tokens are views into the text, which must outlive them.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evo::evaluators::code {

/// Broken text. Thrown inside readers only, which turn it into a Failure.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(std::uint32_t line, const std::string& message) : std::runtime_error(message), line_(line) {}
  [[nodiscard]] std::uint32_t line() const { return line_; }

 private:
  std::uint32_t line_;
};

struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,  ///< %r1, foo, $L__BB0_1, _
    dot_word,    ///< .global, .shared::cta, .x : the text keeps the dot
    integer,     ///< value
    real32,      ///< value: the bits of 0f3F800000
    real64,      ///< value: the bits of 0d3FF0000000000000 or of a decimal literal
    string,      ///< without the quotes
    punctuation,
  };
  Kind kind = Kind::end;
  bool glued = false;  ///< no white space between the previous token and this one
  char symbol = 0;     ///< punctuation
  std::uint32_t line = 1;
  std::string_view text;
  std::uint64_t value = 0;

  [[nodiscard]] bool is(char character) const { return kind == Kind::punctuation && symbol == character; }
};

/// The floating-point number that a token is, 0f3F800000 or 1.5; nullopt of all others.
[[nodiscard]] std::optional<double> real_of(const Token& token);

class Lexer {
 public:
  explicit Lexer(std::string_view text);
  /// Kind::end for ever after the last one. Throws SyntaxError.
  Token next();
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  void skip_blanks();
  Token number();
  [[nodiscard]] char at(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace evo::evaluators::code
