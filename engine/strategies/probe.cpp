#include "engine/strategies/probe.hpp"

#include <algorithm>

#include "model/value.hpp"

namespace evo::engine {
namespace {

/// Of so many values the rarest: not always the same one, and mostly one that is rare.
constexpr int drawn = 4;
/// Share of the fastest that agree where the search has settled.
constexpr double settled = 0.75;

bool has_choice(const CodedSpace& space, std::size_t gene) {
  return space.space().genes()[gene].role == model::GeneRole::tuning && space.values(gene) > 1;
}

}  // namespace

std::string Probe::text(const CodedSpace& space) const {
  const model::Gene& named = space.space().genes()[gene];
  const std::string assigned = named.name + "=" + model::to_string(named.values[value]);
  return avoided ? "without " + assigned + ", which most of the fastest have"
                 : "with " + assigned + ", which few had";
}

std::optional<Probe> draw_probe(const CodedSpace& space, std::span<const Observation> rows,
                                model::RandomStream& random) {
  std::vector<Probe> all;
  for (std::size_t gene = 0; gene < space.genes(); ++gene) {
    if (!has_choice(space, gene)) continue;
    for (std::uint16_t value = 0; value < space.values(gene); ++value) all.push_back({gene, value});
  }
  std::optional<Probe> rarest;
  std::ptrdiff_t least = 0;
  for (int draw = 0; draw < drawn && !all.empty(); ++draw) {
    const Probe probe = all[random.below(all.size())];
    const std::ptrdiff_t tried =
        std::ranges::count_if(rows, [&](const Observation& row) { return probe.in(row.code); });
    if (rarest && tried >= least) continue;
    rarest = probe;
    least = tried;
  }
  return rarest;
}

std::optional<Probe> draw_rival(const CodedSpace& space, std::span<const Code> fastest,
                                model::RandomStream& random) {
  std::vector<Probe> all;
  for (std::size_t gene = 0; gene < space.genes(); ++gene) {
    if (!has_choice(space, gene)) continue;
    std::vector<double> having(space.values(gene));
    for (const Code& code : fastest) ++having[code[gene]];
    const auto most = std::ranges::max_element(having);
    if (*most >= settled * static_cast<double>(fastest.size()) && *most > 0)
      all.push_back({gene, static_cast<std::uint16_t>(most - having.begin()), true});
  }
  if (all.empty()) return std::nullopt;
  return all[random.below(all.size())];
}

void impose(const CodedSpace& space, const Probe& probe, std::vector<Bred>& offspring,
            model::RandomStream& random) {
  if (probe.avoided) {
    std::erase_if(offspring, [&](const Bred& bred) { return !probe.in(bred.code); });
    return;
  }
  std::vector<Bred> imposed;
  for (Bred& bred : offspring) {
    std::vector<bool> kept(space.genes());
    kept[probe.gene] = true;
    bred.code[probe.gene] = probe.value;
    std::optional<Code> legal = made_legal(space, std::move(bred.code), std::move(kept), random);
    if (legal && probe.in(*legal)) imposed.push_back({std::move(*legal), bred.from});
  }
  offspring = std::move(imposed);
}

}  // namespace evo::engine
