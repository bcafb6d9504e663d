#include "session/champion_export.hpp"

#include <fmt/format.h>

#include "engine/lineage.hpp"
#include "export/exporter.hpp"
#include "model/error.hpp"
#include "session/compilers.hpp"
#include "session/export_tensor_sums.hpp"
#include "session/recorded_answers.hpp"
#include "session/variants.hpp"
#include "session/version.hpp"

namespace evo::session {
namespace {

exporting::LineageStep step_of(const engine::TrialRecord& trial) {
  exporting::LineageStep step;
  step.variant = trial.variant;
  step.parents = trial.parents;
  step.operator_name = trial.operator_name;
  step.rationale = trial.rationale;
  step.generation = trial.generation;
  step.slot = trial.slot;
  step.template_name = trial.template_name;
  step.genome = trial.genome;
  step.status = model::name_of(trial.status);
  step.latency = trial.latency();
  return step;
}

exporting::BesideFigure beside_of(const TimedPairs& pairs, double margin) {
  exporting::BesideFigure figure{pairs.against, pairs.cache, pairs.failure, {}, 0, {}, 0};
  if (!pairs.failure.empty()) return figure;
  const auto ratio = pairs.ratio();
  figure.decision = name_of(pairs.decision_at(margin));
  figure.speedup = 1 / ratio.ratio;
  if (pairs.kind != model::LatencyKind::measured) return figure;
  figure.pairs = pairs.pairs();
  figure.interval = {1 / ratio.interval[1], 1 / ratio.interval[0]};
  return figure;
}

std::optional<exporting::FinalFigure> figure_of(const std::optional<FinalVerdict>& verdict) {
  if (!verdict || verdict->decision() == Decision::not_valid) return std::nullopt;
  const auto ratio = verdict->ratio();
  exporting::FinalFigure figure;
  figure.decision = name_of(verdict->decision());
  figure.speedup = 1 / ratio.ratio;
  figure.margin = verdict->margin;
  figure.pairs = verdict->pairs();
  figure.confidence = 1;
  if (verdict->kind == model::LatencyKind::measured) {
    figure.interval = {1 / ratio.interval[1], 1 / ratio.interval[0]};
    figure.confidence = verdict_confidence;
  }
  figure.cache = verdict->cache;
  if (verdict->other_cache) figure.beside.push_back(beside_of(*verdict->other_cache, verdict->margin));
  for (const TimedPairs& one : verdict->comparators) figure.beside.push_back(beside_of(one, verdict->margin));
  return figure;
}

}  // namespace

void export_variant(const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::string& run_name, const std::vector<engine::TrialRecord>& trials,
                    const engine::TrialRecord& trial, const std::filesystem::path& output,
                    exporting::Form form, const std::optional<FinalVerdict>& verdict) {
  ProvenVariant proven = proven_variant(experiment, trial, "exported");
  exporting::ExportRequest request;
  request.form = form;
  request.variant = std::move(proven.variant);
  request.problem = experiment.problem;
  request.kernel_template = std::move(proven.entry.kernel_template);
  request.bound_space = std::move(proven.entry.space);
  request.workloads = experiment.workloads;
  request.target = experiment.target;
  request.accuracy_class = experiment.accuracy_class;
  exporting::Provenance& from = request.provenance;
  from.evo_version = version_number();
  from.experiment = experiment.name;
  from.run = run_name;
  from.lineage_sha256 = engine::lineage_sha256(trials);
  from.status = model::name_of(trial.status);
  from.device_kind = meta.device_kind;
  from.device_name = meta.device_name;
  from.driver = meta.driver;
  from.toolchain = meta.toolchain;
  from.problem_hash = meta.problem_hash;
  from.seed = meta.seed;
  from.input_seed = meta.input_seed;
  from.baseline_variant = trials.front().variant;
  from.latencies = trial.latencies;
  from.baseline_latencies = trials.front().latencies;
  for (const engine::TrialRecord& ancestor : ancestors(trials, variant_of_trial(trial)))
    from.lineage.push_back(step_of(ancestor));
  if (variant_of_trial(trial) != trial.variant) from.lineage.push_back(step_of(trial));
  from.final_figure = figure_of(verdict);
  from.resources = trial.resources;
  from.code_hash = trial.code_identity;
  if (form == exporting::Form::files) {
    try {
      if (may_add_in_tensor_cores(request)) grant_tensor_sums(request, experiment, *cached_compiler(1));
    } catch (const model::Exception&) {
      // Where nothing can be compiled the export is still written; its self-test is stricter then.
    }
    record_answers(request, meta.input_seed);
  }
  if (const auto written = exporting::write_export(request, output); !written) {
    throw model::Exception(model::ExitCode::environment, written.error().text());
  }
}

engine::TrialRecord export_from_run(const OpenedRun& run, const engine::Ledger& ledger,
                                    const std::string& name, const std::filesystem::path& output,
                                    exporting::Form form) {
  const std::vector<engine::TrialRecord> trials = ledger.trials();
  const auto meta = ledger.meta();
  if (!meta) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} holds no trial yet", run.folder.path.string()));
  }
  if (const auto issues = ledger.verify(); !issues.empty()) {
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("the ledger was altered: {} row {}: {}", issues.front().table,
                                       issues.front().row, issues.front().message));
  }
  const std::vector<engine::EventRecord> events = ledger.events();
  const engine::TrialRecord trial = find_variant(trials, name, events);
  for (const engine::EventRecord& event : events) {
    if (event.kind != engine::event_kinds::champion_refused || event.trial != trial.index) continue;
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("{} was refused at the end of the run, at the gate {} ({})",
                                       trial.variant, event.details.at("gate"), event.details.at("reason")));
  }
  export_variant(run.experiment, *meta, run.folder.path.filename().string(), trials, trial, output, form,
                 find_verdict(events, trial.index, trial.variant));
  return trial;
}

void write_champion(const RunFolder& folder, const model::Experiment& experiment, const engine::RunMeta& meta,
                    const std::vector<engine::TrialRecord>& trials, const engine::TrialRecord& champion,
                    const std::optional<FinalVerdict>& verdict) {
  export_variant(experiment, meta, folder.path.filename().string(), trials, champion, folder.champion(),
                 exporting::Form::files, verdict);
}

}  // namespace evo::session
