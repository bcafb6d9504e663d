// What the outputs would be if a scalar or an input counted as something else.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "diagnose/answer_list.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {

namespace oracle = evaluators::oracle;
using model::ArgumentRole;
using model::BoundArgument;
using Coordinates = AnswerList::Coordinates;

namespace {

constexpr double log2_e = 1.4426950408889634;

/// Elements of an input that are read from another place.
void ask_places(AnswerList& list, std::size_t i) {
  const BoundArgument& argument = list.seen().bound.arguments[i];
  const std::size_t rank = argument.shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t length = argument.shape[d];
    if (length < 2) continue;
    const bool leading = d + 2 < rank;
    const std::string what = d + 1 == rank ? "element" : d + 2 == rank ? "row" : "slice";
    for (const std::int64_t step : {-1, 1}) {
      list.moved(
          "input_shifted", i,
          fmt::format("{}: the {} {} each is read", argument.name, what, step > 0 ? "after" : "before"),
          [&](Coordinates at) {
            at[d] = std::clamp<std::int64_t>(at[d] + step, 0, length - 1);
            return at;
          });
    }
    if (leading) {
      list.moved("input_first_slice", i,
                 fmt::format("{}: the first slice of dimension {} is read for all", argument.name, d),
                 [&](Coordinates at) {
                   at[d] = 0;
                   return at;
                 });
      continue;
    }
    for (const std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
      if (tile >= length) break;
      list.moved("input_tile_repeated", i,
                 fmt::format("{}: {}s of the first {} are read again and again", argument.name, what, tile),
                 [&](Coordinates at) {
                   at[d] %= tile;
                   return at;
                 });
      for (const std::int64_t step : {-tile, tile}) {
        const std::string text = fmt::format("{}: the tile of {} {}s {} is read", argument.name, tile, what,
                                             step > 0 ? "after" : "before");
        // Where there is no such tile its own is read; past the end of the last one zeros are, or the last
        // row.
        for (const bool zeros : {true, false}) {
          list.moved("input_other_tile", i, text, [&](Coordinates at) {
            const std::int64_t first = at[d] / tile * tile + step;
            if (first < 0 || first >= length) return at;
            at[d] = at[d] + step < length || zeros ? at[d] + step : length - 1;
            return at;
          });
        }
      }
    }
  }
  if (rank < 2 || argument.shape[rank - 1] < 2 || argument.shape[rank - 2] < 2) return;
  const std::int64_t rows = argument.shape[rank - 2], columns = argument.shape[rank - 1];
  list.moved("input_transposed", i, fmt::format("{} is read as if it lay by columns", argument.name),
             [&](Coordinates at) {
               const std::int64_t flat = at[rank - 1] * rows + at[rank - 2];
               at[rank - 2] = flat / columns;
               at[rank - 1] = flat % columns;
               return at;
             });
}

}  // namespace

void ask_scalar(AnswerList& list, std::size_t i) {
  const BoundArgument& argument = list.seen().bound.arguments[i];
  if (oracle::is_floating(argument.dtype)) {
    const double v = argument.scalar_float;
    const std::vector<std::pair<double, const char*>> others{{1, "1"},
                                                             {0, "0"},
                                                             {v * v, "its square"},
                                                             {v != 0 ? 1 / v : 1, "its inverse"},
                                                             {2 * v, "twice of it"},
                                                             {v / 2, "half of it"},
                                                             {v * log2_e, "log2(e) times it"},
                                                             {v / log2_e, "ln(2) times it"},
                                                             {-v, "its negative"},
                                                             {std::sqrt(std::abs(v)), "its root"}};
    for (const auto& [value, what] : others) {
      if (value == v) continue;
      model::Case bound = list.seen().bound;
      bound.arguments[i].scalar_float = value;
      list.ask("scalar_other", argument.name, fmt::format("{} counts as {}", argument.name, what), bound,
               list.seen().inputs);
    }
    return;
  }
  const model::Axis* axis = list.subject().problem.find_axis(argument.name);
  if (axis == nullptr || axis->allowed.size() != 2 || axis->allowed[0] + axis->allowed[1] != 1) return;
  model::Case bound = list.seen().bound;
  bound.arguments[i].scalar_integer = 1 - argument.scalar_integer;
  list.ask("flag_ignored", argument.name,
           fmt::format("{} counts as {}", argument.name, 1 - argument.scalar_integer), bound,
           list.seen().inputs);
}

void ask_input(AnswerList& list, std::size_t i) {
  const BoundArgument& argument = list.seen().bound.arguments[i];
  const std::vector<double> values = oracle::load_array(argument, list.seen().inputs[i]);
  if (values.empty()) return;
  for (std::size_t j = 0; j < list.seen().bound.arguments.size(); ++j) {
    const BoundArgument& other = list.seen().bound.arguments[j];
    if (j == i || other.role != ArgumentRole::input || other.dtype != argument.dtype ||
        other.shape != argument.shape)
      continue;
    const std::vector<double> others = oracle::load_array(other, list.seen().inputs[j]);
    list.ask("input_replaced", argument.name,
             fmt::format("{} is read in place of {}", other.name, argument.name), list.seen().bound,
             list.with(i, others));
    if (j < i) continue;
    oracle::InputBuffers swapped = list.with(i, others);
    swapped[j] = list.with(j, values)[j];
    list.ask("inputs_exchanged", argument.name,
             fmt::format("{} and {} are exchanged", argument.name, other.name), list.seen().bound, swapped);
  }
  std::vector<std::pair<double, std::string>> factors{
      {-1, "its negative"}, {0, "zero"}, {2, "twice of it"}, {0.5, "half of it"}};
  for (const BoundArgument& other : list.seen().bound.arguments) {
    if (other.role == ArgumentRole::scalar && oracle::is_floating(other.dtype) && other.scalar_float != 1)
      factors.emplace_back(other.scalar_float, fmt::format("{} times it", other.name));
  }
  for (const auto& [factor, what] : factors) {
    std::vector<double> scaled = values;
    for (double& value : scaled) value *= factor;
    list.ask(factor == 0 ? "input_ignored" : "input_scaled", argument.name,
             fmt::format("{} counts as {}", argument.name, what), list.seen().bound, list.with(i, scaled));
  }
  ask_places(list, i);
}

}  // namespace evo::diagnose
