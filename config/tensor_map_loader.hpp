// A template's `launch: tensor_maps:`.
#pragma once

#include <vector>

#include "config/yaml_reader.hpp"
#include "model/problem.hpp"

namespace evo::config {

/// One entry. Invalid: an array that the problem does not have, an order that is no permutation of its
/// dimensions, a box of another rank.
[[nodiscard]] model::TensorMapModel read_tensor_map(const Reader& reader,
                                                    const std::vector<model::Argument>& arguments);

}  // namespace evo::config
