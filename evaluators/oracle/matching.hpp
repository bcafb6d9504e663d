// Integers that occur in several arrays: keys of a join, a pattern in a text. Drawn each by itself from a
// wide range they are all different, and what is done where two are equal is never seen.
#pragma once

#include <string_view>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// Kind of the set in which stretches of an array of integers are taken from another one.
inline constexpr std::string_view matches_kind = "matches";

/// Are there two inputs of integers of one type that say nothing of what they hold, or a range?
[[nodiscard]] bool may_match(const std::vector<model::Argument>& arguments);

/// About half of each such array but the smallest holds stretches of a smaller one, or of one before it, from
/// its beginning or from anywhere, and from its beginning again behind its end. What is outside of the
/// array's own range stays.
void match_integers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                    DraftInputs& draft);

}  // namespace evo::evaluators::oracle
