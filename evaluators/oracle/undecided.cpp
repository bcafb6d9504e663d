#include "evaluators/oracle/undecided.hpp"

#include <algorithm>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Two inputs move an element across its border in a quarter of the draws: of 32, all fail once in ten
/// thousand.
constexpr std::uint64_t moved_draws = 32;
/// Eight units in the last place of FP32 and of FP64: a few roundings of a plain kernel.
constexpr double few_units = 0x1p-20, few_units_of_double = 0x1p-49;

bool is_whole(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
}

}  // namespace

NearbyAnswers nearby_answers(const Oracle& oracle, const model::Case& bound, std::uint64_t entropy) {
  bool whole = false, floating = false, wide = false;
  for (const model::BoundArgument& argument : bound.arguments) {
    whole = whole || is_whole(argument);
    floating = floating || (model::is_given(argument.role) && model::is_floating(argument.dtype));
    wide = wide || (argument.role != model::ArgumentRole::scalar && argument.dtype == model::DType::f64);
  }
  if (!whole || !floating) return {};
  return [&oracle, bound, entropy, wide](const InputBuffers& inputs,
                                         std::uint64_t draw) -> std::optional<ReferenceOutputs> {
    if (draw > moved_draws) return std::nullopt;
    if (draw == 0 && !wide && oracle.computed != nullptr) {
      auto plain = oracle.computed->compute_plain(bound, inputs, {});
      if (plain && *plain) return std::move(**plain);
    }
    const InputBuffers other =
        moved_inputs(bound, inputs, wide ? few_units_of_double : few_units, entropy, draw);
    if (!oracle.can_answer(bound, other)) return std::nullopt;
    auto answer = oracle.compute(bound, other);
    if (!answer) return std::nullopt;
    return std::move(*answer);
  };
}

std::optional<std::vector<double>> with_undecided(const model::BoundArgument& argument, std::size_t index,
                                                  std::span<const std::byte> actual,
                                                  std::span<const double> reference,
                                                  std::span<const std::uint8_t> written,
                                                  const InputBuffers& inputs, const NearbyAnswers& nearby) {
  if (!nearby || !is_whole(argument) || argument.reduce != model::Reduction::none) return std::nullopt;
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  if (offsets.size() != reference.size() ||
      static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument))
    return std::nullopt;
  std::vector<std::size_t> open;
  std::vector<double> result(reference.begin(), reference.end());
  const auto differs = [&](std::size_t e) {
    const double value = load_element(argument.dtype, actual.data() + offsets[e] * size);
    if (value == reference[e]) return;
    result[e] = value;
    open.push_back(e);
  };
  if (written.empty()) {
    for (std::size_t e = 0; e < offsets.size(); ++e) differs(e);
  } else {
    for (const std::int64_t e : written_elements(argument, written)) differs(static_cast<std::size_t>(e));
  }
  if (open.empty() || open.size() > std::max<std::size_t>(4, offsets.size() / 512)) return std::nullopt;
  for (std::uint64_t draw = 0; !open.empty(); ++draw) {
    const auto answer = nearby(inputs, draw);
    if (!answer || index >= answer->size() || (*answer)[index].size() != reference.size())
      return std::nullopt;
    std::erase_if(open, [&](std::size_t e) { return (*answer)[index][e] == result[e]; });
  }
  return result;
}

}  // namespace evo::evaluators::oracle
