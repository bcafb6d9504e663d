// What a source leaves open or fixes by macros: candidates for genes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::intake {

/// A macro that the file defines as one number, which is where a choice of its author stands.
struct DefinedMacro {
  std::string name, value;
  int line = 0;
  bool guarded = false;  ///< within #ifndef NAME: a definition from outside wins
};

/// A name that a condition asks for and that the file does not define.
struct AskedMacro {
  std::string name;
  int line = 0;
  bool only_defined = false;          ///< only whether it is defined: #ifdef
  std::vector<std::string> compared;  ///< the numbers that it is compared with, each once
};

struct SourceMacros {
  std::vector<DefinedMacro> defined;
  std::vector<DefinedMacro> constants;  ///< const int N = 1024; of no function and no class
  std::vector<AskedMacro> asked;
  /// A macro or a constant.
  [[nodiscard]] const DefinedMacro* find(std::string_view name) const;
};
[[nodiscard]] SourceMacros macros_of(const std::string& source);

/// Macros that the text at this offset stands behind: #ifdef NAME, #if defined(NAME), #if NAME, which nothing
/// of the file defines. Not of its #else, and not of conditions of another form.
[[nodiscard]] std::vector<std::string> needed_macros(const std::string& source, std::size_t offset);

/// Whether the name is written as macros mostly are, in capitals: FLT_MAX; not T, nor __CUDA_ARCH__.
[[nodiscard]] bool is_macro_name(std::string_view name);

/// The first line, from 1, on which the name stands as a word of the code or of a directive; 0: on none.
[[nodiscard]] int line_of_name(const std::string& source, std::string_view name);
/// All names in it, each once, in their order.
[[nodiscard]] std::vector<std::string> names_of(const std::string& source);

/// The text with the unguarded #define of `name` made a comment on its line, or the constant of that name
/// made one.
[[nodiscard]] std::string without_definition(const std::string& source, std::string_view name);

/// The constant of that name of the function whose head stands at `line` (const int BM = 128;), then those of
/// other functions that have the same value; where that function has none, the first and those as it. None of
/// unsigned types.
[[nodiscard]] std::vector<DefinedMacro> local_constants(const std::string& source, std::string_view name,
                                                        int line);
/// The text with each that has this value made a comment. Others are other things: they keep their value
/// under another name.
[[nodiscard]] std::string without_local_constants(const std::string& source, std::string_view name,
                                                  const std::string& value);

}  // namespace evo::intake
