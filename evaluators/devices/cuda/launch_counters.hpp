// Hardware counters of launches, for those who know no CUDA headers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace evo::evaluators::cuda {

class CudaContext;

/// Why there are no counters.
struct NoCounters {
  bool not_permitted = false;  ///< they are there, and this user may not read them
  std::string reason;          ///< one sentence
};

/// Not thread-safe. A work is repeated, once for each group of counters that the hardware can count together.
class LaunchCounters {
 public:
  virtual ~LaunchCounters() = default;
  /// Those that the chip has, of those that were asked for.
  [[nodiscard]] virtual const std::vector<std::string>& metrics() const = 0;
  /// Calls `work`, which launches `kernels` kernels and waits for them, until everything is counted, about a
  /// dozen times. One row of values a kernel, in the order of metrics(). False from `work` ends it: an empty
  /// result.
  [[nodiscard]] virtual tl::expected<std::vector<std::vector<double>>, NoCounters> count(
      std::size_t kernels, const std::function<bool()>& work) = 0;
};

/// CUPTI's, of a context that outlives it and that is `cuda:ordinal`'s.
[[nodiscard]] tl::expected<std::unique_ptr<LaunchCounters>, NoCounters> open_launch_counters(
    CudaContext& context, int ordinal, const std::vector<std::string>& metrics);

/// Tells a profiler that watches this process that what it is to count begins, or is over; nothing where
/// nobody watches.
void tell_profiler(const CudaContext& context, bool begins);

}  // namespace evo::evaluators::cuda
