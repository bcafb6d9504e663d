// What an output's errors are held to: the accuracy class, the error of a plain implementation, and what the
// data moves the answer by.
#pragma once

#include <optional>
#include <string>

#include "evaluators/oracle/compare.hpp"

namespace evo::evaluators::oracle {

/// What the rule reference_factor allows, if it is asked for.
[[nodiscard]] std::optional<OutputErrors> allowed_by(const CompareOptions& options);

/// Errors of all elements, absolute and relative to the reference, from the sums of their squares and the
/// largest.
void set_errors(Comparison& result, double error_squares, double reference_squares, double largest);

/// What the root mean square of the errors and the largest are held to, in units of the output.
[[nodiscard]] OutputErrors bounds_of(const Comparison& result, const CompareOptions& options,
                                     const model::BoundArgument& argument);

/// The reason (Comparison::reason) for which the output is refused; empty: it is correct.
[[nodiscard]] std::string judge(const Comparison& result, const CompareOptions& options,
                                const model::BoundArgument& argument);

}  // namespace evo::evaluators::oracle
