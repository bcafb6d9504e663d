// From what a problem declares to what the comparison is asked.
#pragma once

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/problem.hpp"

namespace evo::evaluators::oracle {

/// How argument `index` of a case is judged: the class's bounds, wider where the reference's set asks for it;
/// or, with the rule reference_factor, those of the plain implementation, whose ceiling no set widens.
/// `reference` must outlive the result. Throws model::Exception(failed) if the rule has no plain_errors in
/// the reference: nothing may pass by the ceiling alone.
[[nodiscard]] CompareOptions options_for(const model::Tolerance& tolerance, const Reference& reference,
                                         std::size_t index);

}  // namespace evo::evaluators::oracle
