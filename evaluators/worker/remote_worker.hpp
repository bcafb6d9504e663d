// One worker process, seen from the pool.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/worker/protocol.hpp"

namespace evo::evaluators::worker {

/// Starts the process at once and lets it initialise; hello() waits for that. Not thread-safe.
class RemoteWorker {
 public:
  explicit RemoteWorker(std::vector<std::string> command);

  /// The worker's first message. Throws model::Exception with the worker's own words, or the end of its
  /// stderr, if it does not come in time, ends, or speaks another protocol version.
  [[nodiscard]] const Hello& hello(std::chrono::milliseconds timeout);

  struct Answer {
    gates::DeviceResult result;
    bool ended = false;  ///< the worker is gone or must go: replace it
  };
  struct Limits {
    std::chrono::milliseconds silence;  ///< since the last message
    std::int64_t memory_bytes = 0;      ///< resident
  };
  /// Runs one job; hello() came before. A worker that dies, talks nonsense, or exceeds a limit is killed and
  /// the job ends as a failed correctness gate. Throws model::Exception for a broken environment.
  [[nodiscard]] Answer run(const gates::DeviceJob& job, const Limits& limits);

 private:
  [[nodiscard]] model::Evidence last_words(const std::string& kind, const std::string& what);
  [[nodiscard]] std::string end_text();

  std::vector<std::string> command_;
  process::Child child_;
  std::optional<Hello> hello_;
};

}  // namespace evo::evaluators::worker
