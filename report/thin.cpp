#include "report/thin.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "session/variants.hpp"

namespace evo::report {
namespace {

using engine::TrialRecord;

/// More than the sources that the document holds, so that each of these has its trial.
constexpr std::size_t kept_of_the_fastest = 200;

void keep_fastest(const std::vector<TrialRecord>& trials, std::vector<bool>& keep) {
  std::vector<std::pair<double, std::size_t>> right;
  for (std::size_t row = 0; row < trials.size(); ++row) {
    const auto latency = trials[row].right() ? trials[row].latency() : std::nullopt;
    if (latency) right.emplace_back(latency->microseconds, row);
  }
  const std::size_t count = std::min(kept_of_the_fastest, right.size());
  std::partial_sort(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(count), right.end());
  for (std::size_t i = 0; i < count; ++i) keep[right[i].second] = true;
}

void keep_path(const RunView& view, std::vector<bool>& keep) {
  const TrialRecord* champion = view.champion();
  if (champion == nullptr) return;
  const std::vector<TrialRecord>& trials = view.ledger.trials;
  std::set<std::string> ids{champion->variant};
  for (const TrialRecord& ancestor : session::ancestors(trials, champion->variant))
    ids.insert(ancestor.variant);
  for (std::size_t row = 0; row < trials.size(); ++row)
    if (trials[row].status != model::Status::no_op && ids.contains(trials[row].variant)) keep[row] = true;
}

}  // namespace

std::vector<TrialRecord> thinned(const RunView& view, std::size_t most) {
  const std::vector<TrialRecord>& trials = view.ledger.trials;
  if (trials.size() <= most) return trials;
  std::vector<bool> keep(trials.size(), false);
  std::set<std::string> ways;
  for (std::size_t row = 0; row < trials.size(); ++row) {
    const TrialRecord& trial = trials[row];
    const bool first_way =
        !trial.evidence.empty() && ways.insert(trial.template_name + ' ' + trial.reason).second;
    keep[row] = row == 0 || trial.status == model::Status::better || first_way;
  }
  keep_fastest(trials, keep);
  keep_path(view, keep);
  const std::size_t each = (trials.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<TrialRecord> kept;
  for (std::size_t row = 0; row < trials.size(); ++row)
    if (keep[row] || row % each == 0) kept.push_back(trials[row]);
  return kept;
}

}  // namespace evo::report
