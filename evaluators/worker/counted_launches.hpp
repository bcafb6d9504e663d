// Makes the launches of a device job for a profiler, which counts them from inside of this process or watches
// it.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/launch_samples.hpp"
#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::worker {

/// What counts the kernels that `work` launches and waits for; false from `work`: its launch failed. One row
/// of values a kernel, in the order of `metrics`; the error says why nothing was counted.
struct LaunchCounter {
  std::string method;
  std::vector<std::string> metrics;
  std::function<tl::expected<std::vector<std::vector<double>>, std::string>(
      std::size_t kernels,
      const std::function<bool()>& work)>
      count;  ///< empty: nobody counts in here
  /// Samples where the warps of what `work` launches wait, repeating it; in place of `count`. May be empty.
  std::function<tl::expected<cuda::LaunchSamples, std::string>(const std::function<bool()>& work)> sample{};
  /// How many launches of a case are counted; 0: as many as model::launches_to_count() says.
  int launches = 0;
  /// Told true before the launches that another program is to count, false behind them. May be empty.
  std::function<void(bool)> watched{};
};

/// Launches every case of `job` on the first input set, in order: to warm up, and then those that are
/// counted. One that is counted alone stands behind one launch. Several stand behind launches that
/// bring the clocks up, and the first of them, behind the profiler's own work, is left out. Each is waited
/// for. Buffers stand as in timed launches. Writes "launched NAME" after each case and "took MICROSECONDS"
/// for the quickest launch that only warmed up, with its wait; at the end, where somebody counts, one line
/// "counters JSON": {"method", "cases": [[{METRIC: [a value a launch]}]]}, or where somebody samples "samples
/// JSON": {"method", "cases": [{"samples", "dropped", "launches", "places": [{"function", "offset", "file",
/// "line", "stalls": {REASON: samples}}]}]}. At the first failure it writes "failed NAME: REASON" or
/// "no_counters WHY" and returns 1; 0 when all went well.
[[nodiscard]] int count_launches(devices::Device& device, const gates::DeviceJob& job,
                                 const oracle::Catalogue& known, const LaunchCounter& counter,
                                 std::ostream& out);

}  // namespace evo::evaluators::worker
