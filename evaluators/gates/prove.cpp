#include "evaluators/gates/ladder.hpp"

namespace evo::evaluators::gates {

bool GateReport::valid() const {
  // All gates passed, and the last of them was reached: an empty list proves nothing.
  return failure() == nullptr && !evaluation.gates.empty() &&
         evaluation.gates.back().gate >= model::Gate::correctness;
}

std::vector<model::GateResult> GateReport::gates() const {
  std::vector<model::GateResult> all = prepared.gates;
  all.insert(all.end(), evaluation.gates.begin(), evaluation.gates.end());
  return all;
}

const model::Failure* GateReport::failure() const {
  for (const auto* results : {&prepared.gates, &evaluation.gates}) {
    for (const model::GateResult& result : *results) {
      if (result.failure) return &*result.failure;
    }
  }
  return nullptr;
}

std::string GateReport::failed_gate() const {
  for (const auto* results : {&prepared.gates, &evaluation.gates}) {
    for (const model::GateResult& result : *results) {
      if (result.failure) return std::string(model::name_of(result.gate));
    }
  }
  return {};
}

GateReport prove(Evaluator& evaluator, const model::Variant& variant) {
  GateReport report;
  report.prepared = evaluator.prepare(variant);
  if (!report.prepared.failed()) report.evaluation = evaluator.evaluate(report.prepared);
  return report;
}

}  // namespace evo::evaluators::gates
