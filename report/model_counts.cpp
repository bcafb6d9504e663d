#include "report/model_counts.hpp"

#include <algorithm>
#include <cmath>

#include "engine/exchanges.hpp"

namespace evo::report {
namespace {

constexpr std::string_view asked = "llm:";

/// "llm:NAME" or "llm:NAME:repair" -> NAME
std::string model_of(std::string_view operation) {
  operation.remove_prefix(asked.size());
  return std::string(operation.substr(0, operation.find(':')));
}

double cost_of_model(const model::Experiment& experiment, const std::string& name,
                     const ModelCounts& counts) {
  const auto& models = experiment.search.models;
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const model::LanguageModel& each) { return each.name == name; });
  return found == models.end() ? 0 : engine::cost_of(*found, {counts.input_tokens, counts.output_tokens});
}

}  // namespace

double ModelCounts::off_by() const {
  return std::exp(error / static_cast<double>(compared));
}

bool ModelTrials::asks_for_parent(const engine::TrialRecord& trial) {
  return trial.operator_name.starts_with(asked) && trial.predicted_effect && trial.correct() &&
         !trial.parents.empty();
}

void ModelTrials::add(const engine::TrialRecord& trial, const std::optional<double>& before_us) {
  if (!trial.operator_name.starts_with(asked)) return;
  ModelCounts& counts = counts_[model_of(trial.operator_name)];
  ++counts.proposed;
  counts.correct += trial.correct() ? 1 : 0;
  counts.better += trial.status == model::Status::better ? 1 : 0;
  const auto now = trial.latency();
  if (!asks_for_parent(trial) || !before_us || !now) return;
  ++counts.compared;
  counts.error += std::abs(*trial.predicted_effect - std::log(now->microseconds / *before_us));
}

std::map<std::string, ModelCounts> model_counts(const std::vector<engine::EventRecord>& events,
                                                const ModelTrials& trials) {
  std::map<std::string, ModelCounts> models = trials.counts();
  for (const engine::EventRecord& event : events) {
    if (event.kind != engine::event_kinds::model_exchange) continue;
    const auto exchange = llm::from_details(event.trial, event.details);
    if (!exchange) continue;
    ModelCounts& counts = models[exchange->model];
    ++counts.requests;
    counts.input_tokens += exchange->usage.input_tokens;
    counts.output_tokens += exchange->usage.output_tokens;
    if (exchange->verdict == "accepted") {
      ++counts.accepted;
    } else {
      ++counts.refused[exchange->verdict];
    }
  }
  return models;
}

std::map<std::string, ModelCounts> model_counts(const std::vector<engine::EventRecord>& events,
                                                std::span<const engine::TrialRecord> trials) {
  ModelTrials counted;
  std::map<std::string_view, const engine::TrialRecord*> known;
  for (const engine::TrialRecord& trial : trials) {
    known.emplace(trial.variant, &trial);
    std::optional<double> before_us;
    const auto parent = trial.parents.empty() ? known.end() : known.find(trial.parents.front());
    if (parent != known.end())
      if (const auto latency = parent->second->latency()) before_us = latency->microseconds;
    counted.add(trial, before_us);
  }
  return model_counts(events, counted);
}

boost::json::array models_json(const model::Experiment& experiment,
                               const std::vector<engine::EventRecord>& events, const ModelTrials& trials) {
  boost::json::array list;
  for (const auto& [name, counts] : model_counts(events, trials)) {
    boost::json::object refused;
    for (const auto& [reason, count] : counts.refused) refused[reason] = count;
    list.push_back({{"model", name},
                    {"requests", counts.requests},
                    {"input_tokens", counts.input_tokens},
                    {"output_tokens", counts.output_tokens},
                    {"money", cost_of_model(experiment, name, counts)},
                    {"accepted", counts.accepted},
                    {"refused", std::move(refused)},
                    {"proposed", counts.proposed},
                    {"right", counts.correct},
                    {"better", counts.better},
                    {"compared", counts.compared},
                    {"off_by", counts.compared > 0 ? boost::json::value(counts.off_by())
                                                   : boost::json::value(nullptr)}});
  }
  return list;
}

}  // namespace evo::report
