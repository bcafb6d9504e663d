// What a problem's outputs would be if the kernel made one known mistake: for the mistakes that belong to
// what is computed and cannot be had by changing the oracle's inputs. A new one is a line in
// softmax_mistakes.cpp, a new problem a function and a line in mistakes_of().
#pragma once

#include <string>
#include <vector>

#include "evaluators/oracle/oracle.hpp"

namespace evo::evaluators::oracle {

struct MistakenOutputs {
  std::string name;  ///< "sum_not_rescaled"
  std::string text;  ///< "sums of tiles of 16 are added without a common maximum"
  ReferenceOutputs outputs;
};

/// Empty for an oracle of which no mistakes are known, and where `bound` does not fit it.
[[nodiscard]] std::vector<MistakenOutputs> mistakes_of(const std::string& oracle, const model::Case& bound,
                                                       const InputBuffers& inputs);

}  // namespace evo::evaluators::oracle
