// The parameters of an exported kernel among the problem's arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::exporting {

struct Parameter {
  std::size_t first = 0;                         ///< index of the argument, or of a struct's first member
  std::optional<model::StructPlan> structure{};  ///< of a struct
};

/// Those of `launch`, in their order.
[[nodiscard]] std::vector<Parameter> parameters_of(const std::vector<model::Argument>& arguments,
                                                   const model::LaunchModel& launch);
/// Members of the plan's structs as one.
[[nodiscard]] std::vector<Parameter> parameters_of(const std::vector<std::size_t>& taken,
                                                   const std::vector<model::StructPlan>& structs);

}  // namespace evo::exporting
