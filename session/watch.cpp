#include "session/watch.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/search_space.hpp"
#include "session/evaluation_stack.hpp"

namespace evo::session {

using SanitizerReport = evaluators::sanitizer::Report;

SanitizerReport watch_launches(const model::Experiment& experiment, EvaluationStack& stack,
                               const evaluators::Prepared& prepared, const std::stop_token& stop) {
  const double seconds = experiment.gates.sanitizer_timeout_s;
  SanitizerReport report;
  if (stack.device() == "virtual") {
    report.reason = "the run is on the virtual device, which makes these checks itself";
    return report;
  }
  if (seconds <= 0) {
    report.reason = "gates.sanitizer_timeout_s is 0";
    return report;
  }
  return stack.watch(stack.ladder().launches_to_watch(prepared),
                     std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)), stop);
}

std::vector<model::Evidence> not_checked(const std::vector<model::Evidence>& notes) {
  std::vector<model::Evidence> found;
  std::copy_if(notes.begin(), notes.end(), std::back_inserter(found),
               [](const model::Evidence& note) { return note.kind == "not_checked"; });
  return found;
}

const model::Failure* WatchedProof::failure() const {
  return watched_failure ? &*watched_failure : report.failure();
}

std::string WatchedProof::failed_at() const {
  return watched_failure ? "compute-sanitizer" : report.failed_gate();
}

WatchedProof prove_baseline(const model::Experiment& experiment, EvaluationStack& stack) {
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate& entry = space.templates.at(space.baseline_template);
  WatchedProof proof;
  proof.report = evaluators::gates::prove(
      stack.ladder(), model::make_variant(entry.kernel_template, entry.space, space.baseline));
  if (proof.report.valid() && !not_checked(proof.report.evaluation.notes).empty()) {
    proof.watched = watch_launches(experiment, stack, proof.report.prepared, {});
    proof.watched_failure = proof.watched->failure();
  }
  return proof;
}

}  // namespace evo::session
