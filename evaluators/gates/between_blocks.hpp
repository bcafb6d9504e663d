// Kernels whose blocks pass data to each other: what a real device cannot be asked to show.
#pragma once

#include <optional>
#include <string>

#include "evaluators/gates/device_job.hpp"

namespace evo::evaluators::gates {

/// Does the code look at global memory in a way that may wait for another block: a volatile, relaxed or
/// acquiring load, an exchange, a compare-and-swap?
[[nodiscard]] bool may_wait_for_blocks(const std::string& ptx);

/// The virtual device's LaunchOptions::schedule_seed for a check. For about half of the draws one in which
/// all blocks stop (devices/schedules.hpp), where some dozens of them see what others do, so that there is
/// more to look back at than a warp sees at once; else the natural order.
[[nodiscard]] std::uint64_t schedule_of_check(const model::Case& bound, const std::string& ptx,
                                              std::uint32_t draw);

/// The part of `job` that the virtual device checks besides a real one, where blocks share data: light cases,
/// in permuted orders of blocks, with stores that arrive late. A GPU runs its blocks in nearly one order, and
/// stores become visible nearly at once there, so that a fence that is missing shows about never. nullopt:
/// no case is light enough.
[[nodiscard]] std::optional<DeviceJob> job_between_blocks(const DeviceJob& job, model::Artifact artifact);

}  // namespace evo::evaluators::gates
