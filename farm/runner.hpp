// The coordinator's end of a farm: device jobs go to a queue, their results come back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "evaluators/gates/device_job.hpp"
#include "farm/message.hpp"
#include "farm/queue.hpp"

namespace evo::farm {

struct FarmRunnerOptions {
  std::string run;  ///< a plain name (message.hpp), its own in the farm
  Build build;
  evaluators::devices::DeviceInfo device;  ///< of the workers
  std::string target{};                    ///< JobMessage::target
  /// Runs what the farm cannot: a job longer than a message, one that a worker has no result for, and, after
  /// `stop`, those in flight. Also every so-manieth job a second time; see audit_every. May be null: then
  /// these are exceptions, and a stop waits for the farm.
  std::shared_ptr<evaluators::gates::JobRunner> local{};
  /// One result in this many, drawn, is computed here as well; another one is an exception, since its worker
  /// cannot be trusted. 0: none.
  unsigned audit_every = 0;
  std::stop_token stop{};
  /// A job that is neither answered nor in the queue at two such looks is put there again.
  std::chrono::milliseconds look = std::chrono::seconds(2);
  /// Told, a line each: workers that fail, results that are refused (the first ones, then ever fewer). May be
  /// empty.
  std::function<void(const std::string&)> log{};
};

/// What became of results and jobs beside the usual.
struct FarmCounts {
  std::uint64_t jobs = 0;        ///< sent
  std::uint64_t answered = 0;    ///< results taken
  std::uint64_t malformed = 0;   ///< refused: no result, or no DeviceResult in it
  std::uint64_t other_run = 0;   ///< refused: of another run
  std::uint64_t not_waited = 0;  ///< refused: of a job nobody waits for: unknown, or answered (a replay)
  std::uint64_t forged = 0;      ///< refused: by somebody who does not hold the job
  std::uint64_t repeated = 0;    ///< lent again by the queue after they were answered: it had not heard so
  std::uint64_t failed = 0;      ///< a worker had no result
  std::uint64_t put_again = 0;   ///< jobs that the queue had lost
  std::uint64_t local = 0;       ///< jobs run here
  std::uint64_t audited = 0;     ///< results that were computed here too, and are the same
  std::uint64_t share = 0;       ///< jobs that may be in the queue at a time (share.hpp)
  [[nodiscard]] std::uint64_t refused() const { return malformed + other_run + not_waited + forged; }
};

/// Has at most its fair share of the workers' jobs in the queue; whoever asks for more waits.
/// Waits for workers as long as it takes; takes one result a job, the first that is sound. The caller decides
/// in which order results count, so that lineages do not depend on which worker was faster.
class FarmRunner final : public evaluators::gates::JobRunner {
 public:
  /// The queue must outlive the runner, and is cleared of what the run left there. Throws
  /// model::Exception(usage) if options.run is no plain name.
  FarmRunner(FarmRunnerOptions options, Queue& queue);
  ~FarmRunner() override;
  FarmRunner(const FarmRunner&) = delete;
  FarmRunner& operator=(const FarmRunner&) = delete;

  /// Throws model::Exception(environment) with the worker's words when its environment broke and there is no
  /// local runner, when the queue broke, or when an audit found another result.
  [[nodiscard]] evaluators::gates::DeviceResult run(const evaluators::gates::DeviceJob& job) override;
  [[nodiscard]] evaluators::devices::DeviceInfo info() const override;
  [[nodiscard]] FarmCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Do two results say the same of a candidate: gates, reasons, latencies? Their times may differ.
[[nodiscard]] bool same_verdict(const evaluators::gates::DeviceResult& one,
                                const evaluators::gates::DeviceResult& other);

}  // namespace evo::farm
