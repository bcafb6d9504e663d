// A candidate's source as the compiler gets it.
//
// What a person wrote in a comment or a string must not be held against the kernel, and what a scanner takes
// for a comment must not be code to the compiler. So the compiler gets the source without its comments: a
// scanner that is led astray hides code from the compiler, never from the checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evo::evaluators::compile {

enum class TextKind : std::uint8_t {
  code,
  comment,
  text,  ///< between the quotes of a string on one line; raw strings and characters count as code
};

/// Phases 2 and 3 of translation (C++17, [lex.phases]) as NVRTC's front end does them: line splices, no
/// trigraphs, raw strings, digit separators. Any bytes can be given to it.
struct SourceLayout {
  std::vector<TextKind> kinds;     ///< of each byte
  std::vector<std::string> names;  ///< identifiers of the code, and whatever may be one
  std::vector<std::size_t> name_offsets;
  bool pastes = false;  ///< has ## or %:%:
};
[[nodiscard]] SourceLayout layout_of(std::string_view source);

/// Each comment as blanks, its newlines as line splices: the same lines, and directives that go on behind a
/// comment still do. A comment without its end stays.
[[nodiscard]] std::string without_comments(std::string_view source);

/// Blanks for every `#line` directive and line marker (`# 1 "file"`) but the first, which is evo's own: a
/// line is where it stands in the file. A candidate that renumbers its lines hides those that no launch runs.
[[nodiscard]] std::string without_line_directives(std::string_view source);

/// Without byte-order marks (the source stands behind lines of evo's own) comments and line directives, and
/// with the first character of whatever looks like an include in a string written as an octal escape, which
/// says the same.
[[nodiscard]] std::string prepared_source(std::string_view source, int own_line_directives = 1);

}  // namespace evo::evaluators::compile
