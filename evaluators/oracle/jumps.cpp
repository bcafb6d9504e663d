#include "evaluators/oracle/jumps.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/moves.hpp"
#include "evaluators/oracle/root_mean_square.hpp"
#include "evaluators/oracle/undecided.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Of an element's size, or of its output's root mean square.
constexpr double least_jump = 1.0 / 16;
/// What is in proportion goes so many times as far where inputs move so many times as far.
constexpr double further = 16;
/// A jump stays nearly what it is. What bends as much as this may be a function that saturates.
constexpr double most_growth = 4;
/// Rounded either way, a share of its jump that tells that roundings have a part in it.
constexpr double touched = 1.0 / 1024;
/// Inputs that move by more stand for kernels that compute in 16 bits: float says nothing of those, and a
/// softmax that saturates would cost as many answers as a jump.
constexpr double most_of_float = 0x1p-16;
constexpr std::uint64_t jump_draws = 8, alike_draws = 3;

struct Jump {
  std::size_t element = 0;
  double by = 0;
};
using Jumps = std::vector<std::vector<Jump>>;

double moved_by(const ReferenceOutputs& answer, const Reference& reference, std::size_t output,
                std::size_t element) {
  return std::abs(answer[output][element] - reference.outputs[output][element]);
}

bool none(const Jumps& jumps) {
  return std::ranges::all_of(jumps, [](const std::vector<Jump>& all) { return all.empty(); });
}

/// What moves far in one of the answers.
Jumps far_moves(const model::Case& bound, const Reference& reference,
                const std::vector<ReferenceOutputs>& answers) {
  Jumps found(bound.arguments.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role) || !is_floating(bound.arguments[i].dtype)) continue;
    const std::vector<double>& correct = reference.outputs[i];
    const double usual = root_mean_square(correct);
    for (std::size_t e = 0; e < correct.size(); ++e) {
      double by = 0;
      for (const ReferenceOutputs& answer : answers) by = std::max(by, moved_by(answer, reference, i, e));
      const double least = least_jump * std::max(usual, std::abs(correct[e]));
      if (std::isfinite(by) && by > least) found[i].push_back({e, by});
    }
  }
  return found;
}

template <class Leaves>
void erase(Jumps& jumps, const Leaves& leaves) {
  for (std::size_t i = 0; i < jumps.size(); ++i)
    std::erase_if(jumps[i], [&](const Jump& jump) { return leaves(i, jump); });
}

}  // namespace

std::vector<std::vector<std::size_t>> decided_jumps(const Oracle& oracle, const model::Case& bound,
                                                    const InputBuffers& inputs, const Reference& reference,
                                                    const Moves& moves) {
  std::vector<std::vector<std::size_t>> decided(bound.arguments.size());
  if (!reference.rows.empty() || moves.relative > most_of_float) return decided;
  Jumps jumps = far_moves(bound, reference, moves.answers);
  if (none(jumps)) return decided;
  const auto answer_to = [&](const Move& move) {
    return oracle.compute(bound, moved(bound, inputs, move, moves.held));
  };
  // By the same signs, so that what is in proportion grows in proportion.
  for (std::uint64_t draw = 0; draw < moves.answers.size(); ++draw) {
    const auto more = answer_to({further * moves.relative, moves.entropy, draw});
    if (!more) return decided;
    erase(jumps, [&](std::size_t i, const Jump& jump) {
      const double by = moved_by(moves.answers[draw], reference, i, jump.element);
      return by >= least_jump * jump.by && !(moved_by(*more, reference, i, jump.element) < most_growth * by);
    });
  }
  bool asked = false;
  if (oracle.computed != nullptr) {
    for (std::uint64_t draw = 0; draw < jump_draws && !none(jumps); ++draw) {
      const auto answer = oracle.computed->compute_rounded(bound, inputs, draw);
      if (!answer) break;
      asked = true;
      erase(jumps, [&](std::size_t i, const Jump& jump) {
        return !(moved_by(*answer, reference, i, jump.element) < touched * jump.by);
      });
    }
  }
  for (std::uint64_t draw = 0; !asked && draw < alike_draws && !none(jumps); ++draw) {
    const auto answer = answer_to({moves.relative, moves.entropy, draw, MovedBy::value});
    if (!answer) return decided;
    erase(jumps, [&](std::size_t i, const Jump& jump) {
      return !(moved_by(*answer, reference, i, jump.element) < least_jump * jump.by);
    });
  }
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    // A few are near by chance: another order of the same sums may take them across, though no rounding of
    // the oracle's own does.
    if (jumps[i].size() <= most_undecided(reference.outputs[i].size())) continue;
    for (const Jump& jump : jumps[i]) decided[i].push_back(jump.element);
  }
  return decided;
}

}  // namespace evo::evaluators::oracle
