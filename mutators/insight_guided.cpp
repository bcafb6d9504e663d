#include <algorithm>

#include "mutators/insight_lookup.hpp"
#include "mutators/operators.hpp"

namespace evo::mutators {
namespace {

/// A change of one gene that the insights favour.
struct Move {
  const model::Gene* gene;
  model::Value value;
  double gain;  ///< expected decrease of ln(latency), > 0
  const model::ValueEffect* because;
};

std::vector<Move> favoured_moves(const model::Genome& genome, const model::Space& space, const Hints& hints) {
  std::vector<Move> moves;
  for (const model::Gene& gene : space.genes()) {
    if (gene.role != model::GeneRole::tuning) continue;
    const model::Value& current = genome.at(gene.name);
    const auto* lost = find_effect(hints, gene.name, current);
    for (const model::Value& value : gene.values) {
      const auto* gained = find_effect(hints, gene.name, value);
      if (value == current || gained == nullptr) continue;
      const double gain = (lost != nullptr ? lost->effect : 0) - gained->effect;
      if (gain <= 0) continue;
      // Either the new value is known to be fast, or the old one to be slow.
      if (gained->significant() && gained->effect < 0) {
        moves.push_back({&gene, value, gain, gained});
      } else if (lost != nullptr && lost->significant() && lost->effect > 0) {
        moves.push_back({&gene, value, gain, lost});
      }
    }
  }
  return moves;
}

/// Draws a move with a chance proportional to its gain, and removes the moves of the same gene.
Move draw(std::vector<Move>& moves, model::RandomStream& random) {
  double total = 0;
  for (const Move& move : moves) total += move.gain;
  double at = random.uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < moves.size() && at >= moves[chosen].gain) at -= moves[chosen++].gain;
  Move move = moves[chosen];
  std::erase_if(moves, [&](const Move& other) { return other.gene == move.gene; });
  return move;
}

}  // namespace

std::optional<Offspring> InsightGuided::do_apply(std::span<const Parent> parents, const model::Space& space,
                                                 model::RandomStream& random, const Hints& hints) const {
  constexpr double second_move = 0.35;
  std::vector<Move> moves = favoured_moves(*parents[0].genome, space, hints);
  if (moves.empty()) return std::nullopt;
  Offspring offspring{*parents[0].genome, "follows ", std::nullopt};
  const Move first = draw(moves, random);
  offspring.genome.set(first.gene->name, first.value);
  offspring.rationale += cite(*first.because);
  if (!moves.empty() && random.chance(second_move)) {
    const Move second = draw(moves, random);
    offspring.genome.set(second.gene->name, second.value);
    offspring.rationale += " and " + cite(*second.because);
  }
  return offspring;
}

}  // namespace evo::mutators
