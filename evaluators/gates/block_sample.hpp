// Large launches on the virtual device: a drawn sample of their blocks instead of all.
//
// Interpreting a launch of a billion operations takes seconds. Where blocks share nothing, each of them does
// what it would do beside the others, so a few of them, drawn from the run's entropy, are checked instead;
// which elements they wrote the device knows. Where they do share something, or a block wrote nothing, all of
// them run. The baseline and the champion run whole launches.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// Linear numbers of the blocks of a case's launch that are to run, ascending; empty: all of them. `first`:
/// it is the first input set of that case, whose small launches run whole.
[[nodiscard]] std::vector<std::uint64_t> sample_blocks(const DeviceJob& job, std::size_t case_index,
                                                       bool first, model::RandomStream& stream);

}  // namespace evo::evaluators::gates
