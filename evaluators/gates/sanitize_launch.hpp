// One launch of the sanitize gate: a shape in fresh buffers, with every check on.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/placement.hpp"
#include "evaluators/gates/sanitize.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// What runs the shapes of one sanitize gate: a loaded module and how it is watched.
struct SanitizeBench {
  devices::Device& device;
  devices::ModuleId module;
  const model::GateSettings& settings;
  SanitizeOptions asked{};
  bool one_block = false;  ///< all launches of a kernel have the same block
};

/// Which blocks of a launch run, and in which order.
struct SanitizeBlocks {
  std::uint64_t schedule_seed = 0;     ///< LaunchOptions::schedule_seed
  std::vector<std::uint64_t> numbers;  ///< LaunchOptions::blocks; empty: all
};

/// Every launch of one kernel in these cases has the same block size.
[[nodiscard]] bool have_one_block(const std::vector<model::Case>& shapes,
                                  const std::vector<model::Case>& others);

/// Runs `shape` on inputs of one fixed seed, outputs poisoned, arrays where `placement` says, and looks at
/// the guard zones. Where only some blocks were to run and they turn out to need the others, nothing but the
/// report's blocks_independent means anything. Throws model::Exception where the inputs cannot be made.
[[nodiscard]] devices::Outcome<devices::LaunchReport> run_shape(const SanitizeBench& bench,
                                                                const model::Case& shape,
                                                                const Placement& placement,
                                                                const oracle::InputSource& inputs,
                                                                SanitizeBlocks blocks = {});

}  // namespace evo::evaluators::gates
