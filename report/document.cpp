#include "report/document.hpp"

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/counter_records.hpp"
#include "engine/exchanges.hpp"
#include "engine/screen.hpp"
#include "engine/verdicts.hpp"
#include "model/error.hpp"
#include "model/settings.hpp"
#include "report/bandit_output.hpp"
#include "report/card.hpp"
#include "report/class_output.hpp"
#include "report/columns.hpp"
#include "report/counters.hpp"
#include "report/economics_output.hpp"
#include "report/funnel.hpp"
#include "report/gain.hpp"
#include "report/json_output.hpp"
#include "report/model_counts.hpp"
#include "report/profiles.hpp"
#include "report/reduction_output.hpp"
#include "report/roofline.hpp"
#include "report/run_gain.hpp"
#include "report/run_reader.hpp"
#include "report/screen_output.hpp"
#include "report/sources.hpp"
#include "session/class_outcome.hpp"
#include "session/final_verdict.hpp"
#include "session/insight_checks.hpp"
#include "session/reduction.hpp"
#include "session/screen_report.hpp"
#include "session/version.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

constexpr std::size_t bytes_of_sources = 400'000, bytes_of_ptx = 450'000;

/// What is timed, with its sizes: runs are of one task where these agree, too.
json::array workloads_of(const RunView& view) {
  json::array list;
  if (!view.has_experiment) return list;
  for (const model::Workload& workload : view.experiment.workloads) {
    json::object axes;
    for (const auto& [axis, value] : workload.axes) axes[axis] = value;
    list.push_back({{"name", workload.name}, {"weight", workload.weight}, {"axes", std::move(axes)}});
  }
  return list;
}

json::object environment_of(const RunView& view, const engine::RunMeta& meta) {
  // Seeds are texts: a reader of JSON may round numbers above 2^53.
  return {{"evo", meta.evo_version},
          {"toolchain", meta.toolchain},
          {"driver", meta.driver},
          {"experiment", view.experiment.name},
          {"problem", view.has_experiment ? view.experiment.problem.name : std::string()},
          {"accuracy_class", view.experiment.accuracy_class},
          {"workloads", workloads_of(view)},
          {"strategy", view.has_experiment ? view.experiment.search.strategy : std::string()},
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
  object["stop_if"] = model::text_of(budget.stop_if);
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
                    {"money", record.cost},
                    {"counts", std::move(counts)}});
  }
  return list;
}

json::array events_of(const RunView& view) {
  json::array list;
  for (const engine::EventRecord& event : view.ledger.events) {
    // As many as trials: `screening` sums the first up, `evo show` has the second.
    if (event.kind == engine::event_kinds::screened || event.kind == engine::counted_event ||
        event.kind == session::class_trial_event)
      continue;
    json::object details;
    for (const auto& [key, value] : event.details) {
      // It has a place of its own in the document.
      if (event.kind == session::final_verdict_event && key == "verdict") continue;
      if (event.kind == session::champion_reduced_event && key == "verdict") continue;
      if (event.kind == session::class_verdict_event && key == "verdict") continue;
      if (event.kind == session::insight_checked_event && key == "check") continue;
      // Whole prompts and replies: the ledger keeps them, a page has no place for them.
      if (event.kind == engine::event_kinds::model_exchange && (key == "request" || key == "reply")) continue;
      details[key] = value;
    }
    list.push_back({{"kind", event.kind}, {"trial", event.trial}, {"details", std::move(details)}});
  }
  return list;
}

/// The last generation's, as `evo insights --json` has it.
json::value insights_of(const RunView& view) {
  if (view.ledger.insights.empty()) return nullptr;
  return insights_to_json({view.ledger.insights.back()}).at("generations").as_array().front();
}

/// Of the champion's genes: which of its values it needs. Without the samples, which the ledger keeps.
json::array checks_of(const RunView& view) {
  json::array list;
  const engine::TrialRecord* champion = view.champion();
  if (champion == nullptr) return list;
  const auto made = session::find_checks(view.ledger.events, champion->index);
  for (const session::InsightCheck& check : made) {
    json::object entry = session::to_json(check, made.size());
    entry.erase("samples");
    entry.erase("workloads");
    list.push_back(std::move(entry));
  }
  return list;
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

json::object document_of_run(const std::string& path, Remembered* remembered) {
  if (remembered == nullptr) return run_document(read_run(path), nullptr);
  std::shared_ptr<RunReader>& reader = remembered->readers[path];
  if (reader == nullptr) reader = std::make_shared<RunReader>(path, Reading{.remembered = remembered});
  const RunView& view = reader->read();
  json::object document = run_document(view, remembered);
  // What does not go on is not read again, and may be large.
  if (view.state != RunState::running) remembered->readers.erase(path);
  return document;
}

}  // namespace

json::object run_document(const RunView& view, Remembered* remembered) {
  const engine::RunMeta meta = view.ledger.meta.value_or(engine::RunMeta{});
  const std::vector<engine::TrialRecord>& trials = view.ledger.trials;
  const double resolution = view.experiment.gates.timing_resolution;
  json::object document = run_to_json(view.folder.string(), view.experiment, meta, view.result);
  document["name"] = view.name;
  document["state"] = name_of(view.state);
  json::value gain = nullptr, verdict = nullptr;
  json::array path;
  if (const engine::TrialRecord* champion = view.champion()) {
    if (const auto known = gain_of_run(view)) gain = to_json(*known);
    path = path_to_json(trials, *champion, resolution);
    document["champion_trial"] = champion->index;
    if (const auto kept = session::find_verdict(view.ledger.events, champion->index))
      verdict = session::to_json(*kept);
  } else {
    document["champion_trial"] = nullptr;
  }
  document["gain"] = std::move(gain);
  document["roofline"] = roofline_of(view, path);
  document["final_verdict"] = std::move(verdict);
  document["classes"] = classes_json(session::classes_of(trials, view.ledger.events));
  document["path"] = std::move(path);
  document["timing"] = {{"drift", engine::drift}, {"resolution", resolution}};
  document["funnel"] = to_json(view.all.funnel);
  document["insights"] = insights_of(view);
  document["generations"] = generations_of(view);
  document["events"] = events_of(view);
  document["budget"] = budget_of(view);
  const auto& champion = view.result.progress.champion;
  document["economics"] = economics_json(
      engine::economics_of(view.experiment, view.all.costs, view.ledger.events,
                           engine::space_exhausted(view.result.progress), champion ? &*champion : nullptr));
  document["timings"] = to_json(view.all.timings);
  document["ties"] = to_json(view.all.ties);
  document["workers"] = to_json(view.all.crew);
  document["reduced"] = reduction_json(view.champion() != nullptr
                                           ? session::find_reduction(view.ledger.events, *view.champion())
                                           : std::nullopt);
  document["screening"] = screen_json(session::screen_report(view.all.screened, view.ledger.events));
  document["bandit"] = bandit_json(view.all.bandit);
  document["models"] = models_json(view.experiment, view.ledger.events, view.all.models);
  document["environment"] = environment_of(view, meta);
  std::vector<std::string> notices = view.notices;
  std::int64_t left_out = 0;
  const std::int64_t not_listed = view.all.count - static_cast<std::int64_t>(trials.size());
  json::object columns = columns_of(trials);
  columns["left_out"] = not_listed;
  if (!view.all.device_seconds_until.empty()) {
    json::array until;
    for (const double seconds : view.all.device_seconds_until)
      until.push_back(std::round(1e4 * seconds) / 1e4);
    columns["device_seconds_until"] = std::move(until);
  }
  document["columns"] = std::move(columns);
  document["evidence"] = evidence_of(trials, left_out);
  if (not_listed > 0)
    notices.push_back(fmt::format(
        "the run has {} trials; {} of them are listed: those that became the best, the champion's "
        "ancestors, the fastest, the first of each way to fail, and an even share of the others. Gain, "
        "funnel, insights, generations and budget are of all trials; what is counted or summed over a "
        "list, or below a filter, is of those listed",
        view.all.count, trials.size()));
  document["evidence_left_out"] = left_out;
  const ShownVariants shown = shown_variants(view, notices);
  document["sources"] = sources_of(shown, bytes_of_sources);
  document["ptx"] = ptx_of(view, shown, bytes_of_ptx);
  document["counters"] = counters_of(view, shown, document.at("path").as_array(), remembered);
  document["profiles"] = profiles_of(view, shown, notices);
  document["insight_checks"] = checks_of(view);
  json::array told;
  for (const std::string& notice : notices) told.emplace_back(notice);
  document["notices"] = std::move(told);
  document["card"] = card_of(document);
  return document;
}

json::object document_of(const std::vector<std::string>& paths, const std::vector<std::string>& benches,
                         Remembered* remembered) {
  json::array runs;
  for (const std::string& path : paths) runs.push_back(document_of_run(path, remembered));
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
