#include "session/comparator_prover.hpp"

#include <utility>

namespace evo::session {
namespace {

namespace gates = evaluators::gates;

model::Experiment without_bounds(model::Experiment experiment, std::uint64_t input_seed) {
  experiment.gates.counters.clear();
  experiment.input_seed = input_seed;
  return experiment;
}

}  // namespace

ComparatorProver::ComparatorProver(const model::Experiment& experiment, EvaluationStack& stack)
    : experiment_(without_bounds(experiment, stack.ladder().input_seed())),
      runner_(stack.fresh_runner()),
      ladder_(experiment_, stack.compiler(), *runner_, stack.virtual_device(), stack.known()) {}

gates::GateReport ComparatorProver::prove(const model::Comparator& one) {
  const gates::TemplateContext context = gates::make_context(experiment_, *one.kernel);
  return gates::prove(ladder_, model::make_variant(*one.kernel, context.space, one.genome));
}

gates::DeviceJob ComparatorProver::launches_of(const gates::GateReport& report) const {
  return ladder_.launches_to_profile(report.prepared);
}

}  // namespace evo::session
