// Inputs whose answers are all small: what loses every digit of such an answer (log(1 + exp(x)) for
// log1p(exp(x)), 1 + erf(x) for erfc(-x), exp(x) - 1 for expm1(x)) is hidden by the norm of an output that
// has large elements, too. The bounds follow the output's norm, so it is enough that no element is large.
//
// Whether such an answer has digits that can be asked for, the reference says: the sets count where the
// reference itself, computed in float, is about as near to its fp64 answer as the rounding of the inputs
// allows. A reference that loses them, too, asks nobody for them.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Close together about a number (parameter `about`).
inline constexpr std::string_view tail_kind = "tail";
/// A 65536th of what the range has, where 0 is in it.
inline constexpr std::string_view near_zero_kind = "near_zero";

/// For a class whose bounds are measured (model::Tolerance::automatic): each floating-point input apart about
/// 5 and 16, where exp(-x) is next to nothing in 1 and still a number, and where exp(-x^2 / 2) is; and about
/// -5 and -16; those with a range that has 0 in it next to 0, each apart and all at once. None where a
/// floating-point output has fewer than 32 bits: kernels for those compute with what is within its rounding
/// of larger numbers.
[[nodiscard]] std::vector<model::InputSet> tail_sets(const std::vector<model::Argument>& arguments);

[[nodiscard]] bool is_of_tails(const model::InputSet& set);

/// The kind `tail`.
[[nodiscard]] model::Expected<void> shape_tail(const model::Case& bound, const model::InputSet& set,
                                               const InputKey& key, DraftInputs& draft);

/// Is what a computation in float is off by (`plain`) about what the rounding of inputs and outputs moves the
/// answer by (`rounding`), or less?
[[nodiscard]] bool keeps_digits(const OutputErrors& plain, const OutputErrors& rounding);

}  // namespace evo::evaluators::oracle
