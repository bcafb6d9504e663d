// Elements of an answer that jump when the inputs move a little, though no rounding takes them across.
//
// What the answer moves by is granted (conditioning.hpp). Where `a > b` decides an element and both are the
// same number, any move of either decides otherwise, and whoever writes `>=` would be granted all of the
// difference. But no kernel that computes what the problem asks rounds there: there is one correct answer.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// What inputs were moved by, and how often.
struct Moves {
  double relative = 0;
  std::uint64_t entropy = 0;
  const std::vector<double>& held;
  const std::vector<ReferenceOutputs>& answers;  ///< to moves by place, draw 0 and on; of all rows
};

/// Of each argument, ascending: elements that jump in an answer by a sixteenth or more of their size, or of
/// the output's root mean square, and less than in proportion where inputs move further; and that stay where
/// they are in the oracle's answers in float whose results are rounded either way; where it has none, where
/// all that is equal moves alike. Empty vectors where there is none, or no more than most_undecided(), and
/// where inputs move by more than stands for float: what is asked costs further answers only where an element
/// moves so far.
[[nodiscard]] std::vector<std::vector<std::size_t>> decided_jumps(const Oracle& oracle,
                                                                  const model::Case& bound,
                                                                  const InputBuffers& inputs,
                                                                  const Reference& reference,
                                                                  const Moves& moves);

}  // namespace evo::evaluators::oracle
