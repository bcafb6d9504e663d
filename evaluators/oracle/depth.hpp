// Of how many inputs an output is made: what rounding in its computation may add up to.
#pragma once

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

/// The number of elements of one input array that an output element depends on, on average; of the array for
/// which it is largest. 1 for what is element-wise, K for a product of matrices, the length of a row for what
/// is normalised over it. Found by changing single elements and counting the outputs that move, so it holds
/// for the given inputs: of a maximum, say, most elements move nothing. Meant for small cases: each probe is
/// a computation of the reference. Error: what the oracle cannot take.
[[nodiscard]] model::Expected<double> reduction_depth(const Oracle& oracle, const model::Case& bound,
                                                      const InputBuffers& inputs);

}  // namespace evo::evaluators::oracle
