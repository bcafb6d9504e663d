#include "evaluators/oracle/fill_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "evaluators/oracle/fill_parts.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

std::vector<double> zipf_sums(const BoundFill& fill) {
  std::vector<double> sums(static_cast<std::size_t>(fill.a));
  double sum = 0;
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] = sum += std::pow(static_cast<double>(k + 1), -fill.b);
  for (double& each : sums) each /= sum;
  return sums;
}

/// The element of the recording that stands where this one does, its coordinates modulo the file's sizes.
void replay_recording(const BoundArgument& argument, const model::Recording& recording,
                      std::vector<double>& values) {
  if (recording.values.empty()) return;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::vector<std::int64_t> at = coordinates_of(argument, static_cast<std::int64_t>(e));
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      index = index * recording.shape[d] + at[d] % recording.shape[d];
    values[e] = recording.values[static_cast<std::size_t>(index)];
  }
}

/// Some of the numbers of the range, each at most once: Floyd's way for few of many, in any order.
void draw_distinct(const BoundFill& fill, model::RandomStream& stream, std::vector<double>& values) {
  const auto width = static_cast<std::uint64_t>(fill.b - fill.a) + 1, count = std::uint64_t{values.size()};
  std::unordered_set<std::uint64_t> taken;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t most = width - count + k, drawn = stream.below(most + 1);
    const std::uint64_t number = taken.insert(drawn).second ? drawn : most;
    taken.insert(number);
    values[k] = fill.a + static_cast<double>(number);
  }
  for (std::uint64_t left = count; left > 1; --left) std::swap(values[left - 1], values[stream.below(left)]);
}

}  // namespace

void draw_fill(const BoundArgument& argument, const BoundFill& fill, model::RandomStream stream,
               std::vector<double>& values) {
  const bool whole = is_whole(argument, fill);
  const std::size_t columns = columns_of(argument);
  switch (fill.form) {
    case FillForm::normal:
      for (double& value : values)
        value = std::clamp(fill.a + fill.b * stream.normal(), fill.low(), fill.high());
      break;
    case FillForm::uniform:
    case FillForm::integers:
      for (double& value : values) value = share_between(fill.a, fill.b, stream.uniform(), whole);
      break;
    case FillForm::permutation: {
      const bool by_row = fill.a != static_cast<double>(values.size());
      each_row(by_row ? columns : values.size(), values, [&](auto first, auto last) {
        std::iota(first, last, 0.0);
        for (auto left = last - first; left > 1; --left)
          std::swap(first[left - 1],
                    first[static_cast<std::ptrdiff_t>(stream.below(static_cast<std::uint64_t>(left)))]);
      });
      break;
    }
    case FillForm::offsets:
    case FillForm::sorted: {
      const bool offsets = fill.form == FillForm::offsets;
      const double low = offsets ? 0 : fill.a, high = offsets ? left_to_share(fill, columns) : fill.b;
      each_row(columns, values, [&](auto first, auto last) {
        for (auto at = first; at != last; ++at)
          *at = share_between(low, high, stream.uniform(), offsets || whole);
        std::sort(first, last);
        if (!offsets) return;
        *first = 0;
        *(last - 1) = high;
        add_least(fill, first, last);
      });
      break;
    }
    case FillForm::zipf: {
      const std::vector<double> sums = zipf_sums(fill);
      for (double& value : values) {
        const auto at = std::upper_bound(sums.begin(), sums.end(), stream.uniform()) - sums.begin();
        value = std::min(static_cast<double>(at), fill.a - 1);
      }
      break;
    }
    case FillForm::constant:
      std::ranges::fill(values, fill.a);
      break;
    case FillForm::ramp:
      for (std::size_t e = 0; e < values.size(); ++e) values[e] = fill.a + fill.b * static_cast<double>(e);
      break;
    case FillForm::npy:
      replay_recording(argument, *fill.recording, values);
      break;
    case FillForm::distinct:
      draw_distinct(fill, stream, values);
      break;
    case FillForm::ends:
    case FillForm::lengths:
      for (double& value : values) value = share_between(0, usual_row(fill, values), stream.uniform(), true);
      break;
    case FillForm::column:
      break;  // once the other argument is drawn
  }
}

}  // namespace evo::evaluators::oracle
