// Arguments of one dimension, for tests of what is undecided.
#pragma once

#include <cstdint>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle::undecided_cases {

inline model::BoundArgument array(const char* name, model::ArgumentRole role, model::DType dtype,
                                  std::int64_t n) {
  return {name, role, dtype, {n}, {1}};
}

}  // namespace evo::evaluators::oracle::undecided_cases
