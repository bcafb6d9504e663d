#include "evaluators/oracle/undecided.hpp"

#include <algorithm>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Floating-point inputs for each element of an output that is decided element by element.
constexpr std::int64_t most_inputs = 16;

bool is_whole(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
}

}  // namespace

bool is_decided_by_few(const model::Case& bound, std::int64_t elements) {
  std::int64_t floating = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role) && model::is_floating(argument.dtype))
      floating += element_count(argument);
  }
  if (floating == 0) return bound.reference_launch.has_value();
  return elements * most_inputs >= floating;
}

bool may_be_undecided(const model::Case& bound, std::size_t index) {
  const model::BoundArgument& output = bound.arguments[index];
  if (!is_whole(output) || output.role != model::ArgumentRole::output || output.zeroed) return false;
  if (output.reduce != model::Reduction::none) return false;
  return is_decided_by_few(bound, element_count(output));
}

bool may_be_stored(const model::Case& bound, std::size_t index) {
  const model::BoundArgument& output = bound.arguments[index];
  constexpr int exact_in_double = 4;
  // Only a kernel can be asked what it does with other numbers than the zeros of an output.
  const bool zeros = output.role == model::ArgumentRole::output && output.zeroed && bound.reference_launch;
  if (!is_whole(output) || (output.role != model::ArgumentRole::inout && !zeros)) return false;
  if (output.reduce != model::Reduction::none || model::size_of(output.dtype) > exact_in_double) return false;
  return is_decided_by_few(bound, element_count(output));
}

std::size_t most_undecided(std::size_t elements) {
  return std::max<std::size_t>(4, elements / 512);
}

std::size_t most_crossed(const std::vector<Border>& in_float) {
  return 2 * static_cast<std::size_t>(std::ranges::count_if(in_float, &Border::in_float));
}

Borders borders_between(const model::Case& bound, const ReferenceOutputs& reference,
                        const ReferenceOutputs& answer) {
  Borders borders(bound.arguments.size());
  for (std::size_t i = 0; i < borders.size() && i < reference.size() && i < answer.size(); ++i) {
    if (!may_be_undecided(bound, i) && !may_be_stored(bound, i)) continue;
    if (answer[i].size() != reference[i].size()) continue;
    for (std::size_t e = 0; e < reference[i].size(); ++e) {
      if (answer[i][e] != reference[i][e]) borders[i].push_back({e, answer[i][e]});
    }
  }
  return borders;
}

bool is_exact_class(const model::Tolerance& tolerance) {
  return !tolerance.automatic && tolerance.relative_frobenius == 0 && tolerance.max_abs_over_rms == 0;
}

namespace {

/// Of what is given, or starts from zeros, those that are written over.
std::size_t changed_elements(const model::BoundArgument& argument, const std::vector<std::byte>& given,
                             const std::vector<double>& correct) {
  if (argument.zeroed) return correct.size() - static_cast<std::size_t>(std::ranges::count(correct, 0.0));
  if (!model::is_given(argument.role)) return correct.size();
  const std::vector<double> before = load_array(argument, given);
  std::size_t changed = 0;
  for (std::size_t e = 0; e < correct.size(); ++e) changed += before[e] != correct[e] ? 1 : 0;
  return changed;
}

}  // namespace

std::optional<std::vector<double>> with_undecided(const model::BoundArgument& argument, std::size_t index,
                                                  std::span<const std::byte> actual,
                                                  const ReferenceOutputs& reference,
                                                  std::span<const std::uint8_t> written,
                                                  const InputBuffers& inputs, const NearbyAnswers& nearby) {
  if (!nearby || !is_whole(argument) || argument.reduce != model::Reduction::none) return std::nullopt;
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  const std::vector<double>& correct = reference[index];
  if (offsets.size() != correct.size() || static_cast<std::int64_t>(actual.size()) != buffer_bytes(argument))
    return std::nullopt;
  std::vector<std::size_t> open;
  std::vector<double> result = correct;
  const auto differs = [&](std::size_t e) {
    const double value = load_element(argument.dtype, actual.data() + offsets[e] * size);
    if (value == correct[e]) return;
    result[e] = value;
    open.push_back(e);
  };
  if (written.empty()) {
    for (std::size_t e = 0; e < offsets.size(); ++e) differs(e);
  } else {
    for (const std::int64_t e : written_elements(argument, written)) differs(static_cast<std::size_t>(e));
  }
  if (open.empty()) return std::nullopt;
  const std::size_t differ = open.size();
  const auto border_at = [](const std::vector<Border>& all, std::size_t e) -> const Border* {
    const auto border = std::ranges::lower_bound(all, e, {}, &Border::element);
    return border == all.end() || border->element != e ? nullptr : &*border;
  };
  const Borders& single = nearby(inputs, reference, Nearby::in_float);
  if (index >= single.size()) return std::nullopt;
  std::erase_if(open, [&](std::size_t e) {
    const Border* const border = border_at(single[index], e);
    return border != nullptr && border->in_float && border->other == result[e];
  });
  if (open.empty()) return result;
  const bool many = open.size() > most_undecided(changed_elements(argument, inputs[index], correct));
  if (many && differ > most_crossed(single[index])) return std::nullopt;
  // Where a loop ends goes by many roundings: what the reference itself gives in float is one of the answers.
  std::erase_if(open, [&](std::size_t e) {
    const Border* const own = border_at(single[index], e);
    return own != nullptr && own->of_kernel && own->other == result[e];
  });
  for (const Nearby ask : {Nearby::moved, Nearby::rounded}) {
    if (open.empty()) break;
    const Borders& all = nearby(inputs, reference, ask);
    std::erase_if(open, [&](std::size_t e) {
      const Border* const border = border_at(all[index], e);
      return border != nullptr && !border->several && border->other == result[e] &&
             (!many || border->rounded);
    });
  }
  return open.empty() ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace evo::evaluators::oracle
