#include "terminal/proof_output.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "terminal/barrier_output.hpp"
#include "terminal/coverage_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/oracle_output.hpp"
#include "terminal/text_output.hpp"
#include "terminal/watch_output.hpp"

namespace evo::terminal {

boost::json::object proof_to_json(const session::WatchedProof& proof, const model::Problem& problem,
                                  const std::optional<std::vector<diagnose::BarrierFinding>>& barriers) {
  const std::vector<model::Evidence>& notes = proof.report.evaluation.notes;
  boost::json::array gates;
  for (const model::GateResult& gate : proof.report.gates()) {
    gates.push_back({{"gate", model::name_of(gate.gate)}, {"pass", gate.pass()}, {"ms", gate.milliseconds}});
  }
  const model::Failure* failure = proof.failure();
  boost::json::object document{
      {"valid", proof.valid()},
      {"status", model::name_of(failure ? failure->status : model::Status::proven)},
      {"gate", failure ? boost::json::value(proof.failed_at()) : boost::json::value(nullptr)},
      {"reason", failure ? failure->reason : std::string()},
      {"evidence", failure ? to_json(failure->evidence) : boost::json::array{}},
      {"gates", std::move(gates)},
      {"not_checked", to_json(session::not_checked(notes))},
      {"sanitizer",
       proof.watched ? boost::json::value(to_json(*proof.watched)) : boost::json::value(nullptr)}};
  if (proof.report.valid()) document["correct_for"] = correct_for_json(notes);
  document["oracle"] = oracle_json(problem);
  document["always_equal"] = always_equal_json(notes);
  if (!proof.report.evaluation.latencies.empty()) {
    const model::Latency total = model::combine(proof.report.evaluation.latencies);
    document["latency_us"] = total.microseconds;
    document["latency_kind"] = model::name_of(total.kind);
  }
  if (barriers) document["barriers"] = barriers_json(*barriers);
  return document;
}

std::string proof_text(const session::WatchedProof& proof, const std::string& what, const std::string& device,
                       const model::Problem& problem) {
  const std::vector<model::Evidence>& notes = proof.report.evaluation.notes;
  std::string text = fmt::format("{} on {}\n", what, device);
  for (const model::GateResult& gate : proof.report.gates()) {
    text += fmt::format("  {:<12} {}  {:>8.0f} ms\n", model::name_of(gate.gate),
                        gate.pass() ? "pass" : "FAIL", gate.milliseconds);
  }
  if (proof.watched) text += proof.watched->text();
  if (const model::Failure* failure = proof.failure()) {
    const std::size_t findings = failure->evidence.size();
    return text + fmt::format("not valid: {} at the gate {} ({}){}\n{}", model::name_of(failure->status),
                              proof.failed_at(), failure->reason,
                              findings > 1 ? fmt::format(", {} findings", findings) : "",
                              evidence_text(failure->evidence));
  }
  text += fmt::format("valid: every gate passed\n{}\n{}", oracle_text(problem),
                      not_checked_text(notes, proof.watched ? &*proof.watched : nullptr));
  text += coverage_text(notes);
  if (!proof.report.evaluation.latencies.empty()) {
    text += fmt::format("latency {}\n", latency_text(model::combine(proof.report.evaluation.latencies)));
  }
  return text;
}

}  // namespace evo::terminal
