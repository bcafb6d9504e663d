// Which grid a kernel is made for: those that its text allows are tried on the virtual device.
#pragma once

#include <functional>
#include <optional>

#include "intake/draft.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// The launch for a problem whose largest output has this shape.
using LaunchFor = std::function<DraftLaunch(const std::vector<std::string>& shape)>;

/// Where the draft's grid makes the kernel leave its arrays or stop short of the last element of an output,
/// the first that does neither, of those that `launch_for` makes of its axes in other orders and of fewer of
/// them. Nothing where the draft's own is correct, or none is, or it cannot be tried.
[[nodiscard]] std::optional<DraftLaunch> fit_launch(const Draft& draft, const model::Artifact& kernel,
                                                    const LaunchFor& launch_for);

/// Whether the kernel stays in bounds with the draft's launch, and goes to the last element of each output,
/// at two sets of small sizes. False where it cannot be tried.
[[nodiscard]] bool reaches_all(const Draft& draft, const model::Artifact& kernel);

}  // namespace evo::intake
