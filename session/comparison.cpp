#include "session/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "session/bench.hpp"
#include "session/version.hpp"

namespace evo::session {
namespace {

using namespace evaluators;
using benchmark::Attempt;

/// Of a ratio that is known exactly: what rounding may cost.
constexpr double rounding = 1e-9;

/// What a stored baseline says of itself today.
void note_stored(Comparison& comparison, const Compared& side, std::size_t index) {
  for (const ComparedWorkload& workload : comparison.workloads) {
    const auto stored = side.stored_us.find(workload.times.workload);
    if (stored == side.stored_us.end() || side.stored_kind != comparison.latency_kind) continue;
    const double now = measure::median(index == 0 ? workload.times.first_us : workload.times.second_us);
    if (std::abs(now / stored->second - 1) <= comparison.threshold) continue;
    comparison.notes.push_back(fmt::format(
        "{}: {} takes {:.4g} us here and took {:.4g} us when it was stored (on {}); the verdict is "
        "about both as they run here",
        workload.times.workload, side.given, now, stored->second, side.stored_device));
  }
}

void note_what_differs(Comparison& comparison, const std::array<Compared, 2>& sides) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string& own = sides[i].own_cache;
    if (own.empty() && comparison.cache == "cold" && !sides[i].stored_us.empty()) {
      comparison.notes.push_back(fmt::format(
          "{} does not say what its stored timings found in the L2, which was hot unless --cold was "
          "given; these are with a cold one",
          sides[i].given));
    } else if (own.empty() || comparison.cache.empty() || own == comparison.cache) {
      note_stored(comparison, sides[i], i);
    } else {
      comparison.notes.push_back(
          fmt::format("{}'s own timings are with a {} L2, these are with a {} one (--{})", i == 0 ? "A" : "B",
                      own, comparison.cache, own));
    }
  }
  for (const Compared& side : sides) {
    for (const std::string& note : side.notes) {
      if (std::ranges::find(comparison.notes, note) == comparison.notes.end())
        comparison.notes.push_back(note);
    }
  }
  if (sides[0].variant.id == sides[1].variant.id)
    comparison.notes.push_back("both sides are the same variant, " + sides[0].variant.id);
  const std::string &a = sides[0].experiment.problem.content_hash,
                    &b = sides[1].experiment.problem.content_hash;
  if (!a.empty() && !b.empty() && a != b) comparison.notes.emplace_back("the sides' problem.yaml differ");
}

/// One side bound and compiled for all workloads.
Attempt<benchmark::PairKernel> bind_side(const Compared& side, const PairDevice& on, const std::string& arch,
                                         std::vector<model::Case>& cases) {
  benchmark::PairKernel kernel;
  for (const model::Workload& workload : side.experiment.workloads) {
    auto bound = compile_for(*on.compiler, side.experiment, side.variant, workload, arch);
    if (!bound) return tl::make_unexpected(fmt::format("{}: {}", workload.name, bound.error()));
    if (kernel.cases.empty()) kernel.artifact = std::move(bound->artifact);
    kernel.cases.push_back(std::move(bound->bound));
  }
  cases = kernel.cases;
  return kernel;
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::improved:
      return "improved";
    case Change::regression:
      return "regression";
    case Change::undecided:
      return "undecided";
  }
  return "?";
}

Change change_of(const std::array<double, 2>& ratio, double threshold) {
  const double limit = (1 + threshold) * (1 - rounding);
  if (!(ratio[0] > 0) || !std::isfinite(ratio[1])) return Change::undecided;
  if (ratio[0] > 1 / limit && ratio[1] < limit) return Change::same;
  const bool narrow = ratio[1] / ratio[0] <= 1 + threshold / 2;
  if (ratio[0] >= limit || (narrow && ratio[1] >= limit)) return Change::regression;
  if (ratio[1] <= 1 / limit || (narrow && ratio[0] <= 1 / limit)) return Change::improved;
  return Change::undecided;
}

Change change_of(const std::vector<Change>& changes) {
  for (const Change worst : {Change::regression, Change::undecided, Change::improved}) {
    if (std::find(changes.begin(), changes.end(), worst) != changes.end()) return worst;
  }
  return changes.empty() ? Change::undecided : Change::same;
}

int exit_code_of(Change change) {
  if (change == Change::regression) return regression_exit_code;
  if (change == Change::undecided) return undecided_exit_code;
  return static_cast<int>(model::ExitCode::done);
}

Change Comparison::change() const {
  std::vector<Change> changes;
  for (const ComparedWorkload& workload : workloads) changes.push_back(workload.change);
  return change_of(changes);
}

int Comparison::exit_code() const {
  return refused ? static_cast<int>(model::ExitCode::verification_failed) : exit_code_of(change());
}

Comparison compare_modelled(
    const std::array<Compared, 2>& sides, const ComparisonSettings& settings,
    const std::function<std::unique_ptr<EvaluationStack>(const model::Experiment&)>& stack_of) {
  Comparison comparison;
  comparison.latency_kind = "modelled";
  comparison.threshold = settings.threshold;
  comparison.confidence = 1;
  std::array<std::vector<model::WorkloadLatency>, 2> latencies;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Compared& side = sides[i];
    const auto stack = stack_of(side.experiment);
    const EvaluatorInfo info = stack->ladder().info();
    comparison.device_kind = info.device_kind;
    comparison.device_name = info.device_name;
    comparison.toolchain = info.toolchain;
    const model::Template* kernel = side.experiment.problem.find_template(side.variant.template_name);
    const gates::TemplateContext context = gates::make_context(stack->ladder().experiment(), *kernel);
    const gates::GateReport proven =
        gates::prove(stack->ladder(), model::make_variant(*kernel, context.space, side.variant.genome));
    if (const model::Failure* failure = proven.failure()) {
      comparison.refused = Refusal{i, benchmark::line_of(*failure)};
      return comparison;
    }
    latencies[i] = proven.evaluation.latencies;
  }
  for (std::size_t i = 0; i < std::min(latencies[0].size(), latencies[1].size()); ++i) {
    const model::WorkloadLatency &a = latencies[0][i], &b = latencies[1][i];
    const double ratio = b.latency.microseconds / a.latency.microseconds;
    ComparedWorkload& workload = comparison.workloads.emplace_back();
    workload.times = {a.workload,
                      a.weight,
                      {a.latency.microseconds},
                      {b.latency.microseconds},
                      {std::log(ratio)},
                      {ratio, {ratio, ratio}},
                      true};
    workload.change = change_of(workload.times.ratio.interval, settings.threshold);
  }
  note_what_differs(comparison, sides);
  return comparison;
}

Comparison compare_modelled(const std::array<Compared, 2>& sides, const ComparisonSettings& settings) {
  return compare_modelled(sides, settings, [&](const model::Experiment& experiment) {
    StackOptions parts;
    parts.threads = 2;
    parts.input_seed = settings.seed;
    return std::make_unique<EvaluationStack>(experiment, choose_device("virtual", experiment.target), parts);
  });
}

Comparison compare_in_pairs(const std::array<Compared, 2>& sides, const ComparisonSettings& settings,
                            const PairDevice& on, const std::stop_token& stop) {
  const devices::DeviceInfo info = on.device->info();
  Comparison comparison;
  comparison.latency_kind = "measured";
  comparison.threshold = settings.threshold;
  comparison.device_kind = info.kind;
  comparison.device_name = info.name;
  comparison.driver = info.driver;
  comparison.uuid = info.uuid;
  comparison.toolchain = on.compiler->version();
  const model::Experiment& experiment = sides[0].experiment;
  benchmark::PairsProtocol protocol;
  protocol.l2_bytes = on.l2_bytes;
  protocol.cold = settings.cold;
  comparison.cache = settings.cold ? "cold" : "hot";
  protocol.seed = settings.seed;
  protocol.seconds = settings.seconds * static_cast<double>(experiment.workloads.size());
  protocol.plan.error = settings.error / static_cast<double>(experiment.workloads.size());
  comparison.confidence = protocol.plan.confidence();

  std::array<benchmark::PairKernel, 2> kernels;
  std::array<std::vector<model::Case>, 2> cases;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    auto bound = bind_side(sides[i], on, info.arch, cases[i]);
    if (!bound) {
      comparison.refused = Refusal{i, bound.error()};
      return comparison;
    }
    kernels[i] = std::move(*bound);
  }
  const model::Tolerance& tolerance = *experiment.problem.find_tolerance(experiment.accuracy_class);
  std::vector<oracle::InputBuffers> inputs;
  std::vector<benchmark::SampledReference> references;
  for (std::size_t i = 0; i < cases[0].size(); ++i) {
    auto drawn = oracle::make_inputs(on.known, cases[0][i], experiment.problem.input_sets.front(),
                                     {.seed = settings.seed});
    if (!drawn) throw model::Exception(model::ExitCode::failed, drawn.error().text());
    inputs.push_back(std::move(*drawn));
    auto reference = benchmark::SampledReference::make(
        on.known, experiment.problem.oracle, cases[0][i], inputs.back(), settings.seed,
        oracle::whole_reference_flops, tolerance.reference_factor.has_value());
    if (!reference) throw model::Exception(model::ExitCode::failed, reference.error().text());
    references.push_back(std::move(*reference));
  }
  const std::vector<std::string> reduced = gates::reduced_axes_of(on.known, experiment);
  // As where two variants take turns in a run: what either does is granted to both.
  const bool in_tensor_cores = std::ranges::any_of(kernels, [](const benchmark::PairKernel& kernel) {
    return gates::adds_in_tensor_cores(kernel.artifact.ptx);
  });
  const auto judge = [&](std::size_t index, const benchmark::Outputs& outputs) {
    const double cut_off = in_tensor_cores ? gates::cut_off_by_tensor_cores(reduced, cases[0][index]) : 0;
    const benchmark::OutputCheck check = references[index].check(outputs, tolerance, cut_off);
    return check.pass ? std::string() : check.text;
  };
  const auto enough = [&](const measure::RatioInterval& ratio) {
    return change_of(ratio.interval, settings.threshold) != Change::undecided;
  };
  auto timed =
      benchmark::time_in_pairs(*on.device, kernels[0], kernels[1], inputs, protocol, judge, enough, stop);
  if (!timed) {
    comparison.refused = Refusal{timed.error().side, timed.error().reason};
    return comparison;
  }
  comparison.clocks = std::move(timed->clocks);
  if (!comparison.clocks.reasons.empty())
    comparison.notes.push_back(fmt::format(
        "the GPU was not as it should be while pairs were timed ({}): {} loads thrown away, {} kept",
        fmt::join(comparison.clocks.reasons, ", "), comparison.clocks.discarded, comparison.clocks.kept));
  for (benchmark::PairedCase& one : timed->cases) {
    const Change change = change_of(one.ratio.interval, settings.threshold);
    comparison.workloads.push_back({std::move(one), change});
  }
  note_what_differs(comparison, sides);
  return comparison;
}

StoredBaseline baseline_of(const Compared& side, const Comparison& with_itself) {
  const model::Experiment& experiment = side.experiment;
  const model::Template& kernel = *experiment.problem.find_template(side.variant.template_name);
  StoredBaseline baseline;
  baseline.kernel = {experiment.problem.name,
                     kernel.name,
                     kernel.source_file,
                     kernel.source,
                     kernel.entry,
                     kernel.headers,
                     side.variant.genome,
                     experiment.workloads,
                     experiment.target.name,
                     experiment.accuracy_class,
                     side.variant.id,
                     exporting::folder_from_here(experiment.problem.folder),
                     exporting::folder_from_root(experiment.problem.folder),
                     experiment.problem.content_hash};
  baseline.latency_kind = with_itself.latency_kind;
  baseline.device_name = with_itself.device_name;
  baseline.driver = with_itself.driver;
  baseline.uuid = with_itself.uuid;
  baseline.toolchain = with_itself.toolchain;
  baseline.evo_version = version_number();
  baseline.cache = with_itself.cache;
  for (const ComparedWorkload& workload : with_itself.workloads)
    baseline.times.push_back({workload.times.workload, workload.times.second_us});
  return baseline;
}

}  // namespace evo::session
