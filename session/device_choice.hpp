// Where an experiment runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "model/gpu_names.hpp"
#include "model/target.hpp"

namespace evo::session {

struct DeviceChoice {
  std::string id;    ///< "virtual" or "cuda:N"; of choose_devices() also "cuda:0,2", "cuda:all" or "farm"
  std::string note;  ///< why this one, for a person; may be empty
  std::vector<std::string> gpus{};  ///< "cuda:N" each; empty: the virtual device
  std::uint64_t free_bytes = 0;     ///< of the GPU that has least; 0: not known
  std::string model{};              ///< of its GPUs; empty: the virtual device
  /// Models::several: the GPUs of each other model.
  std::vector<DeviceChoice> others{};
  /// The GPUs of a farm's workers (session/farm_gpu.hpp), and none of this machine.
  [[nodiscard]] bool of_farm() const { return id == model::device_of_farm; }
};

/// What becomes of GPUs of more than one model.
enum class Models : std::uint8_t {
  one,      ///< of cuda:all others are left out, and a list of several is refused
  several,  ///< they stand in DeviceChoice::others; of a run, which may have "farm", too
};

/// 89 of "sm_89" or "sm_90a"; 0: no architecture.
[[nodiscard]] int arch_number(const std::string& arch);

/// For what runs on one device: resolves auto, virtual and cuda:N among `list`; of several GPUs the first is
/// taken. A GPU is taken when its architecture is the target's or newer. Throws model::Exception(environment)
/// when the device asked for is not there or too old.
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target,
                                         const evaluators::cuda::CudaDeviceList& list);
/// Among the GPUs of this machine, which are looked for unless `wanted` is "virtual".
[[nodiscard]] DeviceChoice choose_device(const std::string& wanted, const model::TargetProfile& target);

/// For what may have several GPUs of one model: latencies of two models are never compared. Of cuda:all those
/// of the model that there is most of, of a list those of the first one's; the note names who is left out or
/// stands apart. Throws model::Exception(environment) as choose_device(), and, with Models::one, for a list
/// of several models.
[[nodiscard]] DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target,
                                          const evaluators::cuda::CudaDeviceList& list,
                                          Models models = Models::one);
[[nodiscard]] DeviceChoice choose_devices(const std::string& wanted, const model::TargetProfile& target,
                                          Models models = Models::one);

/// 63 bits from the system: what inputs, shapes and samples that nobody foresees are drawn from. Throws
/// model::Exception(environment).
[[nodiscard]] std::uint64_t draw_entropy();

/// `threads`, or one per core if that is 0.
[[nodiscard]] int threads_or_cores(int threads);

}  // namespace evo::session
