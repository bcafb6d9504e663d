// What is said of a variable that a launch did not put back.
#pragma once

#include "model/artifact.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::cuda {

/// illegal / "mutable_global"; `message` has a place for the variable's name.
[[nodiscard]] model::Failure left_otherwise(const model::KeptVariable& variable, const char* message);

}  // namespace evo::evaluators::cuda
