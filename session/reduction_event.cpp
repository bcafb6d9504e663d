// A reduction in the ledger and out of it.
#include <exception>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "engine/record_json.hpp"
#include "model/edits.hpp"
#include "session/reduction.hpp"

namespace evo::session {
namespace {

namespace reduction_json = boost::json;

reduction_json::array latencies_json(const std::vector<model::WorkloadLatency>& latencies) {
  reduction_json::array list;
  for (const model::WorkloadLatency& one : latencies) {
    const model::Latency& latency = one.latency;
    reduction_json::object entry{
        {"workload", one.workload},   {"weight", one.weight},       {"kind", model::name_of(latency.kind)},
        {"us", latency.microseconds}, {"samples", latency.samples}, {"method", latency.method}};
    if (latency.ci95) entry["ci95"] = {(*latency.ci95)[0], (*latency.ci95)[1]};
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<model::WorkloadLatency> latencies_of(const reduction_json::value& list) {
  std::vector<model::WorkloadLatency> latencies;
  for (const reduction_json::value& each : list.as_array()) {
    const reduction_json::object& entry = each.as_object();
    model::Latency latency;
    const auto kind = model::latency_kind_from_name(std::string(entry.at("kind").as_string()));
    if (!kind) throw std::runtime_error("a latency of no known kind");
    latency.kind = *kind;
    latency.microseconds = entry.at("us").to_number<double>();
    latency.samples = entry.at("samples").to_number<std::uint32_t>();
    latency.method = std::string(entry.at("method").as_string());
    if (const reduction_json::value* ends = entry.if_contains("ci95"))
      latency.ci95 = {ends->as_array().at(0).to_number<double>(), ends->as_array().at(1).to_number<double>()};
    latencies.push_back({std::string(entry.at("workload").as_string()),
                         entry.at("weight").to_number<double>(), std::move(latency)});
  }
  return latencies;
}

/// The verdict's own event knows how it is written.
std::optional<FinalVerdict> verdict_in(const std::map<std::string, std::string>& details) {
  const auto kept = details.find("verdict");
  if (kept == details.end()) return std::nullopt;
  return find_verdict({{final_verdict_event, 0, {{"verdict", kept->second}}}}, 0);
}

}  // namespace

engine::EventRecord event_of(const Reduction& reduction, std::int64_t trial) {
  const engine::TrialRecord& record = reduction.trial;
  engine::EventRecord event{champion_reduced_event, trial, {}};
  event.details = {{"variant", record.variant},
                   {"champion", reduction.champion},
                   {"was", engine::to_json(reduction.was)},
                   {"back", engine::to_json(reduction.back)},
                   {"source_hash", record.source_hash},
                   {"code_identity", record.code_identity},
                   {"latencies", reduction_json::serialize(latencies_json(record.latencies))}};
  if (record.resources) event.details["resources"] = engine::to_json(*record.resources);
  if (!reduction.refused.empty()) event.details["refused"] = reduction.refused;
  if (reduction.against_champion)
    event.details["verdict"] = event_of(*reduction.against_champion, trial).details.at("verdict");
  return event;
}

std::optional<Reduction> find_reduction(const std::vector<engine::EventRecord>& events,
                                        const engine::TrialRecord& champion) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind != champion_reduced_event || event->trial != champion.index) continue;
    try {
      const auto& details = event->details;
      Reduction reduction;
      reduction.champion = details.at("champion");
      if (reduction.champion != champion.variant) continue;
      reduction.was = engine::environment_from_json(details.at("was"));
      reduction.back = engine::environment_from_json(details.at("back"));
      for (const auto& [gene, value] : reduction.back) static_cast<void>(reduction.was.at(gene));
      engine::TrialRecord& record = reduction.trial;
      record.index = champion.index;
      record.generation = champion.generation;
      record.slot = champion.slot;
      record.variant = details.at("variant");
      record.template_name = champion.template_name;
      record.genome = model::with_values(champion.genome, reduction.back);  // as it was made
      record.parents = {champion.variant};
      record.operator_name = reduction_operator;
      record.rationale = reduction_rationale(reduction.was, reduction.back);
      record.source_hash = details.at("source_hash");
      record.code_identity = details.at("code_identity");
      record.latencies = latencies_of(reduction_json::parse(details.at("latencies")));
      if (const auto resources = details.find("resources"); resources != details.end())
        record.resources = engine::resources_from_json(resources->second);
      if (const auto refused = details.find("refused"); refused != details.end())
        reduction.refused = refused->second;
      if (reduction.stands()) record.status = model::Status::proven;
      reduction.against_champion = verdict_in(details);
      return reduction;
    } catch (const std::exception&) {
      return std::nullopt;  // of another version; it is made again
    }
  }
  return std::nullopt;
}

}  // namespace evo::session
