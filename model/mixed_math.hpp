// What a reference may need of the C++ library once some of its floats are double.
#pragma once

#include <string>

namespace evo::model {

/// Functions of two numbers for a double and a float, in both orders, computed in double: pow(double, float)
/// and the like. nvcc has copysign() of its own and takes the others with --expt-relaxed-constexpr alone.
[[nodiscard]] std::string mixed_math();

}  // namespace evo::model
