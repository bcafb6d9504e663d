#include "engine/strategies/offspring.hpp"

#include <algorithm>

#include "engine/strategies/building_blocks.hpp"

namespace evo::engine {
namespace {

/// An offspring has one changed gene, and this often one more, and again.
constexpr double another_change = 0.5;
constexpr int most_changes = 6;
/// Ordered integers step to a neighbour this often: tile sizes and the like respond smoothly.
constexpr double to_neighbour = 0.5;
/// Share of the offspring in which one barrier changes.
constexpr double barrier_share = 0.05;

std::uint16_t other_value(const CodedSpace& space, std::size_t gene, std::uint16_t current,
                          model::RandomStream& random) {
  const std::size_t count = space.values(gene);
  if (!space.space().genes()[gene].symbolic() && random.chance(to_neighbour)) {
    const bool up = random.chance(0.5);
    return static_cast<std::uint16_t>((up ? current + 1U < count : current == 0) ? current + 1 : current - 1);
  }
  const std::size_t draw = random.below(count - 1);
  return static_cast<std::uint16_t>(draw < current ? draw : draw + 1);
}

std::vector<std::size_t> genes_of(const CodedSpace& space, model::GeneRole role) {
  std::vector<std::size_t> genes;
  for (std::size_t i = 0; i < space.genes(); ++i) {
    if (space.space().genes()[i].role == role && space.values(i) > 1) genes.push_back(i);
  }
  return genes;
}

/// Good parents more often: the square of a uniform draw.
std::size_t ranked(std::size_t count, model::RandomStream& random) {
  const double u = random.uniform();
  return std::min(count - 1, static_cast<std::size_t>(u * u * static_cast<double>(count)));
}

}  // namespace

std::optional<Code> made_legal(const CodedSpace& space, Code code, std::vector<bool> kept,
                               model::RandomStream& random) {
  constexpr int steps = 12;
  for (int step = 0; step < steps; ++step) {
    const std::vector<std::size_t>* violated = space.violated(code);
    if (violated == nullptr) return code;
    std::vector<std::size_t> free;
    for (const std::size_t gene : *violated) {
      const bool barrier = space.space().genes()[gene].role == model::GeneRole::sync;
      if (!kept[gene] && !barrier && space.values(gene) > 1) free.push_back(gene);
    }
    if (free.empty()) {
      for (const std::size_t gene : *violated) {
        if (space.values(gene) > 1) free.push_back(gene);
      }
    }
    if (free.empty()) return std::nullopt;
    const std::size_t gene = free[random.below(free.size())];
    code[gene] = other_value(space, gene, code[gene], random);
  }
  return std::nullopt;
}

std::vector<Bred> breed_many(const CodedSpace& space, std::span<const Code> parents, std::size_t count,
                             const Breeding& breeding, model::RandomStream& random) {
  const std::vector<std::size_t> tuning = genes_of(space, model::GeneRole::tuning);
  const std::vector<std::size_t> barriers = genes_of(space, model::GeneRole::sync);
  std::vector<Bred> offspring;
  for (std::size_t i = 0; i < count; ++i) {
    Bred bred{{}, ranked(parents.size(), random)};
    bred.code = parents[bred.from];
    std::vector<bool> changed(space.genes());
    const bool crossed = parents.size() > 1 && random.chance(breeding.crossover);
    if (crossed) {
      const Code& mate = parents[ranked(parents.size(), random)];
      for (std::size_t gene = 0; gene < space.genes(); ++gene) {
        if (random.chance(0.5)) bred.code[gene] = mate[gene];
      }
    }
    const auto change = [&](const std::vector<std::size_t>& genes) {
      const std::size_t gene = genes[random.below(genes.size())];
      bred.code[gene] = other_value(space, gene, bred.code[gene], random);
      changed[gene] = true;
    };
    if (breeding.tuning && !tuning.empty() && (!crossed || random.chance(mutate_after_crossover))) {
      int changes = 1;
      while (changes < most_changes && random.chance(another_change)) ++changes;
      for (; changes > 0; --changes) change(tuning);
    }
    if (breeding.barriers && !barriers.empty() && random.chance(barrier_share)) change(barriers);
    if (auto legal = made_legal(space, std::move(bred.code), std::move(changed), random)) {
      bred.code = std::move(*legal);
      offspring.push_back(std::move(bred));
    }
  }
  return offspring;
}

std::vector<Code> around(const CodedSpace& space, const Code& code, model::RandomStream& random) {
  std::vector<Code> codes;
  for (const std::size_t gene : genes_of(space, model::GeneRole::tuning)) {
    for (std::uint16_t value = 0; value < space.values(gene); ++value) {
      if (value == code[gene]) continue;
      Code step = code;
      step[gene] = value;
      std::vector<bool> kept(space.genes());
      kept[gene] = true;
      if (auto legal = made_legal(space, std::move(step), std::move(kept), random))
        codes.push_back(std::move(*legal));
    }
  }
  return codes;
}

}  // namespace evo::engine
