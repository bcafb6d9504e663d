// By how much a run's champion is faster than its baseline, as everything that shows a run says it.
#pragma once

#include <optional>

#include "report/gain.hpp"
#include "report/run_view.hpp"

namespace evo::report {

/// The final verdict's, where there is a measured one; otherwise what the two trials' latencies say. The
/// champion is the reduced one where that stands. nullopt without a champion, or without a baseline that is
/// correct.
[[nodiscard]] std::optional<Gain> gain_of_run(const RunView& view);

}  // namespace evo::report
