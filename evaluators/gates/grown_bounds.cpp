#include "evaluators/gates/grown_bounds.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/depth.hpp"
#include "evaluators/oracle/input_sets.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr double most_growth = 64;
constexpr std::int64_t few_elements = 4;  ///< sizes of the small shape
constexpr std::int64_t times_longer = 3;
constexpr double deeper = 1.5;  ///< at three times the length; 3 for a plain sum

std::optional<double> depth_of(const oracle::Catalogue& known, const TemplateContext& context,
                               const model::Genome& genome, const model::Workload& workload) {
  const model::Problem& problem = context.experiment->problem;
  const oracle::Oracle* oracle = known.find_oracle(problem.oracle);
  const auto bound = model::bind_case(problem, *context.kernel_template, context.space, genome, workload);
  if (oracle == nullptr || !bound || problem.input_sets.empty()) return std::nullopt;
  const auto inputs = oracle::make_inputs(known, *bound, problem.input_sets.front(), {.seed = 1});
  if (!inputs) return std::nullopt;
  const auto depth = oracle::reduction_depth(*oracle, *bound, *inputs);
  return depth ? std::optional(*depth) : std::nullopt;
}

/// How many times the case's axis is as large as the largest of a declared case; 1 where no declared case has
/// it.
double growth_of(const DeviceJob& job, const model::Case& bound) {
  double growth = 1;
  for (const std::string& axis : job.reduced_axes) {
    const auto value = bound.axes.find(axis);
    if (value == bound.axes.end()) continue;
    std::int64_t declared = 0;
    for (std::size_t i = 0; i < job.cases.size(); ++i) {
      const CaseUse use = use_of(job, i);
      const auto known = job.cases[i].axes.find(axis);
      if ((use == CaseUse::workload || use == CaseUse::odd) && known != job.cases[i].axes.end())
        declared = std::max(declared, known->second);
    }
    if (declared > 0)
      growth = std::max(growth, static_cast<double>(value->second) / static_cast<double>(declared));
  }
  return std::min(growth, most_growth);
}

constexpr double rounding = 0x1p-24;  ///< of FP32

}  // namespace

std::vector<std::string> reduced_axes(const oracle::Catalogue& known, const TemplateContext& context,
                                      const model::Genome& genome) {
  const model::Experiment& experiment = *context.experiment;
  model::Workload small = complete_workload(
      experiment, experiment.workloads.empty() ? model::Workload{} : experiment.workloads.front());
  for (const model::Axis& axis : experiment.problem.axes) {
    if (!axis.compile_time && axis.allowed.empty())
      small.axes[axis.name] =
          legal_value(axis, std::max<std::int64_t>(few_elements, axis.multiple_of.value_or(1)));
  }
  const auto before = depth_of(known, context, genome, small);
  std::vector<std::string> reduced;
  for (const model::Axis& axis : experiment.problem.axes) {
    if (axis.compile_time || !axis.allowed.empty() || !before) continue;
    model::Workload longer = small;
    // Of what the axis has in the small shape: multiples of 16 have no 4, and 12 would be the same 16.
    std::int64_t& size = longer.axes[axis.name];
    size = legal_value(axis, times_longer * size);
    const auto now = depth_of(known, context, genome, longer);
    if (now && *now > deeper * *before) reduced.push_back(axis.name);
  }
  return reduced;
}

model::Tolerance grown_bounds(const DeviceJob& job, std::size_t case_index) {
  model::Tolerance tolerance = job.tolerance;
  const CaseUse use = use_of(job, case_index);
  if (use != CaseUse::stretched && use != CaseUse::crossed && use != CaseUse::rescaled &&
      use != CaseUse::named && use != CaseUse::alone && use != CaseUse::swept)
    return tolerance;
  const double growth = growth_of(job, job.cases[case_index]);
  tolerance.relative_frobenius *= growth;
  tolerance.max_abs_over_rms *= growth;
  return tolerance;
}

double summation_error(const DeviceJob& job, std::size_t case_index) {
  constexpr double most_terms = 4096;
  const std::vector<double> terms = terms_along(job.reduced_axes, job.cases[case_index]);
  const double all = std::accumulate(terms.begin(), terms.end(), 1.0, std::multiplies<>());
  return rounding * std::clamp(all, 1.0, most_terms);
}

double truncation_error(const DeviceJob& job, const model::Case& bound) {
  if (!job.tensor_core_sums) return 0;
  return cut_off_by_tensor_cores(job.reduced_axes, bound);
}

Bounds workload_bounds(const DeviceJob& job, const model::Case& bound) {
  return {job.tolerance, 0, truncation_error(job, bound)};
}

Bounds bounds_of(const DeviceJob& job, std::size_t case_index, bool conditioned) {
  return {grown_bounds(job, case_index), conditioned ? summation_error(job, case_index) : 0,
          truncation_error(job, job.cases[case_index])};
}

}  // namespace evo::evaluators::gates
