#include "report/artifacts.hpp"

#include "evaluators/gates/compile.hpp"

namespace evo::report {

namespace compile = evaluators::compile;

Artifacts::Artifacts(const RunView& view) : view_(&view), cache_(compile::ArtifactCache::default_folder()) {}

std::optional<model::Artifact> Artifacts::find(const ShownVariant& shown) {
  const auto& meta = view_->ledger.meta;
  if (!meta || shown.variant.failure) return std::nullopt;
  const auto context = evaluators::gates::make_context(view_->experiment, shown.entry->kernel_template);
  const compile::CompileRequest request = evaluators::gates::compile_request(context, shown.variant);
  auto found = cache_.find(compile::ArtifactCache::key_of(request, meta->toolchain));
  if (!found || !*found) return std::nullopt;
  return std::move(**found);
}

}  // namespace evo::report
