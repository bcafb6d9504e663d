// What is known of a launch's parameters before anything runs.
#pragma once

#include <span>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/devices/virtual/launch.hpp"
#include "evaluators/devices/virtual/program.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::devices {

namespace vd = virtual_device;

/// By place in the parameter block of the plan's first kernel: the integers that `options` gives ranges of,
/// members of structs among them; and arrays, none of which is a null pointer.
[[nodiscard]] std::vector<vd::ParameterRange> ranges_of(const vd::Program& program,
                                                        const model::LaunchPlan& plan,
                                                        std::span<const KernelArgument> all,
                                                        const LaunchOptions& options);

}  // namespace evo::evaluators::devices
