// A worker of a farm: takes device jobs of any run and computes them on the virtual device.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "farm/worker.hpp"
#include "session/evaluation_stack.hpp"
#include "session/farm_run.hpp"

namespace evo::session {

struct FarmWorkerOptions {
  FarmAddress farm;
  int threads = 1;               ///< jobs at a time
  std::uint64_t jobs = 0;        ///< leaves after so many; 0: stays
  double price = 0;              ///< of an hour of this machine
  std::chrono::seconds idle{0};  ///< leaves after so long without a job; 0: stays
  std::chrono::seconds wait{0};  ///< for a server that is not up yet
};

/// Serves until `stop`, finishing the jobs in hand. Throws model::Exception(environment): no library, no
/// server, a run of another build of evo, or a machine on which job after job fails.
void serve_farm(const FarmWorkerOptions& options, const std::stop_token& stop, const Tell& tell);

/// Computes jobs of any target and problem; thread-safe. Refuses, by an exception, a job whose oracle would
/// start a program or read a file here.
class FarmBench {
 public:
  FarmBench();
  ~FarmBench();
  [[nodiscard]] evaluators::gates::DeviceResult perform(const farm::JobMessage& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evo::session
