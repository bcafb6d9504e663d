#include "engine/lineage.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "model/hash.hpp"

namespace evo::engine {
namespace {

std::string quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text));
}

std::string genes_json(const model::Genome& genome) {
  std::string text;
  for (const auto& [gene, value] : genome.values()) {
    const auto* symbol = std::get_if<std::string>(&value);
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", quoted(gene),
                        symbol != nullptr ? quoted(*symbol) : model::to_string(value));
  }
  return "{" + text + "}";
}

std::string parents_json(const std::vector<std::string>& parents) {
  std::string text;
  for (const std::string& parent : parents) text += (text.empty() ? "" : ",") + quoted(parent);
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
      quoted(trial.variant), parents_json(trial.parents), quoted(trial.operator_name), trial.generation,
      trial.slot, quoted(trial.template_name), genes_json(trial.genome), quoted(model::name_of(trial.status)),
      trial.gate ? quoted(model::name_of(*trial.gate)) : "null", quoted(trial.reason), latency_json(trial));
}

std::string lineage_sha256(std::span<const TrialRecord> trials) {
  std::string text;
  for (const TrialRecord& trial : trials) text += lineage_line(trial) + "\n";
  return model::sha256(text);
}

}  // namespace evo::engine
