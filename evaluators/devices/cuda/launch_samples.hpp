// Where the warps of launches were when a GPU's schedulers were sampled, for those who know no CUDA headers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "evaluators/devices/cuda/launch_counters.hpp"
#include "model/artifact.hpp"

namespace evo::evaluators::cuda {

/// One instruction of a kernel's machine code.
struct SampledPlace {
  std::string function;      ///< its symbol
  std::uint64_t offset = 0;  ///< bytes into it
  std::string file;          ///< its path, from the folder of the compile on; empty: it has no line
  int line = 0;
  std::map<std::string, std::uint64_t>
      stalls;  ///< samples by what the warp waited for; "selected": it issued
};
struct LaunchSamples {
  std::vector<SampledPlace> places;
  std::uint64_t all = 0;      ///< also those of no place, and `dropped`
  std::uint64_t dropped = 0;  ///< that the hardware could not keep
  int repetitions = 0;        ///< of the work
};

/// Not thread-safe.
class LaunchSampler {
 public:
  virtual ~LaunchSampler() = default;
  /// Calls `work`, which makes launches and waits for them, until there are enough samples to tell lines
  /// apart. False from `work` ends it: no places.
  [[nodiscard]] virtual tl::expected<LaunchSamples, NoCounters> sample(const std::function<bool()>& work) = 0;
};

/// CUPTI's, of a context that outlives it, of the artifact's kernels: to be opened before it is loaded.
[[nodiscard]] tl::expected<std::unique_ptr<LaunchSampler>, NoCounters> open_launch_sampler(
    CudaContext& context, const model::Artifact& artifact);

}  // namespace evo::evaluators::cuda
