// The whole ladder in this process: real NVRTC, virtual device.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "tests/kernels/compiled.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {

class InProcessCompiler final : public evaluators::compile::Compiler {
 public:
  tl::expected<model::Artifact, model::Failure> compile(
      const evaluators::compile::CompileRequest& request) override {
    return evaluators::compile::run_compile(*nvrtc(), request);
  }
  std::string version() const override { return nvrtc()->version(); }
};

/// The space of the baseline's template, as the first workload binds it.
inline model::Space baseline_space(const model::Experiment& experiment) {
  return model::bind_space(experiment.problem,
                           *experiment.problem.find_template(experiment.baseline_template),
                           experiment.workloads.front().axes, experiment.target, experiment.smem_limit);
}

/// An experiment with its ladder. Modelled latencies cost a launch of each workload, so keep those small.
class OnLadder {
 public:
  explicit OnLadder(const model::Experiment& experiment)
      : runner_(factory(experiment), evo::tests::known()),
        ladder_(seeded(experiment), compiler_, runner_, factory(experiment), evo::tests::known()) {}

  const model::Experiment& experiment() const { return ladder_.experiment(); }
  const model::Template& kernel() const {
    return *experiment().problem.find_template(experiment().baseline_template);
  }
  model::Space space() const { return baseline_space(experiment()); }

  evaluators::gates::GateReport prove(const model::Genome& genome) {
    return evaluators::gates::prove(ladder_, model::make_variant(kernel(), space(), genome));
  }

 private:
  static evaluators::gates::DeviceFactory factory(const model::Experiment& experiment) {
    return
        [target = experiment.target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); };
  }
  static model::Experiment seeded(model::Experiment experiment) {
    experiment.input_seed = 1;
    return experiment;
  }

  InProcessCompiler compiler_;
  evaluators::gates::InProcessRunner runner_;
  evaluators::gates::Ladder ladder_;
};

/// quickstart with one short causal sequence as its workload and a single permuted run.
inline model::Experiment small_attention(std::int64_t head_dim = 64) {
  model::Experiment experiment = shipped_experiment("quickstart");
  experiment.workloads = {{"s33", 1, {{"heads", 2}, {"seq", 33}, {"head_dim", head_dim}, {"causal", 1}}}};
  for (model::Workload& workload : experiment.problem.check_workloads) workload.axes["head_dim"] = head_dim;
  experiment.gates.permuted_runs = 1;
  return experiment;
}

/// "sanitize race_shared: message ..." of a report's failure; "" when it is valid.
inline std::string verdict(const evaluators::gates::GateReport& report) {
  if (report.valid()) return "";
  return report.failed_gate() + " " + words(*report.failure());
}

}  // namespace evo::tests
