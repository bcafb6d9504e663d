// Blocks that wait for each other all have to be at work at once, which a device grants to so many of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/job_context.hpp"

namespace evo::evaluators::gates {

/// Decides before a launch on a real device. A kernel with a barrier of its whole grid, or one that polls, is
/// correct up to the grid that is resident and hangs beyond it. Sizes that the experiment or the problem
/// names are launched all the same: there it is a fault. `context` outlives it.
class CoResidency {
 public:
  explicit CoResidency(const JobContext& context);

  /// False: nobody asked for this size, and its blocks might wait for ones that cannot start.
  [[nodiscard]] bool allows(const Check& check);
  /// A note of kind `co_residency` if anything was left out; details: blocks (the most that are resident).
  [[nodiscard]] std::optional<model::Evidence> left_out() const;

 private:
  [[nodiscard]] bool fits(const model::Case& bound);

  const JobContext& context_;
  bool may_wait_;
  std::map<std::string, std::uint64_t> resident_;  ///< by kernel, block and shared memory; 0: any number
  std::uint64_t launches_ = 0, most_ = 0;
};

}  // namespace evo::evaluators::gates
