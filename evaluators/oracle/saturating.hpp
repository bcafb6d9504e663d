// Inputs about the largest number that an output's 8-bit float holds: what is beyond it saturates, or becomes
// an infinity or a NaN, as the reference says.
#pragma once

#include <string_view>
#include <vector>

#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::oracle {

inline constexpr std::string_view saturating_kind = "saturating";

/// For each type of 8 bits that an output has, and each of these inputs, one set: that input is near the
/// type's largest number, the others are as ever. Asked where the reference keeps its outputs within the
/// type's range, by a clamp say: what is beyond, nobody knows.
[[nodiscard]] std::vector<model::InputSet> sets_of_saturation(const std::vector<model::Argument>& arguments,
                                                              const std::vector<std::size_t>& inputs);

/// Magnitudes at, next to, a little above and far above `limit`, and where rounding to it ends (`tie`); also
/// times and over the case's floating-point scalars. Signs stay.
[[nodiscard]] model::Expected<void> saturate_inputs(const model::Case& bound, const model::InputSet& set,
                                                    const InputKey& key, DraftInputs& draft);

inline constexpr std::string_view brimming_kind = "brimming";

/// Where an output is in FP16, a set for each of these inputs that are: asked where an answer is near the end
/// of the type (reaches_the_brim()). Who clamps a little before it shows there, and who multiplies first.
[[nodiscard]] std::vector<model::InputSet> sets_of_brims(const std::vector<model::Argument>& arguments,
                                                         const std::vector<std::size_t>& inputs);

/// One element in 61 of the named input from half of the largest number of its type up to it, all others of
/// floating-point inputs 0, 1/2, or 1 of either sign. Those with a fill stay.
[[nodiscard]] model::Expected<void> brim_inputs(const model::Case& bound, const model::InputSet& set,
                                                const InputKey& key, DraftInputs& draft);

/// Is an FP16 answer within a sixteenth of the largest number of its type?
[[nodiscard]] bool reaches_the_brim(const model::Case& bound, const Reference& reference);

}  // namespace evo::evaluators::oracle
