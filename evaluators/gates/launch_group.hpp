// Several launches of the correctness gate in one turn on a real device, with one wait for all of them: a
// launch takes microseconds, and to wait for each, and for what is read of each, costs more than it does.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/prepared_launch.hpp"

namespace evo::evaluators::gates {

struct GroupOutcome {
  std::vector<Snapshot> snapshots;  ///< of each launch, without `guards`: all zones are as they were
  /// Then there are no snapshots. located() in the launch that it is of, or in all of them:
  std::optional<model::Failure> refused{};
  /// which of them it was shows only if they are made again, one by one. If it does not show then, it still
  /// is the verdict.
  bool one_by_one = false;
};

/// Not on the virtual device, where launches take their time, nor where launches have to leave variables of
/// the module as they found them: that is looked at behind the last launch alone.
[[nodiscard]] bool may_go_together(const JobContext& context);

/// Makes all launches, each on buffers of its own, then waits, then reads. What zones or a device that is not
/// lost tell may be of any of them, and is to be seen one by one. Call it in a turn, with two launches or
/// more.
[[nodiscard]] GroupOutcome launch_together(const JobContext& context, std::span<const PreparedLaunch> group);

}  // namespace evo::evaluators::gates
