// A module on a device, for as long as this lives.
#pragma once

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::gates {

/// Unloads at the end, unless the device was lost with all it held.
class LoadedModule {
 public:
  LoadedModule(devices::Device& device, devices::ModuleId id) : device_(&device), id_(id) {}
  ~LoadedModule() {
    if (!device_->lost()) device_->unload(id_);
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  [[nodiscard]] devices::ModuleId id() const { return id_; }

 private:
  devices::Device* device_;
  devices::ModuleId id_;
};

}  // namespace evo::evaluators::gates
