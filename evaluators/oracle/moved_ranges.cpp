#include "evaluators/oracle/moved_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/jumps.hpp"

namespace evo::evaluators::oracle {
namespace {

/// One of 65536 pairs that nearly tie goes the same way in so many.
constexpr std::uint64_t range_draws = 16;

struct AskedMoves {
  const Oracle& oracle;
  model::Case bound;
  double relative;
  std::uint64_t entropy;
  std::vector<double> held;
  std::once_flag once{};
  std::vector<std::vector<Blur>> found{};

  void find(const InputBuffers& inputs, const ReferenceOutputs& outputs) {
    found.resize(bound.arguments.size());
    std::vector<ReferenceOutputs> answers;
    for (std::uint64_t draw = 0; draw < range_draws; ++draw) {
      const InputBuffers other = moved_inputs(bound, inputs, relative, entropy, draw, held);
      if (!oracle.can_answer(bound, other)) return;
      auto answer = oracle.compute(bound, other);
      if (!answer) return;
      answers.push_back(std::move(*answer));
    }
    Reference reference;
    reference.outputs = outputs;
    const auto decided = decided_jumps(oracle, bound, inputs, reference, {relative, entropy, held, answers});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!may_be_blurred(bound.arguments[i])) continue;
      for (std::size_t e = 0; e < outputs[i].size(); ++e) {
        // A NaN or an infinity of the answer is asked for.
        if (!std::isfinite(outputs[i][e]) || std::ranges::binary_search(decided[i], e)) continue;
        Blur range{e, outputs[i][e], outputs[i][e]};
        for (const ReferenceOutputs& answer : answers) {
          // Off the edge of the type, or no number: nothing is granted for it.
          if (!std::isfinite(answer[i][e])) continue;
          range.low = std::min(range.low, answer[i][e]);
          range.high = std::max(range.high, answer[i][e]);
        }
        if (range.low < range.high) found[i].push_back(range);
      }
    }
  }
};

}  // namespace

BlurredElements moved_ranges(const Oracle& oracle, const model::Case& bound, double relative,
                             std::uint64_t entropy, std::vector<double> held) {
  if (std::ranges::none_of(bound.arguments, may_be_blurred)) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<AskedMoves> state(new AskedMoves{oracle, bound, relative, entropy, std::move(held)});
  return [state](const InputBuffers& inputs,
                 const ReferenceOutputs& outputs) -> const std::vector<std::vector<Blur>>& {
    std::call_once(state->once, [&] { state->find(inputs, outputs); });
    return state->found;
  };
}

}  // namespace evo::evaluators::oracle
