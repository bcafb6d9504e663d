// A source as tokens, and the functions and statements that they make: as much of C++ as it takes to change a
// kernel in one place, or to follow a value through its text. What it cannot read it leaves out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "source/tokens.hpp"

namespace evo::diagnose {

using source::closing;
using source::Span;
using source::Token;
using source::TokenKind;
using source::tokens_of;

/// A function with a body. Parameters in their order, by name; "" for one without.
struct Function {
  std::string name;
  std::vector<std::string> parameters;
  Span head, body;  ///< of the parentheses with the parameters, and of the braces, both inside
};

enum class StatementKind : std::uint8_t { plain, header };

/// Up to a semicolon, or the parentheses of an if, for, while or switch with their keyword.
struct Statement {
  StatementKind kind = StatementKind::plain;
  Span span;                 ///< without the semicolon
  std::size_t function = 0;  ///< index in SourceText::functions
  int depth = 0;             ///< braces around it within the function
};

struct SourceText {
  std::vector<Token> tokens;
  std::vector<Function> functions;
  std::vector<Statement> statements;
};

[[nodiscard]] SourceText read_source(const std::string& source);

/// The same program with every loop left a loop: what the compiler takes longest over is unrolling.
[[nodiscard]] std::string without_unrolling(const std::string& source);

}  // namespace evo::diagnose
