// How wrong a plain implementation in 16 bits is on the same data: the measure of the rule reference_factor.
//
// FlashAttention's own tests accept a kernel if max|O - O_ref| <= 2 max|O_16 - O_ref|, where O_16 is the
// plain implementation in the 16-bit type. It is the correct rule where the data decides how large the error
// of a correct kernel is: FP16 steps are 0.125 at a logit of 160, so that S in FP16 errs by some hundredths
// there and by some ten-thousandths on normal data, and a fixed bound is either too tight for the one or too
// loose for the other.
//
// It is the wrong rule alone. Where the plain implementation is bad, so is the bound: a class therefore keeps
// its two fixed bounds as a ceiling, and one kind of data on which a fault hides must have another beside it
// on which it shows. And a maximum alone sees few elements: an exponential of degree 2 stays within twice the
// largest error of the plain implementation, but not within twice its root mean square. So here the rule
// holds for both.
#pragma once

#include <span>
#include <vector>

#include "evaluators/oracle/automatic.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/error.hpp"

namespace evo::evaluators::oracle {

/// Of each argument (zeros for what is no output): the errors against `reference` of the oracle's plain
/// implementation, on the rows that the reference holds; of several forms of it, the worst. An oracle without
/// one is measured by automatic.hpp. Error: it cannot take the case, or the plain implementation is not
/// finite on these inputs, so that it measures nothing.
[[nodiscard]] model::Expected<std::vector<OutputErrors>> measure_plain(const Oracle& oracle,
                                                                       const model::Case& bound,
                                                                       const InputBuffers& inputs,
                                                                       const Reference& reference,
                                                                       const Movement& movement = {});

}  // namespace evo::evaluators::oracle
