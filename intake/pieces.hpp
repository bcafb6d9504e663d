// A source as the declarations that stand in it at namespace level.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "diagnose/tokens.hpp"

namespace evo::intake {

/// A declaration or definition at namespace level.
struct Piece {
  std::size_t begin = 0, end = 0;  ///< offsets
  std::string function;            ///< its name, of a function with a body
  bool device = false, type = false;
  bool assigned = false;  ///< has a "=" before its body
};

/// The names of brace_macros(): where such a macro stands alone at namespace level, it belongs to no
/// declaration.
[[nodiscard]] std::set<std::string> names_of_braces(const std::string& source);

/// In their order; what directives hold is none. `braces`: macros of other texts that open or close braces;
/// those of the text itself, and what has NAMESPACE in its name, are known.
[[nodiscard]] std::vector<Piece> pieces_of(const std::string& source,
                                           const std::set<std::string>& braces = {});

/// Blanks what stands between the two; newlines stay, and the lines of conditions (#if, #else, #endif) of
/// which one begins or ends outside.
void blank_piece(std::string& source, std::size_t begin, std::size_t end);

/// Where what "template <...>", as often as it stands at `begin`, is a template of begins; at most `end`.
[[nodiscard]] std::size_t behind_template(const std::vector<diagnose::Token>& tokens, std::size_t begin,
                                          std::size_t end);

/// Where a line begins, counted from 1; behind the end of the text where it has fewer.
[[nodiscard]] std::size_t begin_of_line(const std::string& source, int line);

/// The line of an offset, from 1.
[[nodiscard]] int line_at(const std::string& source, std::size_t offset);

/// Macros of the text that stand for what marks device code: #define HOST_DEVICE __host__ __device__.
[[nodiscard]] std::set<std::string> device_marks(const std::string& source);

/// All tokens but those of directives.
[[nodiscard]] std::vector<diagnose::Token> code_of(const std::string& source);

}  // namespace evo::intake
