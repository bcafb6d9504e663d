#include "engine/strategies/building_blocks.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "model/edits.hpp"
#include "model/error.hpp"
#include "mutators/sampling.hpp"

namespace evo::engine {
namespace {

model::RandomStream stream(std::uint64_t seed, const SlotId& slot, std::string_view purpose) {
  return model::RandomStream(
      {seed, static_cast<std::uint64_t>(slot.generation), static_cast<std::uint64_t>(slot.slot), purpose});
}

}  // namespace

SlotStreams::SlotStreams(std::uint64_t seed, const SlotId& slot)
    : choice(stream(seed, slot, "operator")),
      parents(stream(seed, slot, "parents")),
      genes(stream(seed, slot, "genes")) {}

bool History::seen(std::string_view template_name, const model::Genome& genome) const {
  return proposed != nullptr && proposed->contains(genome_key(template_name, genome));
}

std::vector<Candidate> best_candidates(std::span<const TrialRecord> history, std::size_t limit) {
  std::vector<Candidate> candidates;
  for (const TrialRecord& trial : history) {
    if (!trial.correct()) continue;
    if (const auto latency = trial.latency()) candidates.push_back({&trial, latency->microseconds});
  }
  const auto edits = [](const Candidate& one) {
    const auto& values = one.trial->genome.values();
    return std::count_if(values.begin(), values.end(),
                         [](const auto& value) { return model::names_an_edit(value.first); });
  };
  const auto faster = [&](const Candidate& a, const Candidate& b) {
    if (a.microseconds != b.microseconds) return a.microseconds < b.microseconds;
    // Of two that are as fast the one with fewer edits.
    const auto of_a = edits(a), of_b = edits(b);
    return of_a != of_b ? of_a < of_b : a.trial->index < b.trial->index;
  };
  const std::size_t kept = std::min(limit, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates.end(), faster);
  candidates.resize(kept);
  return candidates;
}

std::size_t tournament(std::size_t count, int rounds, model::RandomStream& random) {
  std::size_t best = random.below(count);
  for (int round = 1; round < rounds; ++round)
    best = std::min(best, static_cast<std::size_t>(random.below(count)));
  return best;
}

std::optional<std::size_t> tournament_without(std::size_t other, std::size_t count, int rounds,
                                              model::RandomStream& random) {
  if (count < 2) return std::nullopt;
  const std::size_t drawn = tournament(count - 1, rounds, random);
  return drawn < other ? drawn : drawn + 1;
}

Proposal baseline_proposal(const SearchSpace& space) {
  return {space.baseline,
          space.templates[space.baseline_template].kernel_template.name,
          {},
          "baseline",
          "the experiment's baseline",
          std::nullopt};
}

Proposal fresh_proposal(const SearchSpace& space, model::RandomStream& random, std::string operator_name) {
  return fresh_proposal(space.templates[random.below(space.templates.size())], random,
                        std::move(operator_name));
}

Proposal fresh_proposal(const SearchTemplate& entry, model::RandomStream& random, std::string operator_name) {
  auto genome = mutators::random_legal(entry.space, random);
  // make_search_space() has seen a legal genome, so that only a very hard space comes here.
  if (!genome) genome = entry.space.initial();
  if (!entry.space.legal(*genome)) {
    throw model::Exception(
        model::ExitCode::invalid_configuration,
        fmt::format("no legal genome of template '{}' was found", entry.kernel_template.name));
  }
  return {std::move(*genome),       entry.kernel_template.name, {},
          std::move(operator_name), "fresh random genome",      std::nullopt};
}

std::vector<Proposal> initial_designs(const SearchSpace& space) {
  std::vector<Proposal> designs;
  std::unordered_set<std::string> known{
      genome_key(space.templates[space.baseline_template].kernel_template.name, space.baseline)};
  for (const model::InitialDesign& start : space.initial_designs)
    known.insert(genome_key(start.template_name, start.genome));
  const auto add = [&](const SearchTemplate& entry, const model::Genome& genome, std::string operator_name,
                       std::string rationale) {
    if (!entry.space.legal(genome) || !known.insert(genome_key(entry.kernel_template.name, genome)).second)
      return;
    designs.push_back({genome,
                       entry.kernel_template.name,
                       {},
                       std::move(operator_name),
                       std::move(rationale),
                       std::nullopt});
  };
  for (std::size_t i = 0; i < space.templates.size(); ++i) {
    const SearchTemplate& entry = space.templates[i];
    if (i != space.baseline_template)
      add(entry, entry.space.initial(), "template_initial", "the template's initial genome");
  }
  for (const SearchTemplate& entry : space.templates) {
    for (const model::TemplateDesign& start : entry.kernel_template.initial_designs)
      add(entry, start.genome, "template_start", fmt::format("the template's start '{}'", start.name));
  }
  return designs;
}

Proposal opening_proposal(const SearchSpace& space, const SlotId& slot, const History& history,
                          SlotStreams& streams) {
  if (slot.generation == 0) {
    // Slot 0 is the baseline, those behind it are the experiment's starts (engine/proposer.cpp).
    std::vector<Proposal> designs = initial_designs(space);
    const auto position = static_cast<std::size_t>(slot.slot - 1) - space.initial_designs.size();
    if (position < designs.size()) return std::move(designs[position]);
  }
  return without_duplicates(space, history, streams,
                            [&] { return fresh_proposal(space, streams.genes, "random_legal"); });
}

Proposal without_duplicates(const SearchSpace& space, const History& history, SlotStreams& streams,
                            const std::function<Proposal()>& make) {
  constexpr int draws = 16;
  constexpr int fresh_draws = 16;
  Proposal proposal = make();
  for (int draw = 1; draw < draws && history.seen(proposal.template_name, proposal.genome); ++draw)
    proposal = make();
  for (int draw = 0; draw < fresh_draws && history.seen(proposal.template_name, proposal.genome); ++draw) {
    Proposal fresh = fresh_proposal(space, streams.genes, "random_immigrant");
    fresh.rationale += "; everything drawn before was a duplicate";
    if (!history.seen(fresh.template_name, fresh.genome)) return fresh;
  }
  return proposal;
}

}  // namespace evo::engine
