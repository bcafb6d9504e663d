#include "cli/gate_report.hpp"

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/evaluator_check.hpp"
#include "session/watch.hpp"
#include "terminal/barrier_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/proof_output.hpp"
#include "terminal/template_notes.hpp"
#include "terminal/text_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

using session::WatchedProof;
using BarrierFindings = std::vector<diagnose::BarrierFinding>;

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
    terminal::print_json(terminal::proof_to_json(proof, experiment.problem, findings));
  } else {
    fmt::print("{}", terminal::proof_text(proof, what, device.id, experiment.problem));
    if (findings) fmt::print("{}", terminal::barriers_text(*findings));
    fmt::print("{}", terminal::device_time_text(stack.times()));
  }
  return static_cast<int>(proof.valid() ? model::ExitCode::done : model::ExitCode::verification_failed);
}

}  // namespace evo::cli
