#include "evaluators/oracle/index_chains.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluators/oracle/fills.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

constexpr std::string_view next_kind = "next", previous_kind = "previous", path_kind = "path",
                           swapped_kind = "swapped", scalar_kind = held_scalar_kind;
constexpr std::array chain_kinds{next_kind, previous_kind, path_kind, swapped_kind, scalar_kind};
/// One pair of neighbours in so many is exchanged.
constexpr std::uint64_t pairs_of_a_swap = 8;

bool holds_a_range(const model::Argument& argument) {
  return model::is_given(argument.role) && !model::is_floating(argument.dtype) && argument.fill &&
         argument.fill->form == FillForm::integers && argument.fill->numbers.size() == 2;
}

bool holds_indices(const model::Argument& argument) {
  if (!holds_a_range(argument)) return false;
  const model::Fill::Number& high = argument.fill->numbers[1];
  return !high.number && !high.expression.names().empty();
}

/// Integers that nobody says more of may be indices, too, if the reference looks at them before it follows.
bool holds_any_integers(const model::Argument& argument) {
  return model::is_given(argument.role) && !model::is_floating(argument.dtype) && !argument.fill &&
         model::size_of(argument.dtype) >= 4;
}

/// A label that stands for none, a marker: a number, not a size or a stride.
bool is_own_number(const model::Argument& argument) {
  if (argument.role != model::ArgumentRole::scalar || model::is_floating(argument.dtype)) return false;
  const model::ScalarValue& scalar = argument.scalar;
  if (!scalar.stride_of.empty()) return false;
  return scalar.form == model::ScalarValue::Form::number ||
         (scalar.form == model::ScalarValue::Form::integer && scalar.expression.names().empty());
}

bool is_own_number(const BoundArgument& argument) {
  return argument.role == model::ArgumentRole::scalar && !model::is_floating(argument.dtype);
}

/// Of a bound case: any range of whole numbers may be one of indices, and so may integers without one.
bool leads(const BoundArgument& argument, const BoundFill* fill) {
  if (model::is_floating(argument.dtype)) return false;
  return fill == nullptr ? model::size_of(argument.dtype) >= 4 : fill->form == FillForm::integers;
}

struct Way {
  double low = 0, high = 0;
  std::int64_t ahead = 0;  ///< of its own index
  [[nodiscard]] double at(double own) const {
    const double to = own + static_cast<double>(ahead);
    // Behind the last there is none, or nothing but itself.
    if (to > high) return low < 0 ? low : high;
    return std::clamp(to, low, high);
  }
};

/// An index a place of the last dimension where that is as long as what is pointed at, or a row; else spread
/// over it, as the columns of a sparse matrix with equal rows are.
void lead(const BoundArgument& argument, const Way& way, std::vector<double>& values) {
  const double room = way.high - std::max(way.low, 0.0) + 1;
  const auto columns = static_cast<std::size_t>(argument.shape.empty() ? 1 : argument.shape.back());
  if (columns == 0 || values.empty()) return;
  const std::size_t rows = values.size() / columns;
  const bool by_column = argument.shape.size() < 2 || static_cast<double>(columns) == room;
  const double spread = std::min(1.0, room / static_cast<double>(by_column ? columns : rows));
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t row = e / columns, column = e % columns;
    const double own = by_column
                           ? std::floor(static_cast<double>(column) * spread)
                           : std::floor(static_cast<double>(row) * spread) + static_cast<double>(column);
    values[e] = way.at(own);
  }
}

void swap_neighbours(model::RandomStream& stream, std::vector<double>& values) {
  for (std::size_t e = 0; e + 1 < values.size(); e += 2) {
    if (stream.below(pairs_of_a_swap) == 0) std::swap(values[e], values[e + 1]);
  }
}

void hold_scalar(const model::Case& bound, const BoundArgument& argument, const BoundFill& fill,
                 model::RandomStream& cases, std::vector<double>& values) {
  std::vector<double> numbers;
  for (const BoundArgument& other : bound.arguments) {
    const auto value = static_cast<double>(other.scalar_integer);
    if (is_own_number(other) && value >= fill.low() && value <= fill.high()) numbers.push_back(value);
  }
  if (numbers.empty() || values.empty() || argument.shape.empty()) return;
  // What is the same at all sizes is a label more likely than a size is; "no row" may still be the size.
  std::vector<double> same;
  for (const BoundArgument& other : bound.arguments) {
    const auto value = static_cast<double>(other.scalar_integer);
    if (is_own_number(other) && other.scalar_range && other.scalar_range->least == other.scalar_range->most &&
        value >= fill.low() && value <= fill.high())
      same.push_back(value);
  }
  if (!same.empty() && cases.below(4) != 0) numbers = std::move(same);
  const std::size_t kept = cases.below(2) == 0 ? values.size() : cases.below(values.size());
  const double chosen = numbers[cases.below(numbers.size())];
  // Who compares the low 8 or 16 bits takes another number for the scalar.
  std::vector<double> alike;
  for (const double away : {65536, -65536, 256, -256})
    if (chosen + away >= fill.low() && chosen + away <= fill.high()) alike.push_back(chosen + away);
  // In every other draw: a count of equals has to be shown as large as it can be, too.
  const bool beside = !alike.empty() && cases.below(2) != 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e == kept) continue;
    const bool differs = beside && e % 2 == 1;
    values[e] = differs ? alike[e / 2 % alike.size()] : chosen;
  }
}

}  // namespace

bool leads_on(std::string_view kind) {
  return std::ranges::find(chain_kinds, kind) != chain_kinds.end();
}

std::vector<model::InputSet> sets_of_indices(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  const auto add = [&](std::string_view kind) {
    sets.push_back(
        {fmt::format("{} everywhere", kind), std::string(kind), {{std::string(undeclared_parameter), 1}}});
  };
  const auto indices = std::ranges::count_if(arguments, holds_indices);
  if (indices > 0 || std::ranges::any_of(arguments, holds_any_integers)) {
    for (const std::string_view kind : {next_kind, previous_kind}) add(kind);
  }
  if (indices > 0) add(swapped_kind);
  if (indices > 1) add(path_kind);
  const bool numbers =
      std::ranges::any_of(arguments, [](const model::Argument& argument) { return is_own_number(argument); });
  if (numbers && std::ranges::any_of(arguments, holds_a_range)) add(scalar_kind);
  return sets;
}

void draw_indices(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  if (!leads_on(set.kind)) return;
  std::int64_t before = 0;  // such arguments
  std::optional<double> first_high;
  model::RandomStream cases({.seed = key.seed,
                             .generation = key.rotation,
                             .slot = 0,
                             .purpose = fmt::format("path/{}/{}", set.name, bound.name)});
  // Whoever goes along the edges in their order is through in one round, against it in as many as there are.
  const bool backwards = set.kind == path_kind && cases.below(2) == 0;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role)) continue;
    const BoundFill* const fill = argument.fill_in(set.name);
    if (set.kind != scalar_kind && fill != nullptr && fill->form == FillForm::offsets) {
      for (std::size_t e = 0; e < draft[i].size(); ++e) {
        const auto columns = static_cast<std::size_t>(argument.shape.empty() ? 1 : argument.shape.back());
        const std::size_t last = std::max<std::size_t>(columns, 2) - 1;
        draft[i][e] = std::floor(fill->a * static_cast<double>(e % columns) / static_cast<double>(last));
      }
      continue;
    }
    if (!leads(argument, fill)) continue;
    if (fill == nullptr && set.kind != next_kind && set.kind != previous_kind) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("indices/{}/{}", set.name, bound.name)});
    const double none = model::range_of(argument.dtype).low < 0 ? -1 : 0;
    Way way{none, static_cast<double>(argument.shape.empty() ? 0 : argument.shape.back() - 1), 0};
    if (fill != nullptr) way = {fill->low(), fill->high(), 0};
    if (set.kind == next_kind) way.ahead = 1;
    if (set.kind == previous_kind) way.ahead = -1;
    // A range of constants beside them, of weights say, is none of the edges.
    if (first_high && set.kind == path_kind && *first_high != way.high) continue;
    first_high = way.high;
    if (set.kind == path_kind) way.ahead = before;
    ++before;
    if (set.kind == scalar_kind) {
      if (fill != nullptr) hold_scalar(bound, argument, *fill, stream, draft[i]);
      continue;
    }
    lead(argument, way, draft[i]);
    if (backwards) std::ranges::reverse(draft[i]);
    if (set.kind == swapped_kind) swap_neighbours(stream, draft[i]);
  }
  follow_others(bound, set, draft);
}

}  // namespace evo::evaluators::oracle
