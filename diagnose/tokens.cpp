#include "diagnose/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace evo::diagnose {
namespace {

constexpr std::array<std::string_view, 23> operators{
    "<<=", ">>=", "...", "->", "++", "--", "<=", ">=", "==", "!=", "&&", "||",
    "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "<<", ">>", "::"};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Reader {
 public:
  explicit Reader(const std::string& source) : text_(source) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      if (!(at_ > 0 && text_[at_ - 1] == '\\')) directive_ = false;
      ++line_;
      ++at_;
      line_begins_ = true;
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
    line_begins_ = false;
    if (begins_name(c)) {
      take(TokenKind::name, length([](char x) { return begins_name(x) || digit(x); }));
    } else if (digit(c) || (c == '.' && at_ + 1 < text_.size() && digit(text_[at_ + 1]))) {
      take(TokenKind::number, number_length());
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
  void take(TokenKind kind, std::size_t size) {
    tokens_.push_back({kind, text_.substr(at_, size), line_, at_, directive_});
    at_ += size;
  }

  const std::string& text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true, directive_ = false;
};

bool is_keyword(const Token& token) {
  return token.is("if") || token.is("for") || token.is("while") || token.is("switch");
}

/// Names of the parameters between the parentheses: the last name of each, before a default value.
std::vector<std::string> parameter_names(const std::vector<Token>& tokens, Span head) {
  std::vector<std::string> names;
  std::string last;
  bool value = false, any = false;
  int depth = 0;
  for (std::size_t i = head.begin; i < head.end; ++i) {
    const Token& token = tokens[i];
    any = true;
    if (token.is("(") || token.is("[") || token.is("{") || token.is("<")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || token.is(">")) --depth;
    if (depth == 0 && token.is("=")) value = true;
    if (depth == 0 && token.is(",")) {
      names.push_back(last);
      last.clear();
      value = false;
    } else if (token.kind == TokenKind::name && !value && !token.is("EVO_PROBE_PARAMETER") &&
               !(depth > 0 && !last.empty() && tokens[i - 1].is("["))) {
      last = token.text;
    }
  }
  if (any) names.push_back(last);
  return names;
}

/// A body's opening brace behind the parentheses that end at `close`; npos where none follows.
std::size_t body_after(const std::vector<Token>& tokens, std::size_t close) {
  constexpr std::size_t npos = std::string::npos;
  for (std::size_t i = close + 1; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("{")) return i;
    if (!token.is("const") && !token.is("noexcept") && !token.is("->") && !token.is("::") && !token.is("*") &&
        !token.is("&") && !(tokens[i - 1].is("->") || tokens[i - 1].is("::")))
      return npos;
  }
  return npos;
}

class Parser {
 public:
  explicit Parser(SourceText& source) : source_(source), tokens_(source.tokens) {}

  void functions() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].directive || tokens_[i].kind != TokenKind::name || is_keyword(tokens_[i]) ||
          !tokens_[i + 1].is("("))
        continue;
      const std::size_t close = closing(tokens_, i + 1);
      const std::size_t open = close < tokens_.size() ? body_after(tokens_, close) : std::string::npos;
      if (open == std::string::npos) continue;
      Function function;
      function.name = tokens_[i].text;
      function.head = {i + 2, close};
      function.parameters = parameter_names(tokens_, function.head);
      function.body = {open + 1, closing(tokens_, open)};
      source_.functions.push_back(function);
      statements(source_.functions.size() - 1);
      i = function.body.end;
    }
  }

 private:
  void statements(std::size_t function) {
    const Span body = source_.functions[function].body;
    std::size_t start = body.begin;
    int depth = 0, parentheses = 0;
    const auto finish = [&](std::size_t end) {
      if (end > start) source_.statements.push_back({StatementKind::plain, {start, end}, function, depth});
    };
    for (std::size_t i = body.begin; i < body.end; ++i) {
      const Token& token = tokens_[i];
      if (token.directive) {
        finish(i);
        start = i + 1;
      } else if (parentheses == 0 && is_keyword(token) && i + 1 < body.end && tokens_[i + 1].is("(")) {
        finish(i);
        const std::size_t close = std::min(closing(tokens_, i + 1), body.end - 1);
        source_.statements.push_back({StatementKind::header, {i, close + 1}, function, depth});
        i = close;
        start = close + 1;
      } else if (token.is("(") || token.is("[")) {
        ++parentheses;
      } else if (token.is(")") || token.is("]")) {
        --parentheses;
      } else if (token.is("{") && i > 0 &&
                 (tokens_[i - 1].is("=") || (tokens_[i - 1].kind == TokenKind::name && i - start > 1) ||
                  tokens_[i - 1].is(","))) {
        i = std::min(closing(tokens_, i), body.end - 1);  // an initialiser
      } else if (token.is("{") || token.is("}") || (parentheses == 0 && token.is(";"))) {
        finish(i);
        if (!token.is(";")) {
          depth += token.is("{") ? 1 : -1;
          parentheses = 0;
        }
        start = i + 1;
      } else if (parentheses == 0 && (token.is("else") || token.is("do"))) {
        start = i + 1;
      }
    }
    finish(body.end);
  }

  SourceText& source_;
  const std::vector<Token>& tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& source) {
  return Reader(source).run();
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

SourceText read_source(const std::string& source) {
  SourceText result;
  result.tokens = tokens_of(source);
  Parser(result).functions();
  return result;
}

std::string without_unrolling(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool asked = i > 0 && tokens[i - 1].directive;  // a pragma of its own stands before it
    if (token.is("for") && !token.directive && !asked) {
      result += source.substr(at, token.begin - at) + "_Pragma(\"unroll 1\") ";
      at = token.begin;
    } else if (token.is("unroll") && token.directive) {
      std::size_t last = i;
      while (last + 1 < tokens.size() && tokens[last + 1].line == token.line) ++last;
      result += source.substr(at, token.begin - at) + "unroll 1";
      at = tokens[last].end();
      i = last;
    }
  }
  return result + source.substr(at);
}

}  // namespace evo::diagnose
