// Numbers at one place of several inputs that know of each other: equal, shifted, next to each other, with a
// round sum, one twice another, the third the sum of two, integers each other's complement. Drawn each by
// itself they never are.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// Kind of the set in which inputs of one shape are related, place by place.
inline constexpr std::string_view related_kind = "related";

/// Are there two inputs of one shape, both of floating-point numbers or both of integers, that may hold
/// anything, or a range?
[[nodiscard]] bool may_be_related(const std::vector<model::Argument>& arguments);

/// About half of each such input but the first is, in stretches, what the ones before it make of it; the rest
/// stays. What is outside of the array's range, or type, stays, too.
void relate_places(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                   DraftInputs& draft);

}  // namespace evo::evaluators::oracle
