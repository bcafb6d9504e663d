#include "session/device_class.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "engine/verdicts.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/error.hpp"
#include "session/latencies_json.hpp"

namespace evo::session {
namespace {

namespace json = boost::json;

/// What the proposal decided; nothing of what came of it on the run's own GPUs.
engine::TrialRecord proposed(const engine::TrialRecord& trial) {
  engine::TrialRecord record;
  record.index = trial.index;
  record.generation = trial.generation;
  record.slot = trial.slot;
  record.variant = trial.variant;
  record.template_name = trial.template_name;
  record.genome = trial.genome;
  record.parents = trial.parents;
  record.operator_name = trial.operator_name;
  record.rationale = trial.rationale;
  record.source_hash = trial.source_hash;
  return record;
}

json::value paired_json(const std::optional<model::PairedComparison>& paired) {
  if (!paired) return nullptr;
  return json::object{{"incumbent", paired->incumbent},
                      {"ratio", paired->ratio},
                      {"interval", {paired->interval[0], paired->interval[1]}},
                      {"confidence", paired->confidence},
                      {"rounds", paired->rounds},
                      {"error", paired->error ? json::value(*paired->error) : json::value(nullptr)}};
}

std::optional<model::PairedComparison> paired_of(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object& object = value.as_object();
  model::PairedComparison paired;
  paired.incumbent = std::string(object.at("incumbent").as_string());
  paired.ratio = object.at("ratio").to_number<double>();
  paired.interval = {object.at("interval").as_array().at(0).to_number<double>(),
                     object.at("interval").as_array().at(1).to_number<double>()};
  paired.confidence = object.at("confidence").to_number<double>();
  paired.rounds = object.at("rounds").to_number<std::uint32_t>();
  if (!object.at("error").is_null()) paired.error = object.at("error").to_number<double>();
  return paired;
}

/// Of an event of class_trial_event, onto the proposal of its trial. Throws std::exception where it cannot be
/// read.
void read_outcome(const std::map<std::string, std::string>& details, engine::TrialRecord& record) {
  const auto status = model::status_from_name(details.at("status"));
  if (!status) throw std::runtime_error("a status that is none");
  record.status = *status;
  record.reason = details.at("reason");
  record.latencies = latencies_of(json::parse(details.at("latencies")));
  record.paired = paired_of(json::parse(details.at("paired")));
}

}  // namespace

model::Experiment experiment_of_class(model::Experiment experiment) {
  experiment.gates.counters.clear();
  experiment.search.screen = {};
  return experiment;
}

DeviceClass::DeviceClass(model::Experiment experiment, std::string model,
                         std::unique_ptr<EvaluationStack> stack, int gpus, std::int64_t most_trials,
                         Abandoned abandoned)
    : experiment_(std::move(experiment)),
      model_(std::move(model)),
      stack_(std::move(stack)),
      gpus_(gpus),
      abandoned_(std::move(abandoned)),
      space_(engine::make_search_space(experiment_)),
      lead_(experiment_.gates.timing_resolution),
      error_(experiment_.gates.promotion_error, most_trials) {}

model::Variant DeviceClass::variant_of(const engine::TrialRecord& trial) const {
  const engine::SearchTemplate* entry = space_.find(trial.template_name);
  if (entry == nullptr)
    throw model::Exception(model::ExitCode::failed, fmt::format("the template {} of variant {} is not there",
                                                                trial.template_name, trial.variant));
  return model::make_variant(entry->kernel_template, entry->space, trial.genome);
}

void DeviceClass::keep(const engine::TrialRecord& tried) {
  error_.add(tried);
  lead_.add(tried);
  trials_.push_back(tried);
  tried_.insert(tried.index);
  if (tried.index == 0 && !tried.correct())
    ended_ =
        fmt::format("the baseline is not valid there: {} ({})", model::name_of(tried.status), tried.reason);
}

void DeviceClass::remember(const std::vector<engine::EventRecord>& events,
                           const std::vector<engine::TrialRecord>& trials) {
  const std::string driver = stack_->ladder().info().driver;
  const std::scoped_lock lock(mutex_);
  for (const engine::EventRecord& event : events) {
    if (event.kind != class_trial_event || tried_.contains(event.trial)) continue;
    // What stands before its baseline was tried under one that cannot be read.
    if (event.trial != 0 && !tried_.contains(0)) continue;
    const auto of_run = std::ranges::find(trials, event.trial, &engine::TrialRecord::index);
    if (of_run == trials.end()) continue;
    try {
      if (event.details.at("class") != model_ || event.details.at("driver") != driver) continue;
      engine::TrialRecord record = proposed(*of_run);
      read_outcome(event.details, record);
      keep(record);
    } catch (const std::exception&) {
      // Of another version: it is tried again.
    }
  }
}

engine::EventRecord DeviceClass::try_trial(const engine::TrialRecord& of_run) {
  engine::TrialRecord tried = proposed(of_run);
  const model::Variant variant = variant_of(of_run);
  evaluators::Evaluator& ladder = stack_->ladder();
  const evaluators::Prepared prepared = ladder.prepare(variant);
  engine::record_prepared(tried, prepared);
  if (!prepared.failed()) engine::record_evaluation(tried, ladder.evaluate(prepared));
  const std::scoped_lock settled(settling_);
  if (const auto incumbent = champion()) {
    double share = 0;
    {
      const std::scoped_lock lock(mutex_);
      share = error_.next();
    }
    engine::pair_with_champion(
        tried, *incumbent, ladder, variant, [&] { return variant_of(*incumbent); }, share);
    engine::compare_with_champion(tried, *incumbent, experiment_.gates.timing_resolution);
  }
  engine::EventRecord event{class_trial_event, tried.index, {}};
  const std::scoped_lock lock(mutex_);
  keep(tried);
  device_seconds_ += tried.device_seconds;
  event.details = {{"class", model_},
                   {"driver", stack_->ladder().info().driver},
                   {"variant", tried.variant},
                   {"status", std::string(model::name_of(tried.status))},
                   {"gate", tried.gate ? std::string(model::name_of(*tried.gate)) : ""},
                   {"reason", tried.reason},
                   {"latencies", json::serialize(latencies_json(tried.latencies))},
                   {"paired", json::serialize(paired_json(tried.paired))}};
  if (lead_.champion() && lead_.champion()->index == tried.index) event.details["champion"] = "taken";
  return event;
}

std::vector<engine::TrialRecord> DeviceClass::trials() const {
  const std::scoped_lock lock(mutex_);
  return trials_;
}

bool DeviceClass::has(std::int64_t index) const {
  const std::scoped_lock lock(mutex_);
  return tried_.contains(index);
}

std::optional<engine::TrialRecord> DeviceClass::baseline() const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(trials_, std::int64_t{0}, &engine::TrialRecord::index);
  return found == trials_.end() || !found->correct() ? std::nullopt : std::optional(*found);
}

std::optional<engine::TrialRecord> DeviceClass::champion() const {
  const std::scoped_lock lock(mutex_);
  return lead_.champion();
}

std::string DeviceClass::ended() const {
  const std::scoped_lock lock(mutex_);
  return ended_;
}

void DeviceClass::end(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (ended_.empty()) ended_ = why;
}

double DeviceClass::device_seconds() const {
  const std::scoped_lock lock(mutex_);
  return device_seconds_;
}

}  // namespace evo::session
