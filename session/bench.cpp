#include "session/bench.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "session/comparator_prover.hpp"

namespace evo::session {
namespace {

using namespace evaluators;
using benchmark::Attempt;

class SideBySide {
 public:
  SideBySide(const BenchSubject& subject, const BenchRequest& request, BenchDevice on, const Tell& tell)
      : subject_(subject), request_(request), on_(std::move(on)), tell_(tell) {
    const devices::DeviceInfo info = on_.device->info();
    report_.run = subject_.run;
    report_.experiment = subject_.experiment.name;
    report_.target = subject_.experiment.target.name;
    report_.toolchain = on_.compiler->version();
    report_.device_kind = info.kind;
    report_.device_name = info.name;
    report_.driver = info.driver;
    report_.uuid = info.uuid;
    report_.l2_bytes = on_.l2_bytes;
    report_.comparators = std::move(on_.comparators);
    for (const BenchVariant& variant : subject_.variants) {
      report_.variants.emplace_back(variant.label, variant.id);
      kernels_.push_back(std::make_unique<benchmark::KernelContender>(
          variant.label, *on_.device, [this, &variant, arch = info.arch](const model::Case&) {
            return compile_for(*on_.compiler, subject_.experiment, variant, *workload_, arch);
          }));
    }
    floor_ = std::make_unique<benchmark::KernelContender>(
        report_.floor, *on_.device, [this](const model::Case&) { return empty_kernel(); });
  }

  /// What was measured until `stop`, if it comes.
  BenchReport run(const std::stop_token& stop) {
    for (const model::Workload& workload : subject_.experiment.workloads) {
      if (!stop.stop_requested()) measure(workload, false);
    }
    if (!request_.sweep) return std::move(report_);
    const std::vector<model::Workload>& sweep =
        find_sweep(subject_.experiment.problem, *request_.sweep).workloads;
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
  [[nodiscard]] bool is_wanted(const std::string& shape) const {
    return request_.only.empty() ||
           std::any_of(request_.only.begin(), request_.only.end(),
                       [&](const std::string& word) { return shape.find(word) != std::string::npos; });
  }

  Attempt<benchmark::BoundKernel> empty_kernel() {
    compile::CompileRequest request;
    request.source = "extern \"C\" __global__ void evo_launch_floor() {}\n";
    request.source_file = "launch_floor.cu";
    request.entry = "evo_launch_floor";
    request.arch = on_.device->info().arch;
    auto artifact = on_.compiler->compile(request);
    if (!artifact) return tl::make_unexpected(benchmark::line_of(artifact.error()));
    return benchmark::BoundKernel{std::move(*artifact), {}};
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
    result.flops = experiment.problem.work.assumed ? 0 : bound->flops;
    result.bytes = bound->bytes;
    if (auto made = make_inputs(*bound, sweep); !made) {
      result.skipped = made.error();
      return;
    }
    const model::Tolerance tolerance = *experiment.problem.find_tolerance(experiment.accuracy_class);
    const auto reference = benchmark::SampledReference::make(
        on_.known, experiment.problem.oracle, *bound, inputs_, sample_entropy_, oracle::whole_reference_flops,
        tolerance.reference_factor.has_value());
    if (!reference) {
      result.skipped = reference.error().text();
      return;
    }
    const std::vector<benchmark::Entry> entries = entries_for(sweep);
    benchmark::Protocol protocol;
    protocol.rounds = request_.rounds;
    protocol.l2_bytes = on_.l2_bytes;
    protocol.cut_off = gates::cut_off_by_tensor_cores(reduced_axes_, *bound);
    if (sweep) {
      protocol.cold = false;
      protocol.rounds = std::min(protocol.rounds, 5);
    }
    if (tell_) tell_(fmt::format("measuring {} with {} contenders", workload.name, entries.size()));
    // Other runs of evo on this GPU wait until the case is done.
    const devices::DeviceLock lock = on_.device->lock_device();
    result.standings =
        benchmark::measure_side_by_side(entries, *bound, inputs_, *reference, tolerance, protocol);
  }

  [[nodiscard]] std::vector<benchmark::Entry> entries_for(bool sweep) const {
    std::vector<benchmark::Entry> entries;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      // A baseline is there to be beaten; at 16k tokens a scalar one would take minutes.
      if (sweep && kernels_.size() > 1 && subject_.variants[i].label == "baseline") continue;
      entries.push_back({kernels_[i].get()});
    }
    for (const auto& backend : on_.others) {
      if (sweep && backend->skips_sweeps()) continue;
      entries.push_back({backend.get()});
    }
    if (!sweep) entries.push_back({floor_.get(), false});
    return entries;
  }

  /// The shapes of a sweep have the same number of elements, and normal data is as good in any order: it is
  /// drawn once.
  Attempt<void> make_inputs(const model::Case& bound, bool sweep) {
    const auto fits = [&](std::size_t i) {
      const model::BoundArgument& argument = bound.arguments[i];
      const std::int64_t bytes = model::is_given(argument.role) ? oracle::buffer_bytes(argument) : 0;
      return static_cast<std::int64_t>(inputs_[i].size()) == bytes;
    };
    bool same = sweep && inputs_.size() == bound.arguments.size();
    for (std::size_t i = 0; same && i < inputs_.size(); ++i) same = fits(i);
    if (same) return {};
    auto made = oracle::make_inputs(on_.known, bound, subject_.experiment.problem.input_sets.front(),
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

  const BenchSubject& subject_;
  const BenchRequest& request_;
  BenchDevice on_;
  const Tell& tell_;
  BenchReport report_;
  oracle::InputBuffers inputs_;
  std::uint64_t sample_entropy_ = draw_entropy();  // which rows of big cases are checked
  const std::vector<std::string> reduced_axes_ = gates::reduced_axes_of(on_.known, subject_.experiment);
  const model::Workload* workload_ = nullptr;  // what the kernels are compiled for now
  std::vector<std::unique_ptr<benchmark::KernelContender>> kernels_;
  std::unique_ptr<benchmark::KernelContender> floor_;
};

}  // namespace

bool BenchReport::all_refused() const {
  // Behind the variants there are others' kernels.
  const auto end = modelled.begin() + static_cast<std::ptrdiff_t>(std::min(variants.size(), modelled.size()));
  return !modelled.empty() && std::all_of(modelled.begin(), end,
                                          [](const BenchModelled& row) { return !row.unavailable.empty(); });
}

BenchReport measure_side_by_side(const BenchSubject& subject, const BenchRequest& request, BenchDevice on,
                                 const std::stop_token& stop, const Tell& tell) {
  return SideBySide(subject, request, std::move(on), tell).run(stop);
}

BenchReport modelled_bench(const BenchSubject& subject, const BenchRequest& request, EvaluationStack& stack) {
  const EvaluatorInfo info = stack.ladder().info();
  BenchReport report;
  report.run = subject.run;
  report.experiment = subject.experiment.name;
  report.target = subject.experiment.target.name;
  report.device_kind = info.device_kind;
  report.device_name = info.device_name;
  report.toolchain = info.toolchain;
  const auto add = [&](const std::string& contender, const gates::GateReport& proven) {
    BenchModelled& row = report.modelled.emplace_back();
    row.contender = contender;
    if (const model::Failure* failure = proven.failure()) row.unavailable = benchmark::line_of(*failure);
    row.latencies = proven.evaluation.latencies;
  };
  for (const BenchVariant& variant : subject.variants) {
    report.variants.emplace_back(variant.label, variant.id);
    const model::Template* kernel = subject.experiment.problem.find_template(variant.template_name);
    const gates::TemplateContext context = gates::make_context(subject.experiment, *kernel);
    add(variant.label,
        gates::prove(stack.ladder(), model::make_variant(*kernel, context.space, variant.genome)));
  }
  if (request.no_comparators) return report;
  std::optional<ComparatorProver> prover;
  for (const model::Comparator& one : subject.experiment.problem.comparators) {
    if (!one.kernel) continue;
    if (!prover) prover.emplace(subject.experiment, stack);
    report.comparators.push_back({one.name, {}});
    add(one.name, prover->prove(one));
  }
  return report;
}

}  // namespace evo::session
