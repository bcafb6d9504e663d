// What two checkers said about one variant, in common words.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace evo::bench {

/// "race", "bounds" (misalignment too), "uninit", "barrier" or "other", of evidence of either checker.
[[nodiscard]] std::string class_of(const model::Evidence& evidence);
[[nodiscard]] std::set<std::string> classes_of(const std::vector<model::Evidence>& evidence);
/// The class that stands for a set in the table: bounds, barrier, uninit, race, other; "clean" for none. A
/// fault ends a kernel, and a barrier that is not reached makes races: causes come first.
[[nodiscard]] std::string leading(const std::set<std::string>& classes);

/// Why compute-sanitizer may rightly say nothing about `evidence`, all of which the virtual device found:
/// what its tools do not follow, by its documentation. "" if nothing of that applies.
[[nodiscard]] std::string blind_spot(const std::vector<model::Evidence>& evidence);

}  // namespace evo::bench
