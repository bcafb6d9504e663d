// Device jobs on a farm, behind the JobRunner port.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "evaluators/gates/device_job.hpp"
#include "farm/calls.hpp"

namespace evo::farm {

struct FarmRunnerOptions {
  Build build;                             ///< of the workers; its device names their line
  evaluators::devices::DeviceInfo device;  ///< of the workers
  std::string target{};                    ///< JobMessage::target
  /// Runs what the farm cannot: a job longer than a message, one that a worker has no result for, and, after
  /// a stop, those in flight. Also every n-th job a second time; see audit_every. May be null: then
  /// these are exceptions, and a stop waits for the farm.
  std::shared_ptr<evaluators::gates::JobRunner> local{};
  /// One result in this many, drawn, is computed here as well; another one is an exception, since its worker
  /// cannot be trusted. Of a GPU's, whose timings are never the same, those of a worker that time otherwise
  /// twice in a row are set aside. 0: none.
  unsigned audit_every = 0;
  /// How often workers are asked again where one has no result and there is no `local`.
  int asks_again = 0;
  /// False: `local` also runs what the workers have no room for, and all where there is no worker.
  bool patient = true;
};

struct RunnerCounts {
  std::uint64_t local = 0;    ///< jobs run here though they were the farm's
  std::uint64_t here = 0;     ///< of a runner that is not patient: jobs that no worker had room for
  std::uint64_t audited = 0;  ///< results that were computed here too, and are the same
  /// Results of workers whose timings do not fit (timing_audit.hpp), computed here in their place.
  std::uint64_t set_aside = 0;
};

/// Where a patient one waits for workers it does so as long as it takes. The caller decides in which order
/// results count, so that lineages do not depend on which worker was faster.
class FarmRunner final : public evaluators::gates::JobRunner {
 public:
  FarmRunner(FarmRunnerOptions options, std::shared_ptr<Calls> calls);
  ~FarmRunner() override;
  FarmRunner(const FarmRunner&) = delete;
  FarmRunner& operator=(const FarmRunner&) = delete;

  /// Throws model::Exception(environment) with the worker's words when its environment broke and there is no
  /// local runner, when the queue broke, or when an audit found another result. The result names the worker.
  [[nodiscard]] evaluators::gates::DeviceResult run(const evaluators::gates::DeviceJob& job) override;
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override;
  /// From here on every job runs in this process; nothing without a local runner.
  void stay_here();
  [[nodiscard]] RunnerCounts counts() const;
  [[nodiscard]] const Line& line() const;
  /// Comparisons in turn that workers take of this run at a time now.
  [[nodiscard]] int comparisons() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Do two results say the same of a candidate: gates, reasons, latencies? Their times may differ. Of a real
/// device's (`measured`) only the correctness gate is compared: no two timings are the same.
[[nodiscard]] bool same_verdict(const evaluators::gates::DeviceResult& one,
                                const evaluators::gates::DeviceResult& other, bool measured = false);

/// By the coordinator's own draw, one in `every`: no worker can know which of its results are looked at.
[[nodiscard]] bool is_audited(unsigned every);

/// Thrown where a worker's result is not this process's own.
[[noreturn]] void throw_lie(const std::string& worker);

}  // namespace evo::farm
