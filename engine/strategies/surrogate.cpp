#include "engine/strategies/surrogate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/strategies/forced_value.hpp"
#include "engine/strategies/template_choice.hpp"
#include "mutators/operators.hpp"

namespace evo::engine {
namespace {

struct Judged {
  Bred bred;
  double predicted;
};

bool faster(const Judged& a, const Judged& b) {
  return a.predicted < b.predicted;
}

/// Offspring of `parents` (best first; good ones are taken more often). Some may be equal to each other.
std::vector<Bred> breed_many(const mutators::OperatorSet& operators, const CodedSpace& space,
                             std::span<const mutators::Parent> parents, std::size_t count,
                             SlotStreams& streams, const mutators::Hints& hints) {
  // The square of a uniform draw.
  const auto ranked = [&](std::size_t among) {
    const double u = streams.parents.uniform();
    return std::min(among - 1, static_cast<std::size_t>(u * u * static_cast<double>(among)));
  };
  std::vector<Bred> offspring;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = ranked(parents.size());
    const auto mate = [&]() -> std::optional<std::size_t> {
      if (parents.size() < 2) return std::nullopt;
      const std::size_t rank = ranked(parents.size() - 1);
      return rank < first ? rank : rank + 1;
    };
    if (auto bred = operators.breed(space, parents, first, mate, streams.choice, streams.genes, hints))
      offspring.push_back(std::move(*bred));
  }
  return offspring;
}

/// Climbs in the model from judged[start]; each step that it takes is added to `judged`.
void climb(const CodedSpace& space, const BoostedTrees& model, const std::optional<ForcedValue>& probe,
           int steps, std::size_t start, const mutators::OperatorSettings& settings,
           std::vector<Judged>& judged, model::RandomStream& random) {
  Judged at = judged[start];
  for (int step = 0; step < steps; ++step) {
    std::optional<Code> best;
    double least = at.predicted;
    for (Code& code : mutators::steps_around(space, at.bred.code, settings, random)) {
      if (probe && !probe->in(code)) continue;
      const double predicted = model.predict(code);
      if (predicted >= least) continue;
      best = std::move(code);
      least = predicted;
    }
    if (!best) return;
    at.bred.code = std::move(*best);
    at.predicted = least;
    if (at.bred.steps.back() != "neighbour") at.bred.steps.push_back("neighbour");
    judged.push_back(at);
  }
}

/// The trials of a template as observations. What failed, and what is slower than the median, is all the same
/// to the search: such variants share one target, so that the model spends its splits on the others.
/// `candidates` are the template's correct trials, the fastest first, at least one.
std::vector<Observation> observations_of(std::span<const TrialRecord> trials,
                                         std::span<const Candidate> candidates, const CodedSpace& space,
                                         const SurrogateSettings& shares) {
  const double slow = std::log(candidates[(candidates.size() - 1) / 2].microseconds);
  std::vector<Observation> rows;
  for (const Candidate& one : candidates.first(std::min(candidates.size(), shares.most_observations)))
    rows.push_back({space.encode(one.trial->genome), std::min(std::log(one.microseconds), slow)});
  std::size_t room = shares.most_failures;
  for (std::size_t i = trials.size(); i-- > 0 && room > 0;) {
    const TrialRecord& trial = trials[i];
    if (trial.template_name != candidates.front().trial->template_name || trial.correct() ||
        trial.status == model::Status::duplicate) {
      continue;
    }
    rows.push_back({space.encode(trial.genome), slow});
    --room;
  }
  return rows;
}

/// Leaves those of `candidates` (the fastest first) that do not have the value, which is returned, of a gene
/// in which the fastest agree; leaves them all where there is no such gene or too few differ.
std::optional<ForcedValue> leave_to_excluded(const CodedSpace& space, std::vector<Candidate>& candidates,
                                             const SurrogateSettings& shares, model::RandomStream& random) {
  std::vector<Code> fastest;
  for (const Candidate& one : std::span(candidates).first(std::min(candidates.size(), shares.most_parents)))
    fastest.push_back(space.encode(one.trial->genome));
  const std::optional<ForcedValue> rival = draw_excluded_value(space, fastest, random);
  if (!rival) return std::nullopt;
  std::vector<Candidate> rivals;
  for (const Candidate& one : candidates) {
    if (rival->in(space.encode(one.trial->genome))) rivals.push_back(one);
  }
  if (rivals.size() < shares.least_right) return std::nullopt;
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
      breeding_(settings, space),
      genetic_(with_own_draws(settings), space) {}

Proposal SurrogateStrategy::ask(const History& history, const SlotId& slot,
                                const model::Insights* insights) const {
  if (slot.index == 0) return baseline_proposal(space_);
  SlotStreams streams(settings_.seed, slot);
  if (slot.generation == 0) return opening_proposal(space_, slot, history, streams);
  if (streams.choice.chance(shares_.genetic_share)) return genetic_.ask(history, slot, insights);
  return without_duplicates(space_, history, streams, [&] { return propose(history, streams, insights); });
}

Proposal SurrogateStrategy::propose(const History& history, SlotStreams& streams,
                                    const model::Insights* insights) const {
  const std::size_t position = draw_by_chance(template_chances(space_, history.visible), streams.choice);
  const SearchTemplate& entry = space_.templates[position];
  std::vector<Candidate> candidates = best_candidates(history.visible, history.visible.size());
  std::erase_if(candidates,
                [&](const Candidate& one) { return one.trial->template_name != entry.kernel_template.name; });
  const mutators::OperatorSet& operators = breeding_.operators();
  const mutators::Source source = operators.draw_source(streams.choice);
  if (!candidates.empty() && source != mutators::Source::immigrant) {
    std::optional<ForcedValue> rival;
    if (operators.enabled("gene_mutation") && streams.choice.chance(shares_.rival_share))
      rival =
          leave_to_excluded(breeding_.coded(entry.kernel_template.name), candidates, shares_, streams.choice);
    if (source == mutators::Source::neighbour) {
      const auto elite = static_cast<std::size_t>(std::max(settings_.elite, 1));
      const auto best = std::span(candidates).first(std::min(candidates.size(), elite));
      if (auto neighbour = breeding_.neighbour(best, history, streams)) return std::move(*neighbour);
    }
    std::optional<Proposal> proposal;
    if (candidates.size() >= shares_.least_right) {
      proposal = best_of_many(history, candidates, rival, streams, insights);
    } else {
      const std::size_t first = tournament(candidates.size(), settings_.tournament, streams.parents);
      const auto mate = [&] {
        return tournament_without(first, candidates.size(), settings_.tournament, streams.parents);
      };
      proposal = breeding_.offspring(candidates, first, mate, streams, insights);
    }
    if (proposal) return std::move(*proposal);
  }
  return fresh_proposal(entry, streams.genes, "random_immigrant");
}

std::optional<Proposal> SurrogateStrategy::best_of_many(const History& history,
                                                        std::span<const Candidate> candidates,
                                                        std::optional<ForcedValue> probe,
                                                        SlotStreams& streams,
                                                        const model::Insights* insights) const {
  const std::string& name = candidates.front().trial->template_name;
  const CodedSpace& space = breeding_.coded(name);
  const mutators::OperatorSet& operators = breeding_.operators();
  const auto rows = observations_of(history.visible, candidates, space, shares_);
  const BoostedTrees model(space, rows, streams.choice);
  const Parents parents(space, candidates.first(std::min(candidates.size(), shares_.most_parents)));
  const std::optional<mutators::InsightIndex> index =
      breeding_.index_of(operators.enabled("insight_guided") ? insights : nullptr, name);
  const mutators::Hints hints{breeding_.settings(), index ? &*index : nullptr, {}};
  if (!probe && operators.enabled("gene_mutation") && streams.choice.chance(shares_.probe_share))
    probe = draw_forced_value(space, rows, streams.choice);
  auto offspring = breed_many(operators, space, parents.list, shares_.offspring_asked, streams, hints);
  if (probe) enforce(space, *probe, hints.settings, offspring, streams.genes);
  std::vector<Judged> judged;
  for (Bred& bred : offspring) {
    const double predicted = model.predict(bred.code);
    judged.push_back({std::move(bred), predicted});
  }
  std::stable_sort(judged.begin(), judged.end(), faster);
  if (operators.enabled("neighbour")) {
    const std::size_t starts = std::min(shares_.climbers, judged.size());
    for (std::size_t start = 0; start < starts; ++start)
      climb(space, model, probe, shares_.climb_steps, start, hints.settings, judged, streams.genes);
    std::stable_sort(judged.begin(), judged.end(), faster);
  }
  for (const Judged& one : judged) {
    if (history.seen(name, space.decode(one.bred.code))) continue;
    const double expected = one.predicted - model.predict(parents.codes[one.bred.from]);
    std::string rationale = fmt::format(
        "{}, {:+.1f} % expected by a model of {} trials, the best of {} offspring{}", one.bred.rationale,
        100 * std::expm1(expected), rows.size(), judged.size(), probe ? " " + probe->text(space) : "");
    return breeding_.proposal(candidates, one.bred, std::move(rationale), expected);
  }
  return std::nullopt;
}

}  // namespace evo::engine
