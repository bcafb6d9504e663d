// What a candidate may include: virtual headers, headers of the request, and the toolkit's folder.
//
// The scan does not try to be a preprocessor. It looks at every '#' (or %: or ??=) of the text that is
// followed by an include directive's name, wherever it stands: comments, strings and skipped groups included.
// So it cannot be led astray by the state a real preprocessor would be in. Comments are gone before it looks,
// and for the compiler too, and what looks like an include in a string was written in another way
// (source_text.hpp); a forbidden include that `#if` skips is refused all the same. Names that are neither
// absolute nor climb out of their folder are left to the compiler, which has only the three places above to
// find them in (its working folder is the toolkit's). A second check stands behind this one: the worker
// process can open no file outside the toolkit (sandbox.hpp).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// One Evidence (kind "error") for each forbidden use: absolute path, "..", backslash, a name that a macro
/// makes, #include_next, #import, #embed, a module import, __has_include of any such name. `file` is the name
/// until a #line directive changes it.
[[nodiscard]] std::vector<model::Evidence> forbidden_includes(std::string_view source, std::string_view file);

/// Where each of them begins, in the source as it was given.
[[nodiscard]] std::vector<std::size_t> include_places(std::string_view source);

}  // namespace evo::evaluators::compile
