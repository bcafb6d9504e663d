#include "terminal/run_output.hpp"

#include <utility>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "engine/operator_counts.hpp"
#include "engine/search_space.hpp"
#include "report/class_output.hpp"
#include "report/economics_output.hpp"
#include "report/insight_screen.hpp"
#include "report/reduction_output.hpp"
#include "report/screen_output.hpp"
#include "session/baseline_hints.hpp"
#include "terminal/champion_report.hpp"
#include "terminal/json_output.hpp"
#include "terminal/model_output.hpp"
#include "terminal/operator_output.hpp"
#include "terminal/oracle_output.hpp"
#include "terminal/text_output.hpp"

namespace evo::terminal {
namespace {

/// Which gate refused the baseline, with what evidence.
std::string baseline_report(const engine::TrialRecord& trial, const model::Experiment& experiment) {
  return fmt::format("the baseline is not valid: {} at the gate {} ({})\n{}{}", model::name_of(trial.status),
                     trial.gate ? model::name_of(*trial.gate) : "?", trial.reason,
                     evidence_text(trial.evidence), session::baseline_hints(trial, experiment));
}

/// What the last finalist stood or failed, under the keys that a run always had; those before it under
/// "refused".
void add_finalists(boost::json::object& document, const std::vector<session::Finalist>& finalists) {
  if (finalists.empty()) return;
  boost::json::array refused;
  for (const session::Finalist& finalist : finalists) {
    boost::json::object entry = to_json(finalist);
    for (const char* key : {"held_out", "robustness", "sanitizer", "correct_for"})
      document[key] = entry.at(key);
    if (!finalist.proof.valid()) refused.push_back(std::move(entry));
  }
  document["refused"] = std::move(refused);
}

}  // namespace

RunOutput::RunOutput(const std::string& run, const model::Experiment& experiment,
                     const session::RunOutcome& outcome, const engine::Ledger& ledger)
    : run_(run),
      experiment_(experiment),
      outcome_(outcome),
      events_(ledger.events()),
      economics_(engine::economics_of(experiment, outcome.trials, events_,
                                      engine::space_exhausted(outcome.result.progress),
                                      outcome.proven_champion())),
      screening_(session::screen_report(outcome.trials, events_)),
      ties_(experiment.gates.timing_resolution) {
  if (!outcome.checks.empty()) {
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const session::RunRecords records{outcome.trials, ledger.insights(), events_};
    insights_ = session::summarize(records, &space);
    session::add_counter_effects(*insights_, records, {}, session::bounded_counters(experiment));
  }
  for (const engine::TrialRecord& trial : outcome.trials) {
    crew_.add(trial);
    timings_.add(trial);
    ties_.add(trial);
  }
}

std::string RunOutput::text() const {
  std::string text = report_text(run_, experiment_, outcome_.meta, outcome_.result, outcome_.times);
  if (const engine::TrialRecord* invalid = outcome_.invalid_baseline())
    text = baseline_report(*invalid, experiment_) + "\n" + text;
  for (const session::Finalist& finalist : outcome_.finalists) text += "\n" + text_of(finalist);
  text += report::reduction_text(outcome_.reduction);
  if (outcome_.verdict) text += session::text_of(*outcome_.verdict);
  text += report::classes_text(outcome_.classes);
  if (outcome_.proven_champion() != nullptr)
    text += fmt::format("oracle: {}\n", oracle_text(experiment_.problem));
  if (const std::string edits = operators_text(outcome_.trials, outcome_.proven_champion(), outcome_.checks);
      !edits.empty())
    text += "\n" + edits;
  if (const std::string models = models_text(events_, outcome_.trials); !models.empty())
    text += "\n" + models;
  if (insights_) text += "\n" + report::insight_screen(*insights_, false);
  if (const std::string screened = report::screen_text(screening_, outcome_.meta.latency_kind);
      !screened.empty())
    text += "\n" + screened;
  text += "\n" + report::economics_text(economics_);
  text += report::crew_text(crew_);
  return text + report::timings_text(timings_) + report::ties_text(ties_);
}

boost::json::object RunOutput::document(const std::vector<std::string>& notes,
                                        const std::optional<boost::json::object>& farm) const {
  boost::json::object document = run_to_json(run_, experiment_, outcome_.meta, outcome_.result);
  document["oracle"] = oracle_json(experiment_.problem);
  document["classes"] = report::classes_json(outcome_.classes);
  document["reduced"] = report::reduction_json(outcome_.reduction);
  document["screening"] = report::screen_json(screening_);
  document["economics"] = report::economics_json(economics_);
  document["workers"] = report::to_json(crew_);
  document["timings"] = report::to_json(timings_);
  document["ties"] = report::to_json(ties_);
  document["time"] = times_to_json(outcome_.times);
  document["notes"] = boost::json::array(notes.begin(), notes.end());
  if (const engine::TrialRecord* invalid = outcome_.invalid_baseline()) {
    document["gate"] = invalid->gate ? std::string(model::name_of(*invalid->gate)) : "";
    document["reason"] = invalid->reason;
    document["evidence"] = to_json(invalid->evidence);
  }
  add_finalists(document, outcome_.finalists);
  if (farm) document["farm"] = *farm;
  document["final_verdict"] = outcome_.verdict ? boost::json::value(session::to_json(*outcome_.verdict))
                                               : boost::json::value(nullptr);
  document["insights"] =
      insights_ ? boost::json::value(report::insight_summary_json(*insights_)) : boost::json::value(nullptr);
  if (engine::has_edits(outcome_.trials))
    document["source"] = operators_json(outcome_.trials, outcome_.proven_champion(), outcome_.checks);
  return document;
}

}  // namespace evo::terminal
