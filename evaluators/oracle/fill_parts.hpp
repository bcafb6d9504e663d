// What drawing a fill and shaping it share: the range of an argument, its rows and what offsets have left.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "evaluators/oracle/elements.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

/// Elements of a row; 1 of what has no dimension.
inline std::size_t columns_of(const model::BoundArgument& argument) {
  return argument.shape.empty() ? 1 : static_cast<std::size_t>(argument.shape.back());
}

/// Only whole numbers: by its form, or by the type that holds it.
inline bool is_whole(const model::BoundArgument& argument, const model::BoundFill& fill) {
  return fill.form == model::FillForm::integers || fill.form == model::FillForm::zipf ||
         !is_floating(argument.dtype);
}

/// `share` of the way from low to high, both included.
inline double share_between(double low, double high, double share, bool whole) {
  if (!whole) return std::clamp(low + (high - low) * share, low, high);
  return std::clamp(std::floor(low + (high - low + 1) * share), low, high);
}

/// use(first, last) for every row of `values`.
template <class Use>
void each_row(std::size_t columns, std::vector<double>& values, const Use& use) {
  using Step = std::vector<double>::difference_type;
  for (std::size_t first = 0; columns > 0 && first < values.size(); first += columns)
    use(values.begin() + static_cast<Step>(first), values.begin() + static_cast<Step>(first + columns));
}

/// Of offsets: what is left once each row has the least that it may.
inline double left_to_share(const model::BoundFill& fill, std::size_t columns) {
  return fill.a - fill.b * static_cast<double>(std::max<std::size_t>(columns, 1) - 1);
}

/// So many more elements in front of each place as there are rows before it.
template <class Iterator>
void add_least(const model::BoundFill& fill, Iterator first, Iterator last) {
  for (auto at = first; at != last; ++at) *at += fill.b * static_cast<double>(at - first);
}

/// Twice what a row has where all have the same: references read each element a few times, not once a row.
inline double usual_row(const model::BoundFill& fill, const std::vector<double>& values) {
  return std::min(fill.a,
                  2 * std::ceil(fill.a / static_cast<double>(std::max<std::size_t>(values.size(), 1))));
}

}  // namespace evo::evaluators::oracle
