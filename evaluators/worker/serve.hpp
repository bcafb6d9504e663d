// The main loop of a device worker.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "evaluators/devices/device.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/reference/side_device.hpp"

namespace evo::evaluators::worker {

/// Makes the device of one job. `progress` is to be called, from any thread, whenever the device has
/// answered.
using DeviceFactory = std::function<std::unique_ptr<devices::Device>(std::function<void()> progress)>;

/// Says hello with `info`, then answers jobs on stdin/stdout until the end of stdin (0), until a candidate
/// has taken the device down (device_lost_exit), or until the environment breaks (that model::ExitCode, after
/// an error message to the pool). A caller with a lost device must end with _exit(): the driver's own
/// clean-up would wait for the kernel that hangs. `side`: where reference kernels run that are heavy.
/// `shared`: WorkerOptions::shared.
[[nodiscard]] int serve(const devices::DeviceInfo& info, const DeviceFactory& make_device,
                        oracle::Catalogue known, std::shared_ptr<reference::SideDevice> side = nullptr,
                        const std::string& shared = {});

struct WorkerOptions {
  std::string device = "cuda:0";
  int threads = 0;       ///< for its work on the host; 0: one per core
  std::string shared{};  ///< a folder for what workers of one pool would each make; empty: none
};
/// `evo worker --stdio --device cuda:N`: opens the device and serves. Does not return when the device was
/// lost.
[[nodiscard]] int worker_main(const WorkerOptions& options, oracle::Catalogue known);

}  // namespace evo::evaluators::worker
