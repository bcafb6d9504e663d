// evo diagnose RUN VARIANT, evo diagnose SOURCE --problem P: why it fails. On the virtual device, and on a
// GPU what that cannot follow.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/json_output.hpp"
#include "cli/verbs.hpp"
#include "diagnose/compute_sanitizer.hpp"
#include "diagnose/output_folder.hpp"
#include "diagnose/report.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/evaluation_stack.hpp"
#include "session/run_folder.hpp"
#include "session/source_experiment.hpp"
#include "session/variants.hpp"
#include "session/version.hpp"

namespace evo::cli {
namespace {

constexpr int sanitizer_seconds = 60;

/// A subject and the experiment that its device and limits come from.
struct Chosen {
  model::Experiment experiment;
  diagnose::Subject subject;
  std::string verdict{};  ///< of the run, where it is a failure
};

Chosen choose_source(const DiagnoseOptions& wanted) {
  if (!wanted.variant.empty())
    throw model::Exception(model::ExitCode::usage, "--problem and a variant of a run do not go together");
  session::SourceExperiment source = session::read_source_experiment(wanted.source);
  model::Experiment& experiment = source.experiment;
  const model::Template changed = experiment.problem.templates.front();
  experiment.problem.templates.front().source = source.template_source;
  diagnose::Subject subject =
      diagnose::make_subject(experiment, changed.name, experiment.baseline,
                             packs::catalogue_of(packs::builtin()), changed.source, changed.source_file);
  return {std::move(experiment), std::move(subject)};
}

Chosen choose_variant(const DiagnoseOptions& wanted) {
  if (std::filesystem::is_regular_file(wanted.source.source)) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{} is a file, not a run: to diagnose a kernel's source, name its problem with --problem",
                    wanted.source.source));
  }
  session::OpenedRun run = session::open_run(wanted.source.source);
  const auto ledger = session::open_ledger_for_reading(run.folder);
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  if (wanted.variant.empty()) {
    throw model::Exception(
        model::ExitCode::usage,
        "which variant of the run? (evo lineage lists them; for a source file give --problem)");
  }
  const std::vector<engine::EventRecord> events = ledger->events();
  const engine::TrialRecord& trial = session::find_variant(trials, wanted.variant, events);
  if (const auto meta = ledger->meta()) run.experiment.input_seed = meta->input_seed;
  diagnose::Subject subject = diagnose::make_subject(run.experiment, trial.template_name, trial.genome,
                                                     packs::catalogue_of(packs::builtin()));
  subject.title = fmt::format("variant {} of {}", trial.variant, wanted.source.source);
  std::string verdict;
  if (!model::is_proven_right(trial.status))
    verdict = fmt::format("{} ({})", model::name_of(trial.status), trial.reason);
  return {std::move(run.experiment), std::move(subject), std::move(verdict)};
}

/// The virtual device sees most. What it cannot follow goes to a GPU, where the experiment may use one.
session::DeviceChoice device_for(const Chosen& chosen) {
  if (!diagnose::needs_gpu(chosen.subject) || chosen.experiment.device == "virtual") return {"virtual", {}};
  return session::choose_device("auto", chosen.subject.target);
}

evaluators::gates::DeviceFactory factory_of(const session::DeviceChoice& device,
                                            const model::TargetProfile& target) {
  namespace cuda = evaluators::cuda;
  if (device.spelling == "virtual")
    return [target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); };
  auto context = cuda::open_context(cuda::parse_cuda_ordinal(device.spelling).value());
  cuda::share_context(*context);
  return [context] { return std::make_unique<cuda::CudaDevice>(context); };
}

/// What the device could not see.
void add_device_notes(const session::DeviceChoice& device, const diagnose::Subject& subject, bool with_folder,
                      std::vector<std::string>& notes) {
  if (!diagnose::needs_gpu(subject)) return;
  if (device.spelling == "virtual") {
    notes.push_back(fmt::format(
        "template {} has instructions that the virtual device does not follow, and no GPU "
        "was used ({})",
        subject.kernel.name, device.note.empty() ? "the experiment's device is virtual" : device.note));
    return;
  }
  notes.push_back(
      fmt::format("ran on {}: shapes, inputs and outputs are compared there; races, uninitialised reads and "
                  "the lines of faults "
                  "only compute-sanitizer sees{}",
                  device.spelling, with_folder ? "" : ", which runs with -o DIR"));
}

}  // namespace

int diagnose_command(const Options& options) {
  const DiagnoseOptions& wanted = options.diagnose;
  Chosen chosen = wanted.source.problem.empty() ? choose_variant(wanted) : choose_source(wanted);
  const diagnose::Subject& subject = chosen.subject;
  session::StackOptions parts;
  parts.input_seed = subject.input_seed;
  session::EvaluationStack stack(chosen.experiment, {"virtual", {}}, parts);
  chosen.subject.known = stack.known();  // with the problem's own reference, if it has one
  const session::DeviceChoice device = device_for(chosen);
  diagnose::Lab lab(subject, stack.compiler(), factory_of(device, subject.target), wanted.seconds);
  diagnose::Diagnosis diagnosis = diagnose::diagnose(lab);
  diagnose::PostMortem& report = diagnosis.post_mortem;
  if (!report.failing && !chosen.verdict.empty()) {
    report.notes.push_back(fmt::format("the run ended this trial with {}; {} its results are right",
                                       chosen.verdict,
                                       device.spelling == "virtual" ? "on the virtual device" : "here"));
  }
  add_device_notes(device, subject, !wanted.output.empty(), report.notes);
  if (!wanted.output.empty()) {
    const auto check = [](const model::Expected<void>& done) {
      if (!done) throw model::Exception(model::ExitCode::environment, done.error().text());
    };
    check(diagnose::write_folder(subject, diagnosis, wanted.output, session::version_number()));
    if (report.failing) {
      const auto folder = std::filesystem::path(wanted.output) / "reproducer";
      diagnose::SanitizerRun run = diagnose::run_sanitizers(folder, subject.target.arch, sanitizer_seconds);
      report.sanitizer = std::move(run.evidence);
      report.notes.insert(report.notes.end(), run.notes.begin(), run.notes.end());
      check(diagnose::write_reports(report, wanted.output));
    }
  }
  if (options.common.json) {
    print_json(diagnose::json_report(report));
  } else {
    fmt::print("{}", wanted.markdown ? diagnose::markdown_report(report) : diagnose::text_report(report));
  }
  return static_cast<int>(model::ExitCode::done);
}

}  // namespace evo::cli
