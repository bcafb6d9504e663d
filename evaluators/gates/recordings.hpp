// Recordings (fills of the form npy) of a device job: each crosses the wire once, whatever the number of
// cases that draw from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::gates {

struct Recorded {
  std::vector<std::int64_t> shape;
  std::string values;  ///< doubles, as they lie in memory
};
/// By the recording's name.
using RecordingTable = std::map<std::string, Recorded, std::less<>>;

[[nodiscard]] RecordingTable recordings_of(const DeviceJob& job);
/// Gives fills that only name a recording those of the table. Throws std::runtime_error where it lacks one.
void link_recordings(DeviceJob& job, const RecordingTable& table);

}  // namespace evo::evaluators::gates
