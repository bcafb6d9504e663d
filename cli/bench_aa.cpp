// evo bench EXPERIMENT --aa N
#include "cli/bench_aa.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "session/aa.hpp"
#include "terminal/aa_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {
int bench_aa(const terminal::CommonOptions& common, const BenchOptions& options) {
  if (options.subject.empty())
    throw model::Exception(model::ExitCode::usage, "evo bench --aa needs a run folder or an experiment");
  const session::AaSubject subject =
      session::aa_subject(session::read_bench_subject(options.subject, {}), options.aa);
  const model::Experiment& experiment = subject.experiment;
  const session::DeviceChoice device =
      session::choose_device(options.device.empty() ? experiment.device : options.device, experiment.target);
  if (!device.note.empty() && !common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  session::StackOptions parts;
  parts.threads = session::threads_or_cores(options.threads);
  parts.input_seed = session::draw_entropy();
  session::EvaluationStack stack(experiment, device, parts);
  const session::AaReport report = session::measure_aa(subject, stack, options.aa, parts.threads);
  if (!report.baseline_correct()) {
    throw model::Exception(model::ExitCode::verification_failed,
                           "the baseline is not correct: " + terminal::refusal_text(report.baseline));
  }
  const model::Latency baseline = *report.baseline.latency();
  if (common.json) {
    terminal::print_json(
        terminal::aa_to_json(report.outcome, options.aa, device.id, baseline, stack.times()));
  } else {
    fmt::print("{}", terminal::aa_text(report.outcome, options.aa, device.id, baseline, stack.times()));
  }
  return static_cast<int>(report.outcome.honest() ? model::ExitCode::done
                                                  : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
