#include "engine/strategies/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/strategies/offspring.hpp"
#include "engine/strategies/probe.hpp"
#include "engine/strategies/template_choice.hpp"
#include "mutators/mutator.hpp"

namespace evo::engine {
namespace {

/// Share of the proposals that look around the elite whatever the model says: it may be wrong there.
constexpr double neighbour_share = 0.1;
/// Share of the model's other proposals that must have a value which few of the trials had that the model
/// knows: it can say little of such a value, and what it believes to be good company shows what the value is
/// worth.
constexpr double probe_share = 0.25;
/// Share of this strategy's own proposals that come from the best of those without a value on which the
/// fastest agree: they are bred among themselves, with a model of their own, so that two steps that are good
/// together only can be found though each alone is worse than the champion.
constexpr double rival_share = 0.2;
/// Share of the proposals that the genetic strategy makes.
constexpr double genetic_share = 0.25;
/// Right variants that offspring are bred from.
constexpr std::size_t most_parents = 48;
/// Offspring that the model is asked about, and how many of the best then climb in it.
constexpr std::size_t offspring_asked = 400;
constexpr std::size_t climbers = 3;
constexpr int climb_steps = 8;
/// Fewer right variants than this make no model.
constexpr std::size_t least_right = 6;
/// Observations that a model is fitted to: the fastest of the right trials, and the newest of those that
/// failed.
constexpr std::size_t most_observations = 320;
constexpr std::size_t most_failures = 64;

struct Judged {
  Bred bred;
  double predicted;
};

bool faster(const Judged& a, const Judged& b) {
  return a.predicted < b.predicted;
}

/// Climbs in the model from judged[start]; each step that it takes is added to `judged`.
void climb(const CodedSpace& space, const BoostedTrees& model, const std::optional<Probe>& probe,
           std::size_t start, std::vector<Judged>& judged, model::RandomStream& random) {
  Judged at = judged[start];
  for (int step = 0; step < climb_steps; ++step) {
    std::optional<Judged> best;
    for (Code& code : around(space, at.bred.code, random)) {
      if (probe && !probe->in(code)) continue;
      const double predicted = model.predict(code);
      if (predicted < (best ? best->predicted : at.predicted))
        best = Judged{{std::move(code), at.bred.from}, predicted};
    }
    if (!best) return;
    judged.push_back(*best);
    at = std::move(*best);
  }
}

/// The trials of a template as observations. What failed, and what is slower than the median, is all the same
/// to the search: such variants share one target, so that the model spends its splits on the others.
/// `candidates` are the template's right trials, the fastest first, at least one.
std::vector<Observation> observations_of(std::span<const TrialRecord> trials,
                                         std::span<const Candidate> candidates, const CodedSpace& space) {
  const double slow = std::log(candidates[(candidates.size() - 1) / 2].microseconds);
  std::vector<Observation> rows;
  for (const Candidate& one : candidates.first(std::min(candidates.size(), most_observations)))
    rows.push_back({space.encode(one.trial->genome), std::min(std::log(one.microseconds), slow)});
  std::size_t room = most_failures;
  for (std::size_t i = trials.size(); i-- > 0 && room > 0;) {
    const TrialRecord& trial = trials[i];
    if (trial.template_name != candidates.front().trial->template_name || trial.right() ||
        trial.status == model::Status::no_op) {
      continue;
    }
    rows.push_back({space.encode(trial.genome), slow});
    --room;
  }
  return rows;
}

/// Leaves those of `candidates` (the fastest first) that do not have the value, which is returned, of a gene
/// in which the fastest agree; leaves them all where there is no such gene or too few differ.
std::optional<Probe> leave_to_rivals(const CodedSpace& space, std::vector<Candidate>& candidates,
                                     model::RandomStream& random) {
  std::vector<Code> fastest;
  for (const Candidate& one : std::span(candidates).first(std::min(candidates.size(), most_parents)))
    fastest.push_back(space.encode(one.trial->genome));
  const std::optional<Probe> rival = draw_rival(space, fastest, random);
  if (!rival) return std::nullopt;
  std::vector<Candidate> rivals;
  for (const Candidate& one : candidates) {
    if (rival->in(space.encode(one.trial->genome))) rivals.push_back(one);
  }
  if (rivals.size() < least_right) return std::nullopt;
  candidates = std::move(rivals);
  return rival;
}

/// The genetic strategy draws from the streams of the same slots: another seed keeps its draws apart from
/// those that chose it.
model::SearchSettings with_own_draws(model::SearchSettings settings) {
  settings.seed ^= 0x9e3779b97f4a7c15ULL;
  return settings;
}

}  // namespace

SurrogateStrategy::SurrogateStrategy(const model::SearchSettings& settings, const SearchSpace& space)
    : settings_(settings),
      space_(space),
      operators_(settings.mutators, settings.mutation),
      genetic_(with_own_draws(settings), space) {
  for (const SearchTemplate& entry : space.templates) coded_.emplace_back(entry.space);
}

Proposal SurrogateStrategy::ask(const History& history, const SlotId& slot,
                                const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  if (slot.generation == 0) return opening_proposal(space_, slot, history, streams);
  if (streams.choice.chance(genetic_share)) return genetic_.ask(history, slot, insights);
  return without_duplicates(space_, history, streams, [&] { return propose(history, streams); });
}

Proposal SurrogateStrategy::propose(const History& history, SlotStreams& streams) const {
  const std::size_t position = draw_by_chance(template_chances(space_, history.visible), streams.choice);
  const SearchTemplate& entry = space_.templates[position];
  std::vector<Candidate> candidates = best_candidates(history.visible, history.visible.size());
  std::erase_if(candidates,
                [&](const Candidate& one) { return one.trial->template_name != entry.kernel.name; });
  const bool immigrant =
      operators_.enabled("random_immigrant") && streams.choice.chance(settings_.immigrants);
  if (!candidates.empty() && !immigrant) {
    std::optional<Probe> rival;
    if (operators_.enabled("gene_mutation") && streams.choice.chance(rival_share))
      rival = leave_to_rivals(coded_[position], candidates, streams.choice);
    if (operators_.enabled("gene_mutation") && streams.choice.chance(neighbour_share)) {
      const auto elite = static_cast<std::size_t>(std::max(settings_.elite, 1));
      for (const Candidate& best : std::span(candidates).first(std::min(candidates.size(), elite))) {
        if (auto neighbour = untried_neighbour(space_, history, *best.trial, streams.genes))
          return std::move(*neighbour);
      }
    }
    if (candidates.size() >= least_right) {
      if (auto proposal = best_of_many(history, position, candidates, rival, streams))
        return std::move(*proposal);
    }
    const std::array<const TrialRecord*, 1> parent{
        tournament(candidates, settings_.tournament, streams.parents).trial};
    if (auto child = operators_.apply("gene_mutation", entry, parent, streams.genes, nullptr))
      return std::move(*child);
  }
  return fresh_proposal(entry, streams.genes, "random_immigrant");
}

std::optional<Proposal> SurrogateStrategy::best_of_many(const History& history, std::size_t position,
                                                        std::span<const Candidate> candidates,
                                                        std::optional<Probe> probe,
                                                        SlotStreams& streams) const {
  const SearchTemplate& entry = space_.templates[position];
  const CodedSpace& space = coded_[position];
  const auto rows = observations_of(history.visible, candidates, space);
  const BoostedTrees model(space, rows, streams.choice);
  std::vector<Code> parents;
  // The first rows are the fastest candidates.
  for (std::size_t i = 0; i < std::min(candidates.size(), most_parents); ++i) parents.push_back(rows[i].code);
  const Breeding breeding{operators_.enabled("uniform_crossover") ? settings_.crossover : 0,
                          operators_.enabled("gene_mutation"), operators_.enabled("sync_mutation")};
  if (!probe && breeding.tuning && streams.choice.chance(probe_share))
    probe = draw_probe(space, rows, streams.choice);
  std::vector<Bred> offspring = breed_many(space, parents, offspring_asked, breeding, streams.genes);
  if (probe) impose(space, *probe, offspring, streams.genes);
  std::vector<Judged> judged;
  for (Bred& bred : offspring) {
    const double predicted = model.predict(bred.code);
    judged.push_back({std::move(bred), predicted});
  }
  std::stable_sort(judged.begin(), judged.end(), faster);
  if (breeding.tuning) {
    const std::size_t starts = std::min(climbers, judged.size());
    for (std::size_t start = 0; start < starts; ++start)
      climb(space, model, probe, start, judged, streams.genes);
    std::stable_sort(judged.begin(), judged.end(), faster);
  }
  for (const Judged& one : judged) {
    model::Genome genome = space.decode(one.bred.code);
    if (history.seen(entry.kernel.name, genome)) continue;
    const TrialRecord& parent = *candidates[one.bred.from].trial;
    const double expected = one.predicted - model.predict(parents[one.bred.from]);
    std::string rationale =
        fmt::format("{}: {:+.1f} % expected by a model of {} trials, the best of {} offspring{}",
                    mutators::describe_changes(parent.genome, genome), 100 * std::expm1(expected),
                    rows.size(), judged.size(), probe ? " " + probe->text(space) : "");
    return Proposal{std::move(genome), entry.kernel.name,    {parent.variant},
                    "surrogate",       std::move(rationale), std::optional(expected)};
  }
  return std::nullopt;
}

}  // namespace evo::engine
