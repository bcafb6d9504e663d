#include "session/evaluator_check.hpp"

#include <filesystem>

#include <sys/stat.h>

#include <fmt/format.h>

#include "config/target_profile.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/compiler.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "session/hand_made.hpp"
#include "session/load.hpp"
#include "session/run_folder.hpp"
#include "session/version.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
using SelftestCheck = evaluators::selftest::Check;
using SelftestReport = evaluators::selftest::Report;

/// This program: its version, and what a new build changes.
std::string program_identity() {
  struct stat found {};
  if (::stat(evaluators::process::self_path().c_str(), &found) != 0) return {};
  return fmt::format("{} {} {}.{}", version_text(), found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

fs::path success_file(const model::Experiment& experiment, EvaluationStack& stack, const fs::path& memory) {
  model::Hasher hasher;
  hasher.add(std::to_string(evaluators::selftest::version)).add(program_identity());
  hasher.add(experiment.problem.content_hash);
  if (experiment.own_target) hasher.add(config::profile_text(experiment.target));
  hasher.add(experiment.accuracy_class).add(experiment.target.name).add(experiment.baseline_template);
  hasher.add(experiment.baseline.text()).add(stack.compiler().version());
  for (const model::Workload& workload : experiment.workloads) {
    for (const auto& [axis, value] : workload.axes) hasher.add(axis).add(std::to_string(value));
  }
  return memory / hasher.finish();
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

}  // namespace

SelftestReport check_evaluator(const model::Experiment& experiment, EvaluationStack& stack,
                               std::uint64_t input_seed, bool baseline_follows) {
  return evaluators::selftest::run({experiment, stack.compiler(), stack.runner(), stack.known(), input_seed,
                                    experiment.problem.reference, baseline_follows});
}

namespace {
[[noreturn]] void refuse(const SelftestCheck* failed) {
  throw model::Exception(
      model::ExitCode::verification_failed,
      fmt::format("the evaluator's self-test failed at the check '{}': {}. Its verdicts would "
                  "mean nothing, so the run does not start (evo doctor --evaluator lists all "
                  "checks)",
                  failed->name, failed->message));
}
}  // namespace

void require_passed(const SelftestReport& report) {
  if (const SelftestCheck* failed = report.first_failure()) refuse(failed);
}

fs::path selftest_folder() {
  return evaluators::compile::ArtifactCache::default_folder().parent_path() / "selftest";
}

std::optional<SelftestCheck> failed_check(const model::Experiment& experiment, EvaluationStack& stack,
                                          std::uint64_t input_seed, const Tell& tell,
                                          const fs::path& memory) {
  const bool repeatable = stack.runner().info().kind == "virtual";
  const fs::path known = success_file(experiment, stack, memory);
  std::error_code ignored;
  if (repeatable && fs::exists(known, ignored)) return std::nullopt;
  const SelftestReport report = check_evaluator(experiment, stack, input_seed, true);
  if (tell) {
    for (const SelftestCheck& check : report.checks)
      tell(fmt::format("self-test {}: {}", check.name, check.message));
  }
  if (const SelftestCheck* failed = report.first_failure()) return *failed;
  if (repeatable) remember(known);
  return std::nullopt;
}

void require_sound_evaluator(const model::Experiment& experiment, EvaluationStack& stack,
                             std::uint64_t input_seed, const Tell& tell, const fs::path& memory) {
  if (const auto failed = failed_check(experiment, stack, input_seed, tell, memory)) refuse(&*failed);
}

model::Experiment doctor_experiment(const std::string& problem, const std::string& device) {
  model::Experiment experiment =
      hand_made("doctor", load_problem_or_throw(problem.empty() ? "vector_add" : problem));
  if (!device.empty()) experiment.device = device;
  config::complete_workloads(experiment);
  return experiment;
}

}  // namespace evo::session
