// What would make two compiles of one source differ.
#pragma once

#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// One Evidence (kind "error") for each of __DATE__, __TIME__ and __TIMESTAMP__: a cache that knows a source
/// by its content would answer with yesterday's. Looks at words wherever they stand, comments and strings
/// included; a name that token pasting makes is not seen.
[[nodiscard]] std::vector<model::Evidence> forbidden_macros(std::string_view source, std::string_view file);

}  // namespace evo::evaluators::compile
