// What the workers of a farm say of the GPUs that they serve.
#pragma once

#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "evaluators/devices/device.hpp"
#include "farm/message.hpp"

namespace evo::farm {

/// GPUs of one model that a worker serves.
struct Gpu {
  Build build;                           ///< of the worker; see session::farm_build()
  evaluators::devices::DeviceInfo info;  ///< of each of them; `uuid` is empty
  std::string worker{};                  ///< who says so
  int threads = 0;                       ///< jobs that it does on them at a time
};

[[nodiscard]] boost::json::object to_json(const Gpu& gpu);
/// What to_json() made of it, by a stranger: every text is bounded and printable. Nullopt: no GPU.
[[nodiscard]] std::optional<Gpu> gpu_from(const boost::json::value& said);

}  // namespace evo::farm
