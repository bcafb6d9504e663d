#include "evaluators/oracle/long_rounds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

constexpr std::string_view winding_kind = "winding", winding_high_kind = "winding_high", chain_kind = "chain",
                           euclid_kind = "euclid";
constexpr std::array round_kinds{winding_kind, winding_high_kind, chain_kind, euclid_kind};

struct Ends {
  double low = 0, high = 0;
};

/// Any number of a range may stand in any element.
bool has_a_range(FillForm form, bool floating) {
  return form == FillForm::integers || (floating && form == FillForm::uniform);
}

bool may_be_shaped(const model::Argument& argument) {
  return model::is_given(argument.role) &&
         (!argument.fill || has_a_range(argument.fill->form, model::is_floating(argument.dtype)));
}

bool may_wind(const model::Argument& argument) {
  return may_be_shaped(argument) && !model::is_floating(argument.dtype) && argument.shape.size() >= 2;
}

bool may_be_a_chain(const model::Argument& argument) {
  const std::size_t rank = argument.shape.size();
  return may_be_shaped(argument) && argument.dtype != model::DType::boolean && rank >= 2 &&
         !argument.shape[rank - 1].names().empty() &&
         argument.shape[rank - 1].text() == argument.shape[rank - 2].text();
}

bool may_be_of_pairs(const model::Argument& argument) {
  return may_be_shaped(argument) && !model::is_floating(argument.dtype) &&
         model::size_of(argument.dtype) >= 2;
}

std::optional<Ends> ends_of(const BoundArgument& argument, const BoundFill* fill, std::string_view kind) {
  const bool floating = model::is_floating(argument.dtype);
  if (fill != nullptr)
    return has_a_range(fill->form, floating) ? std::optional(Ends{fill->low(), fill->high()}) : std::nullopt;
  if (kind != chain_kind) return Ends{0, 1};
  return floating ? Ends{0x1p-4, 0x1p6} : Ends{1, 100};
}

/// To and fro: every second row, and between two of those one element at the end of the way so far.
bool is_on_the_way(std::size_t row, std::size_t column, std::size_t columns) {
  return row % 2 == 0 || column == (row % 4 == 1 ? columns - 1 : 0);
}

void wind(const Ends& path_and_wall, std::size_t rows, std::size_t columns, model::RandomStream& stream,
          std::vector<double>& values) {
  const bool turned = stream.below(2) == 0, backwards = stream.below(4) == 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    std::size_t row = e / columns % rows, column = e % columns;
    if (backwards) row = rows - 1 - row, column = columns - 1 - column;
    const bool on = turned ? is_on_the_way(column, row, rows) : is_on_the_way(row, column, columns);
    values[e] = on ? path_and_wall.low : path_and_wall.high;
  }
}

void link(const Ends& ends, std::size_t size, model::RandomStream& stream, std::vector<double>& values) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (stream.below(2) == 0) {
    for (std::size_t left = size; left > 1; --left) std::swap(order[left - 1], order[stream.below(left)]);
  }
  std::ranges::fill(values, ends.high);
  for (std::size_t first = 0; first + size * size <= values.size(); first += size * size) {
    for (std::size_t at = 0; at + 1 < size; ++at) values[first + order[at] * size + order[at + 1]] = ends.low;
  }
}

/// Those that the elements may be, ascending, and none twice.
std::vector<double> fibonacci_numbers(const model::Case& bound, std::size_t index, const BoundFill* fill,
                                      std::size_t count) {
  std::vector<double> numbers;
  for (double a = 1, b = 2; a < 0x1p53; b += std::exchange(a, b)) numbers.push_back(a);
  numbers = integers_that_fit(bound, index, numbers, count);
  if (fill != nullptr)
    std::erase_if(numbers, [&](double value) { return value < fill->low() || value > fill->high(); });
  return numbers;
}

void pair_up(const model::Case& bound, const model::InputSet& set, const InputKey& key, DraftInputs& draft) {
  std::size_t before = 0;  // such arguments
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const BoundArgument& argument = bound.arguments[i];
    const BoundFill* const fill = argument.fill_in(set.name);
    if (!model::is_given(argument.role) || model::is_floating(argument.dtype) ||
        model::size_of(argument.dtype) < 2 || (fill != nullptr && fill->form != FillForm::integers))
      continue;
    const std::vector<double> numbers = fibonacci_numbers(bound, i, fill, draft[i].size());
    if (numbers.size() < 3) continue;
    // The same for each argument, so that neighbours meet: the largest, or any.
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = 0,
                                .purpose = fmt::format("pairs/{}/{}", set.name, bound.name)});
    const bool in_columns = argument.shape.size() >= 2 && argument.shape.back() == 2;
    for (std::size_t e = 0; e < draft[i].size(); ++e) {
      const std::size_t back = before + (in_columns ? e % 2 : 0);
      const std::uint64_t any = stream.below(numbers.size());
      const std::size_t from_end = back + (e % 2 == 0 || in_columns ? 0 : any);
      draft[i][e] = numbers[numbers.size() - 1 - std::min(from_end, numbers.size() - 1)];
    }
    ++before;
  }
}

}  // namespace

bool is_of_long_rounds(std::string_view kind) {
  return std::ranges::find(round_kinds, kind) != round_kinds.end();
}

std::vector<model::InputSet> sets_of_long_rounds(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  const std::string undeclared(undeclared_parameter);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto add = [&](std::string_view kind) {
      sets.push_back({fmt::format("{} of {}", kind, arguments[i].name),
                      std::string(kind),
                      {{"argument", static_cast<double>(i)}, {undeclared, 1}}});
    };
    if (may_wind(arguments[i])) {
      add(winding_kind);
      add(winding_high_kind);
    }
    if (may_be_a_chain(arguments[i])) add(chain_kind);
  }
  if (std::ranges::any_of(arguments, may_be_of_pairs))
    sets.push_back({fmt::format("{} everywhere", euclid_kind), std::string(euclid_kind), {{undeclared, 1}}});
  return sets;
}

void draw_long_rounds(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                      DraftInputs& draft) {
  if (!is_of_long_rounds(set.kind)) return;
  if (set.kind == euclid_kind) {
    pair_up(bound, set, key, draft);
    follow_others(bound, set, draft);
    return;
  }
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const BoundArgument& argument = bound.arguments[i];
    const bool chain = set.kind == chain_kind;
    if (!model::is_given(argument.role) || argument.shape.size() < 2 || draft[i].empty() ||
        (named >= 0 && static_cast<std::size_t>(named) != i) ||
        (!chain && model::is_floating(argument.dtype)))
      continue;
    const auto ends = ends_of(argument, argument.fill_in(set.name), set.kind);
    if (!ends) continue;
    const auto rows = static_cast<std::size_t>(argument.shape[argument.shape.size() - 2]);
    const auto columns = static_cast<std::size_t>(argument.shape.back());
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("long rounds/{}/{}", set.name, bound.name)});
    if (chain && rows == columns) link(*ends, rows, stream, draft[i]);
    if (set.kind == winding_kind) wind(*ends, rows, columns, stream, draft[i]);
    if (set.kind == winding_high_kind) wind({ends->high, ends->low}, rows, columns, stream, draft[i]);
  }
  follow_others(bound, set, draft);
}

}  // namespace evo::evaluators::oracle
