// Tensor maps of a launch plan.
#pragma once

#include <string>
#include <vector>

#include "model/variant.hpp"

namespace evo::model {

/// Resolves a map for one case. Error, with the expression's file and line: an unknown or scalar argument, an
/// order that is no permutation or does not begin with the contiguous dimension, a box outside of 1 to 256
/// elements a side, an inner side that is no multiple of 16 bytes or wider than the swizzle.
/// Limits: CUDA driver API, cuTensorMapEncodeTiled.
[[nodiscard]] Expected<TensorMapPlan> bind_tensor_map(const TensorMapModel& map,
                                                      const std::vector<BoundArgument>& arguments,
                                                      const Environment& environment);

/// All that the map says, for hashes.
[[nodiscard]] std::string text_of(const TensorMapModel& map);
[[nodiscard]] std::string text_of(const TensorMapPlan& map);

}  // namespace evo::model
