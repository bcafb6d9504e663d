// The primary context of one GPU and the one stream that all work goes through.
#pragma once

#include <cuda.h>

#include <memory>
#include <optional>
#include <string>

#include "evaluators/devices/cuda/driver_api.hpp"
#include "evaluators/devices/cuda/handles.hpp"
#include "evaluators/devices/cuda/helper_kernels.hpp"
#include "evaluators/devices/cuda/memory_pool.hpp"
#include "evaluators/devices/cuda/nvml.hpp"
#include "evaluators/devices/cuda/strangers.hpp"
#include "evaluators/devices/cuda/turns.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::evaluators::cuda {

/// Not thread-safe: calls come from the thread that opened it. Once a fault or a hang was recorded nothing of
/// it may be called any more, and its handles are abandoned instead of destroyed (destroying waits for the
/// kernel).
class CudaContext {
 public:
  /// Throws model::Exception(environment) if there is no such device.
  CudaContext(DriverPointer driver, int ordinal);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  [[nodiscard]] const DriverApi& driver() const { return *driver_; }
  [[nodiscard]] const DriverPointer& driver_pointer() const { return driver_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUcontext handle() const { return context_; }
  [[nodiscard]] CUstream stream() const { return stream_.get(); }
  [[nodiscard]] const devices::DeviceInfo& info() const { return info_; }
  [[nodiscard]] const Nvml* nvml() const { return nvml_.get(); }
  /// Programs beside evo's that are on the GPU.
  [[nodiscard]] Strangers& strangers() { return strangers_; }

  /// Memory that outlives the jobs which use it.
  [[nodiscard]] MemoryPool& memory() { return memory_; }
  [[nodiscard]] PinnedPool& pinned() { return *pinned_; }
  [[nodiscard]] Turns& turns() { return turns_; }
  /// Loaded at the first call. Throws model::Exception(environment) when the driver does not take them.
  [[nodiscard]] HelperKernels& helpers();

  /// The failure that took the context down.
  [[nodiscard]] const std::optional<model::Failure>& loss() const { return loss_; }

  /// The failure for an error of the driver; the context is lost if the error is sticky.
  [[nodiscard]] model::Failure fail(CUresult result, const std::string& action);
  /// The failure for an action that the watchdog gave up on; the context is lost.
  [[nodiscard]] model::Failure hang(const std::string& action, double limit_ms);

  [[nodiscard]] Event make_event(unsigned flags);
  /// Polls until `event` has happened: CUDA_SUCCESS, an error, or CUDA_ERROR_NOT_READY once the limit has
  /// passed. Sleeps until shortly before it is due, in `due_ms` from now on; 0: nobody knows.
  [[nodiscard]] CUresult wait(CUevent event, double limit_ms, double due_ms = 0) const;

 private:
  void require(CUresult result, const char* action) const;

  DriverPointer driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  Stream stream_;
  std::unique_ptr<Nvml> nvml_;
  devices::DeviceInfo info_;
  Strangers strangers_;
  std::optional<model::Failure> loss_;
  MemoryPool memory_;
  std::shared_ptr<PinnedPool> pinned_;
  Turns turns_;
  std::unique_ptr<HelperKernels> helpers_;
};

}  // namespace evo::evaluators::cuda
