// Where an experiment runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "model/target.hpp"

namespace evo::session {

struct DeviceChoice {
  std::string id;    ///< "virtual" or "cuda:N"; of choose_devices() also "cuda:0,2" or "cuda:all"
  std::string note;  ///< why this one, for a person; may be empty
  std::vector<std::string> gpus{};  ///< "cuda:N" each; empty: the virtual device
  std::uint64_t free_bytes = 0;     ///< of the GPU that has least; 0: not known
};

/// For what runs on one device: resolves auto, virtual and cuda:N among `list`; of several GPUs the first is
/// taken. A GPU is taken when its architecture is the target's or newer. Throws model::Exception(environment)
/// when the device asked for is not there or too old.
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target,
                                         const evaluators::cuda::CudaDeviceList& list);
/// Among the GPUs of this machine, which are looked for unless `wanted` is "virtual".
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target);

/// For a run, which may have several GPUs of one model: latencies of two models cannot stand in one ledger.
/// Of cuda:all those of the model that there is most of; the note names who is left out. Throws
/// model::Exception(environment) as choose_device(), and for a list of several models.
[[nodiscard]] DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target,
                                          const evaluators::cuda::CudaDeviceList& list);
[[nodiscard]] DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target);

/// 63 bits from the system: what inputs, shapes and samples that nobody foresees are drawn from. Throws
/// model::Exception(environment).
[[nodiscard]] std::uint64_t draw_entropy();

/// `threads`, or one per core if that is 0.
[[nodiscard]] int threads_or_cores(int threads);

}  // namespace evo::session
