#include "engine/strategies/forced_value.hpp"

#include <algorithm>

#include "model/value.hpp"
#include "mutators/repair.hpp"

namespace evo::engine {
namespace {

/// Of so many values the rarest: not always the same one, and mostly one that is rare.
constexpr int drawn = 4;
/// Share of the fastest that agree where the search has settled.
constexpr double settled = 0.75;

}  // namespace

std::string ForcedValue::text(const CodedSpace& space) const {
  const model::Gene& named = space.space().genes()[gene];
  const std::string assigned = named.name + "=" + model::to_string(named.values[value]);
  return avoided ? "without " + assigned + ", which most of the fastest have"
                 : "with " + assigned + ", which few had";
}

std::optional<ForcedValue> draw_forced_value(const CodedSpace& space, std::span<const Observation> rows,
                                             model::RandomStream& random) {
  std::vector<ForcedValue> all;
  for (const std::size_t gene : space.tuning()) {
    for (std::uint16_t value = 0; value < space.values(gene); ++value) all.push_back({gene, value});
  }
  std::optional<ForcedValue> rarest;
  std::ptrdiff_t least = 0;
  for (int draw = 0; draw < drawn && !all.empty(); ++draw) {
    const ForcedValue probe = all[random.below(all.size())];
    const std::ptrdiff_t tried =
        std::ranges::count_if(rows, [&](const Observation& row) { return probe.in(row.code); });
    if (rarest && tried >= least) continue;
    rarest = probe;
    least = tried;
  }
  return rarest;
}

std::optional<ForcedValue> draw_excluded_value(const CodedSpace& space, std::span<const Code> fastest,
                                               model::RandomStream& random) {
  std::vector<ForcedValue> all;
  for (const std::size_t gene : space.tuning()) {
    std::vector<double> having(space.values(gene));
    for (const Code& code : fastest) ++having[code[gene]];
    const auto most = std::ranges::max_element(having);
    if (*most >= settled * static_cast<double>(fastest.size()) && *most > 0)
      all.push_back({gene, static_cast<std::uint16_t>(most - having.begin()), true});
  }
  if (all.empty()) return std::nullopt;
  return all[random.below(all.size())];
}

void enforce(const CodedSpace& space, const ForcedValue& probe, const mutators::OperatorSettings& settings,
             std::vector<Bred>& offspring, model::RandomStream& random) {
  std::vector<Bred> imposed;
  for (Bred& bred : offspring) {
    if (!probe.in(bred.code)) {
      if (probe.avoided) continue;
      std::vector<bool> decided(space.genes());
      decided[probe.gene] = true;
      bred.code[probe.gene] = probe.value;
      std::optional<Code> legal = mutators::repair(space, std::move(bred.code), decided, settings, random);
      if (!legal || !probe.in(*legal)) continue;
      bred.code = std::move(*legal);
      bred.steps.push_back("probe");
    }
    imposed.push_back(std::move(bred));
  }
  offspring = std::move(imposed);
}

}  // namespace evo::engine
