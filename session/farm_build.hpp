// What coordinator and worker of a farm must have in common.
#pragma once

#include "evaluators/devices/device.hpp"
#include "farm/message.hpp"

namespace evo::session {

/// Of this program, on the virtual device.
[[nodiscard]] farm::Build farm_build();
/// Of this program, on such a device: GPUs of one model are a line, and their driver has to be the run's.
[[nodiscard]] farm::Build farm_build(const evaluators::devices::DeviceInfo& device);

/// "HOST-PID", as a plain name of a farm.
[[nodiscard]] std::string farm_name();

}  // namespace evo::session
