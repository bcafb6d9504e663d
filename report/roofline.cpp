#include "report/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/variant.hpp"

namespace evo::report {
namespace {

struct Roofs {
  double dram = 0, l2 = 0;  ///< bytes a second
  double tensor = 0;        ///< operations a second; 0 = not known

  [[nodiscard]] double limit(double intensity) const {
    const double memory = dram * intensity;
    return tensor > 0 ? std::min(memory, tensor) : memory;
  }
};

Roofs roofs_of(const model::TargetProfile& target) {
  return {1e9 * target.dram_gb_per_s, 1e9 * target.l2_gb_per_s,
          1e9 * target.clock_ghz * target.sm_count * target.tensor_flops_per_cycle};
}

void add_points(const model::Experiment& experiment, const engine::TrialRecord& trial, const Roofs& roofs,
                boost::json::array& points) {
  const model::Template* kernel = experiment.problem.find_template(trial.template_name);
  if (kernel == nullptr) return;
  const model::Space space =
      model::bind_space(experiment.problem, *kernel, model::compile_time_axes(experiment), experiment.target,
                        experiment.smem_limit);
  for (const model::WorkloadLatency& timed : trial.latencies) {
    const auto workload =
        std::find_if(experiment.workloads.begin(), experiment.workloads.end(),
                     [&](const model::Workload& each) { return each.name == timed.workload; });
    if (workload == experiment.workloads.end() || !(timed.latency.microseconds > 0)) continue;
    const auto bound = model::bind_case(experiment.problem, *kernel, space, trial.genome, *workload);
    if (!bound || !(bound->flops > 0) || !(bound->bytes > 0)) continue;
    const double seconds = 1e-6 * timed.latency.microseconds, intensity = bound->flops / bound->bytes;
    const double rate = bound->flops / seconds, limit = roofs.limit(intensity);
    if (!std::isfinite(rate) || !(limit > 0)) continue;
    points.push_back({{"trial", trial.index},
                      {"workload", timed.workload},
                      {"flops", bound->flops},
                      {"bytes", bound->bytes},
                      {"intensity", intensity},
                      {"tflops", 1e-12 * rate},
                      {"gb_per_s", 1e-9 * bound->bytes / seconds},
                      {"limit_tflops", 1e-12 * limit},
                      {"of_limit", rate / limit}});
  }
}

}  // namespace

boost::json::value roofline_of(const RunView& view, const boost::json::array& path) {
  if (!view.has_experiment) return nullptr;
  const Roofs roofs = roofs_of(view.experiment.target);
  if (!(roofs.dram > 0)) return nullptr;
  std::vector<std::int64_t> wanted;
  if (const engine::TrialRecord* baseline = view.baseline()) wanted.push_back(baseline->index);
  for (const auto& step : path) {
    const std::int64_t trial = step.at("trial").as_int64();
    if (std::find(wanted.begin(), wanted.end(), trial) == wanted.end()) wanted.push_back(trial);
  }
  boost::json::array points;
  for (const std::int64_t index : wanted) {
    const auto trial = std::find_if(view.ledger.trials.begin(), view.ledger.trials.end(),
                                    [index](const engine::TrialRecord& each) { return each.index == index; });
    if (trial != view.ledger.trials.end()) add_points(view.experiment, *trial, roofs, points);
  }
  if (points.empty()) return nullptr;
  const boost::json::value tensor =
      roofs.tensor > 0 ? boost::json::value(1e-12 * roofs.tensor) : boost::json::value(nullptr);
  return boost::json::object{{"basis", "work_model"},
                             {"roofs",
                              {{"dram_gb_per_s", 1e-9 * roofs.dram},
                               {"l2_gb_per_s", 1e-9 * roofs.l2},
                               {"tensor_fp16_tflops", tensor}}},
                             {"points", std::move(points)}};
}

}  // namespace evo::report
