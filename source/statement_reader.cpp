#include "source/statement_reader.hpp"

#include <algorithm>
#include <array>

namespace evo::source {
namespace {

constexpr std::array<std::string_view, 38> type_words{
    "const",      "constexpr", "static",  "extern",   "volatile", "unsigned", "signed",  "int",
    "float",      "double",    "char",    "short",    "long",     "bool",     "void",    "auto",
    "size_t",     "half",      "half2",   "float2",   "float4",   "int2",     "int4",    "uint2",
    "uint4",      "uint32_t",  "int32_t", "uint64_t", "int64_t",  "using",    "typedef", "typename",
    "__shared__", "register",  "__half",  "__half2",  "alignas",  "__align__"};

bool among(const auto& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_pragma_macro(const Token& token) {
  return token.kind == TokenKind::name && token.text.find("UNROLL") != std::string::npos;
}

class StatementReader {
 public:
  StatementReader(Program& program, std::size_t function)
      : program_(program), tokens_(program.tokens), function_(function) {}

  std::size_t run(std::size_t open) { return block(open, none); }

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].is(text);
  }

  std::size_t add(NodeKind kind, std::size_t begin, std::size_t parent) {
    Node node;
    node.kind = kind;
    node.span = {begin, begin};
    node.parent = parent;
    node.function = function_;
    program_.nodes.push_back(std::move(node));
    const std::size_t index = program_.nodes.size() - 1;
    if (parent != none) program_.nodes[parent].children.push_back(index);
    return index;
  }
  std::size_t end(std::size_t node, std::size_t at) {
    program_.nodes[node].span.end = std::min(at, tokens_.size());
    return at;
  }
  void complain(std::size_t at, std::string what) {
    const int line = tokens_.empty() ? 0 : tokens_[std::min(at, tokens_.size() - 1)].line;
    program_.complaints.push_back({line, std::move(what)});
  }

  std::size_t block(std::size_t open, std::size_t parent) {
    const std::size_t node = add(NodeKind::block, open, parent);
    std::size_t at = open + 1;
    while (at < tokens_.size() && !is(at, "}")) at = statement(at, node);
    if (at >= tokens_.size()) complain(open, "a block without an end");
    return end(node, at + 1);
  }

  /// Behind the parentheses that should be at `at`.
  std::size_t head(std::size_t node, std::size_t at) {
    if (!is(at, "(")) {
      complain(at, "parentheses are missing");
      return at;
    }
    const std::size_t close = closing(tokens_, at);
    program_.nodes[node].head = {at + 1, std::min(close, tokens_.size())};
    return close + 1;
  }

  std::size_t body(std::size_t node, std::size_t at) {
    if (at >= tokens_.size() || is(at, "}")) {
      complain(at, "a statement is missing");
      return at;
    }
    return statement(at, node);
  }

  std::size_t statement(std::size_t at, std::size_t parent) {
    const Token& token = tokens_[at];
    if (token.is("{")) return block(at, parent);
    if (token.is(";")) return end(add(NodeKind::empty, at, parent), at + 1);
    if (token.is("if")) {
      const std::size_t node = add(NodeKind::branch, at, parent);
      std::size_t next = head(node, at + (is(at + 1, "constexpr") ? 2 : 1));
      next = body(node, next);
      if (is(next, "else")) next = body(node, next + 1);
      return end(node, next);
    }
    if (token.is("for") || token.is("while")) {
      const std::size_t node = add(NodeKind::loop, at, parent);
      return end(node, body(node, head(node, at + 1)));
    }
    if (token.is("do")) {
      const std::size_t node = add(NodeKind::loop, at, parent);
      std::size_t next = body(node, at + 1);
      if (!is(next, "while")) {
        complain(next, "do without while");
        return end(node, next);
      }
      next = head(node, next + 1);
      return end(node, is(next, ";") ? next + 1 : next);
    }
    if (token.is("switch")) {
      const std::size_t node = add(NodeKind::choice, at, parent);
      return end(node, body(node, head(node, at + 1)));
    }
    if (token.is("else")) {
      complain(at, "else without if");
      return at + 1;
    }
    if (token.is("try")) {
      std::size_t next = body(parent, at + 1);
      while (is(next, "catch")) next = body(parent, closing(tokens_, next + 1) + 1);
      return next;
    }
    if (const std::size_t colon = label_end(at); colon != none)
      return end(add(NodeKind::label, at, parent), colon + 1);
    return simple(at, parent);
  }

  /// The colon of a label that begins here.
  std::size_t label_end(std::size_t at) const {
    if (tokens_[at].is("default") && is(at + 1, ":")) return at + 1;
    if (tokens_[at].kind == TokenKind::name && is(at + 1, ":") && !tokens_[at].is("case")) return at + 1;
    if (!tokens_[at].is("case")) return none;
    int questions = 0;
    for (std::size_t i = at + 1; i < tokens_.size() && !is(i, ";") && !is(i, "{"); ++i) {
      if (is(i, "?")) ++questions;
      if (is(i, ":") && questions-- == 0) return i;
    }
    return none;
  }

  [[nodiscard]] bool begins_keyword(std::size_t at) const {
    static constexpr std::array<std::string_view, 8> keywords{"for",    "while",  "if",    "do",
                                                              "switch", "return", "break", "continue"};
    return among(keywords, tokens_[at].text);
  }

  /// Up to a semicolon.
  std::size_t simple(std::size_t at, std::size_t parent) {
    const std::size_t node = add(kind_of(at), at, parent);
    const bool macro = tokens_[at].kind == TokenKind::name;
    for (std::size_t i = at; i < tokens_.size();) {
      const Token& token = tokens_[i];
      if (token.is(";")) return end(node, i + 1);
      if (token.is("(") || token.is("[")) {
        const std::size_t close = closing(tokens_, i);
        const bool call = i == at + 1 && token.is("(");
        // FOR_EACH(x) { ... }: its body is a child. With a ] before the brace it is a lambda.
        if (macro && call && is(close + 1, "{")) {
          program_.nodes[node].kind = NodeKind::macro_block;
          return end(node, block(close + 1, node));
        }
        i = close + 1;
        // MACRO(x) without a semicolon, before the next statement.
        if (macro && call && i < tokens_.size() && (is(i, "}") || tokens_[i].first) && ends_alone(i))
          return end(node, i);
        continue;
      }
      if (token.is("{")) {
        i = closing(tokens_, i) + 1;
        continue;
      }
      if (token.is("}") || token.is(")") || token.is("]")) {
        if (token.is("}") && i > at) {
          // The last statement of a block without its semicolon: a macro's.
          if (i != at + 1) complain(i, "a semicolon is missing");
          return end(node, i);
        }
        complain(i, "a bracket that nothing opens");
        return end(node, i + 1);
      }
      // MACRO for (...), PRAGMA_UNROLL for (...)
      if (i == at + 1 && macro && begins_keyword(i) && !tokens_[at].is("return")) {
        if (is_pragma_macro(tokens_[at])) {
          // Belongs to the loop, as a pragma does.
          const std::size_t begin = tokens_[at].begin;
          program_.nodes.pop_back();
          if (parent != none) program_.nodes[parent].children.pop_back();
          const std::size_t loop = program_.nodes.size();
          const std::size_t next = statement(i, parent);
          if (loop < program_.nodes.size()) program_.nodes[loop].pragma = begin;
          return next;
        }
        return end(node, i);
      }
      ++i;
    }
    complain(at, "a statement without an end");
    return end(node, tokens_.size());
  }

  /// What follows cannot go on with an expression.
  [[nodiscard]] bool ends_alone(std::size_t at) const {
    if (is(at, "}")) return true;
    return tokens_[at].kind == TokenKind::name && !tokens_[at].is("and") && !tokens_[at].is("or");
  }

  [[nodiscard]] NodeKind kind_of(std::size_t at) const {
    const Token& token = tokens_[at];
    if (token.is("return") || token.is("break") || token.is("continue") || token.is("goto"))
      return NodeKind::jump;
    if (among(type_words, token.text) || token.is("struct") || token.is("union") || token.is("enum") ||
        token.is("class"))
      return NodeKind::declaration;
    if (token.kind != TokenKind::name || token.is("asm") || token.is("__asm__")) return NodeKind::expression;
    // Name(::Name)* (<...>)? [*&]* Name, then =, ;, [, (, {, or a comma.
    std::size_t i = at + 1;
    while (is(i, "::") && i + 1 < tokens_.size()) i += 2;
    if (is(i, "<")) {
      int depth = 0;
      for (; i < tokens_.size() && !is(i, ";") && !is(i, "{"); ++i) {
        if (is(i, "<")) ++depth;
        if (is(i, ">")) --depth;
        if (is(i, ">>")) depth -= 2;
        if (is(i, "(") || is(i, "[")) i = closing(tokens_, i);
        if (depth <= 0) break;
      }
      ++i;
      while (is(i, "::") && i + 1 < tokens_.size()) i += 2;
    }
    while (is(i, "*") || is(i, "&") || is(i, "&&") || is(i, "const") || is(i, "__restrict__") ||
           is(i, "volatile"))
      ++i;
    const bool named = i > at && i < tokens_.size() && tokens_[i].kind == TokenKind::name;
    if (!named || i + 1 >= tokens_.size()) return NodeKind::expression;
    static constexpr std::array<std::string_view, 6> after{"=", ";", "[", "(", "{", ","};
    return among(after, tokens_[i + 1].text) ? NodeKind::declaration : NodeKind::expression;
  }

  Program& program_;
  const std::vector<Token>& tokens_;
  std::size_t function_;
};

}  // namespace

std::size_t read_body(Program& program, std::size_t function, std::size_t open) {
  return StatementReader(program, function).run(open);
}

}  // namespace evo::source
