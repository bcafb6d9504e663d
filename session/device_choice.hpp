// Where an experiment runs.
#pragma once

#include <cstdint>
#include <string>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "model/target.hpp"

namespace evo::session {

struct DeviceChoice {
  std::string spelling;  ///< "virtual" or "cuda:N"
  std::string note;      ///< why this one, for a person; may be empty
};

/// Resolves auto, virtual and cuda:N among `list`. A GPU is taken when its architecture is the target's or
/// newer. Throws model::Exception(environment) when the device asked for is not there or too old.
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target,
                                         const evaluators::cuda::CudaDeviceList& list);
/// Among the GPUs of this machine, which are looked for unless `wanted` is "virtual".
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target);

/// 63 bits from the system: what inputs, shapes and samples that nobody foresees are drawn from. Throws
/// model::Exception(environment).
[[nodiscard]] std::uint64_t draw_entropy();

/// `threads`, or one per core if that is 0.
[[nodiscard]] int threads_or_cores(int threads);

}  // namespace evo::session
