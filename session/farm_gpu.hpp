// A run on the GPUs of a farm's workers, without one of its own: which GPUs.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "farm/gpu.hpp"
#include "model/experiment.hpp"

namespace evo::session {

/// The GPUs that a run of `experiment` has of those: of one model and driver, since latencies of two are
/// never compared. First those of the target's own model, then those with the most threads. The error names
/// every one and why it is left out: too old, or a worker of another build.
[[nodiscard]] tl::expected<farm::Gpu, std::string> choose_farm_gpu(const std::vector<farm::Gpu>& all,
                                                                   const model::Experiment& experiment);

}  // namespace evo::session
