// Which trials of a campaign are timed in turn with the champion, and when.
#include <vector>

#include "engine/campaign_run.hpp"
#include "engine/verdicts.hpp"

namespace evo::engine {

void CampaignRun::look_ahead() {
  for (const Finished* finished : pipeline_.evaluated()) {
    InFlight& flying =
        in_flight_.at(static_cast<std::size_t>(finished->index - in_flight_.front().trial.index));
    note_evaluated(*finished, flying);
  }
  const auto& champion = tally_.progress().champion;
  if (!champion) return;
  std::vector<EarlyPairings::Waiting> waiting;
  for (const InFlight& flying : in_flight_) {
    if (flying.evaluated) waiting.push_back({&*flying.evaluated, flying.prepared});
  }
  if (options_.pairings_elsewhere) early_.allow(options_.pairings + options_.pairings_elsewhere());
  early_.look_ahead(
      *champion, waiting, experiment_.gates.timing_resolution,
      [this](std::int64_t open) { return tally_.promotion_error().next(open); },
      [this](const TrialRecord& trial) { return variant_of(trial); });
}

void CampaignRun::note_evaluated(const Finished& finished, InFlight& flying) {
  flying.evaluated = flying.trial;
  record_evaluation(*flying.evaluated, *finished.evaluation);
  flying.prepared = finished.prepared;
}

bool CampaignRun::is_compared(const Finished& finished) {
  const auto& champion = tally_.progress().champion;
  const auto& evaluated = in_flight_.front().evaluated;
  if (!champion || !evaluated || !needs_pairing(*evaluated, *champion)) return true;
  return early_.has_ended(finished.index, champion->variant, tally_.promotion_error().next());
}

model::Variant CampaignRun::variant_of(const TrialRecord& trial) const {
  const SearchTemplate& entry = *space_.find(trial.template_name);
  return model::make_variant(entry.kernel_template, entry.space, trial.genome);
}

std::vector<model::SampleSeries> CampaignRun::pair(TrialRecord& trial, const Finished& finished) {
  const auto& champion = tally_.progress().champion;
  if (!champion || !finished.prepared) return {};
  const double error = tally_.promotion_error().next();
  std::vector<model::SampleSeries> samples;
  if (needs_pairing(trial, *champion))
    samples = keep_pairing(trial, early_.take(trial.index, champion->variant, error));
  trial.device_seconds += early_.wasted(trial.index);
  return samples;
}

}  // namespace evo::engine
