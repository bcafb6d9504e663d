// fp64 formulas of intermediate results, and of the same results with one known mistake. A new formula is a
// function and a line in stages.cpp.
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
  std::int64_t tile = 0;   ///< keys that the kernel takes at a time, where the formula depends on it
};

struct StageReference {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;     ///< row-major
  std::int64_t tile_columns = 0;  ///< columns that belong to one tile of keys; 0: tiles do not show
  std::vector<bool>
      skippable;  ///< elements that a right kernel need not compute (behind a mask); empty: none
};

/// One mistake that kernels are known to make at this stage, with everything before it right.
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

/// nullptr when there is none of that name.
[[nodiscard]] const StageFormula* find_stage_formula(std::string_view name);
[[nodiscard]] std::vector<std::string> stage_formula_names();

// Attention, per slice batch * heads + head; M, L and A are what the online softmax holds after each tile.
[[nodiscard]] model::Expected<StageReference> attention_scores(const StageRequest&,
                                                               std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_running_max(const StageRequest&,
                                                                    std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_weights(const StageRequest&,
                                                                std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_running_sum(const StageRequest&,
                                                                    std::string_view hypothesis);
[[nodiscard]] model::Expected<StageReference> attention_accumulator(const StageRequest&,
                                                                    std::string_view hypothesis);

}  // namespace evo::evaluators::oracle
