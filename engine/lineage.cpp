#include "engine/lineage.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::engine {
namespace {

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text));
}

std::string genes_json(const model::Genome& genome) {
  std::string text;
  for (const auto& [gene, value] : genome.values()) {
    const auto* symbol = std::get_if<std::string>(&value);
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_text(gene),
                        symbol != nullptr ? json_text(*symbol) : model::to_string(value));
  }
  return "{" + text + "}";
}

std::string parents_json(const std::vector<std::string>& parents) {
  std::string text;
  for (const std::string& parent : parents) text += (text.empty() ? "" : ",") + json_text(parent);
  return "[" + text + "]";
}

/// Shortest text that reads back as the same number; null for what a clock measured.
std::string latency_json(const TrialRecord& trial) {
  const auto latency = trial.latency();
  if (!latency || latency->kind == model::LatencyKind::measured) return "null";
  return fmt::format("{}", latency->microseconds);
}

}  // namespace

std::string lineage_line(const TrialRecord& trial) {
  return fmt::format(
      R"({{"id":{},"parents":{},"operator":{},"generation":{},"slot":{},"template":{},"genes":{},"status":{},"gate":{},"reason":{},"latency_us":{}}})",
      json_text(trial.variant), parents_json(trial.parents), json_text(trial.operator_name), trial.generation,
      trial.slot, json_text(trial.template_name), genes_json(trial.genome),
      json_text(model::name_of(trial.status)), trial.gate ? json_text(model::name_of(*trial.gate)) : "null",
      json_text(trial.reason), latency_json(trial));
}

std::string lineage_sha256(std::span<const TrialRecord> trials) {
  LineageHash hash;
  for (const TrialRecord& trial : trials) hash.add(trial);
  return hash.finish();
}

}  // namespace evo::engine
