// A strategy on a landscape, through the engine's own ask and tell.
#pragma once

#include <vector>

#include "bench/search/landscape.hpp"
#include "bench/search/screen_models.hpp"
#include "model/experiment.hpp"

namespace evo::bench {

struct Replayed {
  std::vector<double> best;      ///< after each trial, the least latency so far; 0 while all failed
  double slowest_ask_ms = 0;     ///< CPU time
  double mean_ask_ms = 0;        ///< CPU time
  std::vector<int> of_template;  ///< trials of each template, in the landscape's order
};

/// Trial 0 is `landscape.space.baseline`. A proposal sees what max_in_flight lets it see. `model`:
/// who screens, where `settings` say so.
[[nodiscard]] Replayed replay(const Landscape& landscape, const model::SearchSettings& settings,
                              std::int64_t trials, const ScreenModel* model = nullptr);

}  // namespace evo::bench
