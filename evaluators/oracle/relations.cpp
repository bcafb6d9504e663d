#include "evaluators/oracle/relations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t longest_stretch = 48;

enum class Relation : std::uint8_t {
  same,
  shifted,
  next,
  round_sum,
  opposite,
  twice,
  half,
  sum,
  difference,
  complement
};
constexpr std::array relations{Relation::same,       Relation::shifted,   Relation::next, Relation::round_sum,
                               Relation::opposite,   Relation::twice,     Relation::half, Relation::sum,
                               Relation::difference, Relation::complement};
/// Of integers alone.
constexpr std::size_t last_ones = 1;
/// A carry goes through stretches whose sums are all ones, past warps, blocks and tiles of them. Of every
/// eighth, so that the other relations have room.
constexpr std::size_t longer_complements = 16, one_in_is_longer = 8;

bool takes_any(const std::optional<model::FillForm>& form) {
  return !form || form == model::FillForm::integers || form == model::FillForm::normal ||
         form == model::FillForm::uniform;
}

/// What a stretch is made of.
struct Stretch {
  Relation relation = Relation::same;
  std::size_t away = 1;  ///< of what is shifted
  /// Between neighbours: so many powers of two in turn, first up and then down, from one of them on.
  int least_step = 0, steps = 1;
  std::size_t turn = 0;
  double total = 1;  ///< of a round sum
};

Stretch drawn_stretch(model::DType dtype, model::RandomStream& stream) {
  const bool floating = model::is_floating(dtype);
  constexpr std::array<double, 4> of_numbers{1, 0.5, 2, 10};
  constexpr std::array<double, 6> of_integers{0, 1, 10, 100, 255, 256};
  constexpr std::array<std::size_t, 4> places{1, 2, 16, 32};
  Stretch stretch;
  stretch.relation = relations[stream.below(relations.size() - (floating ? last_ones : 0))];
  stretch.away = places[stream.below(places.size())];
  // Neighbours are some units apart, as an epsilon takes for equal, and a kernel that rounds on its way does
  // not.
  const bool wide = floating && model::size_of(dtype) >= 4;
  stretch.least_step = wide ? 2 : 0;
  stretch.steps = wide ? 6 : 2;
  stretch.turn = stream.below(static_cast<std::uint64_t>(2 * stretch.steps));
  stretch.total =
      floating ? of_numbers[stream.below(of_numbers.size())] : of_integers[stream.below(of_integers.size())];
  return stretch;
}

/// In units in the last place.
double units_at(const Stretch& stretch, std::size_t e) {
  const auto steps = static_cast<std::size_t>(stretch.steps);
  const std::size_t turn = (stretch.turn + e) % (2 * steps);
  const double units = std::ldexp(1.0, stretch.least_step + static_cast<int>(turn % steps));
  return turn < steps ? units : -units;
}

/// At `e`, of the input before; `earlier` is the one before that, or the same where there is none.
/// All that may be there lies from `low` to `high`.
double related_value(const Stretch& stretch, model::DType dtype, const std::vector<double>& before,
                     const std::vector<double>& earlier, std::size_t e, double low, double high) {
  const double value = before[e];
  switch (stretch.relation) {
    case Relation::same:
      return value;
    case Relation::shifted:
      return before[e >= stretch.away ? e - stretch.away : e];
    case Relation::next:
      return model::is_floating(dtype) ? value * (1 + units_at(stretch, e) * unit_in_last_place(dtype))
                                       : value + units_at(stretch, e);
    case Relation::round_sum:
      return stretch.total - value;
    case Relation::opposite:
      return -value;
    case Relation::twice:
      return 2 * value;
    case Relation::half:
      return model::is_floating(dtype) ? value / 2 : std::floor(value / 2);
    case Relation::sum:
      return earlier[e] + value;
    case Relation::difference:
      return earlier[e] - value;
    case Relation::complement:
      return low + high - value;
  }
  return value;
}

/// One stretch of an array of integers of which all of a tile goes, whatever its size: sums that are all
/// ones, behind one that carries.
void put_long_carry(const std::vector<double>& before, double low, double high, model::RandomStream& stream,
                    std::vector<double>& values) {
  constexpr std::size_t least = 4096, longest = 3072;
  if (values.size() < least) return;
  const std::size_t length = std::min(longest, values.size() / 4);
  std::size_t e = stream.below(values.size() - length);
  values[e] = high;
  for (const std::size_t end = e + length; ++e < end;) {
    const double value = low + high - before[e];
    if (value >= low && value <= high) values[e] = value;
  }
}

}  // namespace

bool may_be_related(const std::vector<model::Argument>& arguments) {
  const auto given = [](const model::Argument& argument) {
    return model::is_given(argument.role) && argument.dtype != model::DType::boolean &&
           takes_any(argument.fill ? std::optional(argument.fill->form) : std::nullopt);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t j = i + 1; j < arguments.size(); ++j) {
      const model::Argument &a = arguments[i], &b = arguments[j];
      if (given(a) && given(b) && model::is_floating(a.dtype) == model::is_floating(b.dtype) &&
          std::ranges::equal(a.shape, b.shape, {}, &model::Expression::text, &model::Expression::text))
        return true;
    }
  }
  return false;
}

void relate_places(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                   DraftInputs& draft) {
  if (set.kind != related_kind) return;
  const auto given = [&](std::size_t i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const model::BoundFill* fill = argument.fill_in(set.name);
    return model::is_given(argument.role) && argument.dtype != model::DType::boolean && !draft[i].empty() &&
           takes_any(fill == nullptr ? std::nullopt : std::optional(fill->form));
  };
  const auto alike = [&](std::size_t i, std::size_t j) {
    return given(j) && draft[i].size() == draft[j].size() &&
           model::is_floating(bound.arguments[i].dtype) == model::is_floating(bound.arguments[j].dtype);
  };
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!given(i)) continue;
    std::optional<std::size_t> before, earlier;
    for (std::size_t j = 0; j < i; ++j) {
      if (!alike(i, j)) continue;
      earlier = before;
      before = j;
    }
    if (!before) continue;
    const model::DType dtype = bound.arguments[i].dtype;
    const model::BoundFill* fill = bound.arguments[i].fill_in(set.name);
    const auto [least, greatest] = model::range_of(dtype);
    const double low = fill == nullptr ? least : fill->low(),
                 high = fill == nullptr ? greatest : fill->high();
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("related/{}", bound.name)});
    std::vector<double>& values = draft[i];
    for (std::size_t e = 0; e < values.size();) {
      std::size_t length = 1 + stream.below(longest_stretch);
      const bool taken = stream.below(2) == 0;
      const Stretch stretch = drawn_stretch(dtype, stream);
      if (stretch.relation == Relation::complement && stream.below(one_in_is_longer) == 0)
        length *= longer_complements;
      for (const std::size_t end = std::min(e + length, values.size()); e < end; ++e) {
        const double value =
            related_value(stretch, dtype, draft[*before], draft[earlier.value_or(*before)], e, low, high);
        if (taken && value >= low && value <= high) values[e] = value;
      }
    }
    if (!model::is_floating(dtype)) put_long_carry(draft[*before], low, high, stream, values);
  }
}

}  // namespace evo::evaluators::oracle
