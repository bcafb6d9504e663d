// Inputs with NaN and infinity in them, where the problem asks for those or its reference looks for them.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

inline constexpr std::string_view nans_kind = "nans", infinities_kind = "infinities",
                                  negative_infinities_kind = "negative_infinities",
                                  mixed_kind = "nans_and_infinities", ends_below_kind = "infinite_below",
                                  ends_above_kind = "infinite_above";
/// Of a set that nobody asked for: no output of the reference may be a NaN.
inline constexpr std::string_view inferred_parameter = "inferred";

/// NaN, infinity and minus infinity apart, in each argument that has some (model::Argument::special), and NaN
/// beside infinities in one that has both. Where there are infinities, also those of one sign beside the last
/// number in front of them.
[[nodiscard]] std::vector<model::InputSet> special_sets(const std::vector<model::Argument>& arguments);

/// Puts a set's special value in the argument that it means, over whatever it holds: in all of every fourth
/// row (or stretch of a vector), in one element of the next, in none of the third and in some of the fourth.
/// NaNs have either sign. Beside infinities a lone NaN has one in front of it in its lane, as a kernel goes
/// along a row in steps of 32.
void put_specials(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft);

/// Of infinities beside the least, or the largest, number of the type and nothing else: a maximum that begins
/// at -FLT_MAX finds nothing above it. Asked where outputs are among the inputs (selects_inputs()).
[[nodiscard]] bool is_of_infinite_ends(const model::InputSet& set);
[[nodiscard]] bool holds_nans(const model::InputSet& set);
[[nodiscard]] bool holds_infinities(const model::InputSet& set);

}  // namespace evo::evaluators::oracle
