#include "session/champion_proof.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/variants.hpp"
#include "session/watch.hpp"

namespace evo::session {
namespace {

constexpr std::size_t most_finalists = 5;

}  // namespace

const model::Failure* ChampionProof::failure() const {
  if (const model::Failure* failed = held_out.report.failure()) return failed;
  if (delayed && delayed->failure) return &*delayed->failure;
  return sanitizer_failure ? &*sanitizer_failure : nullptr;
}

std::string ChampionProof::failed_at() const {
  if (!held_out.report.valid()) return held_out.report.failed_gate();
  if (delayed && delayed->failure) return "delays";
  return sanitizer_failure ? "compute-sanitizer" : "";
}

namespace {

ChampionProof prove_of_space(const model::Experiment& experiment, const engine::SearchSpace& space,
                             EvaluationStack& stack, const engine::TrialRecord& champion,
                             std::uint64_t entropy, const std::stop_token& stop) {
  const engine::SearchTemplate* entry = space.find(champion.template_name);
  if (entry == nullptr) {
    throw model::Exception(model::ExitCode::failed,
                           fmt::format("the champion's template {} is not there", champion.template_name));
  }
  const model::Variant variant = model::make_variant(entry->kernel_template, entry->space, champion.genome);
  ChampionProof proof;
  if (const auto here = stack.prover_here()) {
    // A trial's rigour on data that no worker has seen: a champion's takes minutes there, and is asked of the
    // GPU.
    proof.held_out =
        check_held_out(experiment, stack, *here, variant, entropy, evaluators::gates::Rigour::search);
    const model::Failure* failure = proof.failure();
    // What the virtual device cannot run is for the GPU to say.
    const bool unsupported = failure != nullptr && failure->status == model::Status::unsupported;
    if (!proof.valid() && !unsupported) return proof;
    for (const model::Evidence& note : proof.held_out.report.evaluation.notes)
      if (note.kind == evaluators::gates::time_was_up_kind) proof.not_proven_here = note.message;
    proof.proven_here = proof.valid() && proof.not_proven_here.empty();
    if (unsupported) proof.not_proven_here = failure->reason;
    if (stop.stop_requested()) {
      proof.held_out.report = {};
      return proof;
    }
  }
  const auto runner = stack.fresh_runner();
  proof.held_out = check_held_out(experiment, stack, *runner, variant, entropy);
  if (!proof.valid() || stop.stop_requested()) return proof;
  proof.delayed = stack.ladder().check_delayed(variant);
  if (!proof.valid()) return proof;
  proof.sanitizer = watch_launches(experiment, stack, proof.held_out.report.prepared, stop);
  proof.sanitizer_failure = proof.sanitizer->failure();
  return proof;
}

}  // namespace

ChampionProof prove_champion(const model::Experiment& experiment, EvaluationStack& stack,
                             const engine::TrialRecord& champion, std::uint64_t entropy,
                             const std::stop_token& stop) {
  return prove_of_space(experiment, engine::make_search_space(experiment), stack, champion, entropy, stop);
}

std::vector<Finalist> ask_finalists(const model::Experiment& experiment, EvaluationStack& stack,
                                    const std::vector<engine::TrialRecord>& trials,
                                    const engine::TrialRecord& champion, const std::stop_token& stop) {
  constexpr std::uint64_t other_stream = 0x9e3779b97f4a7c15;
  const engine::SearchSpace space = engine::make_search_space(experiment);
  std::vector<Finalist> asked;
  for (const engine::TrialRecord& trial : finalists_of(trials, champion, most_finalists)) {
    // Drawn now, after the last trial; from the input seed where a test fixes it.
    const std::uint64_t entropy =
        experiment.input_seed ? (*experiment.input_seed ^ other_stream) >> 1 : draw_entropy();
    asked.push_back({trial, prove_of_space(experiment, space, stack, trial, entropy, stop)});
    if (asked.back().proof.valid() || stop.stop_requested()) break;
  }
  return asked;
}

std::vector<model::Evidence> perturbed_notes(const std::vector<model::Evidence>& notes) {
  std::vector<model::Evidence> found;
  std::copy_if(notes.begin(), notes.end(), std::back_inserter(found),
               [](const model::Evidence& note) { return note.kind == "perturbed"; });
  return found;
}

engine::EventRecord event_of(const Finalist& finalist) {
  const ChampionProof& proof = finalist.proof;
  engine::EventRecord event;
  event.trial = finalist.trial.index;
  event.details["variant"] = finalist.trial.variant;
  if (!proof.valid()) {
    const model::Failure* failure = proof.failure();
    event.kind = engine::event_kinds::champion_refused;
    event.details["gate"] = proof.failed_at();
    event.details["reason"] = failure != nullptr ? failure->reason : "";
    return event;
  }
  event.kind = engine::event_kinds::champion_proven;
  for (const model::Evidence& note : perturbed_notes(proof.held_out.report.evaluation.notes))
    event.details["perturbed"] = note.message;
  if (proof.proven_here) event.details["here"] = "correct on the virtual device of the run's machine";
  if (!proof.not_proven_here.empty()) event.details["here"] = "not proven: " + proof.not_proven_here;
  if (proof.delayed)
    event.details["delays"] = proof.delayed->ran ? "right" : "not run: " + proof.delayed->reason;
  if (!proof.sanitizer) return event;
  if (proof.sanitizer->runs.empty())
    event.details["compute-sanitizer"] = "not run: " + proof.sanitizer->reason;
  for (const evaluators::sanitizer::ToolRun& run : proof.sanitizer->runs) {
    event.details["compute-sanitizer " + run.tool] = fmt::format(
        "{}{}", evaluators::sanitizer::name_of(run.state), run.reason.empty() ? "" : ": " + run.reason);
  }
  return event;
}

}  // namespace evo::session
