#include "session/gpu_look.hpp"

#include <memory>

#include "evaluators/devices/cuda/nvml.hpp"
#include "evaluators/devices/cuda/strangers.hpp"

namespace evo::session {

namespace cuda = evaluators::cuda;

GpuWatch::Look nvml_look(const std::string& uuid) {
  const std::shared_ptr<cuda::Nvml> nvml = cuda::Nvml::open();
  if (nvml == nullptr) return {};
  const auto strangers =
      std::make_shared<cuda::Strangers>([nvml, uuid] { return nvml->computing_ids(uuid); });
  return [nvml, uuid, strangers]() -> std::optional<GpuReading> {
    const auto clocks = nvml->clocks(uuid);
    const auto conditions = nvml->conditions(uuid);
    if (!clocks && !conditions.power_w && !conditions.temperature_c) return std::nullopt;
    GpuReading reading;
    reading.temperature_c = conditions.temperature_c;
    reading.power_w = conditions.power_w;
    reading.tells_throttle = clocks && clocks->tells_throttle;
    if (clocks) {
      reading.sm_mhz = clocks->sm_mhz;
      if (clocks->memory_mhz > 0) reading.memory_mhz = clocks->memory_mhz;
      reading.throttle = cuda::with_strangers(clocks->throttle, strangers->count());
    }
    return reading;
  };
}

}  // namespace evo::session
