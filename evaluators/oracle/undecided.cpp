#include "evaluators/oracle/undecided.hpp"

#include <algorithm>
#include <mutex>

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
/// Floating-point inputs for each element of an output that is decided element by element.
constexpr std::int64_t most_inputs = 16;

bool is_whole(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
}

/// Adds what another answer shows; both ascend by element.
std::vector<Border> joined(const std::vector<Border>& known, const std::vector<Border>& more) {
  std::vector<Border> all;
  auto next = known.begin();
  for (const Border& border : more) {
    while (next != known.end() && next->element < border.element) all.push_back(*next++);
    if (next == known.end() || next->element != border.element) {
      all.push_back(border);
      continue;
    }
    all.push_back(*next++);
    all.back().several = all.back().several || all.back().other != border.other;
  }
  all.insert(all.end(), next, known.end());
  return all;
}

struct Nearby {
  const Oracle& oracle;
  model::Case bound;
  std::uint64_t entropy = 0;
  bool wide = false;
  std::optional<Borders> in_float;
  std::once_flag once{};
  Borders found{};

  void add(const ReferenceOutputs& reference, const ReferenceOutputs& answer) {
    const Borders more = borders_between(bound, reference, answer);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = joined(found[i], more[i]);
  }

  void find(const InputBuffers& inputs, const ReferenceOutputs& reference) {
    found.assign(bound.arguments.size(), {});
    if (!wide && in_float) {
      found = *in_float;
    } else if (!wide && oracle.computed != nullptr) {
      const auto plain = oracle.computed->compute_plain(bound, inputs, {});
      if (plain && *plain) add(reference, **plain);
    }
    for (std::uint64_t draw = 1; draw <= moved_draws; ++draw) {
      const InputBuffers other =
          moved_inputs(bound, inputs, wide ? few_units_of_double : few_units, entropy, draw);
      // Numbers of 16 bits are rounded back: every draw is the reference again.
      if (other == inputs || !oracle.can_answer(bound, other)) return;
      const auto answer = oracle.compute(bound, other);
      if (!answer) return;
      add(reference, *answer);
    }
  }
};

}  // namespace

bool may_be_undecided(const model::Case& bound, std::size_t index) {
  const model::BoundArgument& output = bound.arguments[index];
  if (!is_whole(output) || output.role != model::ArgumentRole::output || output.zeroed) return false;
  if (output.reduce != model::Reduction::none) return false;
  std::int64_t floating = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role) && model::is_floating(argument.dtype))
      floating += element_count(argument);
  }
  return floating > 0 && element_count(output) * most_inputs >= floating;
}

std::size_t most_undecided(std::size_t elements) {
  return std::max<std::size_t>(4, elements / 512);
}

Borders borders_between(const model::Case& bound, const ReferenceOutputs& reference,
                        const ReferenceOutputs& answer) {
  Borders borders(bound.arguments.size());
  for (std::size_t i = 0; i < borders.size() && i < reference.size() && i < answer.size(); ++i) {
    if (!may_be_undecided(bound, i) || answer[i].size() != reference[i].size()) continue;
    for (std::size_t e = 0; e < reference[i].size(); ++e) {
      if (answer[i][e] != reference[i][e]) borders[i].push_back({e, answer[i][e]});
    }
  }
  return borders;
}

NearbyAnswers nearby_answers(const Oracle& oracle, const model::Case& bound, std::uint64_t entropy,
                             std::optional<Borders> in_float) {
  bool any = false, wide = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    any = any || may_be_undecided(bound, i);
    wide = wide || (argument.role != model::ArgumentRole::scalar && argument.dtype == model::DType::f64);
  }
  if (!any) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<Nearby> state(new Nearby{oracle, bound, entropy, wide, std::move(in_float)});
  return [state](const InputBuffers& inputs, const ReferenceOutputs& reference) -> const Borders& {
    std::call_once(state->once, [&] { state->find(inputs, reference); });
    return state->found;
  };
}

bool is_exact_class(const model::Tolerance& tolerance) {
  return !tolerance.automatic && tolerance.relative_frobenius == 0 && tolerance.max_abs_over_rms == 0;
}

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
  if (open.empty() || open.size() > most_undecided(offsets.size())) return std::nullopt;
  const Borders& all = nearby(inputs, reference);
  if (index >= all.size()) return std::nullopt;
  for (const std::size_t e : open) {
    const auto border = std::ranges::lower_bound(all[index], e, {}, &Border::element);
    if (border == all[index].end() || border->element != e) return std::nullopt;
    if (border->several || border->other != result[e]) return std::nullopt;
  }
  return result;
}

}  // namespace evo::evaluators::oracle
