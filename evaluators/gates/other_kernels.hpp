// What a source holds besides the kernels that are launched.
#pragma once

#include <optional>

#include "model/artifact.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// A note "not_launched" with the names of the kernels that the compiler made and nobody launches: no gate
/// has looked at them. None where there are none.
[[nodiscard]] std::optional<model::Evidence> other_kernels(const model::Artifact& artifact);

}  // namespace evo::evaluators::gates
