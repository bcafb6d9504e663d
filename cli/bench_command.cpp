// evo bench RUN|EXPERIMENT, evo bench --attacks, evo bench --bugs and evo bench EXPERIMENT --aa N
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/assembly.hpp"
#include "cli/bench_aa.hpp"
#include "cli/bench_attacks.hpp"
#include "cli/bench_output.hpp"
#include "cli/bench_subject.hpp"
#include "cli/json_output.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "evaluators/compare/comparator_process.hpp"
#include "evaluators/compare/cudnn/cudnn_contender.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"

namespace evo::cli {
namespace {

using namespace evaluators;
using compare::Attempt;

constexpr std::uint64_t bench_input_seed = 1;  // what is measured was proven on entropy of its own

compile::ServiceOptions few_compilers() {
  compile::ServiceOptions options;
  options.workers = 2;
  return options;
}

/// Variants, the launch floor and the backends of a comparator on one GPU.
class MeasuredBench {
 public:
  MeasuredBench(const Options& options, BenchSubject subject, const std::string& device)
      : options_(options),
        subject_(std::move(subject)),
        ordinal_(cuda::parse_cuda_ordinal(device).value()),
        service_(few_compilers()),
        cache_(compile::ArtifactCache::default_folder()),
        compiler_(service_, cache_),
        context_(cuda::open_context(ordinal_)),
        device_(context_) {
    cuda::share_context(*context_);
    report_.run = subject_.run;
    report_.experiment = subject_.experiment.name;
    report_.target = subject_.experiment.target.name;
    report_.toolchain = compiler_.version();
    const devices::DeviceInfo info = device_.info();
    report_.device_kind = info.kind;
    report_.device_name = info.name;
    report_.driver = info.driver;
    report_.uuid = info.uuid;
    for (const auto& entry : cuda::list_cuda_devices().devices) {
      if (entry.ordinal == ordinal_) report_.l2_bytes = entry.l2_bytes;
    }
    for (const BenchVariant& variant : subject_.variants) {
      report_.variants.emplace_back(variant.label, variant.id);
      kernels_.push_back(std::make_unique<compare::KernelContender>(
          variant.label, device_, [this, &variant](const model::Case&) {
            return compile_for(compiler_, subject_.experiment, variant, *workload_, device_.info().arch);
          }));
    }
    floor_ = std::make_unique<compare::KernelContender>(
        report_.floor, device_, [this](const model::Case&) { return empty_kernel(); });
    const bool others = options_.bench.no_comparators || start_comparator();
    if (options_.bench.cudnn || !others) start_cudnn();
  }

  /// What was measured until `stop`, if it comes.
  BenchReport run(const std::stop_token& stop) {
    for (const model::Workload& workload : subject_.experiment.workloads) {
      if (!stop.stop_requested()) measure(workload, false);
    }
    if (!options_.bench.sweep) return std::move(report_);
    const std::vector<model::Workload> sweep = sweep_workloads(subject_.experiment.problem);
    if (sweep.empty()) {
      throw model::Exception(
          model::ExitCode::usage,
          fmt::format("--sweep needs the axes batch, heads, seq, head_dim and causal; {} has others",
                      subject_.experiment.problem.name));
    }
    if (std::none_of(sweep.begin(), sweep.end(), [&](const auto& shape) { return is_wanted(shape.name); })) {
      throw model::Exception(model::ExitCode::usage,
                             fmt::format("--only fits no shape of the sweep; they are called {} ... {}",
                                         sweep.front().name, sweep.back().name));
    }
    for (const model::Workload& workload : sweep) {
      if (is_wanted(workload.name) && !stop.stop_requested()) measure(workload, true);
    }
    return std::move(report_);
  }

 private:
  /// `--only` names parts of the sweep's shapes.
  [[nodiscard]] bool is_wanted(const std::string& shape) const {
    const std::vector<std::string>& words = options_.attacks.only;
    return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
             return shape.find(word) != std::string::npos;
           });
  }

  Attempt<compare::BoundKernel> empty_kernel() {
    compile::CompileRequest request;
    request.source = "extern \"C\" __global__ void evo_launch_floor() {}\n";
    request.source_file = "launch_floor.cu";
    request.entry = "evo_launch_floor";
    request.arch = device_.info().arch;
    auto artifact = compiler_.compile(request);
    if (!artifact) return tl::make_unexpected(compare::line_of(artifact.error()));
    return compare::BoundKernel{std::move(*artifact), {}};
  }

  /// False if cuDNN by itself has to stand in for a comparator that is meant to be there.
  bool start_comparator() {
    const std::filesystem::path script =
        std::filesystem::path(subject_.experiment.problem.folder) / "comparator.py";
    std::error_code ignored;
    if (!std::filesystem::exists(script, ignored)) {
      report_.comparators.push_back({"other libraries", "the problem brings no comparator.py"});
      return true;
    }
    compare::ComparatorOptions options;
    options.command = {"/usr/bin/env", options_.bench.python, script.string()};
    options.device = ordinal_;
    auto started = compare::ComparatorProcess::start(options);
    if (!started) {
      report_.comparators.push_back({"PyTorch", started.error()});
      return false;
    }
    const std::string& uuid = (*started)->uuid();
    if (!uuid.empty() && report_.uuid.find(uuid) == std::string::npos) {
      report_.comparators.push_back(
          {(*started)->name(), fmt::format("its cuda:{} is another GPU ({}) than evo's", ordinal_, uuid)});
      return false;
    }
    report_.comparators.push_back({(*started)->name(), {}});
    comparator_ = std::move(*started);
    for (const std::string& backend : comparator_->backends())
      backends_.push_back(comparator_->contender(backend));
    return true;
  }

  void start_cudnn() {
    namespace cudnn = compare::cudnn;
    const auto api = cudnn::load();
    if (!api) {
      report_.comparators.push_back({"cuDNN (graph API)", api.error()});
      return;
    }
    const std::string name = fmt::format("cuDNN {} (graph API)", cudnn::version_text(**api));
    auto session = cudnn::Session::open(*api);
    if (!session) {
      report_.comparators.push_back({name, session.error()});
      return;
    }
    report_.comparators.push_back({name, {}});
    backends_.push_back(std::make_unique<cudnn::CudnnContender>("cudnn graph", device_, *session));
  }

  void measure(const model::Workload& workload, bool sweep) {
    BenchCase& result = report_.cases.emplace_back();
    result.workload = workload.name;
    result.sweep = sweep;
    const model::Experiment& experiment = subject_.experiment;
    workload_ = &workload;
    auto bound = bind_any(workload);
    if (!bound) {
      result.skipped = bound.error();
      return;
    }
    result.flops = bound->flops;
    result.bytes = bound->bytes;
    if (auto made = make_inputs(*bound, sweep); !made) {
      result.skipped = made.error();
      return;
    }
    const model::Tolerance tolerance = *experiment.problem.find_tolerance(experiment.accuracy_class);
    const auto reference = compare::SampledReference::make(experiment.problem.oracle, *bound, inputs_,
                                                           sample_entropy_, oracle::whole_reference_flops,
                                                           tolerance.reference_factor.has_value());
    if (!reference) {
      result.skipped = reference.error().text();
      return;
    }
    std::vector<compare::Entry> entries;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      // A baseline is there to be beaten; at 16k tokens a scalar one would take minutes.
      if (sweep && kernels_.size() > 1 && subject_.variants[i].label == "baseline") continue;
      entries.push_back({kernels_[i].get()});
    }
    for (const auto& backend : backends_) {
      if (sweep && backend->name() == "math") continue;  // it holds all of S, many times over
      entries.push_back({backend.get()});
    }
    if (!sweep) entries.push_back({floor_.get(), false});
    compare::Protocol protocol;
    protocol.rounds = options_.bench.rounds;
    protocol.l2_bytes = report_.l2_bytes;
    if (sweep) {
      protocol.cold = false;
      protocol.rounds = std::min(protocol.rounds, 5);
    }
    if (!options_.common.quiet)
      fmt::print(stderr, "measuring {} with {} contenders\n", workload.name, entries.size());
    // Other runs of evo on this GPU wait until the case is done.
    const devices::Turn turn = device_.take_turn();
    result.standings =
        compare::measure_side_by_side(entries, *bound, inputs_, *reference, tolerance, protocol);
  }

  /// The shapes of a sweep have the same number of elements, and normal data is as good in any order: it is
  /// drawn once.
  Attempt<void> make_inputs(const model::Case& bound, bool sweep) {
    const auto fits = [&](std::size_t i) {
      const model::BoundArgument& argument = bound.arguments[i];
      const std::int64_t bytes =
          argument.role == model::ArgumentRole::input ? oracle::buffer_bytes(argument) : 0;
      return static_cast<std::int64_t>(inputs_[i].size()) == bytes;
    };
    bool same = sweep && inputs_.size() == bound.arguments.size();
    for (std::size_t i = 0; same && i < inputs_.size(); ++i) same = fits(i);
    if (same) return {};
    auto made = oracle::make_inputs(bound, subject_.experiment.problem.input_sets.front(),
                                    {.seed = bench_input_seed});
    if (!made) return tl::make_unexpected(made.error().text());
    inputs_ = std::move(*made);
    return {};
  }

  /// Arguments and work of a workload; those of the first variant that is legal there.
  Attempt<model::Case> bind_any(const model::Workload& workload) {
    Attempt<model::Case> bound = tl::make_unexpected(std::string("there is no variant"));
    for (const BenchVariant& variant : subject_.variants) {
      bound = bind_for(subject_.experiment, variant, workload);
      if (bound) break;
    }
    return bound;
  }

  const Options& options_;
  BenchSubject subject_;
  int ordinal_;
  compile::CompileService service_;
  compile::ArtifactCache cache_;
  compile::CachingCompiler compiler_;
  std::shared_ptr<cuda::CudaContext> context_;
  cuda::CudaDevice device_;
  BenchReport report_;
  oracle::InputBuffers inputs_;
  std::uint64_t sample_entropy_ = draw_entropy();  // which rows of big cases are checked
  const model::Workload* workload_ = nullptr;      // what the kernels are compiled for now
  std::vector<std::unique_ptr<compare::KernelContender>> kernels_;
  std::unique_ptr<compare::KernelContender> floor_;
  std::unique_ptr<compare::ComparatorProcess> comparator_;
  std::vector<std::unique_ptr<compare::Contender>> backends_;
};

BenchReport modelled_bench(const BenchSubject& subject, const DeviceChoice& device) {
  AssemblyOptions parts;
  parts.threads = 2;
  parts.input_seed = bench_input_seed;
  Assembly assembly(subject.experiment, device, parts);
  const EvaluatorInfo info = assembly.ladder().info();
  BenchReport report;
  report.run = subject.run;
  report.experiment = subject.experiment.name;
  report.target = subject.experiment.target.name;
  report.device_kind = info.device_kind;
  report.device_name = info.device_name;
  report.toolchain = info.toolchain;
  for (const BenchVariant& variant : subject.variants) {
    report.variants.emplace_back(variant.label, variant.id);
    const model::Template* kernel = subject.experiment.problem.find_template(variant.template_name);
    const gates::TemplateContext context = gates::make_context(subject.experiment, *kernel);
    const gates::GateReport proven =
        gates::prove(assembly.ladder(), model::make_variant(*kernel, context.space, variant.genome));
    BenchModelled& row = report.modelled.emplace_back();
    row.contender = variant.label;
    if (const model::Failure* failure = proven.failure()) row.unavailable = compare::line_of(*failure);
    row.latencies = proven.evaluation.latencies;
  }
  return report;
}

}  // namespace

int bench_command(const Options& options) {
  if (options.attacks.wanted || options.attacks.bugs) {
    AttackOptions attacks = options.attacks;
    attacks.device = options.bench.device;
    return bench_attacks(options.common, attacks);
  }
  if (options.bench.aa > 0) return bench_aa(options.common, options.bench);
  if (options.bench.subject.empty()) {
    throw model::Exception(model::ExitCode::usage,
                           "evo bench needs a run folder or an experiment, --attacks or --bugs");
  }
  const BenchOptions& bench = options.bench;
  BenchSubject subject = read_bench_subject(bench.subject, bench.variants);
  const std::string wanted = bench.device.empty() ? subject.experiment.device : bench.device;
  const DeviceChoice device = choose_device(wanted, subject.experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  if (device.spelling == "virtual" && bench.sweep) {
    throw model::Exception(model::ExitCode::usage,
                           "--sweep measures: it needs a GPU, not the virtual device");
  }
  std::stop_token stop;
  if (device.spelling != "virtual") stop = stop_on_signals();
  const BenchReport report = device.spelling == "virtual"
                                 ? modelled_bench(subject, device)
                                 : MeasuredBench(options, std::move(subject), device.spelling).run(stop);
  if (options.common.json) {
    print_json(bench_to_json(report));
  } else {
    fmt::print("{}", bench_text(report));
  }
  if (stop.stop_requested()) {
    if (!options.common.quiet)
      fmt::print(stderr, "evo: interrupted: what is not in the table was not measured\n");
    return static_cast<int>(model::ExitCode::interrupted);
  }
  const bool all_refused = !report.modelled.empty() &&
                           std::all_of(report.modelled.begin(), report.modelled.end(),
                                       [](const BenchModelled& row) { return !row.unavailable.empty(); });
  return static_cast<int>(all_refused ? model::ExitCode::verification_failed : model::ExitCode::done);
}

}  // namespace evo::cli
