#include "evaluators/code/ptx_lexer.hpp"

#include <bit>
#include <charconv>

namespace evo::evaluators::code {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

template <class Number>
Number parse_whole(std::string_view digits, int base, std::uint32_t line) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    throw SyntaxError(line, "malformed number '" + std::string(digits) + "'");
  }
  return value;
}

}  // namespace

std::optional<double> real_of(const Token& token) {
  if (token.kind == Token::Kind::real32)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(token.value)));
  if (token.kind == Token::Kind::real64) return std::bit_cast<double>(token.value);
  return std::nullopt;
}

Lexer::Lexer(std::string_view text) : text_(text) {
  // NVRTC's size includes the terminator.
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::uint32_t opened = line_;
      position_ += 2;
      while (position_ < text_.size() && !(text_[position_] == '*' && at(position_ + 1) == '/')) {
        if (text_[position_] == '\n') ++line_;
        ++position_;
      }
      if (position_ >= text_.size()) throw SyntaxError(opened, "comment without end");
      position_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::number() {
  Token token;
  token.line = line_;
  const std::size_t start = position_;
  const char second = at(start + 1);
  const auto word_end = [this](std::size_t from) {
    while (is_word(at(from))) ++from;
    return from;
  };
  if (at(start) == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    const std::size_t end = word_end(start + 2);
    const std::string_view digits = text_.substr(start + 2, end - start - 2);
    const bool single = second == 'f' || second == 'F';
    if (digits.size() != (single ? 8U : 16U)) throw SyntaxError(line_, "malformed floating-point literal");
    token.kind = single ? Token::Kind::real32 : Token::Kind::real64;
    token.value = parse_whole<std::uint64_t>(digits, 16, line_);
    position_ = end;
  } else {
    std::size_t end = word_end(start);
    const bool prefixed =
        at(start) == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B');
    const bool exponent = !prefixed && (at(end - 1) == 'e' || at(end - 1) == 'E');
    if (!prefixed && (at(end) == '.' || exponent) && is_digit(at(start))) {
      if (at(end) == '.') end = word_end(end + 1);
      if ((at(end - 1) == 'e' || at(end - 1) == 'E') && (at(end) == '+' || at(end) == '-'))
        end = word_end(end + 1);
      const std::string_view digits = text_.substr(start, end - start);
      double value = 0;
      const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc{} || last != digits.data() + digits.size()) {
        throw SyntaxError(line_, "malformed number '" + std::string(digits) + "'");
      }
      token.kind = Token::Kind::real64;
      token.value = std::bit_cast<std::uint64_t>(value);
    } else {
      std::string_view digits = text_.substr(start, end - start);
      if (digits.back() == 'U' || digits.back() == 'u') digits.remove_suffix(1);
      int base = 10;
      if (prefixed) {
        base = second == 'x' || second == 'X' ? 16 : 2;
        digits.remove_prefix(2);
      } else if (digits.size() > 1 && digits.front() == '0') {
        base = 8;
        digits.remove_prefix(1);
      }
      token.kind = Token::Kind::integer;
      token.value = parse_whole<std::uint64_t>(digits, base, line_);
    }
    position_ = end;
  }
  token.text = text_.substr(start, position_ - start);
  return token;
}

Token Lexer::next() {
  const std::size_t before = position_;
  skip_blanks();
  Token token;
  token.line = line_;
  if (position_ >= text_.size()) return token;
  const bool glued = position_ == before;
  const std::size_t start = position_;
  const char c = text_[start];
  if (is_digit(c)) {
    token = number();
  } else if (c == '"') {
    const std::size_t close = text_.find('"', start + 1);
    if (close == std::string_view::npos) throw SyntaxError(line_, "string without end");
    token.kind = Token::Kind::string;
    token.text = text_.substr(start + 1, close - start - 1);
    if (token.text.find('\n') != std::string_view::npos) throw SyntaxError(line_, "string without end");
    position_ = close + 1;
  } else if (is_word(c) || (c == '%' && is_word(at(start + 1)))) {
    ++position_;
    while (is_word(at(position_))) ++position_;
    token.kind = Token::Kind::identifier;
    token.text = text_.substr(start, position_ - start);
  } else if (c == '.' && is_word(at(start + 1))) {
    ++position_;
    while (is_word(at(position_)) || (at(position_) == ':' && at(position_ + 1) == ':')) {
      position_ += at(position_) == ':' ? 2 : 1;
    }
    token.kind = Token::Kind::dot_word;
    token.text = text_.substr(start, position_ - start);
  } else {
    ++position_;
    token.kind = Token::Kind::punctuation;
    token.symbol = c;
    token.text = text_.substr(start, 1);
  }
  token.glued = glued;
  return token;
}

}  // namespace evo::evaluators::code
