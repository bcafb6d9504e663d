#include "evaluators/gates/device_pool.hpp"

namespace evo::evaluators::gates {

DevicePool::Lease DevicePool::borrow() {
  std::unique_ptr<devices::Device> device;
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      device = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!device) device = factory_();
  return {*this, std::move(device)};
}

void DevicePool::give_back(std::unique_ptr<devices::Device> device) {
  if (device->lost()) return;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(device));
}

}  // namespace evo::evaluators::gates
