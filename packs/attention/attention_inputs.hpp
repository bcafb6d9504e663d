// Input kinds for attention: Q, K and V of [batch, heads, seq, head_dim]. What each is for stands in the
// .cpp.
#pragma once

#include "packs/attention/terms.hpp"

namespace evo::packs::attention {

[[nodiscard]] model::Expected<void> large_logits(const model::Case& bound, const model::InputSet& set,
                                                 const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> key_norm_rising(const model::Case& bound, const model::InputSet& set,
                                                    const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> key_norm_falling(const model::Case& bound, const model::InputSet& set,
                                                     const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> ones_v(const model::Case& bound, const model::InputSet& set,
                                           const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> negative_logits(const model::Case& bound, const model::InputSet& set,
                                                    const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> extreme_logits(const model::Case& bound, const model::InputSet& set,
                                                   const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> spike(const model::Case& bound, const model::InputSet& set,
                                          const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> staircase(const model::Case& bound, const model::InputSet& set,
                                              const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> permutation_probe(const model::Case& bound, const model::InputSet& set,
                                                      const InputKey& key, DraftInputs& draft);
[[nodiscard]] model::Expected<void> shift_probe(const model::Case& bound, const model::InputSet& set,
                                                const InputKey& key, DraftInputs& draft);

}  // namespace evo::packs::attention
