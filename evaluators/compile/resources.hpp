// The resource lines of `ptxas -v`.
#pragma once

#include <optional>
#include <string_view>

#include "model/artifact.hpp"

namespace evo::evaluators::compile {

/// What the log says of the kernel `entry`; nullopt if it says nothing of it. A module may hold other kernels
/// and functions, whose lines are passed over.
[[nodiscard]] std::optional<model::ResourceUsage> parse_resources(std::string_view log,
                                                                  std::string_view entry);

}  // namespace evo::evaluators::compile
