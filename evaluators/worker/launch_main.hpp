// Makes the launches of a device job once, for a program that watches this process.
#pragma once

#include <ostream>
#include <string>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::worker {

/// Launches every case of `job` once on the first input set, in order, waits for it, and writes a line
/// "launched NAME". Outputs and workspaces are left unwritten before and unread behind, and no buffer is used
/// twice, so that a read of what nobody wrote shows. At the first failure it writes "failed NAME: REASON" and
/// returns 1; 0 when all went well.
[[nodiscard]] int launch_cases(devices::Device& device, const gates::DeviceJob& job,
                               const oracle::Catalogue& known, std::ostream& out);

struct LaunchMainOptions {
  std::string device = "cuda:0";
  std::string job_file;  ///< gates::to_json(DeviceJob)
  /// "": launch_cases(). "none": count_launches() for a program that watches this process between
  /// cuProfilerStart and cuProfilerStop. "cupti": the same,
  /// counted by CUPTI; "no_permission WHY" on stdout where this user may not read counters, "no_counters WHY"
  /// where there are none.
  std::string counters{};
  int launches = 0;  ///< LaunchCounter::launches
};
/// `evo launch-job --device cuda:N FILE`: to stdout, on a device whose buffers have no guard zones. Throws
/// model::Exception: no device, no such file.
[[nodiscard]] int launch_main(const LaunchMainOptions& options, oracle::Catalogue known);

}  // namespace evo::evaluators::worker
