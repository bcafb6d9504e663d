#include "report/run_gain.hpp"

#include "session/final_verdict.hpp"

namespace evo::report {
namespace {

/// A measured verdict as the champion's gain; nullopt where there is none that is worth one.
std::optional<Gain> gain_in(const session::FinalVerdict& verdict) {
  if (verdict.kind != model::LatencyKind::measured || verdict.decision() == session::Decision::not_valid)
    return std::nullopt;
  const auto ratio = verdict.ratio();
  Gain gain;
  gain.speedup = 1 / ratio.ratio;
  gain.interval = {1 / ratio.interval[1], 1 / ratio.interval[0]};
  gain.confidence = session::verdict_confidence;
  gain.verdict = verdict.decision() == session::Decision::promoted ? Verdict::better
                 : verdict.decision() == session::Decision::tie    ? Verdict::tie
                                                                   : Verdict::worse;
  gain.method = "in_turn";
  return gain;
}

}  // namespace

std::optional<Gain> gain_of_run(const RunView& view) {
  const engine::TrialRecord* champion = view.champion();
  if (champion == nullptr) return std::nullopt;
  if (const auto kept = session::find_verdict(view.ledger.events, champion->index))
    if (auto gain = gain_in(*kept)) return gain;
  const engine::TrialRecord* baseline = view.baseline();
  if (baseline == nullptr) return std::nullopt;
  const auto& last = view.result.progress.champion;
  return gain_of(*baseline, last ? *last : *champion, view.experiment.gates.timing_resolution);
}

}  // namespace evo::report
