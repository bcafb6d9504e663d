// Is an integer that no line of the problem gives a number to its oracle, or a name, a flag, an end of a
// clamp, of which other values say nothing?
#pragma once

#include <cstdint>
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

/// A set of values that grow along rows, and one of values that fall: whatever a number leaves out or takes
/// in changes what is found in them, where drawn values seldom do. Of which array differs with the number
/// asked.
[[nodiscard]] std::vector<model::InputSet> sets_that_tell(const std::vector<model::InputSet>& sets,
                                                          std::int64_t asked);

/// `bound` has an undeclared scalar (Case::undeclared_scalar), `declared` what the problem gives it; the
/// answer to inputs of `set` decides, and whether numbers further away have another one is asked of those of
/// `tell`, too: see asks_what_is_meant().
[[nodiscard]] bool integer_is_meant(const model::Case& bound, const model::Case& declared,
                                    const model::InputSet& set, const AnswerTo& answer_to,
                                    const std::vector<model::InputSet>& tell);

}  // namespace evo::evaluators::gates
