// A variant with every number resolved: the launches that each gate will make.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/experiment.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// A template of the experiment with its space bound to the experiment's compile-time axes and target.
struct TemplateContext {
  const model::Experiment* experiment = nullptr;  ///< the owner keeps it
  const model::Template* kernel_template = nullptr;
  model::Space space;
  std::int64_t smem_limit = 0;  ///< bytes a block

  [[nodiscard]] model::Environment environment(const model::Genome& genome) const;
};

[[nodiscard]] TemplateContext make_context(const model::Experiment& experiment,
                                           const model::Template& kernel);

struct BoundVariant {
  std::vector<model::Case> workloads;        ///< the experiment's
  std::vector<model::Case> check_workloads;  ///< the problem's check_workloads
  std::vector<model::Case> sanitize_shapes;  ///< the template's, resolved for this genome
  /// As the template predicts, in bytes: of each kernel that is launched, by LaunchPlan::kernel. Nothing
  /// where it predicts nothing: what the compiler reports counts.
  std::vector<std::optional<std::int64_t>> static_smem;
};

/// Resolves all launches. What a workload does not name is taken from the axis's `initial`, else from the
/// experiment's first workload; compile-time axes always from the experiment.
[[nodiscard]] model::Expected<BoundVariant> bind_variant(const TemplateContext& context,
                                                         const model::Genome& genome);

/// `workload`, or the nearest within the genome's domain (model/domain.hpp); nullopt where none is near.
[[nodiscard]] std::optional<model::Workload> within_domain(const TemplateContext& context,
                                                           const model::Genome& genome,
                                                           model::Workload workload);

/// `workload` with what it leaves open, as bind_variant() fills it in.
[[nodiscard]] model::Workload complete_workload(const model::Experiment& experiment,
                                                model::Workload workload);

}  // namespace evo::evaluators::gates
