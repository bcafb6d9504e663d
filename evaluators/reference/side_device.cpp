#include "evaluators/reference/side_device.hpp"

#include <future>

namespace evo::evaluators::reference {

SideDevice::SideDevice(std::string name, gates::DeviceFactory factory)
    : name_(std::move(name)), factory_(std::move(factory)) {}

SideDevice::~SideDevice() = default;

void SideDevice::run(const std::function<void(devices::Device&)>& work) {
  std::packaged_task<void(std::unique_ptr<devices::Device>&)> task(
      [&](std::unique_ptr<devices::Device>& device) {
        if (!device) device = factory_();
        work(*device);
      });
  std::future<void> done = task.get_future();
  {
    const std::scoped_lock lock(mutex_);
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    work_.emplace_back([&task](std::unique_ptr<devices::Device>& device) { task(device); });
  }
  asked_.notify_one();
  done.get();
}

void SideDevice::serve(const std::stop_token& stop) {
  std::unique_ptr<devices::Device> device;  // made, used and released here: a context belongs to one thread
  while (true) {
    std::function<void(std::unique_ptr<devices::Device>&)> next;
    {
      std::unique_lock lock(mutex_);
      if (!asked_.wait(lock, stop, [&] { return !work_.empty(); })) return;
      next = std::move(work_.front());
      work_.pop_front();
    }
    next(device);
  }
}

}  // namespace evo::evaluators::reference
