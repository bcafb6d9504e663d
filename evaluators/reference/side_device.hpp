// A device that lives on a thread of its own, for whoever asks from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "evaluators/gates/device_pool.hpp"

namespace evo::evaluators::reference {

/// Thread-safe: calls wait for each other. The device is made at the first call, on its thread.
class SideDevice {
 public:
  /// `name` is for messages: "cuda:0".
  SideDevice(std::string name, gates::DeviceFactory factory);
  ~SideDevice();
  SideDevice(const SideDevice&) = delete;
  SideDevice& operator=(const SideDevice&) = delete;

  /// Runs `work` on the device and waits for it. Throws what it throws, and what the factory throws.
  void run(const std::function<void(devices::Device&)>& work);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void serve(const std::stop_token& stop);

  std::string name_;
  gates::DeviceFactory factory_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::deque<std::function<void(std::unique_ptr<devices::Device>&)>> work_;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace evo::evaluators::reference
