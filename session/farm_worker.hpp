// A worker of a farm: takes those jobs of any run that its machine can do.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "farm/clock.hpp"
#include "farm/worker.hpp"
#include "session/evaluation_stack.hpp"
#include "session/farm_posts.hpp"
#include "session/farm_run.hpp"

namespace evo::session {

struct FarmWorkerOptions {
  FarmAddress farm;
  int threads = 1;               ///< jobs at a time; of a worker with GPUs, threads of the host
  std::string device{};          ///< "cuda:N", "cuda:0,2", "cuda:all"; empty: no GPU is used
  std::uint64_t jobs = 0;        ///< leaves after so many; 0: stays
  double price = 0;              ///< of an hour of this machine
  std::chrono::seconds idle{0};  ///< leaves after so long without a job; 0: stays
  std::chrono::seconds wait{0};  ///< for a server that is not up yet
  farm::ReadClocks clocks = farm::read_clocks;
  std::chrono::milliseconds clock_every{5000};  ///< these are compared with those of a run
};

/// Serves until `stop`, finishing the jobs in hand. Throws model::Exception(environment): no library, no
/// server, no such GPU, a run of another build of evo, clocks that do not keep time with a run's, or a
/// machine on which job after job fails.
void serve_farm(const FarmWorkerOptions& options, const std::stop_token& stop, const Tell& tell);
/// The same at these posts, whatever the machine has.
void serve_farm(const FarmWorkerOptions& options, const FarmPosts& posts, const std::stop_token& stop,
                const Tell& tell);

/// Computes jobs of any target and problem on the virtual device; thread-safe. Refuses, by an exception, a
/// job whose oracle would start a program or read a file here. Throws farm::CodeMissing.
class FarmBench {
 public:
  FarmBench();
  ~FarmBench();
  [[nodiscard]] evaluators::gates::DeviceResult perform(const farm::JobMessage& message,
                                                        const farm::FindCode& code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evo::session
