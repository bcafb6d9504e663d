// The compile gate: one artifact for the target and, if the device is of another architecture, one for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/bound_variant.hpp"
#include "evaluators/gates/evidence.hpp"

namespace evo::evaluators::gates {

struct CompiledVariant {
  model::Artifact artifact;
  std::optional<model::Artifact> device_artifact;
};

/// True if code for `target_arch` is what a device of `device_arch` runs: the same compute capability (sm_90a
/// code runs on sm_90), or a device that takes any (empty).
[[nodiscard]] bool runs_as_is(std::string_view target_arch, std::string_view device_arch);

/// For the experiment's target: what its artifact is kept under.
[[nodiscard]] compile::CompileRequest compile_request(const TemplateContext& context,
                                                      const model::Variant& variant);

/// Failures are the compiler's own; those of the second compile say for which architecture.
[[nodiscard]] Outcome<CompiledVariant> compile_variant(compile::Compiler& compiler,
                                                       const TemplateContext& context,
                                                       const model::Variant& variant,
                                                       const std::string& device_arch);

}  // namespace evo::evaluators::gates
