// Outputs of which each block writes a part, where the reference writes the whole: sums that somebody adds up
// later.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

struct PartialResult {
  std::size_t argument = 0;
  std::string parts;   ///< how many there are, an expression over axes and genes
  std::string reduce;  ///< sum, max or min: what makes the reference's numbers of them
};

/// By runs of both on the virtual device: the kernel writes as many times what the reference writes as it has
/// blocks, and one of sum, max and min makes the one of the other, for all data that is tried.
[[nodiscard]] std::vector<PartialResult> find_partial_results(const Draft& draft,
                                                              const model::Artifact& kernel,
                                                              const model::Artifact& reference);

}  // namespace evo::intake
