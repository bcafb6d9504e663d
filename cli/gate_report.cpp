#include "cli/gate_report.hpp"

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/evaluator_check.hpp"
#include "session/watch.hpp"
#include "terminal/barrier_output.hpp"
#include "terminal/coverage_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/oracle_output.hpp"
#include "terminal/template_notes.hpp"
#include "terminal/text_output.hpp"
#include "terminal/waiting.hpp"
#include "terminal/watch_output.hpp"

namespace evo::cli {
namespace {

using session::WatchedProof;
using BarrierFindings = std::vector<diagnose::BarrierFinding>;

void print_document(const WatchedProof& proof, const model::Problem& problem,
                    const std::optional<BarrierFindings>& barriers) {
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
      {"evidence", failure ? terminal::to_json(failure->evidence) : boost::json::array{}},
      {"gates", std::move(gates)},
      {"not_checked", terminal::to_json(session::not_checked(notes))},
      {"sanitizer",
       proof.watched ? boost::json::value(terminal::to_json(*proof.watched)) : boost::json::value(nullptr)}};
  if (proof.report.valid()) document["correct_for"] = terminal::correct_for_json(notes);
  document["oracle"] = terminal::oracle_json(problem);
  document["always_equal"] = terminal::always_equal_json(notes);
  if (!proof.report.evaluation.latencies.empty()) {
    const model::Latency total = model::combine(proof.report.evaluation.latencies);
    document["latency_us"] = total.microseconds;
    document["latency_kind"] = model::name_of(total.kind);
  }
  if (barriers) document["barriers"] = terminal::barriers_json(*barriers);
  terminal::print_json(document);
}

void print_text(const WatchedProof& proof, const std::string& what, const session::DeviceChoice& device,
                const model::Problem& problem) {
  const std::vector<model::Evidence>& notes = proof.report.evaluation.notes;
  fmt::print("{} on {}\n", what, device.id);
  for (const model::GateResult& gate : proof.report.gates()) {
    fmt::print("  {:<12} {}  {:>8.0f} ms\n", model::name_of(gate.gate), gate.pass() ? "pass" : "FAIL",
               gate.milliseconds);
  }
  if (proof.watched) fmt::print("{}", proof.watched->text());
  if (const model::Failure* failure = proof.failure()) {
    const std::size_t findings = failure->evidence.size();
    fmt::print("not valid: {} at the gate {} ({}){}\n{}", model::name_of(failure->status), proof.failed_at(),
               failure->reason, findings > 1 ? fmt::format(", {} findings", findings) : "",
               terminal::evidence_text(failure->evidence));
    return;
  }
  fmt::print("valid: every gate passed\n{}\n{}", terminal::oracle_text(problem),
             terminal::not_checked_text(notes, proof.watched ? &*proof.watched : nullptr));
  fmt::print("{}", terminal::coverage_text(notes));
  if (!proof.report.evaluation.latencies.empty()) {
    fmt::print("latency {}\n", terminal::latency_text(model::combine(proof.report.evaluation.latencies)));
  }
}

}  // namespace

int prove_and_print(const terminal::CommonOptions& common, const model::Experiment& experiment,
                    const std::string& what, SelfTest self_test, bool barriers, bool again) {
  const session::DeviceChoice device = session::choose_device(experiment.device, experiment.target);
  if (!device.note.empty() && !common.quiet && !again) fmt::print(stderr, "evo: {}\n", device.note);
  session::StackOptions parts;
  parts.threads = session::threads_or_cores(0);
  parts.input_seed = experiment.input_seed ? *experiment.input_seed : session::draw_entropy();
  session::EvaluationStack stack(experiment, device, parts);
  stack.ladder().ask_beyond_floats();
  if (!common.quiet && !again) {
    for (const std::string& note : terminal::template_notes(experiment))
      fmt::print(stderr, "evo: note: {}\n", note);
  }
  terminal::Waiting waiting(common);
  waiting.on("testing the evaluator itself on this problem");
  if (self_test == SelfTest::ask) session::require_sound_evaluator(experiment, stack, parts.input_seed, {});
  waiting.on("proving " + what);
  const WatchedProof proof = session::prove_baseline(experiment, stack);
  std::optional<BarrierFindings> findings;
  if (barriers && proof.valid()) {
    waiting.on("asking which barriers are needed");
    const engine::SearchSpace space = engine::make_search_space(experiment);
    const engine::SearchTemplate& entry = *space.find(experiment.baseline_template);
    findings = diagnose::audit_barriers(stack.ladder(), entry.kernel_template, entry.space,
                                        experiment.baseline, proof.report.prepared.code_identity);
  }
  waiting.on("");
  if (common.json) {
    print_document(proof, experiment.problem, findings);
  } else {
    print_text(proof, what, device, experiment.problem);
    if (findings) fmt::print("{}", terminal::barriers_text(*findings));
    fmt::print("{}", terminal::device_time_text(stack.times()));
  }
  return static_cast<int>(proof.valid() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
