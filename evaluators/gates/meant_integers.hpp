// Is an integer that no line of the problem gives a number to its oracle, or a name, a flag, an end of a
// clamp, of which other values say nothing?
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

using Reference = std::shared_ptr<const oracle::ReferenceData>;
/// The oracle's, to inputs of a set.
using AnswerTo = std::function<Reference(const model::Case&, const model::InputSet&)>;

/// No NaN and no infinity anywhere.
[[nodiscard]] bool all_finite(const oracle::ReferenceOutputs& outputs);

/// `bound` has an undeclared scalar (Case::undeclared_scalar), `declared` what the problem gives it; the
/// answer to inputs of `set` decides, and whether numbers further away have another one is asked of those of
/// `tell`, too: see asks_what_is_meant().
[[nodiscard]] bool integer_is_meant(const model::Case& bound, const model::Case& declared,
                                    const model::InputSet& set, const AnswerTo& answer_to,
                                    const std::vector<model::InputSet>& tell);

}  // namespace evo::evaluators::gates
