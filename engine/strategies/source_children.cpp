// Children of what was tried: races mended, what was nearly correct, edits of two parents, one edit less.
#include <algorithm>

#include "engine/strategies/near_correct.hpp"
#include "engine/strategies/source.hpp"
#include "model/edits.hpp"
#include "mutators/edit_lists.hpp"
#include "mutators/race_repair.hpp"
#include "mutators/source_weights.hpp"
#include "mutators/text_genes.hpp"

namespace evo::engine {
namespace {

/// How many of the last trials are looked at for a race that can be mended: a bounded buffer of parents that
/// are nearly correct.
constexpr std::size_t mended_among = 64;
/// As many of those that came nearest to correct are kept as parents.
constexpr std::size_t near_kept = 64;
/// A child of one is it without one of its edits, or with what made another one nearly correct, so often:
/// what is correct only together is alone wrong by little. Else it has one more edit, drawn.
constexpr double near_less = 0.25, near_both = 0.5;

bool is_race(const TrialRecord& trial) {
  return trial.status == model::Status::sanitizer_fail &&
         (trial.reason.starts_with("race_") || trial.reason == "async_not_waited");
}

}  // namespace

std::optional<Proposal> SourceStrategy::repair(const History& history, model::RandomStream& random) const {
  if (!model::knows_endings(settings_.preset)) return std::nullopt;
  std::vector<const TrialRecord*> races;
  for (const TrialRecord& trial : history.visible.last(std::min(history.visible.size(), mended_among))) {
    if (is_race(trial) && !model::edits_of(trial.genome).empty()) races.push_back(&trial);
  }
  if (races.empty()) return std::nullopt;
  const TrialRecord& failed = *races[random.below(races.size())];
  const SearchTemplate& entry = *space_.find(failed.template_name);
  const auto found = mutators::races_of(failed.evidence, entry.kernel_template.source_file);
  for (const source::Edits& edits :
       mutators::race_repairs(text_of(failed), model::edits_of(failed.genome), found)) {
    auto proposal =
        with(history, failed, edits, mutators::race_repair_name, "ordered what raced in " + failed.variant);
    if (proposal) return proposal;
  }
  return std::nullopt;
}

std::optional<Proposal> SourceStrategy::approach(const History& history, model::RandomStream& random) const {
  std::vector<const TrialRecord*> near;
  if (model::knows_endings(settings_.preset)) near = near_correct(history.visible, near_kept);
  if (near.empty()) return std::nullopt;
  const std::size_t chosen = tournament(near.size(), settings_.tournament, random);
  const TrialRecord& parent = *near[chosen];
  source::Edits edits = model::edits_of(parent.genome);
  const double way = random.uniform();
  if (way < near_less) {
    edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(random.below(edits.size())));
    return with(history, parent, edits, mutators::near_correct, "nearly correct, with an edit less");
  }
  mutators::Change change;
  std::string rationale = "nearly correct, with an edit more";
  if (way < near_less + near_both) {
    const auto other = tournament_without(chosen, near.size(), settings_.tournament, random);
    if (!other || near[*other]->template_name != parent.template_name) return std::nullopt;
    change = change_made(history.visible, *near[*other]);
    rationale = "nearly correct, with what made " + near[*other]->variant;
  } else {
    const std::string& operation = drawn_operator(operators_, random);
    if (std::ranges::none_of(mutators_, [&](const auto& one) { return one->name() == operation; }))
      return std::nullopt;  // one that needs another parent, or a race
    const auto& changes = changes_of(*space_.find(parent.template_name), parent.genome, operation);
    if (changes.empty()) return std::nullopt;
    change = changes[random.below(changes.size())];
  }
  const auto more = mutators::with_change(edits, change);
  return more ? with(history, parent, *more, mutators::near_correct, rationale) : std::nullopt;
}

std::optional<Proposal> SourceStrategy::cross(const History& history, const Pool& parents,
                                              model::RandomStream& random) const {
  const std::vector<Candidate>& pool = parents.list;
  const std::size_t first = tournament(pool.size(), parents.rounds, random);
  const auto second = tournament_without(first, pool.size(), parents.rounds, random);
  if (!second) return std::nullopt;
  const TrialRecord& a = *pool[first].trial;
  const TrialRecord& b = *pool[*second].trial;
  if (a.template_name != b.template_name) return std::nullopt;
  const source::Edits edits = mutators::crossed(model::edits_of(a.genome), model::edits_of(b.genome), random);
  auto proposal = with(history, a, edits, mutators::edit_crossover, "edits of two parents");
  if (proposal) proposal->parents.push_back(b.variant);
  return proposal;
}

std::optional<Proposal> SourceStrategy::step(const History& history, const TrialRecord& parent,
                                             model::RandomStream& random) const {
  const std::vector<source::Edits> lists = mutators::gene_steps(model::edits_of(parent.genome));
  if (lists.empty()) return std::nullopt;
  const std::size_t first = random.below(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto proposal = with(history, parent, lists[(first + i) % lists.size()], mutators::gene_value,
                         "another value of a gene of the text");
    if (proposal) return proposal;
  }
  return std::nullopt;
}

std::optional<Proposal> SourceStrategy::remove(const History& history, const TrialRecord& best) const {
  for (const source::Edits& edits : mutators::smaller_lists(model::edits_of(best.genome))) {
    auto proposal = with(history, best, edits, mutators::edit_removal, "the same with fewer edits");
    if (proposal) return proposal;
  }
  return std::nullopt;
}

}  // namespace evo::engine
