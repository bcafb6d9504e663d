#include "diagnose/barrier_audit.hpp"

#include "evaluators/gates/ladder.hpp"

namespace evo::diagnose {
namespace {

using evaluators::gates::GateReport;
using model::Status;

BarrierVerdict verdict_of(const GateReport& report, const std::string& as_it_is) {
  if (!report.prepared.failed() && report.prepared.code_identity == as_it_is) return BarrierVerdict::inert;
  const model::Failure* failure = report.failure();
  if (failure == nullptr) return report.valid() ? BarrierVerdict::redundant : BarrierVerdict::unsettled;
  switch (failure->status) {
    case Status::sanitizer_fail:
      return failure->reason == "incomplete_coverage" ? BarrierVerdict::unsettled : BarrierVerdict::needed;
    case Status::wrong:
    case Status::nondeterministic:
    case Status::timeout:
    case Status::device_fault:
      return BarrierVerdict::unseen;
    default:
      return BarrierVerdict::unsettled;
  }
}

}  // namespace

std::string_view name_of(BarrierVerdict verdict) {
  switch (verdict) {
    case BarrierVerdict::needed:
      return "needed";
    case BarrierVerdict::unseen:
      return "unseen";
    case BarrierVerdict::redundant:
      return "redundant";
    case BarrierVerdict::inert:
      return "inert";
    case BarrierVerdict::unsettled:
      return "unsettled";
  }
  return "unsettled";
}

std::vector<BarrierFinding> audit_barriers(evaluators::Evaluator& evaluator, const model::Template& kernel,
                                           const model::Space& bound_space, const model::Genome& genome,
                                           const std::string& as_it_is) {
  std::vector<BarrierFinding> findings;
  for (const BarrierSite& site : barriers_of(kernel.source)) {
    model::Template less = kernel;
    less.source = without(kernel.source, site);
    const model::Variant variant = model::make_variant(less, bound_space, genome);
    GateReport report;
    report.prepared = evaluator.prepare(variant);
    // The same code needs no second proof.
    if (!report.prepared.failed() && report.prepared.code_identity != as_it_is)
      report.evaluation = evaluator.evaluate(report.prepared);
    BarrierFinding& finding = findings.emplace_back();
    finding.site = site;
    finding.verdict = verdict_of(report, as_it_is);
    if (const model::Failure* failure = report.failure()) {
      finding.status = failure->status;
      finding.gate = report.failed_gate();
      finding.reason = failure->reason;
      if (!failure->evidence.empty()) finding.evidence = {failure->evidence.front()};
    }
  }
  return findings;
}

}  // namespace evo::diagnose
