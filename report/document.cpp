#include "report/document.hpp"

#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/verdicts.hpp"
#include "model/error.hpp"
#include "model/settings.hpp"
#include "report/columns.hpp"
#include "report/gain.hpp"
#include "report/json_output.hpp"
#include "report/sources.hpp"
#include "session/version.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

constexpr std::size_t bytes_of_sources = 400'000;

json::object environment_of(const RunView& view, const engine::RunMeta& meta) {
  // Seeds are texts: a reader of JSON may round numbers above 2^53.
  return {{"evo", meta.evo_version},
          {"toolchain", meta.toolchain},
          {"driver", meta.driver},
          {"experiment", view.experiment.name},
          {"problem", view.has_experiment ? view.experiment.problem.name : std::string()},
          {"accuracy_class", view.experiment.accuracy_class},
          {"experiment_hash", meta.experiment_hash},
          {"problem_hash", meta.problem_hash},
          {"seed", std::to_string(meta.seed)},
          {"input_seed", std::to_string(meta.input_seed)},
          {"ledger_schema", view.ledger.schema_version},
          {"experiment_yaml", meta.experiment_yaml}};
}

json::object budget_of(const RunView& view) {
  const model::Budget& budget = view.experiment.budget;
  const bool known = view.has_experiment;
  json::object object{
      {"planned_trials", known ? json::value(view.result.progress.planned_trials) : json::value(nullptr)}};
  model::for_each_setting<model::Budget>([&](const auto& setting) {
    if (std::string_view(setting.name) != "trials") object[setting.name] = budget.*setting.member;
  });
  return object;
}

json::array generations_of(const RunView& view) {
  json::array list;
  for (const engine::GenerationRecord& record : view.ledger.generations) {
    json::object counts;
    for (const auto& [status, count] : record.counts) counts[status] = count;
    list.push_back({{"generation", record.generation},
                    {"trials", record.trials},
                    {"best_variant", record.best_variant},
                    {"best_us", record.best_us},
                    {"diversity", record.diversity},
                    {"device_seconds", record.device_seconds},
                    {"money", record.money},
                    {"counts", std::move(counts)}});
  }
  return list;
}

json::array events_of(const RunView& view) {
  json::array list;
  for (const engine::EventRecord& event : view.ledger.events) {
    json::object details;
    for (const auto& [key, value] : event.details) details[key] = value;
    list.push_back({{"kind", event.kind}, {"trial", event.trial}, {"details", std::move(details)}});
  }
  return list;
}

/// The last generation's, as `evo insights --json` has it.
json::value insights_of(const RunView& view) {
  if (view.ledger.insights.empty()) return nullptr;
  return insights_to_json({view.ledger.insights.back()}).at("generations").as_array().front();
}

/// What `evo bench --json` printed into a file.
json::object bench_in(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  json::error_code error;
  json::value document = json::parse(text, error);
  const json::object* bench = error ? nullptr : document.if_object();
  if (bench == nullptr || !bench->contains("cases") || !bench->contains("variants")) {
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("{}: {}", file, stream ? "it is not what evo bench --json prints" : "it cannot be read"));
  }
  return *bench;
}

}  // namespace

json::object run_document(const RunView& view) {
  const engine::RunMeta meta = view.ledger.meta.value_or(engine::RunMeta{});
  const std::vector<engine::TrialRecord>& trials = view.ledger.trials;
  const double resolution = view.experiment.gates.timing_resolution;
  json::object document = run_to_json(view.folder.string(), view.experiment, meta, view.result);
  document["name"] = view.name;
  document["state"] = name_of(view.state);
  json::value gain = nullptr;
  json::array path;
  if (const engine::TrialRecord* champion = view.champion()) {
    if (const engine::TrialRecord* baseline = view.baseline())
      gain = to_json(gain_of(*baseline, *champion, resolution));
    path = path_to_json(trials, *champion, resolution);
    document["champion_trial"] = champion->index;
  } else {
    document["champion_trial"] = nullptr;
  }
  document["gain"] = std::move(gain);
  document["path"] = std::move(path);
  document["timing"] = {{"drift", engine::drift}, {"resolution", resolution}};
  document["funnel"] = funnel_of(trials);
  document["insights"] = insights_of(view);
  document["generations"] = generations_of(view);
  document["events"] = events_of(view);
  document["budget"] = budget_of(view);
  document["environment"] = environment_of(view, meta);
  document["columns"] = columns_of(trials);
  std::int64_t left_out = 0;
  document["evidence"] = evidence_of(trials, left_out);
  document["evidence_left_out"] = left_out;
  std::vector<std::string> notices = view.notices;
  document["sources"] = sources_of(view, bytes_of_sources, notices);
  json::array told;
  for (const std::string& notice : notices) told.emplace_back(notice);
  document["notices"] = std::move(told);
  return document;
}

json::object document_of(const std::vector<std::string>& paths, const std::vector<std::string>& benches) {
  json::array runs;
  for (const std::string& path : paths) runs.push_back(run_document(read_run(path)));
  json::array measured;
  for (const std::string& file : benches) measured.push_back(bench_in(file));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {{"schema_version", schema_version},
          {"evo", session::version_number()},
          {"written", std::chrono::duration_cast<std::chrono::seconds>(now).count()},
          {"benches", std::move(measured)},
          {"runs", std::move(runs)}};
}

}  // namespace evo::report
