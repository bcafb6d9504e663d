// Structs that kernels take by value: consecutive arguments of the problem as one parameter.
#pragma once

#include <vector>

#include "model/problem.hpp"
#include "model/variant.hpp"

namespace evo::model {

/// Where the members of each struct lie, by the rules of C++ for plain structs: each at the next multiple of
/// its alignment (a pointer's is 8), the size rounded up to that of the struct. In the arguments' order.
[[nodiscard]] std::vector<StructPlan> structs_of(const std::vector<Argument>& arguments);

}  // namespace evo::model
