// The oracle's answer for a case that may be too big for it as a whole.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/error.hpp"

namespace evo::evaluators::compare {

/// What the comparison of one output came to.
struct OutputCheck {
  bool pass = false;
  double relative_frobenius = 0, max_abs_over_rms = 0;  ///< the worst over the slices
  std::string text;                                     ///< what is wrong; empty when passed
  std::string scope;                                    ///< "all of it", "2 of 16 heads"
};

class ReferenceSlices {
 public:
  /// Computes references: of the whole case up to `most_flops` of work, otherwise of single [batch, head]
  /// slices of arrays that are dense and share their two outer dimensions (the first and the last slice, or
  /// one if one alone exceeds the limit). Error: what the oracle cannot take.
  [[nodiscard]] static model::Expected<ReferenceSlices> make(const std::string& oracle,
                                                             const model::Case& bound,
                                                             const oracle::InputBuffers& inputs,
                                                             double most_flops = 2e10);
  /// `output`: all bytes of the case's first output.
  [[nodiscard]] OutputCheck check(std::span<const std::byte> output, const model::Tolerance& tolerance) const;

 private:
  struct Slice {
    model::BoundArgument output;
    std::size_t offset = 0;  ///< bytes from the start of the output
    std::vector<double> expected;
  };
  std::vector<Slice> slices_;
  std::int64_t output_bytes_ = 0;
  std::string scope_;
};

}  // namespace evo::evaluators::compare
