#include "evaluators/oracle/moved_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/jumps.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

/// One of 65536 pairs that nearly tie goes the same way in so many.
constexpr std::uint64_t range_draws = 16;

bool may_move(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && model::is_floating(argument.dtype) &&
         argument.reduce == model::Reduction::none;
}

struct AskedMoves {
  const Oracle& oracle;
  model::Case bound;
  double relative;
  std::uint64_t entropy;
  std::vector<double> held;
  std::once_flag once{};
  std::vector<std::vector<MovedRange>> found{};

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
      if (!may_move(bound.arguments[i])) continue;
      for (std::size_t e = 0; e < outputs[i].size(); ++e) {
        MovedRange range{outputs[i][e], outputs[i][e]};
        const bool jumps = std::ranges::binary_search(decided[i], e);
        for (const ReferenceOutputs& answer : answers) {
          // Off the edge of the type, or no number: nothing is granted for it.
          if (jumps || !std::isfinite(answer[i][e])) continue;
          range = {std::min(range.low, answer[i][e]), std::max(range.high, answer[i][e])};
        }
        found[i].push_back(range);
      }
    }
  }
};

}  // namespace

MovedRanges moved_ranges(const Oracle& oracle, const model::Case& bound, double relative,
                         std::uint64_t entropy, std::vector<double> held) {
  if (std::ranges::none_of(bound.arguments, may_move)) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<AskedMoves> state(new AskedMoves{oracle, bound, relative, entropy, std::move(held)});
  return [state](const InputBuffers& inputs,
                 const ReferenceOutputs& outputs) -> const std::vector<std::vector<MovedRange>>& {
    std::call_once(state->once, [&] { state->find(inputs, outputs); });
    return state->found;
  };
}

std::optional<std::vector<double>> with_moved(const model::BoundArgument& argument, std::size_t index,
                                              std::span<const std::byte> actual,
                                              const ReferenceOutputs& outputs, const InputBuffers& inputs,
                                              const MovedRanges& ranges) {
  if (!ranges || !may_move(argument)) return std::nullopt;
  if (static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument)) return std::nullopt;
  const std::vector<MovedRange>& own = ranges(inputs, outputs)[index];
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  if (own.empty() || offsets.size() != own.size()) return std::nullopt;
  const std::int64_t size = model::size_of(argument.dtype);
  std::vector<double> granted = outputs[index];
  for (std::size_t e = 0; e < own.size(); ++e) {
    const double value = load_element(argument.dtype, actual.data() + offsets[e] * size);
    // A NaN or an infinity of the answer is asked for.
    if (std::isfinite(value) && std::isfinite(granted[e]))
      granted[e] = std::clamp(value, own[e].low, own[e].high);
  }
  return granted;
}

}  // namespace evo::evaluators::oracle
