#include <algorithm>

#include "mutators/operators.hpp"

namespace evo::mutators {
namespace {

/// A change of one gene that the insights favour.
struct Move {
  std::size_t gene;
  std::uint16_t value;
  double gain;  ///< expected decrease of ln(latency), > 0
  const model::ValueEffect* because;
};

std::vector<Move> favoured_moves(const Code& code, const CodedSpace& space, const InsightIndex& insights) {
  std::vector<Move> moves;
  for (const std::size_t gene : space.tuning()) {
    const auto* lost = insights.effect(gene, code[gene]);
    for (std::uint16_t value = 0; value < space.values(gene); ++value) {
      const auto* gained = insights.effect(gene, value);
      if (value == code[gene] || gained == nullptr) continue;
      const double gain = (lost != nullptr ? lost->effect : 0) - gained->effect;
      if (gain <= 0) continue;
      // Either the new value is known to be fast, or the old one to be slow.
      if (gained->significant() && gained->effect < 0) {
        moves.push_back({gene, value, gain, gained});
      } else if (lost != nullptr && lost->significant() && lost->effect > 0) {
        moves.push_back({gene, value, gain, lost});
      }
    }
  }
  return moves;
}

/// Draws a move with a chance proportional to its gain, and removes the moves of the same gene.
Move draw_move(std::vector<Move>& moves, model::RandomStream& random) {
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

std::optional<Draft> InsightGuided::draw(std::span<const Parent> parents, const CodedSpace& space,
                                         model::RandomStream& random, const Hints& hints) const {
  if (hints.insights == nullptr) return std::nullopt;
  std::vector<Move> moves = favoured_moves(*parents[0].code, space, *hints.insights);
  if (moves.empty()) return std::nullopt;
  Draft draft{*parents[0].code, std::vector<bool>(space.genes()), "follows "};
  const auto follow = [&] {
    const Move move = draw_move(moves, random);
    draft.code[move.gene] = move.value;
    draft.decided[move.gene] = true;
    draft.rationale += cite(*move.because);
  };
  follow();
  if (!moves.empty() && random.chance(hints.settings.second_insight)) {
    draft.rationale += " and ";
    follow();
  }
  return draft;
}

}  // namespace evo::mutators
