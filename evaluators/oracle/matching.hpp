// Numbers that occur in several arrays: keys of a join, a pattern in a text, what is searched for in a table.
// Drawn each by itself from a wide range they are all different, and what is done where two are equal is
// never seen.
#pragma once

#include <string_view>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

/// Kind of the set in which stretches of an array are taken from another one.
inline constexpr std::string_view matches_kind = "matches";

/// Are there two inputs of one type, of which one says nothing of what it holds, or a range, and the other
/// one that or an order? Floating-point ones count where an output is an integer, and where one is in order:
/// in a table something is looked up.
[[nodiscard]] bool may_match(const std::vector<model::Argument>& arguments);

/// About half of each such array but the smallest holds, but for a few near misses, stretches of a smaller
/// one, or of one before it, from its beginning or from anywhere, and from its beginning again behind its
/// end. What is outside of the array's own range stays.
void match_integers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                    DraftInputs& draft);

}  // namespace evo::evaluators::oracle
