#include "cli/evaluator_check.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/json_output.hpp"
#include "cli/load.hpp"
#include "cli/run_folder.hpp"
#include "cli/run_session.hpp"
#include "cli/verbs.hpp"
#include "cli/version.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::cli {
namespace {

namespace fs = std::filesystem;
using evaluators::selftest::Check;
using evaluators::selftest::Report;

/// The reference kernel of a problem, by the name that exports know it under too.
std::string reference_of(const model::Problem& problem) {
  std::ifstream file(fs::path(problem.folder) / "reference.cu", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Report run_test(const model::Experiment& experiment, Assembly& assembly, std::uint64_t input_seed,
                bool baseline_follows) {
  return evaluators::selftest::run({experiment, assembly.compiler(), assembly.runner(), input_seed,
                                    reference_of(experiment.problem), baseline_follows});
}

/// This program: its version, and what a new build changes.
std::string program_identity() {
  struct stat found {};
  if (::stat(evaluators::process::self_path().c_str(), &found) != 0) return {};
  return fmt::format("{} {} {}.{}", version_text(), found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

fs::path success_file(const model::Experiment& experiment, Assembly& assembly) {
  model::Hasher hasher;
  hasher.add(std::to_string(evaluators::selftest::version)).add(program_identity());
  hasher.add(experiment.problem.content_hash).add(reference_of(experiment.problem));
  hasher.add(experiment.accuracy_class).add(experiment.target.name).add(experiment.baseline_template);
  hasher.add(experiment.baseline.text()).add(assembly.compiler().version());
  for (const model::Workload& workload : experiment.workloads) {
    for (const auto& [axis, value] : workload.axes) hasher.add(axis).add(std::to_string(value));
  }
  return evaluators::compile::ArtifactCache::default_folder().parent_path() / "selftest" / hasher.finish();
}

void remember(const fs::path& file) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    write_file_atomically(file, "passed\n");
  } catch (const model::Exception&) {
    // A cache that cannot be written costs the next run a second, and this one nothing.
  }
}

model::Experiment experiment_for_doctor(const DoctorOptions& doctor) {
  model::Experiment experiment;
  experiment.name = "doctor";
  experiment.problem = load_problem_or_throw(doctor.problem.empty() ? "attention_forward" : doctor.problem);
  const model::Template& kernel = experiment.problem.templates.front();
  experiment.baseline_template = kernel.name;
  experiment.baseline = kernel.space.initial();
  experiment.accuracy_class = experiment.problem.tolerances.front().accuracy_class;
  experiment.target = *model::find_target("l4");
  experiment.device = doctor.device.empty() ? "auto" : doctor.device;
  experiment.workloads = {experiment.problem.check_workloads.empty()
                              ? model::Workload{"initial", 1, {}}
                              : experiment.problem.check_workloads.back()};
  config::complete_workloads(experiment);
  return experiment;
}

}  // namespace

void require_sound_evaluator(const model::Experiment& experiment, Assembly& assembly,
                             std::uint64_t input_seed, const CommonOptions& common) {
  const bool repeatable = assembly.runner().info().kind == "virtual";
  const fs::path known = success_file(experiment, assembly);
  std::error_code ignored;
  if (repeatable && fs::exists(known, ignored)) return;
  const Report report = run_test(experiment, assembly, input_seed, true);
  if (common.verbose > 0) {
    for (const Check& check : report.checks)
      fmt::print(stderr, "evo: self-test {}: {}\n", check.name, check.message);
  }
  if (const Check* failed = report.first_failure()) {
    throw model::Exception(
        model::ExitCode::verification_failed,
        fmt::format("the evaluator's self-test failed at the check '{}': {}. Its verdicts would "
                    "mean nothing, so the run does not start (evo doctor --evaluator lists all "
                    "checks)",
                    failed->name, failed->message));
  }
  if (repeatable) remember(known);
}

int doctor_evaluator(const Options& options) {
  const model::Experiment experiment = experiment_for_doctor(options.doctor);
  const DeviceChoice device = choose_device(experiment.device, experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  AssemblyOptions parts;
  parts.threads = threads_or_cores(0);
  parts.input_seed = draw_entropy();
  Assembly assembly(experiment, device, parts);
  const Report report = run_test(experiment, assembly, parts.input_seed, false);
  boost::json::array list;
  for (const Check& check : report.checks) {
    list.push_back({{"name", check.name},
                    {"level", check.pass ? "ok" : "fail"},
                    {"message", check.message},
                    {"fix", ""},
                    {"ms", check.milliseconds}});
    if (options.common.json) continue;
    fmt::print("{:<5} {:<28} {:>6.0f} ms  {}\n", check.pass ? "ok" : "FAIL", check.name, check.milliseconds,
               check.message);
  }
  if (options.common.json) {
    print_json(
        boost::json::object{{"ok", report.pass()}, {"device", device.spelling}, {"checks", std::move(list)}});
  } else {
    fmt::print("the evaluator of {} on {} is {}\n", experiment.problem.name, device.spelling,
               report.pass() ? "sound" : "NOT sound");
  }
  return static_cast<int>(report.pass() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
