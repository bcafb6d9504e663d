// The device jobs that the ladder asks for: cases, input sets and how much of each is looked at.
#include <algorithm>
#include <iterator>

#include "evaluators/gates/between_blocks.hpp"
#include "evaluators/gates/case_matrix.hpp"
#include "evaluators/gates/compared_constants.hpp"
#include "evaluators/gates/deciding_cases.hpp"
#include "evaluators/gates/exact_comparisons.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/reached_numbers.hpp"
#include "evaluators/gates/scalar_thresholds.hpp"
#include "evaluators/gates/scalar_use.hpp"
#include "evaluators/gates/scalars_of_ties.hpp"
#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/gates/tile_sizes.hpp"
#include "evaluators/oracle/compared_values.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reaching_values.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::gates {
namespace {

/// Not 0, and the same for all that has the same name.
std::uint64_t number_of(const std::string& name) {
  return std::stoull(model::Hasher().add(name).finish().substr(0, 15), nullptr, 16) + 1;
}

/// Inputs at the very numbers that both the candidate and the problem's reference kernel compare them with as
/// they are, and next to them. Who gets there by arithmetic may round on the way, and is asked some roundings
/// off.
std::vector<model::InputSet> sets_of_exact_comparisons(const oracle::Catalogue& known, const DeviceJob& job,
                                                       const std::vector<model::Argument>& arguments) {
  const oracle::ComputedOracle* own = known.problem_oracle();
  const model::OracleParts* parts = own == nullptr ? nullptr : own->parts();
  if (parts == nullptr || !parts->kernel || job.cases.empty() || !job.cases.front().reference_launch)
    return {};
  const model::LaunchPlan& launch = *job.cases.front().reference_launch;
  ExactComparisons correct = exact_comparisons(*parts->kernel, launch);
  // A number that float and double round apart is none that an element can be equal to in both.
  if (parts->plain_kernel) correct = in_both(correct, exact_comparisons(*parts->plain_kernel, launch));
  const ExactComparisons both = in_both(exact_comparisons(job.artifact, job.cases.front().launch), correct);
  const ExactComparisons others = without(correct, both);
  // Apart: a number that stands for infinity would take the scalars' set out of the domain.
  std::vector<model::InputSet> sets;
  const auto add = [&](const oracle::ComparedWith& with) {
    if (auto set = oracle::set_of_compared(arguments, with)) sets.push_back(std::move(*set));
  };
  add({both.scalars, both.opposites, {}});
  add({{}, {}, both.numbers});
  const int off_by = rounds_nothing(job.artifact) ? 1 : oracle::off_by_roundings;
  add({others.scalars, others.opposites, {}, off_by});
  add({{}, {}, others.numbers, off_by});
  return sets;
}

/// Scalars beside what the candidate's code, or that of the problem's reference kernel, compares them with.
std::map<std::size_t, std::vector<double>> scalars_of_thresholds(const oracle::Catalogue& known,
                                                                 const DeviceJob& job,
                                                                 const model::Problem& problem) {
  const model::Case& bound = job.cases.front();
  std::map<std::size_t, std::vector<double>> thresholds, of_reference;
  find_thresholds(problem, job.artifact, bound.launch, bound, thresholds);
  const oracle::ComputedOracle* own = known.problem_oracle();
  const model::OracleParts* parts = own == nullptr ? nullptr : own->parts();
  if (parts != nullptr && parts->kernel && bound.reference_launch)
    find_thresholds(problem, *parts->kernel, *bound.reference_launch, bound, of_reference);
  // Each with room of its own: what a candidate compares with must not crowd out what the problem does.
  auto values = scalars_beside(problem, bound, of_reference);
  for (const auto& [i, more] : scalars_beside(problem, bound, thresholds)) {
    std::vector<double>& all = values[i];
    for (const double value : more)
      if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  }
  return values;
}

/// Inputs that make what is computed equal to numbers of the problem's reference kernel; of the candidate
/// where there is none. A number that float and double round apart is none that both can reach.
std::optional<model::InputSet> set_of_reached(const oracle::Catalogue& known, const DeviceJob& job,
                                              const std::vector<model::Argument>& arguments) {
  const oracle::ComputedOracle* own = known.problem_oracle();
  const model::OracleParts* parts = own == nullptr ? nullptr : own->parts();
  const bool kernel = parts != nullptr && parts->kernel;
  ReachedNumbers reached = reached_numbers(kernel ? parts->kernel->ptx : job.artifact.ptx);
  if (kernel && parts->plain_kernel) reached = in_both(reached, reached_numbers(parts->plain_kernel->ptx));
  const bool scalars = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return argument.role == model::ArgumentRole::scalar && model::is_floating(argument.dtype);
  });
  if (!reached.any(scalars)) return std::nullopt;
  return oracle::set_of_reaching(
      arguments, {reached.thresholds, reached.factors, reached.rounds, scalars && reached.compares});
}

}  // namespace

std::vector<std::int64_t> Ladder::static_smem_of(const BoundVariant& bound, const Prepared& prepared) {
  std::vector<std::int64_t> compiled{prepared.artifact->resources.static_smem_bytes};
  for (const model::FurtherKernel& kernel : prepared.artifact->others)
    compiled.push_back(kernel.resources.static_smem_bytes);
  for (std::size_t i = 0; i < compiled.size() && i < bound.static_smem.size(); ++i)
    compiled[i] = bound.static_smem[i].value_or(compiled[i]);
  return compiled;
}

DeviceJob Ladder::timing_job(model::Artifact artifact, std::vector<model::Case> timed_cases) const {
  DeviceJob job;
  job.artifact = std::move(artifact);
  name_oracle(job, experiment_.problem.oracle, known_);
  job.input_sets = input_sets_;
  job.declared_sets = declared_sets_;
  job.tolerance = tolerance_;
  job.timed_cases = std::move(timed_cases);
  job.input_seed = input_seed_;
  job.settings = experiment_.gates;
  job.most_discarded = most_discarded_timings;
  job.pause_ms = first_pause_ms;
  job.reduced_axes = reduced_axes_;
  job.tensor_core_sums = adds_in_tensor_cores(job.artifact.ptx);
  job.equal_writes = experiment_.problem.equal_writes;
  return job;
}

DeviceJob Ladder::make_job(const Prepared& prepared, BoundVariant bound) const {
  DeviceJob job =
      timing_job(prepared.device_artifact ? *prepared.device_artifact : *prepared.artifact, bound.workloads);
  job.workload_count = bound.workloads.size();
  job.cases = std::move(bound.workloads);
  job.cases.insert(job.cases.end(), std::make_move_iterator(bound.check_workloads.begin()),
                   std::make_move_iterator(bound.check_workloads.end()));
  const TemplateContext& context = templates_.at(prepared.variant.template_name);
  job.uses.assign(job.workload_count, CaseUse::workload);
  job.uses.resize(job.cases.size(), CaseUse::odd);
  const bool champion = rigour_ == Rigour::champion;
  // What others are compared with is looked at as a whole; its copies (`evo bench --aa`) as any variant.
  job.whole_launches = asks_whole_launches(prepared.variant);
  const std::uint64_t chosen_by = job.whole_launches ? 0 : number_of(prepared.variant.id);
  const auto constants =
      job.whole_launches ? compared_constants(job.artifact.ptx) : std::vector<std::int64_t>{};
  std::map<std::size_t, std::vector<std::int64_t>> scalars;
  std::map<std::size_t, std::vector<double>> beside;
  std::optional<std::map<std::size_t, std::vector<std::int64_t>>> equal;
  if (job.whole_launches && !job.cases.empty()) {
    scalars = telling_scalars(experiment_.problem, job.artifact, job.cases.front(), input_seed_);
    beside = scalars_of_thresholds(known_, job, experiment_.problem);
    if (reached_numbers(job.artifact.ptx).rounds) {
      for (const auto& [i, values] : scalars_of_ties(experiment_.problem, job.cases.front()))
        beside[i].insert(beside[i].end(), values.begin(), values.end());
    }
    equal = equal_integers(experiment_.problem, job.artifact, job.cases.front());
  }
  std::optional<std::vector<std::int64_t>> tiles;
  if (job.whole_launches) {
    tiles = tile_numbers(job.artifact.ptx);
    const std::vector<std::int64_t> integers = compared_integers(job.artifact.ptx);
    if (auto set = oracle::set_of_numbers(experiment_.problem.arguments, compared_numbers(job.artifact.ptx),
                                          integers, directly_compared(job.artifact.ptx)))
      job.input_sets.push_back(std::move(*set));
    for (model::InputSet& set : sets_of_exact_comparisons(known_, job, experiment_.problem.arguments))
      job.input_sets.push_back(std::move(set));
    if (auto set = set_of_reached(known_, job, experiment_.problem.arguments))
      job.input_sets.push_back(std::move(*set));
    for (model::InputSet& set : oracle::sets_of_words(experiment_.problem.arguments, integers))
      job.input_sets.push_back(std::move(set));
  }
  for (DerivedCase& derived :
       derive_cases(context, prepared.variant.genome, static_smem_of(bound, prepared), input_seed_,
                    {champion, device_arch_.empty() && may_wait_for_blocks(job.artifact.ptx), chosen_by, true,
                     constants, champion || (beyond_floats_ && job.whole_launches), reduced_axes_,
                     std::move(scalars), std::move(beside), tiles, std::move(equal)})) {
    job.cases.push_back(std::move(derived.bound));
    job.uses.push_back(derived.use);
  }
  if (job.whole_launches) {
    for (DerivedCase& derived :
         deciding_cases(context, prepared.variant.genome, static_smem_of(bound, prepared), job.artifact,
                        job.cases, input_seed_)) {
      job.cases.push_back(std::move(derived.bound));
      job.uses.push_back(derived.use);
    }
  }
  if (rigour_ == Rigour::champion) {
    job.perturbed_launches = experiment_.gates.champion_launches;
    job.settings.permuted_runs = std::max(job.settings.permuted_runs, experiment_.gates.champion_orders);
  }
  const std::scoped_lock lock(fastest_mutex_);
  for (const model::Case& timed : job.timed_cases) {
    const auto known = fastest_us_.find(timed.name);
    job.fastest_us.push_back(known == fastest_us_.end() ? 0 : known->second);
  }
  return job;
}

bool Ladder::asks_whole_launches(const model::Variant& variant) const {
  return rigour_ == Rigour::champion || (is_baseline(variant) && !baseline_proven_);
}

bool Ladder::is_partly_sanitized(const Prepared& prepared) const {
  const TemplateContext& context = templates_.at(prepared.variant.template_name);
  return !context.kernel_template->sync_checkable && runner_.info().kind == "cuda";
}

DeviceJob Ladder::sanitize_job(const Prepared& prepared, bool crossed) const {
  const TemplateContext& context = templates_.at(prepared.variant.template_name);
  const BoundVariant& bound = *prepared.bound;
  DeviceJob job = timing_job(*prepared.artifact, {});
  job.sanitize = SanitizeAsked{context.kernel_template->unreached};
  job.whole_launches = asks_whole_launches(prepared.variant);
  job.cases = bound.sanitize_shapes;
  job.workload_count = job.cases.size();
  // Paths that these do not run would be looked for by the exact machine alone, for minutes: at other sizes,
  // and with every further input set.
  if (is_partly_sanitized(prepared)) {
    job.input_sets.resize(std::min<std::size_t>(job.input_sets.size(), 1));
    return job;
  }
  job.cases.insert(job.cases.end(), bound.workloads.begin(), bound.workloads.end());
  job.cases.insert(job.cases.end(), bound.check_workloads.begin(), bound.check_workloads.end());
  for (DerivedCase& derived :
       derive_cases(context, prepared.variant.genome, static_smem_of(bound, prepared), input_seed_,
                    {false,
                     may_wait_for_blocks(prepared.artifact->ptx),
                     0,
                     crossed,
                     crossed ? compared_constants(prepared.artifact->ptx) : std::vector<std::int64_t>{},
                     false,
                     {},
                     {},
                     {},
                     crossed ? std::optional(tile_numbers(prepared.artifact->ptx)) : std::nullopt}))
    // Whether such a value is meant, the correctness gate finds out: here a fault would be a verdict.
    if (!derived.bound.undeclared_scalar &&
        !(derived.use == CaseUse::changed && derived.bound.reference_budget != 0))
      job.cases.push_back(std::move(derived.bound));
  if (crossed) {
    for (DerivedCase& derived :
         deciding_cases(context, prepared.variant.genome, static_smem_of(bound, prepared), *prepared.artifact,
                        job.cases, input_seed_))
      job.cases.push_back(std::move(derived.bound));
  }
  // Behind all others what no verdict of evo's rests on: paths for NaNs have to run to their end in one case.
  job.input_sets.push_back({"NaNs", "not_numbers", {{std::string(oracle::undeclared_parameter), 1}}});
  return job;
}

}  // namespace evo::evaluators::gates
