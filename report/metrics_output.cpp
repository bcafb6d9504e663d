#include "report/metrics_output.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/metric.hpp"
#include "model/variant.hpp"

namespace evo::report {
namespace {

/// Axes, work and time of one workload of the trial.
model::MetricValues values_of(const model::Experiment& experiment, const engine::TrialRecord& trial,
                              const model::Workload& workload, double microseconds) {
  model::MetricValues values{{"time", 1000 * microseconds}};
  const model::Template* kernel = experiment.problem.find_template(trial.template_name);
  if (kernel == nullptr) return values;
  const model::Space space =
      model::bind_space(experiment.problem, *kernel, model::compile_time_axes(experiment), experiment.target,
                        experiment.smem_limit);
  const auto bound = model::bind_case(experiment.problem, *kernel, space, trial.genome, workload);
  if (!bound) return values;
  for (const auto& [axis, size] : bound->axes) values[axis] = static_cast<double>(size);
  values["flops"] = bound->flops;
  values["bytes"] = bound->bytes;
  return values;
}

}  // namespace

boost::json::object metrics_json(const model::Experiment& experiment, const engine::TrialRecord& trial) {
  boost::json::object all;
  if (experiment.problem.metrics.empty()) return all;
  for (const model::WorkloadLatency& timed : trial.latencies) {
    const auto workload =
        std::find_if(experiment.workloads.begin(), experiment.workloads.end(),
                     [&](const model::Workload& each) { return each.name == timed.workload; });
    if (workload == experiment.workloads.end()) continue;
    const model::MetricValues values = values_of(experiment, trial, *workload, timed.latency.microseconds);
    boost::json::object mine;
    for (const model::Metric& metric : experiment.problem.metrics) {
      const auto value = model::evaluate_metric(metric.text, values);
      // JSON has no infinity.
      mine[metric.name] =
          value && std::isfinite(*value) ? boost::json::value(*value) : boost::json::value(nullptr);
    }
    all[timed.workload] = std::move(mine);
  }
  return all;
}

std::string metrics_text(const model::Experiment& experiment, const engine::TrialRecord& trial) {
  std::string text;
  for (const auto& [workload, metrics] : metrics_json(experiment, trial)) {
    std::string line;
    for (const auto& [name, value] : metrics.as_object()) {
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", std::string_view(name),
                          value.is_null() ? "-" : fmt::format("{:.4g}", value.as_double()));
    }
    text += fmt::format("  metrics   {}: {}\n", std::string_view(workload), line);
  }
  return text;
}

}  // namespace evo::report
