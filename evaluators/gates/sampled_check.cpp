#include "evaluators/gates/sampled_check.hpp"

#include <set>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/gates/compare_outputs.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/stretched_launch.hpp"
#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/compare.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

/// Which rows of the output were written; empty where there are several outputs, which then are compared
/// whole.
std::vector<std::int64_t> written_rows(const model::Case& bound, const Snapshot& snapshot) {
  std::set<std::int64_t> rows;
  bool seen = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_judged(argument.role)) continue;
    if (seen || argument.shape.size() < 2) return {};
    seen = true;
    for (const std::int64_t element : oracle::written_elements(argument, snapshot.written[i]))
      rows.insert(element / argument.shape.back());
  }
  return {rows.begin(), rows.end()};
}

bool every_output_was_written(const model::Case& bound, const Snapshot& snapshot) {
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role)) continue;
    if (oracle::written_elements(bound.arguments[i], snapshot.written[i]).empty()) return false;
  }
  return true;
}

}  // namespace

SampledVerdict run_sampled(const JobContext& context, const Check& check, bool conditioned,
                           const Details& details) {
  const model::Case& bound = context.job.cases[check.case_index];
  const model::InputSet& set = context.job.input_sets[check.set_index];
  const oracle::InputKey key{.seed = context.job.input_seed};
  // Workloads are judged on the same reference in every trial; of a stretched shape only the rows that were
  // written are worth one.
  const bool kept =
      !is_stretched(context.job, check.case_index) && bound.flops <= oracle::whole_reference_flops;
  std::shared_ptr<const oracle::ReferenceData> reference;
  if (kept) reference = context.reference(bound, set, key, conditioned);
  oracle::InputBuffers made;
  if (!kept) {
    auto inputs = oracle::make_inputs(context.cache.catalogue(), bound, set, key);
    if (!inputs) throw model::Exception(model::ExitCode::invalid_configuration, inputs.error().text());
    made = std::move(*inputs);
  }
  SampledVerdict verdict;
  const auto fails = [&](model::Failure failure) {
    verdict.usable = true;
    verdict.failure = located(std::move(failure), details);
    return verdict;
  };
  // Where the reference has no answer, neither has the candidate to have one.
  if (kept && !has_an_answer(context, check, *reference)) {
    verdict.usable = true;
    return verdict;
  }
  auto buffers = CaseBuffers::create(context.device, bound, check.placement);
  if (!buffers) return fails(buffers.error());
  if (auto done = buffers->write_inputs(kept ? reference->inputs : made); !done) return fails(done.error());
  const auto ends = ends_in_time(context, check, *buffers);
  if (!ends) return fails(ends.error());
  if (!*ends) {
    verdict.left_out = true;
    return verdict;
  }
  if (auto done = buffers->poison(check.poison, check.finite_poison); !done) return fails(done.error());
  devices::LaunchOptions options = context.launch_options(bound);
  options.blocks = check.blocks;
  const auto report = context.device.launch(context.module, bound.launch, buffers->arguments(), options);
  if (!report) return fails(report.error());
  if (!report->blocks_independent || report->idle_blocks > 0) return verdict;
  Snapshot snapshot = take_snapshot(context, *buffers, Guards::check);
  snapshot.written = buffers->written_outputs();
  if (!every_output_was_written(bound, snapshot)) return verdict;
  if (!kept) {
    reference = context.cache.make(context.job.oracle, bound, set, key,
                                   context.job.tolerance.reference_factor.has_value(),
                                   conditioned ? oracle::backward_error(context.job.tolerance, bound, set)
                                               : oracle::rounding_of_inputs(bound),
                                   written_rows(bound, snapshot), std::move(made));
  }
  verdict.usable = true;
  if (!has_an_answer(context, check, *reference)) return verdict;
  verdict.failure =
      judge(bounds_of(context.job, check.case_index, conditioned), bound, snapshot, *reference, details);
  return verdict;
}

}  // namespace evo::evaluators::gates
