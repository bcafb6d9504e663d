// Input kinds that are made of the standard normal draft by simple transforms of one argument, or of all:
// what most problems need, without a line of C++.
#pragma once

#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::oracle {

// Parameters: `argument`, an index (default: every floating-point input), and what each names.

/// Times `factor` (1).
[[nodiscard]] model::Expected<void> scale(const model::Case& bound, const model::InputSet& set,
                                          const InputKey& key, DraftInputs& draft);
/// Times a number that goes from `low` (0.25) to `high` (4) along dimension `axis` (0).
[[nodiscard]] model::Expected<void> ramp(const model::Case& bound, const model::InputSet& set,
                                         const InputKey& key, DraftInputs& draft);
/// `value` (1) everywhere.
[[nodiscard]] model::Expected<void> constant(const model::Case& bound, const model::InputSet& set,
                                             const InputKey& key, DraftInputs& draft);
/// Plus `by` (0).
[[nodiscard]] model::Expected<void> shift(const model::Case& bound, const model::InputSet& set,
                                          const InputKey& key, DraftInputs& draft);

}  // namespace evo::evaluators::oracle
