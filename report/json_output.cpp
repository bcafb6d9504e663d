#include "report/json_output.hpp"

#include "report/metrics_output.hpp"
#include "report/timing_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/lineage.hpp"
#include "evaluators/evidence_json.hpp"
#include "model/file_name.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

json::value interval(const std::optional<std::array<double, 2>>& ci95) {
  if (!ci95) return nullptr;
  return json::array{(*ci95)[0], (*ci95)[1]};
}

json::value number_or_null(const std::optional<model::Latency>& latency) {
  if (!latency) return nullptr;
  return latency->microseconds;
}

json::array workloads_to_json(const std::vector<model::WorkloadLatency>& latencies) {
  json::array list;
  for (const model::WorkloadLatency& entry : latencies) {
    list.push_back({{"name", entry.workload},
                    {"latency_us", entry.latency.microseconds},
                    {"ci95", interval(entry.latency.ci95)},
                    {"samples", entry.latency.samples},
                    {"method", entry.latency.method}});
  }
  return list;
}

json::object variant_to_json(const engine::TrialRecord& trial) {
  const auto latency = trial.latency();
  return {{"variant", trial.variant},
          {"template", trial.template_name},
          {"genes", genes_to_json(trial.genome)},
          {"latency_us", number_or_null(latency)},
          {"ci95", latency ? interval(latency->ci95) : json::value(nullptr)},
          {"workloads", workloads_to_json(trial.latencies)}};
}

/// Of what Boost writes for an infinity or NaN at the beginning of the text (1e99999: from 1.81 on, unless
/// asked otherwise); 0: none stands there.
std::size_t length_of_no_number(std::string_view text) {
  for (const std::string_view word : {"Infinity", "-Infinity", "NaN", "1e99999", "-1e99999"}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

}  // namespace

json::value value_to_json(const model::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return json::value(std::get<std::string>(value));
}

json::array to_json(const std::vector<model::Evidence>& evidence) {
  return evaluators::evidence_json(evidence);
}

json::object genes_to_json(const model::Genome& genome) {
  json::object genes;
  for (const auto& [name, value] : genome.values()) genes[name] = value_to_json(value);
  return genes;
}

json::object run_to_json(const std::string& run, const model::Experiment& experiment,
                         const engine::RunMeta& meta, const engine::CampaignResult& result) {
  const engine::CampaignProgress& progress = result.progress;
  json::object counts;
  for (const auto& [status, count] : progress.counts) counts[status] = count;
  json::value baseline = nullptr, champion = nullptr;
  if (progress.baseline) {
    json::object first = variant_to_json(*progress.baseline);
    if (!experiment.problem.metrics.empty()) first["metrics"] = metrics_json(experiment, *progress.baseline);
    baseline = std::move(first);
  }
  if (progress.champion) {
    json::object best = variant_to_json(*progress.champion);
    const auto before = progress.baseline ? progress.baseline->latency() : std::nullopt;
    const auto now = progress.champion->latency();
    best["speedup"] =
        before && now ? json::value(before->microseconds / now->microseconds) : json::value(nullptr);
    best["against"] = "baseline";
    if (!experiment.problem.metrics.empty()) best["metrics"] = metrics_json(experiment, *progress.champion);
    champion = std::move(best);
  }
  const auto warm = engine::warm_trials_per_second(progress);
  return {{"run", run},
          {"status", engine::name_of(result.status)},
          {"device", {{"kind", meta.device_kind}, {"name", meta.device_name}}},
          {"target", experiment.target.name},
          {"latency_kind", model::name_of(meta.latency_kind)},
          {"trials", progress.trials},
          {"legal_genomes", progress.legal_genomes},
          {"space_exhausted", engine::space_exhausted(progress)},
          {"counts", std::move(counts)},
          {"baseline", std::move(baseline)},
          {"champion", std::move(champion)},
          {"elapsed_seconds", progress.elapsed_seconds},
          {"trials_per_second", engine::trials_per_second(progress)},
          {"warm_trials_per_second", warm ? json::value(*warm) : json::value(nullptr)},
          {"device_seconds", progress.device_seconds},
          {"money", progress.cost},
          {"lineage_sha256", result.lineage_sha256}};
}

json::array times_to_json(const std::vector<evaluators::gates::GateTime>& times) {
  json::array rows;
  for (const evaluators::gates::GateTime& time : times) {
    rows.push_back({{"gate", model::name_of(time.gate)},
                    {"trials", time.trials},
                    {"wall_s", time.wall},
                    {"cpu_s", time.cpu},
                    {"device_s", time.device},
                    {"waiting_s", time.waiting},
                    {"passed", time.passed},
                    {"device_passed_s", time.device_passed}});
  }
  return rows;
}

json::value paired_to_json(const std::optional<model::PairedComparison>& paired) {
  if (!paired) return nullptr;
  return json::object{{"incumbent", paired->incumbent},
                      {"ratio", paired->ratio},
                      {"interval", json::array{paired->interval[0], paired->interval[1]}},
                      {"confidence", paired->confidence},
                      {"rounds", paired->rounds},
                      {"error", paired->error ? json::value(*paired->error) : json::value(nullptr)},
                      {"timing", timing_json(paired->timing)}};
}

json::object lineage_to_json(const std::vector<engine::TrialRecord>& trials) {
  json::array variants;
  for (const engine::TrialRecord& trial : trials) {
    json::array parents;
    for (const std::string& parent : trial.parents) parents.emplace_back(parent);
    variants.push_back(
        {{"id", trial.variant},
         {"parents", std::move(parents)},
         {"operator", trial.operator_name},
         {"generation", trial.generation},
         {"slot", trial.slot},
         {"template", trial.template_name},
         {"genes", genes_to_json(trial.genome)},
         {"status", model::name_of(trial.status)},
         {"gate", trial.gate ? json::value(model::name_of(*trial.gate)) : json::value(nullptr)},
         {"reason", trial.reason},
         {"latency_us", number_or_null(trial.latency())},
         {"paired", paired_to_json(trial.paired)},
         {"timing", timing_json(trial.timing)},
         {"rationale", trial.rationale},
         {"duplicate_of", trial.duplicate_of}});
  }
  return {{"lineage_sha256", engine::lineage_sha256(trials)}, {"variants", std::move(variants)}};
}

json::object insights_to_json(const std::vector<model::Insights>& insights) {
  json::array generations;
  for (const model::Insights& entry : insights) {
    json::array effects, failures;
    for (const model::ValueEffect& effect : entry.effects) {
      effects.push_back({{"id", effect.id},
                         {"template", effect.template_name},
                         {"gene", effect.gene},
                         {"value", value_to_json(effect.value)},
                         {"effect", effect.effect},
                         {"ci95", json::array{effect.ci95[0], effect.ci95[1]}},
                         {"trials", effect.trials}});
    }
    for (const model::FailurePattern& pattern : entry.failures) {
      json::object when;
      for (const auto& [gene, value] : pattern.when) when[gene] = value_to_json(value);
      failures.push_back({{"id", pattern.id},
                          {"template", pattern.template_name},
                          {"when", std::move(when)},
                          {"status", model::name_of(pattern.status)},
                          {"reason", pattern.reason},
                          {"count", pattern.count},
                          {"of", pattern.of}});
    }
    generations.push_back({{"generation", entry.generation},
                           {"trials", entry.trials},
                           {"effects", std::move(effects)},
                           {"failures", std::move(failures)}});
  }
  return {{"generations", std::move(generations)}};
}

json::object replay_to_json(const engine::ReplayReport& report) {
  json::array mismatches;
  for (const engine::Mismatch& m : report.mismatches) {
    mismatches.push_back({{"trial", m.index},
                          {"table", m.table},
                          {"field", m.field},
                          {"expected", m.expected},
                          {"got", m.got}});
  }
  return {{"match", report.match()}, {"trials", report.trials}, {"mismatches", std::move(mismatches)}};
}

std::string strict_json(std::string_view text) {
  std::string all;
  all.reserve(text.size());
  bool in_string = false;
  while (!text.empty()) {
    const std::size_t not_a_number = in_string ? 0 : length_of_no_number(text);
    if (not_a_number > 0) {
      all += "null";
      text.remove_prefix(not_a_number);
      continue;
    }
    if (text.front() == '"') in_string = !in_string;
    const bool escape = text.front() == '\\' && text.size() > 1;
    const std::size_t length = escape ? 2 : model::utf8_length(text);
    if (length == 0)
      all += fmt::format("\\u{:04x}", static_cast<unsigned char>(text.front()));
    else
      all += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return all;
}

}  // namespace evo::report
