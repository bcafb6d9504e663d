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
  /// Then there are no snapshots. located() in the launch that it is of; with one_by_one in all of them, and
  /// the verdict also if none shows it by itself.
  std::optional<model::Failure> refused{};
  /// Nothing is known of any launch: they have to be made again, one by one. Without `refused` where there
  /// was no memory for all of them.
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
