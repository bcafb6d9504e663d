// Devices of this process, lent to one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::gates {

using DeviceFactory = std::function<std::unique_ptr<devices::Device>()>;

/// Thread-safe. As many devices exist as were ever borrowed at once; a lost one is not lent again.
class DevicePool {
 public:
  explicit DevicePool(DeviceFactory factory) : factory_(std::move(factory)) {}

  /// Returns its device to the pool when destroyed. Must not outlive the pool.
  class Lease {
   public:
    Lease(DevicePool& pool, std::unique_ptr<devices::Device> device)
        : pool_(pool), device_(std::move(device)) {}
    ~Lease() { pool_.give_back(std::move(device_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] devices::Device& device() { return *device_; }

   private:
    DevicePool& pool_;
    std::unique_ptr<devices::Device> device_;
  };

  /// Creates a device if none is idle; throws what the factory throws.
  [[nodiscard]] Lease borrow();

 private:
  void give_back(std::unique_ptr<devices::Device> device);

  DeviceFactory factory_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<devices::Device>> idle_;
};

}  // namespace evo::evaluators::gates
