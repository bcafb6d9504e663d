// The oracle's answer for a case that may be too big for it as a whole, and an output held against it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "model/error.hpp"

namespace evo::evaluators::compare {

/// What the comparison of one output came to.
struct OutputCheck {
  bool pass = false;
  double relative_frobenius = 0, max_abs_over_rms = 0;
  std::string text;   ///< what is wrong; empty when passed
  std::string scope;  ///< "all of it", "512 of 16384 rows"
};

class SampledReference {
 public:
  /// The reference of the case's first output, of sampled rows above `most_flops` (oracle/row_sample.hpp),
  /// which depend on `entropy`. `plain`: with the yardstick of the rule reference_factor, which check() needs
  /// for tolerances with that rule. Error: what the oracle cannot take.
  [[nodiscard]] static model::Expected<SampledReference> make(
      const oracle::Catalogue& known, const std::string& oracle_name, const model::Case& bound,
      const oracle::InputBuffers& inputs, std::uint64_t entropy,
      double most_flops = oracle::whole_reference_flops, bool plain = false);
  /// `output`: all bytes of the case's first output.
  [[nodiscard]] OutputCheck check(std::span<const std::byte> output, const model::Tolerance& tolerance) const;

 private:
  model::BoundArgument output_;
  oracle::Reference reference_;
  std::size_t index_ = 0;  ///< of the output among the arguments
};

}  // namespace evo::evaluators::compare
