// What coordinator and worker of a farm must have in common.
#pragma once

#include "farm/message.hpp"

namespace evo::session {

/// Of this program, on the virtual device.
[[nodiscard]] farm::Build farm_build();

/// "HOST-PID", as a plain name of a farm.
[[nodiscard]] std::string farm_name();

}  // namespace evo::session
