#include "session/reduction.hpp"

#include <array>

#include <fmt/format.h>

#include "engine/search_space.hpp"
#include "engine/verdicts.hpp"
#include "evaluators/gates/ladder.hpp"
#include "model/edits.hpp"
#include "model/error.hpp"
#include "session/champion_proof.hpp"
#include "session/evaluation_stack.hpp"
#include "session/held_out.hpp"

namespace evo::session {

std::string reduction_rationale(const model::Environment& was, const model::Environment& back) {
  return "what does nothing went back: " + model::change_text(was, back);
}
namespace {

/// Apart from the finalists' draws.
std::uint64_t entropy_of(const model::Experiment& experiment) {
  constexpr std::uint64_t reduction_stream = 0xd1b54a32d192ed03;
  return experiment.input_seed ? (*experiment.input_seed ^ reduction_stream) >> 1 : draw_entropy();
}

/// Up the ladder as any candidate. False: it was refused, and `reduction` says why.
bool climb(Reduction& reduction, EvaluationStack& stack, const model::Variant& variant) {
  const evaluators::gates::GateReport report = evaluators::gates::prove(stack.ladder(), variant);
  engine::record_prepared(reduction.trial, report.prepared);
  if (!report.prepared.failed()) engine::record_evaluation(reduction.trial, report.evaluation);
  const model::Failure* failure = report.failure();
  if (failure == nullptr) return true;
  reduction.refused = fmt::format("{} ({})", model::name_of(failure->status), failure->reason);
  return false;
}

/// A correct variant that decides otherwise than the champion did is no substitute.
bool reaches(const std::optional<FinalVerdict>& own, const std::optional<FinalVerdict>& champions) {
  if (!champions) return true;
  if (!own) return false;
  return own->decision() == champions->decision() || own->decision() == Decision::promoted;
}

}  // namespace

std::optional<Reduction> reduce_champion(const model::Experiment& experiment, EvaluationStack& stack,
                                         const engine::TrialRecord& baseline,
                                         const engine::TrialRecord& champion, const model::Environment& back,
                                         const std::optional<FinalVerdict>& verdict,
                                         std::optional<FinalVerdict>& own_verdict,
                                         const std::stop_token& stop) {
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const engine::SearchTemplate* entry = space.find(champion.template_name);
  if (entry == nullptr)
    throw model::Exception(model::ExitCode::failed,
                           fmt::format("the champion's template {} is not there", champion.template_name));
  Reduction reduction;
  reduction.champion = champion.variant;
  reduction.back = back;
  for (const auto& [gene, value] : back) reduction.was.insert_or_assign(gene, champion.genome.at(gene));
  const model::Genome genome = model::with_values(champion.genome, back);
  const model::Variant variant = model::make_variant(entry->kernel_template, entry->space, genome);
  const mutators::Proposal proposal{genome,
                                    champion.template_name,
                                    {champion.variant},
                                    reduction_operator,
                                    reduction_rationale(reduction.was, back),
                                    std::nullopt};
  reduction.trial = engine::trial_of(proposal, {champion.generation, champion.slot, champion.index}, variant);
  if (!climb(reduction, stack, variant)) return reduction;
  const std::uint64_t entropy = entropy_of(experiment);
  const ChampionProof proof = prove_champion(experiment, stack, reduction.trial, entropy, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (!proof.valid()) {
    const model::Failure* failure = proof.failure();
    reduction.refused =
        fmt::format("{} at {}", failure != nullptr ? failure->reason : "not proven", proof.failed_at());
    return reduction;
  }
  reduction.against_champion =
      judge_champion(experiment, stack, champion, reduction.trial, entropy, stop, Beside::nothing);
  if (stop.stop_requested()) return std::nullopt;
  const auto& found = reduction.against_champion;
  if (!found || (found->decision() != Decision::tie && found->decision() != Decision::promoted)) {
    reduction.refused = fmt::format("its final verdict against the champion is {}, no tie",
                                    found ? name_of(found->decision()) : "missing");
    return reduction;
  }
  auto own = judge_champion(experiment, stack, baseline, reduction.trial, entropy ^ 1, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (own && verdict) {
    own->comparisons = verdict->comparisons;
    own->decided = verdict->decided;
    own->spent_error = verdict->spent_error;
    own->false_promotion_at_most = verdict->false_promotion_at_most;
  }
  if (!reaches(own, verdict)) {
    reduction.refused = fmt::format("its final verdict against the baseline is {}, the champion's {}",
                                    own ? name_of(own->decision()) : "missing", name_of(verdict->decision()));
    return reduction;
  }
  own_verdict = std::move(own);
  return reduction;
}

}  // namespace evo::session
