#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "bench/search/landscape.hpp"
#include "mutators/coded_space.hpp"
#include "mutators/sampling.hpp"

namespace evo::bench {
namespace {

using model::RandomStream;
using mutators::Code;
using mutators::CodedSpace;

/// An effect of a few genes together: a number for each combination of their values.
struct Effect {
  std::vector<std::size_t> genes, strides;
  std::vector<double> table;

  [[nodiscard]] double of(const Code& code) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < genes.size(); ++i) at += strides[i] * code[genes[i]];
    return table[at];
  }
};

/// The made-up kernel of one template: ln(latency) is a level and a sum of effects.
class Surface {
 public:
  Surface(const engine::SearchTemplate& entry, double level, RandomStream& random)
      : name(entry.kernel_template.name), space(entry.space), level_(level) {
    const std::size_t genes = space.genes();
    // Few genes matter much and many a little, alone and together, as in the recorded spaces.
    for (std::size_t i = 0; i < genes; ++i) effects_.push_back(effect({i}, 0.12, random));
    for (std::size_t i = 0; i < 2 * genes; ++i) effects_.push_back(effect(some(2, random), 0.07, random));
    for (std::size_t i = 0; i < genes; ++i) effects_.push_back(effect(some(3, random), 0.06, random));
    for (int i = 0; i < 4; ++i) failing_.push_back(combination(some(2, random), random));
    // Counts have streams of their own: the landscapes are what they were before there were any.
    RandomStream counts({random_of_counts, static_cast<std::uint64_t>(level * 1e6), 0, "counts"});
    for (const char* axis : {"sectors", "conflicts", "occupancy", "instructions"}) {
      std::vector<Effect> of_axis;
      for (int i = 0; i < 3; ++i) of_axis.push_back(effect(some(1, counts), 4, counts));
      counts_.emplace_back(axis, std::move(of_axis));
    }
  }

  /// Powers of two around 2^8, by three genes each.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> behaviour(const Code& code) const {
    std::vector<std::pair<std::string, std::string>> list;
    for (const auto& [axis, effects] : counts_) {
      double power = 8;
      for (const Effect& effect : effects) power += effect.of(code);
      list.emplace_back(axis, fmt::format("{}", std::exp2(power)));
    }
    return list;
  }

  [[nodiscard]] std::optional<double> latency(const Code& code) const {
    const auto fails = [&](const auto& combination) {
      return std::all_of(combination.begin(), combination.end(),
                         [&](const auto& gene) { return code[gene.first] == gene.second; });
    };
    if (std::any_of(failing_.begin(), failing_.end(), fails)) return std::nullopt;
    double log_latency = level_;
    for (const Effect& effect : effects_) log_latency += effect.of(code);
    return std::exp(log_latency);
  }

  std::string name;
  CodedSpace space;

 private:
  /// `count` different genes that have a choice and are no barriers (which a search leaves at full).
  std::vector<std::size_t> some(std::size_t count, RandomStream& random) const {
    std::vector<std::size_t> genes;
    while (genes.size() < count) {
      const std::size_t gene = random.below(space.genes());
      const bool usable =
          space.values(gene) > 1 && space.space().genes()[gene].role == model::GeneRole::tuning;
      if (usable && std::find(genes.begin(), genes.end(), gene) == genes.end()) genes.push_back(gene);
    }
    return genes;
  }

  /// Half of the effects are smooth along ordered values (a product of waves), half are different for each
  /// combination.
  Effect effect(std::vector<std::size_t> genes, double scale, RandomStream& random) const {
    Effect made{std::move(genes), {}, {}};
    std::size_t size = 1;
    for (const std::size_t gene : made.genes) {
      made.strides.push_back(size);
      size *= space.values(gene);
    }
    const double u = random.uniform();
    const double weight = scale * u * u;
    const bool smooth = random.chance(0.5);
    std::vector<double> frequency, phase;
    for (std::size_t i = 0; i < made.genes.size(); ++i) {
      frequency.push_back(0.5 + 1.5 * random.uniform());
      phase.push_back(6.28 * random.uniform());
    }
    for (std::size_t at = 0; at < size; ++at) {
      double value = 1;
      for (std::size_t i = 0; i < made.genes.size(); ++i) {
        const std::size_t values = space.values(made.genes[i]);
        const double position =
            static_cast<double>(at / made.strides[i] % values) / static_cast<double>(values);
        value *= std::sin(6.28 * frequency[i] * position / 2 + phase[i]);
      }
      made.table.push_back(weight * (smooth ? value : 0.7 * random.normal()));
    }
    return made;
  }

  std::vector<std::pair<std::size_t, std::size_t>> combination(const std::vector<std::size_t>& genes,
                                                               RandomStream& random) const {
    std::vector<std::pair<std::size_t, std::size_t>> chosen;
    for (const std::size_t gene : genes) chosen.emplace_back(gene, random.below(space.values(gene)));
    return chosen;
  }

  static constexpr std::uint64_t random_of_counts = 7;
  double level_;
  std::vector<std::pair<std::string, std::vector<Effect>>> counts_;
  std::vector<Effect> effects_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> failing_;
};

/// The least that climbs find with changes of one gene, and where these end, of two: cheap here, where a
/// latency is a sum, and far more than any search may ask.
double climbed(const Surface& surface, RandomStream& random) {
  const auto start = mutators::random_legal(surface.space.space(), random);
  if (!start) return 0;
  Code code = surface.space.encode(*start);
  double best = surface.latency(code).value_or(1e9);
  const auto improve = [&](bool two) {
    Code found = code;
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (std::uint16_t v = 0; v < surface.space.values(i); ++v) {
        Code next = code;
        next[i] = v;
        for (std::size_t j = two ? i + 1 : code.size() - 1; j < code.size(); ++j) {
          for (std::uint16_t w = 0; w < (two ? surface.space.values(j) : 1); ++w) {
            if (two) next[j] = w;
            if (!surface.space.legal(next)) continue;
            const auto latency = surface.latency(next);
            if (!latency || *latency >= best) continue;
            best = *latency;
            found = next;
          }
          if (two) next[j] = code[j];
        }
      }
    }
    const bool better = found != code;
    code = found;
    return better;
  };
  while (improve(false) || improve(true)) {
  }
  return best;
}

}  // namespace

Landscape synthetic_landscape(const engine::SearchSpace& space, std::uint64_t instance) {
  Landscape landscape;
  landscape.name = fmt::format("made-up {}", instance);
  landscape.space = space;
  // The surfaces refer to spaces that must stay where they are.
  const auto fixed = std::make_shared<const engine::SearchSpace>(space);
  auto surfaces = std::make_shared<std::vector<std::unique_ptr<Surface>>>();
  RandomStream random({instance, 0, 0, "landscape"});
  const std::size_t leader = random.below(space.templates.size());
  for (const engine::SearchTemplate& entry : fixed->templates) {
    const bool leads = &entry == &fixed->templates[leader];
    const double level = leads ? 2 : 2.2 + 1.5 * random.uniform();
    surfaces->push_back(std::make_unique<Surface>(entry, level, random));
    constexpr int climbs = 12;
    for (int climb = 0; climb < climbs; ++climb) {
      const double least = climbed(*surfaces->back(), random);
      if (landscape.optimum == 0 || (least > 0 && least < landscape.optimum)) landscape.optimum = least;
    }
  }
  landscape.behaviour = [fixed, surfaces](const std::string& name, const model::Genome& genome) {
    const auto found = std::find_if(surfaces->begin(), surfaces->end(),
                                    [&](const auto& surface) { return surface->name == name; });
    return (*found)->behaviour((*found)->space.encode(genome));
  };
  landscape.latency = [fixed, surfaces](const std::string& name, const model::Genome& genome) {
    const auto found = std::find_if(surfaces->begin(), surfaces->end(),
                                    [&](const auto& surface) { return surface->name == name; });
    return (*found)->latency((*found)->space.encode(genome));
  };
  return landscape;
}

}  // namespace evo::bench
