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
#include "evaluators/gates/idle_runner.hpp"
#include "evaluators/process/temporary_folder.hpp"
#include "evaluators/worker/pace.hpp"
#include "evaluators/worker/serve.hpp"
#include "model/error.hpp"

namespace evo::evaluators::worker {

struct DeviceWorkerPoolOptions {
  /// One command a worker; see worker_command(). Workers of the same GPU take turns on it: while one times,
  /// the others compare and prepare on the host.
  std::vector<std::vector<std::string>> commands;
  /// The GPU of each command, as a person calls it; empty: all are one GPU's.
  std::vector<std::string> gpus{};
  Pace::Settings pace{};  ///< where there are several
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
  /// WorkerOptions::shared of the commands: gone with the pool. May be nullptr.
  std::shared_ptr<const process::TemporaryFolder> shared{};
  /// Since when a GPU must have had no job before one of run_if_idle() begins: what is between two jobs of
  /// one trial is no idle time.
  std::chrono::milliseconds idle_after = std::chrono::milliseconds(10);
  /// Told, one line each, when a worker is replaced. May be empty.
  std::function<void(const std::string&)> log;
  /// Told once of each GPU that gets no more jobs, and why. May be empty.
  std::function<void(const std::string& gpu, const std::string& why)> left_out{};
};

/// This program as a worker: {"/path/to/evo", "worker", "--stdio", "--device", options.device, ...}.
[[nodiscard]] std::vector<std::string> worker_command(const WorkerOptions& options);

/// A job that takes its worker down fails, and is never run again silently; the next one gets the spare. Of
/// several GPUs one is left out when its environment breaks, when no worker comes up on it any more after one
/// was taken down, or when it is slow (pace.hpp): then its job goes to another one. The last GPU is never
/// left out.
class DeviceWorkerPool final : public gates::JobRunner, public gates::IdleRunner {
 public:
  /// Starts the workers and waits for every active one. Throws model::Exception if none of a GPU's comes up
  /// and there is no other.
  explicit DeviceWorkerPool(DeviceWorkerPoolOptions options);
  ~DeviceWorkerPool() override;
  DeviceWorkerPool(const DeviceWorkerPool&) = delete;
  DeviceWorkerPool& operator=(const DeviceWorkerPool&) = delete;

  /// Thread-safe; blocks until a GPU is free. Who asked first has it first, but for comparisons in turn:
  /// commits wait for those. Throws model::Exception when the environment breaks, also if no replacement for
  /// a lost worker comes up.
  [[nodiscard]] gates::DeviceResult run(const gates::DeviceJob& job) override;
  /// On a GPU none of whose workers has a job, nor had one for `idle_after`, while nobody waits. Whoever asks
  /// meanwhile goes to another GPU or to another worker of this one, if there is one; else it waits for the
  /// job.
  [[nodiscard]] std::optional<gates::DeviceResult> run_if_idle(const gates::DeviceJob& job) override;
  /// The first GPU that is not left out.
  [[nodiscard]] devices::DeviceInfo info() const override;
  [[nodiscard]] std::vector<devices::DeviceInfo> devices() const;

 private:
  struct Slot;
  struct State;
  struct Ticket;
  [[nodiscard]] Slot& acquire(const Ticket& ticket);
  [[nodiscard]] gates::DeviceResult run_on(Slot& slot, const gates::DeviceJob& job);
  void give_back(Slot& slot);
  [[nodiscard]] gates::DeviceResult ask(Slot& slot, const gates::DeviceJob& job);
  [[nodiscard]] bool has_another(const std::string& gpu) const;
  [[nodiscard]] bool leave_out(const std::string& gpu, const model::Exception& why);
  void replace_worker(Slot& slot);
  std::unique_ptr<State> state_;
};

}  // namespace evo::evaluators::worker
