#include "engine/strategies/breeding.hpp"

#include <array>

#include "model/edits.hpp"
#include "model/error.hpp"
#include "mutators/edit_lists.hpp"
#include "mutators/text_genes.hpp"

namespace evo::engine {
namespace {

mutators::Weights weights_or_throw(const model::SearchSettings& settings) {
  auto weights = mutators::weights_of(settings);
  if (!weights) throw model::Exception(model::ExitCode::invalid_configuration, weights.error().text());
  return std::move(*weights);
}

}  // namespace

Parents::Parents(const CodedSpace& space, std::span<const Candidate> candidates) {
  codes.reserve(candidates.size());
  for (const Candidate& one : candidates) {
    codes.push_back(space.encode(one.trial->genome));
    list.push_back({one.trial->variant, &codes.back()});
  }
}

Breeding::Breeding(const model::SearchSettings& settings, const SearchSpace& space)
    : space_(space),
      operators_(weights_or_throw(settings)),
      knows_effects_(model::knows_effects(settings.preset)) {
  settings_.gene_probability = settings.mutation;
  for (const SearchTemplate& entry : space.templates) coded_.emplace_back(entry.space);
}

const CodedSpace& Breeding::coded(std::string_view name) const {
  return coded_[static_cast<std::size_t>(space_.find(name) - space_.templates.data())];
}

std::optional<mutators::InsightIndex> Breeding::index_of(const model::Insights* insights,
                                                         std::string_view name) const {
  if (insights == nullptr || !knows_effects_) return std::nullopt;
  return mutators::InsightIndex(*insights, name, coded(name));
}

std::optional<Proposal> Breeding::offspring(std::span<const Candidate> candidates, std::size_t first,
                                            const std::function<std::optional<std::size_t>()>& mate,
                                            SlotStreams& streams, const model::Insights* insights) const {
  const std::string& name = candidates[first].trial->template_name;
  const CodedSpace& space = coded(name);
  const Parents parents(space, candidates);
  const std::optional<mutators::InsightIndex> index = index_of(insights, name);
  const mutators::Hints hints{settings_, index ? &*index : nullptr, {}};
  const auto bred = operators_.breed(space, parents.list, first, mate, streams.choice, streams.genes, hints);
  if (!bred) return std::nullopt;
  const auto effect =
      index ? index->predicted_change(parents.codes[first], bred->code) : std::optional<double>();
  return proposal(candidates, *bred, bred->rationale, effect);
}

std::optional<Proposal> Breeding::neighbour(std::span<const Candidate> candidates, const History& history,
                                            SlotStreams& streams) const {
  const mutators::Mutator& mutator = operators_.find("neighbour");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const TrialRecord& centre = *candidates[i].trial;
    const CodedSpace& space = coded(centre.template_name);
    const Code code = space.encode(centre.genome);
    const source::Edits edits = model::edits_of(centre.genome);
    const std::array<mutators::Parent, 1> parent{mutators::Parent{centre.variant, &code}};
    const mutators::Hints hints{settings_, nullptr, [&](const Code& other) {
                                  return history.seen(centre.template_name,
                                                      model::with_edits(space.decode(other), edits));
                                }};
    if (auto found = mutator.apply(parent, space, streams.genes, hints)) {
      const Bred bred{std::move(found->code), i, std::nullopt, {mutator.name()}, {}};
      return proposal(candidates, bred, std::move(found->rationale), std::nullopt);
    }
  }
  return std::nullopt;
}

Proposal Breeding::proposal(std::span<const Candidate> candidates, const Bred& bred, std::string rationale,
                            std::optional<double> predicted_effect) const {
  const TrialRecord& first = *candidates[bred.from].trial;
  model::Genome genome = coded(first.template_name).decode(bred.code);
  // Edits of the source come along; of two parents both may give some.
  source::Edits edits = model::edits_of(first.genome);
  if (bred.mate) {
    const TrialRecord& mate = *candidates[*bred.mate].trial;
    edits = mutators::crossed(edits, model::edits_of(mate.genome), first.variant + mate.variant);
  }
  if (!edits.empty()) {
    const model::Space& space = space_.find(first.template_name)->space;
    edits = mutators::with_legal_genes(
        edits, [&](const source::Edits& list) { return space.legal(model::with_edits(genome, list)); });
    genome = model::with_edits(genome, edits);
  }
  rationale += ": " + mutators::describe_changes(first.genome, genome);
  std::vector<std::string> parents{first.variant};
  if (bred.mate) parents.push_back(candidates[*bred.mate].trial->variant);
  return {std::move(genome),    first.template_name, std::move(parents), mutators::joined(bred.steps),
          std::move(rationale), predicted_effect};
}

}  // namespace evo::engine
