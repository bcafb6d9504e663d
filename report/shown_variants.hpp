// The variants whose code people open, made again from the run's problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/search_space.hpp"
#include "model/variant.hpp"
#include "report/run_view.hpp"

namespace evo::report {

struct ShownVariant {
  const engine::TrialRecord* trial = nullptr;  ///< of the view
  const engine::SearchTemplate* entry = nullptr;
  model::Variant variant;
};

struct ShownVariants {
  engine::SearchSpace space;
  /// The champion, the baseline, the champion's ancestors, the first of each way to fail, the fastest: in
  /// this order, each once, and only those whose source is the one of the ledger.
  std::vector<ShownVariant> list;
  std::int64_t unknown = 0;  ///< of a template that the problem no longer has
};

/// What could not be made is told in `notices`. The view outlives it.
[[nodiscard]] ShownVariants shown_variants(const RunView& view, std::vector<std::string>& notices);

}  // namespace evo::report
