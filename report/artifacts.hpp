// What the compiler made of a run's variants, where this machine's artifact cache still has it.
#pragma once

#include <optional>

#include "evaluators/compile/cache.hpp"
#include "report/shown_variants.hpp"

namespace evo::report {

class Artifacts {
 public:
  explicit Artifacts(const RunView& view);

  /// nullopt: never compiled here, or no longer kept, or it did not compile.
  [[nodiscard]] std::optional<model::Artifact> find(const ShownVariant& shown);

 private:
  const RunView* view_;
  evaluators::compile::ArtifactCache cache_;
};

}  // namespace evo::report
