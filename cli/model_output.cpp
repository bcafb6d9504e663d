#include "cli/model_output.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/exchanges.hpp"

namespace evo::cli {
namespace {

struct ModelCounts {
  std::int64_t requests = 0, input_tokens = 0, output_tokens = 0, accepted = 0;
  std::map<std::string, int> refused;
  std::int64_t proven = 0, better = 0, compared = 0;
  double error = 0;  ///< sum over compared of |ln predicted - ln measured|
};

/// "llm:NAME" or "llm:NAME:repair" -> NAME
std::string model_of(std::string_view operation) {
  operation.remove_prefix(std::string_view("llm:").size());
  return std::string(operation.substr(0, operation.find(':')));
}

}  // namespace

std::string models_text(const std::vector<engine::EventRecord>& events,
                        std::span<const engine::TrialRecord> trials) {
  std::map<std::string, ModelCounts> models;
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
  std::map<std::string_view, const engine::TrialRecord*> known;
  for (const engine::TrialRecord& trial : trials) {
    known.emplace(trial.variant, &trial);
    if (!trial.operator_name.starts_with("llm:")) continue;
    ModelCounts& counts = models[model_of(trial.operator_name)];
    counts.proven += trial.right() ? 1 : 0;
    counts.better += trial.status == model::Status::better ? 1 : 0;
    const auto parent = trial.parents.empty() ? known.end() : known.find(trial.parents.front());
    if (!trial.predicted_effect || !trial.right() || parent == known.end()) continue;
    const auto now = trial.latency(), before = parent->second->latency();
    if (!now || !before) continue;
    ++counts.compared;
    counts.error += std::abs(*trial.predicted_effect - std::log(now->microseconds / before->microseconds));
  }
  std::string text;
  for (const auto& [name, counts] : models) {
    text +=
        fmt::format("model {}: {} requests, {} + {} tokens; {} replies used, {} variants right, {} better\n",
                    name, counts.requests, counts.input_tokens, counts.output_tokens, counts.accepted,
                    counts.proven, counts.better);
    std::string reasons;
    for (const auto& [reason, count] : counts.refused)
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, count);
    if (!reasons.empty()) text += fmt::format("  not used: {}\n", reasons);
    if (counts.compared > 0) {
      text += fmt::format("  predictions: off by a factor of {:.2f} on average, over {} measured\n",
                          std::exp(counts.error / static_cast<double>(counts.compared)), counts.compared);
    }
  }
  return text;
}

}  // namespace evo::cli
