// Device workers behind the JobRunner port: active workers, each with a warm spare that takes its place
// when a candidate takes it down.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::worker {

struct DeviceWorkerPoolOptions {
  /// One command a worker; see worker_command(). Workers of the same GPU take turns on it: while one times,
  /// the others compare and prepare on the host.
  std::vector<std::vector<std::string>> commands;
  bool spare = true;
  std::chrono::milliseconds hello_timeout = std::chrono::seconds(60);
  /// The worker has a watchdog of its own for launches; this one is for a driver that does not return. It
  /// counts from the last sign of life, on top of the job's launch time-out, and must cover the oracle's work
  /// on the CPU.
  std::chrono::milliseconds silence_limit = std::chrono::seconds(120);
  /// Resident bytes of a worker beyond which its job ends as device_fault / "worker_memory"; looked at a few
  /// times a second. Its address space is the driver's affair and has no limit. 0 =
  /// process::generous_memory().
  std::int64_t memory_limit = 0;
  /// Told, one line each, when a worker is replaced. May be empty.
  std::function<void(const std::string&)> log;
};

/// This program as a worker: {"/path/to/evo", "worker", "--stdio", "--device", device}.
[[nodiscard]] std::vector<std::string> worker_command(const std::string& device);

/// A job that takes its worker down fails, and is never run again silently; the next one gets the spare.
class DeviceWorkerPool final : public gates::JobRunner {
 public:
  /// Starts the workers and waits for every active one. Throws model::Exception if one does not come up.
  explicit DeviceWorkerPool(DeviceWorkerPoolOptions options);
  ~DeviceWorkerPool() override;
  DeviceWorkerPool(const DeviceWorkerPool&) = delete;
  DeviceWorkerPool& operator=(const DeviceWorkerPool&) = delete;

  /// Thread-safe; blocks until a GPU is free. Throws model::Exception when the environment breaks, also if no
  /// replacement for a lost worker comes up.
  [[nodiscard]] gates::DeviceResult run(const gates::DeviceJob& job) override;
  /// The first GPU.
  [[nodiscard]] devices::DeviceInfo info() const override;
  [[nodiscard]] std::vector<devices::DeviceInfo> devices() const;

 private:
  struct Slot;
  struct State;
  [[nodiscard]] Slot& acquire();
  void replace_worker(Slot& slot);
  std::unique_ptr<State> state_;
};

}  // namespace evo::evaluators::worker
