// What the champion's path does on the device: launches on the virtual device, counted. No profiler has
// measured it.
#pragma once

#include <boost/json.hpp>

#include "evaluators/devices/device.hpp"
#include "report/shown_variants.hpp"

namespace evo::report {

/// Each count under its name.
[[nodiscard]] boost::json::object counts_json(const evaluators::devices::LaunchCounts& counts);

/// {"basis": "virtual_device", "of": [{"trial", "workload", "occupancy", "counts", "model"}], "uncounted"}:
/// of the baseline and the trials of `path` (gain.hpp), on each workload. `occupancy` is computed of
/// the compiler's resources; `counts` and `model` are null where the PTX is not in the artifact cache or the
/// launch is too large for a page to wait for. `uncounted`: how many those are.
[[nodiscard]] boost::json::object counters_of(const RunView& view, const ShownVariants& shown,
                                              const boost::json::array& path, Remembered* remembered);

}  // namespace evo::report
