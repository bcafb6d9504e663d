#include "engine/lead.hpp"

#include <fmt/format.h>

#include "engine/verdicts.hpp"
#include "model/edits.hpp"
#include "mutators/edit_lists.hpp"

namespace evo::engine {
namespace {

/// The code of a correct variant that is exactly as fast: a duplicate was not run itself.
bool same_code_as_fast(const TrialRecord& trial, const TrialRecord& champion) {
  const auto latency = trial.latency(), its = champion.latency();
  return trial.status == model::Status::duplicate && latency && its &&
         latency->microseconds == its->microseconds;
}

bool is_measured(const TrialRecord& trial) {
  const auto latency = trial.latency();
  return latency && latency->kind == model::LatencyKind::measured;
}

/// The champion with fewer edits of its source: an edit stays only where the variant without it is wrong or
/// slower.
bool has_fewer_edits(const TrialRecord& trial, const TrialRecord& champion) {
  if (trial.template_name != champion.template_name) return false;
  const source::Edits edits = model::edits_of(champion.genome);
  return !edits.empty() && mutators::is_part_of(model::edits_of(trial.genome), edits) &&
         model::with_edits(trial.genome, {}) == model::with_edits(champion.genome, {});
}

}  // namespace

Simplicity simplicity_of(const TrialRecord& trial, const TrialRecord& baseline) {
  Simplicity simplicity;
  simplicity.changed = trial.template_name == baseline.template_name ? 0 : 1;
  const model::Genome first = model::with_edits(baseline.genome, {});
  const model::Genome own = model::with_edits(trial.genome, {});
  for (const auto& [gene, value] : own.values()) {
    const auto found = first.values().find(gene);
    if (found == first.values().end() || found->second != value) ++simplicity.changed;
  }
  if (trial.resources) {
    simplicity.registers = trial.resources->registers;
    simplicity.shared_bytes = trial.resources->static_smem_bytes;
  }
  return simplicity;
}

std::string text_of(const Simplicity& simplicity) {
  return fmt::format("{} gene{}, {} registers, {} B shared", simplicity.changed,
                     simplicity.changed == 1 ? "" : "s", simplicity.registers, simplicity.shared_bytes);
}

bool Lead::is_simpler(const TrialRecord& trial) const {
  if (ties_ != Ties::simplest || !baseline_ || trial.variant == champion_->variant) return false;
  // Edits of the text stand above all else.
  const source::Edits own = model::edits_of(trial.genome), its = model::edits_of(champion_->genome);
  if (own != its) return trial.template_name == champion_->template_name && mutators::is_part_of(own, its);
  return simplicity_of(trial, *baseline_) < simplicity_of(*champion_, *baseline_);
}

bool Lead::is_within_drift(const TrialRecord& trial) const {
  const auto latency = trial.latency();
  return !is_measured(trial) || latency->microseconds <= (1 + drift) * fastest_us_;
}

bool Lead::is_proven_as_fast(const TrialRecord& trial) const {
  if (!is_measured(trial)) return true;
  return trial.paired && trial.paired->incumbent == champion_->variant &&
         behind_ * trial.paired->interval[1] <= 1 + band_;
}

Lead::Step Lead::add(const TrialRecord& trial) {
  if (!baseline_) baseline_ = trial;
  const bool first = !champion_ && trial.correct();
  if (first || trial.status == model::Status::better) {
    champion_ = trial;
    const auto latency = trial.latency();
    fastest_us_ = latency ? latency->microseconds : 0;
    behind_ = 1;
    return first ? Step::first : Step::faster;
  }
  if (!champion_) return Step::stays;
  const bool same_code = same_code_as_fast(trial, *champion_);
  if (!same_code && trial.status != model::Status::tie) return Step::stays;
  const bool fewer_edits = has_fewer_edits(trial, *champion_) && is_within_drift(trial);
  const bool simpler = is_simpler(trial) && (same_code || is_proven_as_fast(trial)) && is_within_drift(trial);
  if (!fewer_edits && !simpler) return Step::stays;
  // Nothing is added by the same code, nor by a modelled latency that is the same.
  if (!same_code && is_measured(trial)) behind_ *= trial.paired ? trial.paired->interval[1] : 1 + drift;
  champion_ = trial;
  return Step::simpler;
}

const TrialRecord* champion_of(std::span<const TrialRecord> trials, double band, Ties ties) {
  Lead lead(band, ties);
  const TrialRecord* champion = nullptr;
  for (const TrialRecord& trial : trials)
    if (lead.add(trial) != Lead::Step::stays) champion = &trial;
  return champion;
}

std::string text_of(const Tie& tie) {
  const std::string own = fmt::format("{} ({})", tie.variant, text_of(tie.own));
  const std::string champion = fmt::format("{} ({})", tie.champion, text_of(tie.of_champion));
  const std::string ratio = tie.paired ? fmt::format(": {:.4f} [{:.4f}, {:.4f}]", tie.paired->ratio,
                                                     tie.paired->interval[0], tie.paired->interval[1])
                                       : std::string();
  return tie.taken ? fmt::format("tie: {} took the place of the champion {}{}", own, champion, ratio)
                   : fmt::format("tie: kept the champion {} over {}{}", champion, own, ratio);
}

std::optional<Tie> TieHistory::add(const TrialRecord& trial) {
  constexpr std::size_t shown = 3;
  const bool may_tie = trial.status == model::Status::tie || trial.status == model::Status::duplicate;
  const std::optional<TrialRecord> before = may_tie ? lead_.champion() : std::nullopt;
  const bool taken = lead_.add(trial) == Lead::Step::simpler;
  if (!before || (!taken && trial.status != model::Status::tie)) return std::nullopt;
  ++(taken ? taken_ : kept_);
  Tie tie{trial.index,
          trial.variant,
          before->variant,
          simplicity_of(trial, *lead_.baseline()),
          simplicity_of(*before, *lead_.baseline()),
          taken,
          trial.paired};
  last_.push_back(tie);
  if (last_.size() > shown) last_.pop_front();
  return tie;
}

}  // namespace evo::engine
