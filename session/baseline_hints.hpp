// What a user can say where a baseline is refused on data or sizes that evo drew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/trial.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// Lines for a person, each with what to write in problem.yaml and after `evo tune`; "" where nothing is
/// known.
[[nodiscard]] std::string baseline_hints(const engine::TrialRecord& trial,
                                         const model::Experiment& experiment);

/// The integer that nobody gave, far from the problem's own, at which a baseline was refused.
struct FarInteger {
  std::string argument;
  std::int64_t shown = 0;
};
[[nodiscard]] std::optional<FarInteger> far_integer(const engine::TrialRecord& trial);

}  // namespace evo::session
