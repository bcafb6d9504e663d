// fp64 formulas of intermediate results, and of the same results with one known mistake. The formulas
// themselves belong to packs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/error.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

struct StageRequest {
  const model::Case& bound;
  const InputBuffers& inputs;
  std::int64_t slice = 0;  ///< which of the launch's matrices
  std::int64_t tile = 0;   ///< columns that the kernel takes at a time, where the formula depends on it
};

struct StageReference {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;     ///< row-major
  std::int64_t tile_columns = 0;  ///< columns that belong to one tile; 0: tiles do not show
  std::vector<bool>
      skippable;  ///< elements that a correct kernel need not compute (behind a mask); empty: none
};

/// One mistake that kernels are known to make at this stage, with everything before it correct.
struct Hypothesis {
  std::string_view name;  ///< "not_rescaled"
  std::string_view text;  ///< "the accumulator is not multiplied by exp(old maximum - new maximum)"
};

struct StageFormula {
  std::string_view name;
  std::string_view description;
  std::span<const Hypothesis> hypotheses;
  /// Pure. `hypothesis` is empty or the name of one of the above.
  model::Expected<StageReference> (*compute)(const StageRequest& request, std::string_view hypothesis);
};

}  // namespace evo::evaluators::oracle
