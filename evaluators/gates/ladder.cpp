#include "evaluators/gates/ladder.hpp"

#include <algorithm>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "evaluators/gates/between_blocks.hpp"
#include "evaluators/gates/case_matrix.hpp"
#include "evaluators/gates/compile.hpp"
#include "evaluators/gates/correct_for.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/identity.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/gates/legality.hpp"
#include "evaluators/gates/paired.hpp"
#include "evaluators/gates/resources.hpp"
#include "evaluators/gates/roofline.hpp"
#include "evaluators/gates/sanitize.hpp"
#include "evaluators/gates/stopwatch.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/measure/effect_size.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/specials.hpp"
#include "evaluators/oracle/tails.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Gate;

model::Exception invalid(const std::string& message) {
  return {model::ExitCode::invalid_configuration, message};
}

std::uint64_t draw_from_system() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

model::Tolerance find_tolerance(const model::Experiment& experiment) {
  const model::Tolerance* tolerance = experiment.problem.find_tolerance(experiment.accuracy_class);
  if (tolerance == nullptr) {
    throw invalid(fmt::format("problem {} has no accuracy class {}", experiment.problem.name,
                              experiment.accuracy_class));
  }
  return *tolerance;
}

/// The accuracy class's domain: the sets that it names, in the problem's order, or all.
std::vector<model::InputSet> select_input_sets(const model::Problem& problem,
                                               const model::Tolerance& tolerance) {
  if (tolerance.input_sets.empty()) return problem.input_sets;
  std::vector<model::InputSet> sets;
  for (const std::string& name : tolerance.input_sets) {
    const auto found = std::find_if(problem.input_sets.begin(), problem.input_sets.end(),
                                    [&](const model::InputSet& set) { return set.name == name; });
    if (found == problem.input_sets.end()) {
      throw invalid(fmt::format("accuracy class {} names the input set {}, which problem {} does not have",
                                tolerance.accuracy_class, name, problem.name));
    }
    sets.push_back(*found);
  }
  return sets;
}

/// What is unusual about the samples, each series judged alone.
model::TimingNotes notes_of(const model::HeldClocks& clocks,
                            const std::vector<model::SampleSeries>& samples) {
  model::TimingNotes notes{clocks, {}};
  for (const model::SampleSeries& one : samples) {
    std::vector<std::string> words = measure::oddities(one.us);
    if (!words.empty()) notes.odd.push_back({one.workload, one.side, std::move(words)});
  }
  return notes;
}

std::vector<model::SampleSeries> samples_of(const std::vector<PairedSeries>& paired) {
  std::vector<model::SampleSeries> samples;
  for (const PairedSeries& one : paired) {
    samples.push_back({one.workload, model::candidate_side, model::kept_samples(one.candidate_us)});
    samples.push_back({one.workload, model::incumbent_side, model::kept_samples(one.opponent_us)});
  }
  return samples;
}

const std::optional<model::Failure>& verdict_of(const DeviceResult& result) {
  if (result.gates.empty())
    throw model::Exception(model::ExitCode::environment, "a device job came back without a verdict");
  return result.gates.back().failure;
}

}  // namespace

Ladder::Ladder(model::Experiment experiment, compile::Compiler& compiler, JobRunner& runner,
               DeviceFactory virtual_device, oracle::Catalogue known, Rigour rigour)
    : experiment_(std::move(experiment)),
      compiler_(compiler),
      runner_(runner),
      virtual_devices_(std::move(virtual_device)),
      known_(std::move(known)),
      between_blocks_(known_),
      rigour_(rigour),
      tolerance_(find_tolerance(experiment_)),
      input_sets_(select_input_sets(experiment_.problem, tolerance_)),
      device_arch_(runner.info().arch),
      input_seed_(experiment_.input_seed ? *experiment_.input_seed : draw_from_system()) {
  for (const model::Template& kernel : experiment_.problem.templates) {
    templates_.emplace(kernel.name, make_context(experiment_, kernel));
  }
  for (const std::string& name : experiment_.templates) {
    if (!templates_.contains(name))
      throw invalid(fmt::format("problem {} has no template {}", experiment_.problem.name, name));
  }
  if (input_sets_.empty())
    throw invalid(fmt::format("problem {} has no input set", experiment_.problem.name));
  declared_sets_ = input_sets_.size();
  reduced_axes_ = reduced_axes_of(known_, experiment_);
  for (model::InputSet& set : oracle::structured_sets(experiment_.problem.arguments))
    input_sets_.push_back(std::move(set));
  for (model::InputSet& set : oracle::special_sets(experiment_.problem.arguments))
    input_sets_.push_back(std::move(set));
  if (tolerance_.automatic) {
    for (model::InputSet& set : oracle::tail_sets(experiment_.problem.arguments))
      input_sets_.push_back(std::move(set));
  }
}

EvaluatorInfo Ladder::info() const {
  const devices::DeviceInfo device = runner_.info();
  EvaluatorInfo info;
  info.device_kind = device.kind;
  info.device_name = device.name;
  info.driver = device.driver;
  info.toolchain = compiler_.version();
  info.latency_model = device.latency_model;
  info.latency_kind = device.kind == "virtual"    ? model::LatencyKind::modelled
                      : device.kind == "recorded" ? model::LatencyKind::recorded
                                                  : model::LatencyKind::measured;
  return info;
}

Prepared Ladder::prepare(const model::Variant& variant) {
  Prepared prepared;
  prepared.variant = variant;
  Stopwatch time;
  double cpu = thread_cpu_seconds();
  const auto close = [&](Gate gate, std::optional<model::Failure> failure) {
    const double milliseconds = time.milliseconds();
    prepared.gates.push_back({gate, std::move(failure), milliseconds});
    times_.add({gate, 1, milliseconds / 1000, thread_cpu_seconds() - cpu, 0, 0});
    cpu = thread_cpu_seconds();
    time = Stopwatch();
    return prepared.gates.back().pass();
  };
  const auto found = templates_.find(variant.template_name);
  if (found == templates_.end()) {
    close(Gate::legality, fail(model::Status::illegal, "template",
                               fmt::format("problem {} has no template {}", experiment_.problem.name,
                                           variant.template_name)));
    return prepared;
  }
  const TemplateContext& context = found->second;
  auto bound = check_legality(context, variant);
  if (!close(Gate::legality, bound ? std::nullopt : std::optional(bound.error()))) return prepared;

  auto compiled = compile_variant(compiler_, context, variant, device_arch_);
  if (!close(Gate::compile, compiled ? std::nullopt : std::optional(compiled.error()))) return prepared;

  if (!close(Gate::resources, check_resources(context, *bound, compiled->artifact))) return prepared;
  prepared.code_identity = identity_of(context, *compiled, *bound);
  prepared.artifact = std::move(compiled->artifact);
  prepared.device_artifact = std::move(compiled->device_artifact);
  prepared.bound = std::make_shared<const BoundVariant>(std::move(*bound));
  return prepared;
}

bool Ladder::is_baseline(const model::Variant& variant) const {
  return variant.template_name == experiment_.baseline_template && variant.genome == experiment_.baseline;
}

void Ladder::remember_fastest(const std::vector<model::WorkloadLatency>& latencies) {
  const std::scoped_lock lock(fastest_mutex_);
  for (const model::WorkloadLatency& workload : latencies) {
    const double now = workload.latency.microseconds;
    const auto [known, fresh] = fastest_us_.try_emplace(workload.workload, now);
    if (!fresh) known->second = std::min(known->second, now);
  }
}

void Ladder::quarantine_impossible(DeviceResult& result, const std::vector<model::Case>& timed) const {
  if (result.gates.back().gate != Gate::latency || !result.gates.back().pass()) return;
  if (experiment_.problem.work.assumed) return;  // a kernel may have less to do than evo assumes
  const devices::DeviceInfo device = runner_.info();
  const model::TargetProfile* profile = device.kind == "virtual"
                                            ? &experiment_.target
                                            : profile_of_device(experiment_.known_targets, device.name);
  if (profile == nullptr) return;  // an unknown model's rates would be a guess
  for (std::size_t i = 0; i < std::min(result.latencies.size(), timed.size()); ++i) {
    if (auto failure = check_roofline(*profile, timed[i], result.latencies[i].latency)) {
      result.gates.back().failure = std::move(failure);
      return;
    }
  }
}

bool Ladder::agrees_between_blocks(const Prepared& prepared, const DeviceJob& job, Evaluation& evaluation) {
  const auto some = job_between_blocks(job, *prepared.artifact);
  if (!some) return true;
  DeviceResult result = run_virtual(*some);
  for (const GateTime& time : result.times) times_.add({Gate::sanitize, 0, time.wall, time.cpu, 0, 0});
  std::optional<model::Failure>& failure = result.gates.back().failure;
  if (!failure || failure->status == model::Status::unsupported) {
    evaluation.notes.push_back({"between_blocks",
                                fmt::format("blocks share data: {} shapes also on the virtual device, in "
                                            "permuted orders and with late stores",
                                            some->cases.size()),
                                {},
                                0,
                                {{"checked", failure ? "no" : "yes"}}});
    return true;
  }
  for (model::Evidence& evidence : failure->evidence) evidence.details.emplace_back("device", "virtual");
  evaluation.gates.push_back(std::move(result.gates.back()));
  return false;
}

DeviceResult Ladder::run_virtual(const DeviceJob& job) {
  if (virtual_runner_) return virtual_runner_->run(job);
  DevicePool::Lease lease = virtual_devices_.borrow();
  return run_device_job(lease.device(), job, between_blocks_);
}

Evaluation Ladder::evaluate(const Prepared& prepared) {
  const auto found = templates_.find(prepared.variant.template_name);
  if (prepared.failed() || !prepared.artifact || found == templates_.end()) {
    throw model::Exception(model::ExitCode::failed,
                           "evaluate() was given a variant that prepare() did not pass");
  }
  if (!prepared.bound)
    throw model::Exception(model::ExitCode::failed, "evaluate() was given what prepare() did not make");
  const BoundVariant& bound = *prepared.bound;

  Evaluation evaluation;
  const Stopwatch watch;
  DeviceResult sanitized = run_virtual(sanitize_job(prepared, false));
  const auto spent_on = [&](std::int64_t trials) {
    for (const GateTime& spent : sanitized.times)
      times_.add({spent.gate, trials, spent.wall, spent.cpu, 0, 0});
  };
  spent_on(1);
  // A path may be for two things that are special at once. Those cases take a while to find.
  const auto& failure_so_far = verdict_of(sanitized);
  if (failure_so_far && failure_so_far->reason == "incomplete_coverage" && !is_partly_sanitized(prepared)) {
    sanitized = run_virtual(sanitize_job(prepared, true));
    spent_on(0);
  }
  SanitizeReport report{verdict_of(sanitized), std::move(sanitized.notes), sanitized.blocks_share};
  pass_over_unsupported(report, runner_.info().kind, found->second.space.weakened(prepared.variant.genome),
                        is_partly_sanitized(prepared));
  const bool shared = report.blocks_share;
  evaluation.notes = std::move(report.notes);
  evaluation.gates.push_back({Gate::sanitize, std::move(report.failure), watch.milliseconds()});
  if (!evaluation.gates.back().pass()) return evaluation;

  const std::vector<model::Case> timed = bound.workloads;
  const DeviceJob job = make_job(prepared, bound);
  if (shared && runner_.info().kind != "virtual" && !agrees_between_blocks(prepared, job, evaluation))
    return evaluation;
  DeviceResult result = runner_.run(job);
  if (result.gates.empty()) {
    throw model::Exception(model::ExitCode::environment, "a device job came back without a verdict");
  }
  quarantine_impossible(result, timed);
  evaluation.worker = std::move(result.worker);
  evaluation.worker_device = std::move(result.worker_device);
  evaluation.priced = result.priced;
  for (const GateTime& time : result.times) times_.add(time);
  for (model::Evidence& note : result.notes) {
    const bool coverage = note.kind == "correct_for";
    if (coverage) add_domain(found->second, prepared.variant.genome, note);
    evaluation.notes.push_back(std::move(note));
    if (!coverage) continue;
    for (model::Evidence& limit :
         unlaunchable_sizes(found->second, prepared.variant.genome, static_smem_of(bound, prepared)))
      evaluation.notes.push_back(std::move(limit));
  }
  for (model::GateResult& gate : result.gates) evaluation.gates.push_back(std::move(gate));
  // What others are compared with need not keep the bounds.
  if (evaluation.gates.back().pass() && profiler_ && !is_baseline(prepared.variant))
    evaluation.gates.push_back(check_profile(prepared, evaluation.counters));
  if (evaluation.gates.back().pass()) {
    remember_fastest(result.latencies);
    evaluation.latencies = std::move(result.latencies);
    // Another machine may have sent them.
    if (result.samples.size() > timed.size()) result.samples.resize(timed.size());
    for (model::SampleSeries& one : result.samples) one.us = model::kept_samples(one.us);
    evaluation.samples = std::move(result.samples);
    if (!evaluation.samples.empty()) evaluation.timing = notes_of(result.clocks, evaluation.samples);
    if (is_baseline(prepared.variant)) baseline_proven_ = true;
  }
  evaluation.device_seconds = result.device_seconds;
  return evaluation;
}

Opponent Ladder::side_of(const model::Variant& variant) {
  const auto found = templates_.find(variant.template_name);
  if (found == templates_.end())
    throw model::Exception(model::ExitCode::failed, "a proven variant's template is not known");
  auto bound = check_legality(found->second, variant);
  auto compiled = compile_variant(compiler_, found->second, variant, device_arch_);
  if (!bound || !compiled) {
    throw model::Exception(model::ExitCode::failed,
                           fmt::format("variant {} was proven and now does not compile", variant.id));
  }
  return {compiled->device_artifact ? std::move(*compiled->device_artifact) : std::move(compiled->artifact),
          std::move(bound->workloads)};
}

std::optional<Paired> Ladder::time_paired(const model::Variant& candidate, const model::Variant& incumbent,
                                          double error) {
  if (info().latency_kind != model::LatencyKind::measured) return std::nullopt;
  Opponent side = side_of(candidate);
  DeviceJob job = timing_job(std::move(side.artifact), std::move(side.timed_cases));
  job.opponent = side_of(incumbent);
  job.opponent->error = error;
  // Who decides nothing of it decides about clocks, too.
  if (error <= 0) job.most_discarded = 0;
  // What the last launch left may be either's.
  job.tensor_core_sums = job.tensor_core_sums || adds_in_tensor_cores(job.opponent->artifact.ptx);
  DeviceResult result = runner_.run(job);
  for (const GateTime& time : result.times) times_.add(time);
  Paired paired;
  paired.device_seconds = result.device_seconds;
  if (!result.gates.empty() && result.gates.back().failure) {
    paired.evidence = std::move(result.gates.back().failure->evidence);
  } else {
    paired.comparison = compare_series(result.paired, incumbent.id, error);
    paired.samples = samples_of(result.paired);
    if (paired.comparison) paired.comparison->timing = notes_of(result.clocks, paired.samples);
  }
  return paired;
}

}  // namespace evo::evaluators::gates
