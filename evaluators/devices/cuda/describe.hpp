// Which CUDA devices there are, and what they are called.
#pragma once

#include <cuda.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "evaluators/devices/cuda/nvml.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// `nvml` may be null; the driver is then named by the CUDA version it supports.
[[nodiscard]] devices::DeviceInfo describe_device(const DriverApi& driver, CUdevice device, const Nvml* nvml);

/// "GPU-9fa3c1e0-...", as nvidia-smi prints it.
[[nodiscard]] std::string uuid_text(const CUuuid& uuid);

}  // namespace evo::evaluators::cuda
