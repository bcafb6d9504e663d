// evo bench EXPERIMENT --aa N
#include "cli/bench_aa.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "session/aa.hpp"
#include "terminal/json_output.hpp"
#include "terminal/text_output.hpp"

namespace evo::cli {
namespace {

using model::Status;

std::string refusal_text(const engine::TrialRecord& trial) {
  return fmt::format("{} ({})\n{}", model::name_of(trial.status), trial.reason,
                     terminal::evidence_text(trial.evidence));
}

void print_text(const session::AaOutcome& outcome, const BenchOptions& options,
                const session::DeviceChoice& device, const model::Latency& baseline,
                const std::vector<evaluators::gates::GateTime>& times) {
  fmt::print("A/A on {}: {} copies of the baseline, {} sources, {:.1f} s\n", device.id, options.aa,
             outcome.sources, outcome.seconds);
  fmt::print("baseline   {}\n", terminal::latency_text(baseline));
  fmt::print("copies     {:.4f} to {:.4f} of the baseline's latency\n", outcome.least_ratio,
             outcome.largest_ratio);
  if (outcome.paired > 0)
    fmt::print("in turn    {} of them, {:.4f} to {:.4f} of the baseline's latency\n", outcome.paired,
               outcome.least_paired, outcome.largest_paired);
  fmt::print("faster     {}\ntie        {}\nslower     {}\nrefused    {}\n", outcome.faster(),
             outcome.count(Status::tie), outcome.count(Status::correct_slower), outcome.refused());
  fmt::print("same code  {} of {} sources; a run would have taken such for duplicates\n", outcome.same_code,
             outcome.sources);
  if (outcome.first_refused) fmt::print("the first refusal: {}", refusal_text(*outcome.first_refused));
  fmt::print("\n{}", terminal::times_text(times));
}

void print_document(const session::AaOutcome& outcome, const BenchOptions& options,
                    const session::DeviceChoice& device, const model::Latency& baseline,
                    const std::vector<evaluators::gates::GateTime>& times) {
  terminal::print_json(boost::json::object{{"copies", options.aa},
                                           {"sources", outcome.sources},
                                           {"device", device.id},
                                           {"baseline_us", baseline.microseconds},
                                           {"latency_kind", model::name_of(baseline.kind)},
                                           {"faster", outcome.faster()},
                                           {"tie", outcome.count(Status::tie)},
                                           {"slower", outcome.count(Status::correct_slower)},
                                           {"refused", outcome.refused()},
                                           {"least_ratio", outcome.least_ratio},
                                           {"largest_ratio", outcome.largest_ratio},
                                           {"paired", outcome.paired},
                                           {"least_paired_ratio", outcome.least_paired},
                                           {"largest_paired_ratio", outcome.largest_paired},
                                           {"same_code", outcome.same_code},
                                           {"seconds", outcome.seconds},
                                           {"time", terminal::times_to_json(times)}});
}

}  // namespace

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
                           "the baseline is not correct: " + refusal_text(report.baseline));
  }
  const auto print = common.json ? &print_document : &print_text;
  print(report.outcome, options, device, *report.baseline.latency(), stack.times());
  return static_cast<int>(report.outcome.honest() ? model::ExitCode::done
                                                  : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
