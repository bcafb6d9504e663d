// The oracle's answer for a case that may be too big for it as a whole, and outputs held against it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/benchmark/contender.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/error.hpp"

namespace evo::evaluators::benchmark {

/// What the comparison of a case's outputs came to.
struct OutputCheck {
  bool pass = false;
  double relative_frobenius = 0, max_abs_over_rms = 0;
  std::string text;   ///< what is wrong; empty when passed
  std::string scope;  ///< "all of it", "512 of 16384 rows"
};

class SampledReference {
 public:
  /// The reference of the case's outputs, of sampled rows above `most_flops` (oracle/row_sample.hpp),
  /// which depend on `entropy`. `plain`: with the errors of a plain implementation for the rule
  /// reference_factor, which check() needs for tolerances with that rule. Error: what the oracle cannot take.
  [[nodiscard]] static model::Expected<SampledReference> make(
      const oracle::Catalogue& known, const std::string& oracle_name, const model::Case& bound,
      const oracle::InputBuffers& inputs, std::uint64_t entropy,
      double most_flops = oracle::whole_reference_flops, bool plain = false);
  /// `outputs`: all bytes of each output, in the arguments' order; of several slices, as_one_slice(). Passes
  /// where every output does; the numbers are the largest. `cut_off`: of outputs of tensor cores, what the
  /// gates grant besides (gates::cut_off_by_tensor_cores()); 0 of others.
  [[nodiscard]] OutputCheck check(const Outputs& outputs, const model::Tolerance& tolerance,
                                  double cut_off = 0) const;

 private:
  std::vector<model::BoundArgument> outputs_;
  std::vector<std::size_t> indices_;  ///< of the outputs among the arguments
  oracle::Reference reference_;
};

}  // namespace evo::evaluators::benchmark
