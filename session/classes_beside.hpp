// The GPUs of other models that a run has beside its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/experiment.hpp"
#include "session/device_choice.hpp"
#include "session/device_class.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// One for each of `others` (DeviceChoice::others), which compile through `compiler` as the run does. One
/// that does not come up, or whose evaluator does not pass its self-test, is left out: `options.notes` hears
/// why. `most_trials`: that the run can make.
[[nodiscard]] std::vector<std::unique_ptr<DeviceClass>> make_classes(
    const model::Experiment& experiment, const std::vector<DeviceChoice>& others, const StackOptions& options,
    const std::shared_ptr<evaluators::compile::Compiler>& compiler, std::int64_t most_trials);

}  // namespace evo::session
