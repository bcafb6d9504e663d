// Comparisons of floating-point numbers that no rounding decides: of an element as it was loaded, with a
// scalar as it was given, or with a number of the code. Where both are the same number, `>` and `>=` differ,
// and whatever else kernels compute, there is one correct answer.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "model/artifact.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

struct ExactComparisons {
  std::set<std::size_t> scalars;    ///< indices of arguments
  std::set<std::size_t> opposites;  ///< of those that elements are compared with by their opposite
  std::set<double> numbers;         ///< finite and not 0
};

/// Of setp and set in the entries of `launch` and what they call. Both operands come from loads, parameters
/// and numbers by steps that round nothing (copies, conversions to a wider type, changes of sign, shifts of
/// 16-bit halves, a choice between such values); or one is 0 and the other the difference of two such values,
/// which is 0 only where they are equal. One side has been loaded from global
/// memory, the other has not. Nothing of several kernels, of one that takes structs, and of PTX that evo
/// cannot read.
[[nodiscard]] ExactComparisons exact_comparisons(const model::Artifact& artifact,
                                                 const model::LaunchPlan& launch);

/// What both have.
[[nodiscard]] ExactComparisons in_both(const ExactComparisons& a, const ExactComparisons& b);
/// What `a` has and `b` has not.
[[nodiscard]] ExactComparisons without(const ExactComparisons& a, const ExactComparisons& b);

/// Has the module no instruction that rounds a floating-point number? Whatever it compares it compares
/// exactly, by its bits, say. False of PTX that evo cannot read.
[[nodiscard]] bool rounds_nothing(const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
