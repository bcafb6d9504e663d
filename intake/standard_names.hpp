// Names that a file takes from headers which it does not include itself: a header of the host's brought them.
#pragma once

#include <string>
#include <vector>

namespace evo::intake {

/// The standard header that has what the compiler misses, by its message: "cstdint" for `identifier
/// "uint8_t" is undefined`. Empty for other messages.
[[nodiscard]] std::string standard_header_for(const std::string& message);

/// #include lines for those of `names` that a standard header has, and `included` has not.
[[nodiscard]] std::string standard_includes(const std::vector<std::string>& names,
                                            const std::vector<std::string>& included);

/// Whether the header declares `name` as a type: a typedef, using, struct, class, union or enum.
[[nodiscard]] bool declares_type(const std::string& header, const std::string& name);

/// The text with `line` ("#include <cstdint>") in the place of its first blank line that is outside of
/// comments, braces and conditions, so that all lines keep their numbers; the text itself where none is.
[[nodiscard]] std::string with_line(const std::string& source, const std::string& line);

}  // namespace evo::intake
