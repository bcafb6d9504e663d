// A reduction in the ledger and out of it.
#include <exception>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "engine/record_json.hpp"
#include "model/edits.hpp"
#include "session/latencies_json.hpp"
#include "session/reduction.hpp"

namespace evo::session {
namespace {

namespace reduction_json = boost::json;

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
