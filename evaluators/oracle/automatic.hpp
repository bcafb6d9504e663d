// How far a correct kernel may be off where nobody wrote a tolerance: `tolerance: auto`.
//
// The measure is the oracle itself, computed as a plain kernel would compute it: in float (in double where an
// array is f64), its outputs rounded to their type. A correct kernel that sums in another order errs by as
// much, give or take a factor of two (the rule reference_factor). Where that error is small by luck (one
// output, sums that happen to be exact) a floor holds: rounding in the type that is computed in, grown with
// the root of the number of terms, times how much the answer moves when the inputs move (conditioning.hpp).
//
// Where the problem declares that kernels compute in 16 bits (model::Problem::computes_in), the floor is of
// that type's roundings; inputs that nobody declared are asked only where numbers, squares and sums stay
// within f16.
//
// Where the hardware filters textures, its weights of 8 fractional bits are granted besides (sampling.hpp).
//
// A sum in f16, a lost term or a wrong index is ten times to a million times above that; where it is not, the
// problem's own test says so before a run (evaluators/selftest/mistakes.cpp). Integers must be equal.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/error.hpp"

namespace evo::evaluators::oracle {

/// How far the answer moves when inputs change by `relative` of themselves (Reference::conditioning); with
/// relative 0 it is measured anew.
struct Movement {
  double relative = 0;
  std::uint64_t entropy = 1;
  /// Nobody declared these inputs: where float does not reach, there is no measure, and that is an Error.
  bool undeclared = false;
  /// The inputs are asked only where float keeps the digits of their answer (tails.hpp); else an Error.
  bool of_tails = false;
  /// The oracle's answer to these inputs in float, where somebody has asked for it before; null: it is asked.
  const ReferenceOutputs* in_float = nullptr;
};

/// Of each argument (zeros for what is no output, or of an integer type). Error: what the oracle cannot take.
[[nodiscard]] model::Expected<std::vector<OutputErrors>> measure_automatic(const Oracle& oracle,
                                                                           const model::Case& bound,
                                                                           const InputBuffers& inputs,
                                                                           const Reference& reference,
                                                                           const Movement& movement);

}  // namespace evo::evaluators::oracle
