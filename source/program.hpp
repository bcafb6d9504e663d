// A source as functions and nested statements: live text only. It reads what CUDA C++ kernels are written in,
// not all of C++: types are not known, lambdas and initialisers are opaque.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/tokens.hpp"

namespace evo::source {

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

enum class NodeKind : std::uint8_t {
  block,        ///< { ... }
  declaration,  ///< int x = 1;
  expression,   ///< x = 1;  f(x);  asm(...);  a macro's call
  jump,         ///< return, break, continue, goto
  branch,       ///< if, with the statements of both arms as children
  loop,         ///< for, while, do
  choice,       ///< switch
  label,        ///< case 1:
  empty,        ///< ;
  macro_block,  ///< FOR_EACH(x) { ... }
};

/// A statement. Spans count in Program::tokens.
struct Node {
  NodeKind kind = NodeKind::empty;
  Span span;                  ///< with the semicolon, without a pragma before it
  Span head;                  ///< of a branch, loop or choice: between the parentheses
  std::size_t parent = none;  ///< none: a function's body
  std::size_t function = 0;
  std::vector<std::size_t> children{};
  /// Offset in the text where the pragmas of this statement begin; none where there are none.
  std::size_t pragma = none;
  /// No preprocessor line and no dead text inside.
  bool clean = true;
};

/// A function with a body.
struct Function {
  std::string name;       ///< without scopes; "f~1" is the second one of the name
  bool kernel = false;    ///< __global__
  std::size_t begin = 0;  ///< token of the declaration's begin
  std::size_t name_token = 0;
  Span head;             ///< between the parentheses of the parameters
  std::size_t body = 0;  ///< node
};

/// What the reader could not make sense of.
struct Complaint {
  int line = 0;
  std::string what;
};

struct Program {
  std::string text;
  std::vector<Token> tokens;  ///< live ones, without directives
  std::vector<Function> functions;
  std::vector<Node> nodes;  ///< parents before children, in the order of the text
  std::vector<Complaint> complaints;
  /// Macros and functions of the text that only order threads or memory.
  std::set<std::string> ordering;
  int first_line = 1;  ///< the text's line that #line calls 1; 1 without a #line

  [[nodiscard]] const Token& first(const Node& node) const { return tokens[node.span.begin]; }
  [[nodiscard]] const Token& last(const Node& node) const { return tokens[node.span.end - 1]; }
  /// Line as the compiler counts it.
  [[nodiscard]] int line(const Token& token) const { return token.line - first_line + 1; }
  [[nodiscard]] int line(const Node& node) const { return line(first(node)); }
  /// Position of a node among its parent's children.
  [[nodiscard]] std::size_t position(std::size_t node) const;
  /// The node's text on one line: comments are left out.
  [[nodiscard]] std::string flat(Span span) const;
};

/// Reads a text: of a variant, with its macros in front.
[[nodiscard]] Program read_program(std::string text);

}  // namespace evo::source
