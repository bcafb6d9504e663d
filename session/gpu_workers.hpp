// The processes that run device jobs on this machine's GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

/// Of a run's GPUs those that still take jobs. Thread-safe.
class Gpus {
 public:
  explicit Gpus(std::vector<std::string> names) : names_(std::move(names)) {}
  [[nodiscard]] std::vector<std::string> left() const;
  void leave_out(const std::string& name);

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

/// Processes for each GPU that a machine with so many threads can feed, and for which each GPU has room in
/// `free_bytes` of its memory (0: not known). At least one.
[[nodiscard]] std::size_t workers_each(int threads, std::size_t gpus, std::uint64_t free_bytes);
/// Threads on the host for each of so many processes; 0: one that is alone may have all cores.
[[nodiscard]] int threads_each(unsigned cores, std::size_t workers);
/// `each` processes on every GPU.
[[nodiscard]] std::unique_ptr<evaluators::gates::JobRunner> make_gpu_workers(
    const std::shared_ptr<Gpus>& gpus, std::size_t each, const StackOptions& options);
/// One process, on the first GPU on which it comes up.
[[nodiscard]] std::unique_ptr<evaluators::gates::JobRunner> make_fresh_gpu_worker(const Gpus& gpus,
                                                                                  const Tell& log);

}  // namespace evo::session
