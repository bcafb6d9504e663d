#include "diagnose/tokens.hpp"

#include <algorithm>

namespace evo::diagnose {
namespace {

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
