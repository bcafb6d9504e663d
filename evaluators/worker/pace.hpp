// How fast the GPUs of a run are, by a job that each of them runs: latencies from several GPUs stand in one
// ledger, so one that is held down or shared would have what it times look slow.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::worker {

/// Thread-safe.
class Pace {
 public:
  struct Settings {
    /// GPUs of one model differ by one or two percent; a thermal slowdown takes far more.
    double slowest = 1.1;
    /// Timed jobs on a GPU between two looks.
    int every = 256;
  };
  explicit Pace(Settings settings) : settings_(settings) {}

  /// `gpu` has run `job`. The first that is timed and passes is what all GPUs are compared by.
  void ran(const std::string& gpu, const gates::DeviceJob& job, const gates::DeviceResult& result);
  /// What `gpu` is to run before its next timed job, if that is due: asked once, it is not due again.
  [[nodiscard]] std::optional<gates::DeviceJob> due(const std::string& gpu, const gates::DeviceJob& next);
  /// What is wrong with `gpu`, which came to `result` for that job; empty: nothing.
  [[nodiscard]] std::string verdict(const std::string& gpu, const gates::DeviceResult& result);
  /// Its pace no longer counts.
  void forget(const std::string& gpu);

 private:
  struct Gpu {
    double us = 0;  ///< for the job; 0: not known
    int jobs = 0;   ///< timed since
  };
  Settings settings_;
  std::mutex mutex_;
  std::optional<gates::DeviceJob> job_;
  std::map<std::string, Gpu> gpus_;
};

}  // namespace evo::evaluators::worker
