// evo doctor --evaluator: asks for verdicts that are known and prints every check.
#include <fmt/format.h>

#include "cli/doctor_evaluator.hpp"
#include "model/error.hpp"
#include "session/evaluator_check.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

using evaluators::selftest::Check;
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
    terminal::print_json(
        boost::json::object{{"ok", report.pass()}, {"device", device.id}, {"checks", std::move(list)}});
  } else {
    fmt::print("the evaluator of {} on {} is {}\n", experiment.problem.name, device.id,
               report.pass() ? "sound" : "NOT sound");
  }
  return static_cast<int>(report.pass() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
