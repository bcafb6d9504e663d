// Inputs that are the very numbers which a kernel compares them with, as they were loaded: there `>` and `>=`
// differ, and no rounding has a part in it.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

inline constexpr std::string_view compared_kind = "compared";

/// A set of that kind: normal, but in about a third of the elements of every floating-point input one of
/// these scalars (indices of arguments), as the case has it, or of these numbers, with either sign. Those
/// that the input's type does not hold, and a fill of it does not draw, stay out of it. nullopt: there is
/// none to put anywhere.
[[nodiscard]] std::optional<model::InputSet> set_of_compared(const std::vector<model::Argument>& arguments,
                                                             const std::set<std::size_t>& scalars,
                                                             const std::set<double>& numbers);

/// Without a sign, as the kernel gets them, and not 0; empty for a set of another kind.
[[nodiscard]] std::vector<double> compared_values(const model::Case& bound, const model::InputSet& set);

/// Over what fills have drawn.
void put_compared(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft);

}  // namespace evo::evaluators::oracle
