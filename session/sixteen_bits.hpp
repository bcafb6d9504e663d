// Kernels that compute in 16 bits where float is what is allowed.
#pragma once

#include <string>

#include "engine/trial.hpp"
#include "model/problem.hpp"

namespace evo::session {

/// A line for a person, with what to write in problem.yaml, where a trial was refused for an output in f16 or
/// bf16 that is not far off and `tolerance: auto` asks for what the reference makes in float; "" where it was
/// not.
[[nodiscard]] std::string sixteen_bits_hint(const engine::TrialRecord& trial, const model::Problem& problem);

}  // namespace evo::session
