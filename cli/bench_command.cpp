// evo bench RUN|EXPERIMENT, evo bench --attacks, evo bench --bugs and evo bench EXPERIMENT --aa N
#include <fmt/format.h>

#include "cli/bench_aa.hpp"
#include "cli/bench_attacks.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/bench_plot.hpp"
#include "session/bench.hpp"
#include "session/run_folder.hpp"
#include "terminal/bench_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

session::BenchRequest request_of(const Options& options) {
  const BenchOptions& bench = options.bench;
  session::BenchRequest request;
  request.rounds = bench.rounds;
  request.sweep = bench.sweep;
  request.only = options.attacks.only;  // --only
  request.no_comparators = bench.no_comparators;
  request.cudnn = bench.cudnn;
  request.python = bench.python;
  return request;
}

session::Tell tell_of(const terminal::CommonOptions& common, terminal::Waiting& waiting) {
  if (common.quiet) return {};
  return [&waiting](const std::string& line) {
    waiting.heard();
    fmt::print(stderr, "{}\n", line);
  };
}

session::BenchReport modelled(const session::BenchSubject& subject, const session::BenchRequest& request,
                              const session::DeviceChoice& device) {
  session::StackOptions parts;
  parts.threads = 2;
  parts.input_seed = session::bench_input_seed;
  session::EvaluationStack stack(subject.experiment, device, parts);
  return session::modelled_bench(subject, request, stack);
}

}  // namespace

int bench_command(const Options& options) {
  if (options.attacks.wanted || options.attacks.bugs) {
    AttackOptions attacks = options.attacks;
    attacks.device = options.bench.device;
    return bench_attacks(options.common, attacks);
  }
  if (!options.attacks.share.empty())
    throw model::Exception(model::ExitCode::usage, "--share is of --attacks and --bugs");
  if (options.bench.aa > 0) return bench_aa(options.common, options.bench);
  if (options.bench.subject.empty()) {
    throw model::Exception(model::ExitCode::usage,
                           "evo bench needs a run folder or an experiment, --attacks or --bugs");
  }
  const BenchOptions& bench = options.bench;
  if (!bench.plot.empty() && !bench.plot.ends_with(".svg"))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--plot {}: the plot is SVG; name a file that ends in .svg", bench.plot));
  terminal::Waiting waiting(options.common);
  waiting.on("reading " + bench.subject);
  const session::BenchSubject subject = session::read_bench_subject(bench.subject, bench.variants);
  if (bench.sweep) static_cast<void>(session::find_sweep(subject.experiment.problem, *bench.sweep));
  const std::string wanted = bench.device.empty() ? subject.experiment.device : bench.device;
  const session::DeviceChoice device = session::choose_device(wanted, subject.experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  if (device.id == "virtual" && bench.sweep) {
    throw model::Exception(model::ExitCode::usage,
                           "--sweep measures: it needs a GPU, not the virtual device");
  }
  waiting.on(fmt::format("proving {} and timing each workload on {}",
                         subject.variants.size() == 1 ? "the variant" : "the variants", device.id));
  std::stop_token stop;
  if (device.id != "virtual") stop = stop_on_signals();
  const session::BenchReport report = device.id == "virtual"
                                          ? modelled(subject, request_of(options), device)
                                          : session::measure_on_gpu(subject, request_of(options), device.id,
                                                                    stop, tell_of(options.common, waiting));
  waiting.on("");
  if (!bench.plot.empty()) {
    session::write_file_atomically(bench.plot, report::bench_svg(report));
    if (!options.common.quiet) fmt::print(stderr, "evo: wrote {}\n", bench.plot);
  }
  if (options.common.json) {
    terminal::print_json(terminal::bench_to_json(report));
  } else {
    fmt::print("{}", terminal::bench_text(report));
  }
  if (stop.stop_requested()) {
    if (!options.common.quiet)
      fmt::print(stderr, "evo: interrupted: what is not in the table was not measured\n");
    return static_cast<int>(model::ExitCode::interrupted);
  }
  return static_cast<int>(report.all_refused() ? model::ExitCode::verification_failed
                                               : model::ExitCode::done);
}

}  // namespace evo::cli
