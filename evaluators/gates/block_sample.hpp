// Large launches on the virtual device: a drawn sample of their blocks instead of all.
//
// Interpreting a launch of a billion operations takes seconds. Where blocks share nothing, each of them does
// what it would do beside the others, so a few of them, drawn from the run's entropy, are checked instead;
// which elements they wrote the device knows. Where they do share something, or a block wrote nothing, all of
// them run. The baseline and the champion run whole launches, of heavy crossed cases one each: what a sample
// of blocks has left unwritten nobody sees.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/gates/device_job.hpp"
#include "model/random.hpp"

namespace evo::evaluators::gates {

/// Which launch of its case this is.
struct LaunchOfCase {
  bool first_set = false;  ///< on the first input set, whose small launches run whole
  bool first = false;      ///< the first of all: of a crossed case it runs whole where all of them would not
};

/// Linear numbers of the blocks of a case's launch that are to run, ascending; empty: all of them.
[[nodiscard]] std::vector<std::uint64_t> sample_blocks(const DeviceJob& job, std::size_t case_index,
                                                       LaunchOfCase which, model::RandomStream& stream);

}  // namespace evo::evaluators::gates
