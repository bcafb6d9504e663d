// Inputs that are off by a little: each element by itself, or all that are equal alike.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// What says whether an element goes up or down.
enum class MovedBy : std::uint8_t {
  place,  ///< drawn for each element
  value   ///< drawn for each magnitude: what is equal stays equal, and opposites stay opposites
};

struct Move {
  double relative = 0;  ///< of each element
  std::uint64_t entropy = 0, draw = 0;
  MovedBy by = MovedBy::place;
};

/// See moved_inputs() (conditioning.hpp).
[[nodiscard]] InputBuffers moved(const model::Case& bound, const InputBuffers& inputs, const Move& move,
                                 const std::vector<double>& held);

}  // namespace evo::evaluators::oracle
