// What would make two compiles of one source differ.
#pragma once

#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace evo::evaluators::compile {

/// One Evidence (kind "error") for each of __DATE__, __TIME__ and __TIMESTAMP__ in the code, spliced or not,
/// and one where token pasting could make one of them of the names that stand there: a cache that knows a
/// source by its content would answer with yesterday's. Comments and strings may say the words.
[[nodiscard]] std::vector<model::Evidence> forbidden_macros(std::string_view source, std::string_view file);

}  // namespace evo::evaluators::compile
