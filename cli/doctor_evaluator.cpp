// evo doctor --evaluator: asks for verdicts that are known and prints every check.
#include <fmt/format.h>

#include "cli/doctor_evaluator.hpp"
#include "model/error.hpp"
#include "session/evaluator_check.hpp"
#include "terminal/doctor_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

using evaluators::selftest::Report;

int doctor_evaluator(const Options& options) {
  const model::Experiment experiment =
      session::doctor_experiment(options.doctor.problem, options.doctor.device);
  const session::DeviceChoice device = session::choose_device(experiment.device, experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  session::StackOptions parts;
  parts.threads = session::threads_or_cores(0);
  parts.input_seed = session::draw_entropy();
  session::EvaluationStack stack(experiment, device, parts);
  const Report report = session::check_evaluator(experiment, stack, parts.input_seed, false);
  if (options.common.json) {
    terminal::print_json(terminal::selftest_to_json(report, device.id));
  } else {
    fmt::print("{}", terminal::selftest_text(report, experiment.problem.name, device.id));
  }
  return static_cast<int>(report.pass() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
