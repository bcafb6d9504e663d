// What a kernel in the problem's own precision could have computed instead: the borders of integers, found by
// other answers of the oracle.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/undecided.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Two inputs move an element across its border in a quarter of the draws: of 32, all fail once in ten
/// thousand.
constexpr std::uint64_t moved_draws = 32;
/// All to even neighbours, all to odd ones, and by chance: where two roundings decide together, sixteen draws
/// miss the pair that does about once in a hundred times.
constexpr std::uint64_t draws_of_roundings = 16;
/// Eight units in the last place of FP32 and of FP64: a few roundings of a plain kernel.
constexpr double few_units = 0x1p-20, few_units_of_double = 0x1p-49;

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
      if (!is_decided_by_few(bound, std::ranges::count(same[i], true))) same[i].assign(same[i].size(), false);
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
    for (std::uint64_t draw = 0; draw < draws_of_roundings; ++draw) {
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

}  // namespace evo::evaluators::oracle
