#include "terminal/champion_report.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "session/watch.hpp"
#include "terminal/coverage_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/text_output.hpp"
#include "terminal/watch_output.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;
using evaluators::gates::DelayedBuild;
using session::ChampionProof;
using session::Finalist;
using session::HeldOut;
using session::not_checked;
using session::perturbed_notes;

std::string axes_text(const model::Workload& workload) {
  std::string text;
  for (const auto& [axis, value] : workload.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis, value);
  return text;
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

std::string held_out_text(const HeldOut& held_out) {
  std::string shapes;
  for (const model::Workload& workload : held_out.workloads)
    shapes += (shapes.empty() ? "" : "; ") + axes_text(workload);
  const model::Failure* failure = held_out.report.failure();
  if (failure == nullptr && held_out.workloads.empty())
    return "champion asked again: correct; there are no shapes that no trial has seen";
  if (failure == nullptr) {
    return fmt::format("champion on inputs and shapes that no trial has seen ({}): correct", shapes);
  }
  return fmt::format("champion on inputs and shapes that no trial has seen ({}): {} at the gate {} ({})",
                     shapes, model::name_of(failure->status), held_out.report.failed_gate(), failure->reason);
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
  std::string text = held_out_text(proof.held_out) + "\n";
  for (const model::Evidence& note : perturbed_notes(proof.held_out.report.evaluation.notes))
    text += "perturbed: " + note.message + "\n";
  if (proof.proven_here)
    text += "the same on the virtual device of this machine, which asks no worker: correct\n";
  if (!proof.not_proven_here.empty())
    text += fmt::format(
        "not proven on the virtual device of this machine ({}): that it is correct is for the rest "
        "the farm's word alone\n",
        proof.not_proven_here);
  if (proof.delayed) {
    text += proof.delayed->ran
                ? fmt::format("delays behind barriers: {}\n", proof.delayed->failure ? "refused" : "correct")
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
           {{"proven_here", proof.proven_here},
            {"not_proven_here", proof.not_proven_here},
            {"notes", to_json(perturbed_notes(proof.held_out.report.evaluation.notes))},
            {"delays", proof.delayed ? json::value(delayed_json(*proof.delayed)) : json::value(nullptr)}}},
          {"not_checked", to_json(not_checked(proof.held_out.report.evaluation.notes))},
          {"sanitizer", proof.sanitizer ? json::value(to_json(*proof.sanitizer)) : json::value(nullptr)}};
}

}  // namespace evo::terminal
