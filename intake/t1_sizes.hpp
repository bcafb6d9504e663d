// Sizes of a T1 file: its ProblemSize, and parameters that have one value or a largest one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "intake/foreign_json.hpp"

namespace evo::intake {

struct T1Sizes {
  std::vector<std::int64_t> problem;  ///< ProblemSize
  std::vector<DraftGene> genes;

  /// `text` with numbers in the place of ProblemSize[0] and, of a parameter, max(NAME) and min(NAME).
  [[nodiscard]] std::string with_numbers(std::string text) const;
  /// A number of elements, an integer or an expression. What hangs on a choice is refused.
  [[nodiscard]] std::int64_t elements(const ForeignJson& size) const;
};

[[nodiscard]] T1Sizes t1_sizes(const ForeignJson& kernel, const std::vector<DraftGene>& genes);

}  // namespace evo::intake
