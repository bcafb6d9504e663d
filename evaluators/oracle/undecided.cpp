#include "evaluators/oracle/undecided.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Two inputs move an element across its border in a quarter of the draws: of 32, all fail once in ten
/// thousand.
constexpr std::uint64_t moved_draws = 32;
/// All to even neighbours, all to odd ones, and by chance: where two roundings decide together, sixteen draws
/// miss the pair that does about once in a hundred times.
constexpr std::uint64_t rounded_both_ways = 16;
/// Eight units in the last place of FP32 and of FP64: a few roundings of a plain kernel.
constexpr double few_units = 0x1p-20, few_units_of_double = 0x1p-49;
/// Floating-point inputs for each element of an output that is decided element by element.
constexpr std::int64_t most_inputs = 16;

bool is_whole(const model::BoundArgument& argument) {
  return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
}

/// Is it decided nearly element by element, where so many of its elements are decided?
bool is_of_few_numbers(const model::Case& bound, std::int64_t elements) {
  std::int64_t floating = 0;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role) && model::is_floating(argument.dtype))
      floating += element_count(argument);
  }
  if (floating == 0) return bound.reference_launch.has_value();
  return elements * most_inputs >= floating;
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
    all.back().rounded = all.back().rounded || border.rounded;
  }
  all.insert(all.end(), next, known.end());
  return all;
}

/// Do floating-point scalars decide, too?
bool move_scalars(model::Case& bound, double relative, std::uint64_t entropy, std::uint64_t draw,
                  const std::vector<double>& held) {
  bool moved = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    model::BoundArgument& argument = bound.arguments[i];
    if (argument.role != model::ArgumentRole::scalar || !model::is_floating(argument.dtype)) continue;
    if (argument.scalar_float == 0 || !std::isfinite(argument.scalar_float)) continue;
    std::array<std::byte, 8> bits{};
    store_element(argument.dtype, argument.scalar_float, bits.data());
    const double stored = load_element(argument.dtype, bits.data());
    if (std::ranges::binary_search(held, stored) || std::ranges::binary_search(held, -stored)) continue;
    model::RandomStream stream({.seed = entropy, .generation = draw, .slot = i, .purpose = "moved scalar"});
    argument.scalar_float *= 1 + ((stream.next_u32() & 1) != 0 ? relative : -relative);
    moved = true;
  }
  return moved;
}

/// Integers of `argument` with other numbers in each element, of those that are there: what is a place, or
/// has a range, stays within it. What starts from zeros has ones, or the type's largest numbers: a maximum, a
/// mask of bits or a sum that is cut off may be the same with ones.
void change_contents(const model::BoundArgument& argument, std::vector<std::byte>& bytes, bool largest) {
  if (argument.zeroed && largest) {
    bytes.assign(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0});
    const double number = model::range_of(argument.dtype).high;
    for (const std::int64_t offset : element_offsets(argument))
      store_element(argument.dtype, number, bytes.data() + offset * model::size_of(argument.dtype));
    return;
  }
  if (argument.zeroed) bytes.assign(static_cast<std::size_t>(buffer_bytes(argument)), std::byte{0});
  const std::vector<double> values = load_array(argument, bytes);
  if (values.empty()) return;
  const auto [least, most] = std::ranges::minmax(values);
  const std::vector<std::int64_t> offsets = element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  const bool up = least < most || most < model::range_of(argument.dtype).high;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double other = values[e] < most || (least == most && up) ? values[e] + 1 : values[e] - 1;
    store_element(argument.dtype, other, bytes.data() + offsets[e] * size);
  }
}

struct Asked {
  const Oracle& oracle;
  model::Case bound;
  std::uint64_t entropy = 0;
  bool wide = false;
  std::optional<Borders> in_float;
  std::vector<double> held;
  BorderSearch search = BorderSearch::all;
  std::once_flag once_in_float{}, once_moved{}, once_rounded{}, once_stored{};
  std::vector<std::vector<bool>> stored{};  ///< empty: nobody can tell
  Borders single{}, found{}, widest{};

  /// Of what is given and written over, leaves the elements that are the same whatever was there.
  void keep_stored(Borders& borders, const InputBuffers& inputs, const ReferenceOutputs& reference) {
    std::call_once(once_stored, [&] { find_stored(inputs, reference); });
    for (std::size_t i = 0; i < borders.size(); ++i) {
      if (!may_be_stored(bound, i)) continue;
      std::erase_if(borders[i],
                    [&](const Border& border) { return stored.empty() || !stored[i][border.element]; });
    }
  }

  void find_stored(const InputBuffers& inputs, const ReferenceOutputs& reference) {
    bool any = false, zeros = false;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      any = any || may_be_stored(bound, i);
      zeros = zeros || (may_be_stored(bound, i) && bound.arguments[i].zeroed);
    }
    if (!any) return;
    std::vector<std::vector<bool>> same(bound.arguments.size());
    for (std::size_t i = 0; i < same.size(); ++i) {
      if (may_be_stored(bound, i)) same[i].assign(reference[i].size(), true);
    }
    for (const bool largest : {false, true}) {
      if ((!largest || zeros) && !keep_same(same, inputs, reference, largest)) return;
    }
    for (std::size_t i = 0; i < same.size(); ++i) {
      // Where few of many are written each may be a count of many inputs.
      if (!is_of_few_numbers(bound, std::ranges::count(same[i], true))) same[i].assign(same[i].size(), false);
    }
    stored = std::move(same);
  }

  /// Of `same`, leaves what is the same with other contents. False: nobody can tell.
  [[nodiscard]] bool keep_same(std::vector<std::vector<bool>>& same, const InputBuffers& inputs,
                               const ReferenceOutputs& reference, bool largest) const {
    InputBuffers others = inputs;
    model::Case given = bound;
    for (std::size_t i = 0; i < same.size(); ++i) {
      if (!may_be_stored(bound, i)) continue;
      change_contents(bound.arguments[i], others[i], largest);
      given.arguments[i].role = model::ArgumentRole::inout;
      given.arguments[i].zeroed = false;
    }
    if (!oracle.can_answer(given, others)) return false;
    const auto answer = oracle.compute(given, others);
    if (!answer) return false;
    for (std::size_t i = 0; i < same.size(); ++i) {
      for (std::size_t e = 0; e < same[i].size(); ++e)
        if ((*answer)[i][e] != reference[i][e]) same[i][e] = false;
    }
    return true;
  }

  void add(Borders& known, const InputBuffers& inputs, const ReferenceOutputs& reference,
           const ReferenceOutputs& answer, bool rounded = false) {
    Borders more = borders_between(bound, reference, answer);
    for (std::vector<Border>& of_one : more)
      for (Border& border : of_one) border.rounded = rounded;
    keep_stored(more, inputs, reference);
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = joined(known[i], more[i]);
  }

  void find_in_float(const InputBuffers& inputs, const ReferenceOutputs& reference) {
    single.assign(bound.arguments.size(), {});
    if (wide) return;
    if (in_float) {
      single = *in_float;
    } else if (oracle.computed != nullptr) {
      const auto plain = oracle.computed->compute_plain(bound, inputs, {});
      if (plain && *plain) single = borders_between(bound, reference, **plain);
    }
    keep_stored(single, inputs, reference);
    // A formula in float adds integers up in float as well, which is no licence to do so.
    if (!bound.reference_launch) return;
    for (std::size_t i = 0; i < single.size(); ++i) {
      for (Border& border : single[i]) {
        border.of_kernel = true;
        border.in_float = std::abs(border.other - reference[i][border.element]) <= 1;
      }
    }
  }

  void find_moved(const InputBuffers& inputs, const ReferenceOutputs& reference) {
    found.assign(bound.arguments.size(), {});
    if (search == BorderSearch::roundings_alone) return;
    found = single;
    const double units = wide ? few_units_of_double : few_units;
    for (std::uint64_t draw = 1; draw <= moved_draws; ++draw) {
      const InputBuffers other = moved_inputs(bound, inputs, units, entropy, draw, held);
      model::Case other_bound = bound;
      const bool scalars = move_scalars(other_bound, units, entropy, draw, held);
      // Numbers of 16 bits are rounded back: every draw is the reference again.
      if ((other == inputs && !scalars) || !oracle.can_answer(other_bound, other)) return;
      const auto answer = oracle.compute(other_bound, other);
      if (!answer) return;
      add(found, inputs, reference, *answer);
    }
  }

  void find_rounded(const InputBuffers& inputs, const ReferenceOutputs& reference) {
    widest = found;
    if (wide || oracle.computed == nullptr) return;
    for (std::uint64_t draw = 0; draw < rounded_both_ways; ++draw) {
      const auto answer = oracle.computed->compute_rounded(bound, inputs, draw);
      if (!answer) return;
      add(widest, inputs, reference, *answer, true);
    }
  }

  const Borders& find(const InputBuffers& inputs, const ReferenceOutputs& reference, Nearby nearby) {
    std::call_once(once_in_float, [&] { find_in_float(inputs, reference); });
    if (nearby == Nearby::in_float) return single;
    std::call_once(once_moved, [&] { find_moved(inputs, reference); });
    if (nearby == Nearby::moved) return found;
    std::call_once(once_rounded, [&] { find_rounded(inputs, reference); });
    return widest;
  }
};

}  // namespace

bool may_be_undecided(const model::Case& bound, std::size_t index) {
  const model::BoundArgument& output = bound.arguments[index];
  if (!is_whole(output) || output.role != model::ArgumentRole::output || output.zeroed) return false;
  if (output.reduce != model::Reduction::none) return false;
  return is_of_few_numbers(bound, element_count(output));
}

bool may_be_stored(const model::Case& bound, std::size_t index) {
  const model::BoundArgument& output = bound.arguments[index];
  constexpr int exact_in_double = 4;
  // Only a kernel can be asked what it does with other numbers than the zeros of an output.
  const bool zeros = output.role == model::ArgumentRole::output && output.zeroed && bound.reference_launch;
  if (!is_whole(output) || (output.role != model::ArgumentRole::inout && !zeros)) return false;
  if (output.reduce != model::Reduction::none || model::size_of(output.dtype) > exact_in_double) return false;
  return is_of_few_numbers(bound, element_count(output));
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

NearbyAnswers nearby_answers(const Oracle& oracle, const model::Case& bound, std::uint64_t entropy,
                             std::optional<Borders> in_float, std::vector<double> held, BorderSearch search) {
  bool any = false, wide = false;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    any = any || may_be_undecided(bound, i) || may_be_stored(bound, i);
    wide = wide || (argument.role != model::ArgumentRole::scalar && argument.dtype == model::DType::f64);
  }
  if (!any) return {};
  // NOLINTNEXTLINE(modernize-make-shared): an aggregate
  const std::shared_ptr<Asked> state(
      new Asked{oracle, bound, entropy, wide, std::move(in_float), std::move(held), search});
  return [state](const InputBuffers& inputs, const ReferenceOutputs& reference,
                 Nearby nearby) -> const Borders& { return state->find(inputs, reference, nearby); };
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
