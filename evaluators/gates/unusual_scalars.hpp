// Scalars with values that the problem's own are far from: zero, of the other sign, a thousand times as
// large.
//
// A kernel may leave out work where a factor is zero, or take one to be positive. Whether the problem means
// such values nobody says: a scale of logits is positive, and kernels count on that; a factor of a sum may be
// anything. What the answer does tells them apart. Where it is affine in the scalar (a + b s), no value of it
// is special; elsewhere the case is left out.
#pragma once

#include <vector>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// For a scalar that is `usual` where nobody changes it.
[[nodiscard]] std::vector<double> unusual_values(double usual, model::RandomStream& stream);

/// False for a check of a case with CaseUse::unusual where the answer to these inputs is not affine in the
/// scalar, or not finite. True for all others.
[[nodiscard]] bool asks_what_is_meant(const JobContext& context, const Check& check);

/// False where the reference has no answer: its oracle says so, or a scalar with a value that no expression
/// of the problem gives (CaseUse::changed, rescaled) made a NaN or an infinity of it. The root of a variance
/// has none where a factor of it is drawn above 1; with the problem's own values it has one, and that is
/// asked.
[[nodiscard]] bool has_an_answer(const JobContext& context, const Check& check,
                                 const oracle::ReferenceData& reference);

}  // namespace evo::evaluators::gates
