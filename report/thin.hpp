// Which trials of a very large run the document holds.
#pragma once

#include <cstddef>
#include <vector>

#include "report/run_view.hpp"

namespace evo::report {

/// More trials than this are no page that a browser opens.
inline constexpr std::size_t most_trials = 100'000;

/// The view's trials if there are `most` or fewer. Otherwise about `most` of them, in index order: the
/// baseline, all that became the best, the champion and its ancestors, the fastest, the first of each way to
/// fail, and of the others each n-th.
[[nodiscard]] std::vector<engine::TrialRecord> thinned(const RunView& view, std::size_t most = most_trials);

}  // namespace evo::report
