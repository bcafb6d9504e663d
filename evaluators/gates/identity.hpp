// Which variants a device cannot tell apart.
#pragma once

#include <string>

#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/compile.hpp"

namespace evo::evaluators::gates {

/// Two variants of the same identity cannot be told apart by a device. The template counts, since its
/// problem's shapes and predictions do.
[[nodiscard]] std::string identity_of(const TemplateContext& context, const CompiledVariant& compiled,
                                      const BoundVariant& bound);

}  // namespace evo::evaluators::gates
