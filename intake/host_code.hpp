// Published files hold host code that NVRTC does not compile: what to leave out of a copy, line for line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace evo::intake {

/// A part of the text that was blanked; its newlines stay, so that the lines keep their numbers.
struct Cut {
  int first = 0, last = 0;  ///< lines, from 1
  std::string what;         ///< "main", "#include <iostream>"
};

/// Blanks every function definition at namespace level that is neither a kernel, nor device code, nor
/// constexpr; adds what it cut to `cuts`.
[[nodiscard]] std::string without_host_functions(const std::string& source, std::vector<Cut>& cuts);

/// Blanks the #include lines that name `header`.
[[nodiscard]] std::string without_include(const std::string& source, const std::string& header,
                                          std::vector<Cut>& cuts);

/// The headers that the text includes, in its order, as they are written.
[[nodiscard]] std::vector<std::string> includes_of(const std::string& source);

/// Whether a header of this name is for host code alone: of a library, or of C++.
[[nodiscard]] bool is_host_header(const std::string& header);

/// The first and the last line of each type that the text declares at namespace level.
[[nodiscard]] std::vector<std::pair<int, int>> lines_of_types(const std::string& source);

/// Blanks the declarations at namespace level that these lines are part of, if they are no functions with a
/// body and, unless `types`, no types; the text as it was where there are none.
[[nodiscard]] std::string without_declarations(const std::string& source, const std::vector<int>& lines,
                                               bool types, std::vector<Cut>& cuts);

/// Blanks the functions with a body at namespace level that these lines are part of, unless they are called
/// `keep`; the text as it was where there are none.
[[nodiscard]] std::string without_functions(const std::string& source, const std::vector<int>& lines,
                                            const std::string& keep, std::vector<Cut>& cuts);

/// Blanks the member function, with or without a body, whose head `line` is part of and which is explicitly
/// for the host alone (__host__, or a macro for it); the text as it was where there is none.
[[nodiscard]] std::string without_host_member(const std::string& source, int line, std::vector<Cut>& cuts);

/// As without_host_member(), of a member function that says nothing of where it runs, or no member function
/// at all: one that does not compile is the host's (its parameters are std::string), and its type may still
/// be what the kernel takes.
[[nodiscard]] std::string without_unmarked_member(const std::string& source, int line,
                                                  std::vector<Cut>& cuts);

/// Blanks each member function that says __host__ and not __device__: no device code calls it, and its
/// parameters may be of types that NVRTC has not.
[[nodiscard]] std::string without_host_members(const std::string& source);

/// Whether the code asks for this side of its thread or block: threadIdx.y.
[[nodiscard]] bool asks_for_side(const std::string& source, char side);
/// And of its thread alone.
[[nodiscard]] bool asks_for_thread_side(const std::string& source, char side);

}  // namespace evo::intake
