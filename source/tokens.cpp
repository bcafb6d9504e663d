#include "source/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace evo::source {
namespace {

constexpr std::array<std::string_view, 24> operators{
    "<<=", ">>=", "...", "->*", "->", "++", "--", "<=", ">=", "==", "!=", "&&",
    "||",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "<<", ">>", "::"};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(const std::string& source) : text_(source) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      const bool goes_on = at_ > 0 && text_[at_ - 1] == '\\';
      if (!goes_on) directive_ = false;
      ++line_;
      ++at_;
      if (!goes_on) line_begins_ = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      ++at_;
    } else if (text_.compare(at_, 2, "//") == 0) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
      line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                           text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = std::min(end + 2, text_.size());
    } else {
      token(c);
    }
  }

  void token(char c) {
    if (c == '#' && line_begins_) directive_ = true;
    first_ = line_begins_;
    line_begins_ = false;
    if (begins_name(c)) {
      take(TokenKind::name, length([](char x) { return begins_name(x) || digit(x); }));
    } else if (digit(c) || (c == '.' && at_ + 1 < text_.size() && digit(text_[at_ + 1]))) {
      take(TokenKind::number, number_length());
    } else if (c == '"' && raw_prefix()) {
      take(TokenKind::text, raw_length());
    } else if (c == '"' || c == '\'') {
      take(TokenKind::text, quoted_length(c));
    } else {
      const auto known = std::find_if(operators.begin(), operators.end(), [&](std::string_view op) {
        return text_.compare(at_, op.size(), op) == 0;
      });
      take(TokenKind::symbol, known == operators.end() ? 1 : known->size());
    }
  }

  template <class Test>
  std::size_t length(Test test) const {
    std::size_t end = at_;
    while (end < text_.size() && test(text_[end])) ++end;
    return end - at_;
  }
  std::size_t number_length() const {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool exponent = end > at_ && (c == '+' || c == '-') && text_.compare(at_, 2, "0x") != 0 &&
                            (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      if (!exponent && !begins_name(c) && !digit(c) && c != '.' && c != '\'') break;
      ++end;
    }
    return end - at_;
  }
  std::size_t quoted_length(char quote) const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size()) - at_;
  }
  /// A name that ends in R stands directly before the quotation mark.
  bool raw_prefix() const {
    return !tokens_.empty() && tokens_.back().end() == at_ &&
           (tokens_.back().is("R") || tokens_.back().is("u8R") || tokens_.back().is("LR"));
  }
  std::size_t raw_length() const {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos || open - at_ > 17) return quoted_length('"');
    const std::string close = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t end = text_.find(close, open);
    return (end == std::string::npos ? text_.size() : end + close.size()) - at_;
  }
  void take(TokenKind kind, std::size_t size) {
    tokens_.push_back({kind, text_.substr(at_, size), line_, at_, directive_, first_});
    line_ += static_cast<int>(std::count(tokens_.back().text.begin(), tokens_.back().text.end(), '\n'));
    at_ += size;
  }

  const std::string& text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true, directive_ = false, first_ = false;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& source) {
  return Lexer(source).run();
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  const std::string& text = tokens[open].text;
  const std::string_view close = text == "(" ? ")" : text == "[" ? "]" : "}";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is(text)) ++depth;
    if (tokens[i].is(close) && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace evo::source
