// What a search uses of what it has found so far: one mask for operators and for a language model's prompt,
// so that what each kind of knowledge is worth can be measured without a model.
#pragma once

#include <string_view>

namespace evo::model {

/// `free`: the task, the launch, the genes and the parents' texts. `insight`: also what was measured of
/// values of genes. `full`: also how trials ended.
inline constexpr std::string_view preset_names = "free|insight|full";
inline constexpr std::string_view default_preset = "full";

/// What was measured of values of genes: their effects, and where they failed.
[[nodiscard]] constexpr bool knows_effects(std::string_view preset) {
  return preset != "free";
}

/// How single trials ended: findings, changes that were made in vain.
[[nodiscard]] constexpr bool knows_endings(std::string_view preset) {
  return preset == "full";
}

}  // namespace evo::model
