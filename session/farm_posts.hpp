// What a worker of a farm can do: a post a line of jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "farm/worker.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

struct FarmPost {
  farm::Build build;  ///< its device names the line
  farm::Perform perform;
  /// Comparisons in turn that it does at a time, which come before its other jobs; one a GPU. 0: it has no
  /// line of them.
  int comparisons = 0;
  /// Of a post with GPUs: what they are. A run without a GPU of its own learns it from the worker's sign.
  std::optional<evaluators::devices::DeviceInfo> gpu{};
};
struct FarmPosts {
  std::vector<FarmPost> all;
  int threads = 1;  ///< jobs that are done at a time, of all posts together
};

/// Of a machine whose GPUs are not asked for: the virtual device, and compiles where there is an NVRTC (why
/// there are none is told). `threads` jobs at a time.
[[nodiscard]] FarmPosts posts_without_gpu(int threads, const Tell& tell);

/// Of the GPUs `device` ("cuda:N", "cuda:0,2", "cuda:all"), which are of one model: a GPU's jobs and no
/// others, so that its host feeds it. `threads` of the host. Throws model::Exception(environment) where there
/// is none.
[[nodiscard]] FarmPosts posts_of_gpus(const std::string& device, int threads, const Tell& tell);

/// Throws model::Exception(environment) for a job whose oracle would start a program or read a file here.
void require_harmless(const evaluators::gates::DeviceJob& job);

/// Runs jobs on `runner`, which are harmless.
[[nodiscard]] farm::Perform perform_on(std::shared_ptr<evaluators::gates::JobRunner> runner);

}  // namespace evo::session
