// What is told of the finalists: text, JSON and the ledger's event.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/champion_proof.hpp"
#include "cli/coverage_output.hpp"
#include "cli/json_output.hpp"
#include "cli/text_output.hpp"
#include "cli/watch.hpp"

namespace evo::cli {
namespace {

namespace json = boost::json;
using evaluators::gates::DelayedBuild;
using evaluators::sanitizer::ToolRun;

std::vector<model::Evidence> perturbed_notes(const std::vector<model::Evidence>& notes) {
  std::vector<model::Evidence> found;
  for (const model::Evidence& note : notes) {
    if (note.kind == "perturbed") found.push_back(note);
  }
  return found;
}

json::object held_out_json(const HeldOut& held_out) {
  json::array shapes;
  for (const model::Workload& workload : held_out.workloads) {
    json::object axes;
    for (const auto& [axis, value] : workload.axes) axes[axis] = value;
    shapes.push_back(std::move(axes));
  }
  const model::Failure* failure = held_out.report.failure();
  return {{"valid", held_out.report.valid()},
          {"input_seed", held_out.entropy},
          {"shapes", std::move(shapes)},
          {"gate", failure ? json::value(held_out.report.failed_gate()) : json::value(nullptr)},
          {"reason", failure ? failure->reason : std::string()}};
}

json::object delayed_json(const DelayedBuild& build) {
  return {{"ran", build.ran},
          {"valid", !build.failure},
          {"reason", build.reason},
          {"notes", to_json(build.notes)}};
}

}  // namespace

std::string text_of(const Finalist& finalist) {
  const ChampionProof& proof = finalist.proof;
  std::string text = text_of(proof.held_out) + "\n";
  for (const model::Evidence& note : perturbed_notes(proof.held_out.report.evaluation.notes))
    text += "perturbed: " + note.message + "\n";
  if (proof.delayed) {
    text += proof.delayed->ran
                ? fmt::format("delays behind barriers: {}\n", proof.delayed->failure ? "refused" : "right")
                : fmt::format("delays behind barriers: not run: {}\n", proof.delayed->reason);
  }
  if (proof.sanitizer) text += proof.sanitizer->text();
  if (proof.valid()) text += coverage_text(proof.held_out.report.evaluation.notes);
  if (proof.valid())
    text += not_checked_text(proof.held_out.report.evaluation.notes,
                             proof.sanitizer ? &*proof.sanitizer : nullptr);
  if (const model::Failure* failure = proof.failure()) {
    text +=
        fmt::format("the champion {} is refused and not exported: {} at {} ({})\n", finalist.trial.variant,
                    model::name_of(failure->status), proof.failed_at(), failure->reason);
    text += evidence_text(failure->evidence);
  }
  return text;
}

json::object to_json(const Finalist& finalist) {
  const ChampionProof& proof = finalist.proof;
  const model::Failure* failure = proof.failure();
  return {{"variant", finalist.trial.variant},
          {"valid", proof.valid()},
          {"gate", failure ? json::value(proof.failed_at()) : json::value(nullptr)},
          {"reason", failure ? failure->reason : std::string()},
          {"evidence", failure ? to_json(failure->evidence) : json::array{}},
          {"held_out", held_out_json(proof.held_out)},
          {"correct_for", correct_for_json(proof.held_out.report.evaluation.notes)},
          {"robustness",
           {{"notes", to_json(perturbed_notes(proof.held_out.report.evaluation.notes))},
            {"delays", proof.delayed ? json::value(delayed_json(*proof.delayed)) : json::value(nullptr)}}},
          {"not_checked", to_json(not_checked(proof.held_out.report.evaluation.notes))},
          {"sanitizer", proof.sanitizer ? json::value(to_json(*proof.sanitizer)) : json::value(nullptr)}};
}

engine::EventRecord event_of(const Finalist& finalist) {
  const ChampionProof& proof = finalist.proof;
  engine::EventRecord event;
  event.trial = finalist.trial.index;
  event.details["variant"] = finalist.trial.variant;
  if (const model::Failure* failure = proof.failure()) {
    event.kind = engine::event_kinds::champion_refused;
    event.details["gate"] = proof.failed_at();
    event.details["reason"] = failure->reason;
    return event;
  }
  event.kind = engine::event_kinds::champion_proven;
  for (const model::Evidence& note : perturbed_notes(proof.held_out.report.evaluation.notes))
    event.details["perturbed"] = note.message;
  if (proof.delayed)
    event.details["delays"] = proof.delayed->ran ? "right" : "not run: " + proof.delayed->reason;
  if (!proof.sanitizer) return event;
  if (proof.sanitizer->runs.empty())
    event.details["compute-sanitizer"] = "not run: " + proof.sanitizer->reason;
  for (const ToolRun& run : proof.sanitizer->runs) {
    event.details["compute-sanitizer " + run.tool] = fmt::format(
        "{}{}", evaluators::sanitizer::name_of(run.state), run.reason.empty() ? "" : ": " + run.reason);
  }
  return event;
}

}  // namespace evo::cli
