#include "evaluators/gates/crossed_sizes.hpp"

#include <algorithm>
#include <set>

#include "evaluators/gates/drawn_shapes.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t most_flag_values = 16;
constexpr std::size_t most_unlisted = 4;

}  // namespace

std::int64_t size_of_class(const model::Axis& axis, SizeClass which, std::int64_t own,
                           model::RandomStream& stream) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(stream.below(end)); };
  /// An odd multiple of a drawn power of two, in [least, 2 * least).
  const auto ragged = [&](std::int64_t least, std::uint64_t powers) {
    const std::int64_t power = std::int64_t{1} << below(powers);
    return power * ((least + below(static_cast<std::uint64_t>(least))) / power | 1);
  };
  switch (which) {
    case SizeClass::tiny:
      return legal_value(axis, 1 + below(7));
    case SizeClass::ragged:
      return legal_value(axis, ragged(std::int64_t{17} << below(3), 5));
    case SizeClass::whole:
      return legal_value(axis, 32 * (1 + below(5)));
    case SizeClass::own:
      return legal_value(axis, own);
    case SizeClass::large:
      return short_of_maximum(axis, ragged(std::int64_t{257} << below(2), 4), stream);
    case SizeClass::large_whole:
      return legal_value(axis, 256 * (1 + below(5)));
    case SizeClass::huge:
      return short_of_maximum(axis, ragged(std::int64_t{1024} << below(5), 4), stream);
    case SizeClass::huge_whole:
      return legal_value(axis, 1024 * (1 + below(16)));
  }
  return legal_value(axis, own);
}

std::int64_t short_of_maximum(const model::Axis& axis, std::int64_t value, model::RandomStream& stream) {
  if (!axis.maximum || value <= *axis.maximum || *axis.maximum < 4 * most_flag_values)
    return legal_value(axis, value);
  const auto quarter = static_cast<std::uint64_t>(*axis.maximum / 4);
  return legal_value(axis, *axis.maximum - 1 - static_cast<std::int64_t>(stream.below(quarter)));
}

std::vector<model::Workload> related_triples(const model::Workload& own,
                                             const std::vector<const model::Axis*>& axes,
                                             model::RandomStream& stream) {
  constexpr std::size_t most_workloads = 12;
  std::vector<model::Workload> related;
  for (std::size_t c = 0; c < axes.size(); ++c) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      for (std::size_t b = a + 1; b < axes.size() && related.size() < most_workloads; ++b) {
        if (a == c || b == c) continue;
        model::Workload workload = own;
        std::int64_t other = 3;
        for (const model::Axis* axis : axes) workload.axes[axis->name] = legal_value(*axis, other++);
        const std::int64_t first = 5 + static_cast<std::int64_t>(stream.below(8));
        const std::int64_t second = 14 + static_cast<std::int64_t>(stream.below(8));
        workload.axes[axes[a]->name] = legal_value(*axes[a], first);
        workload.axes[axes[b]->name] = legal_value(*axes[b], second);
        for (const std::int64_t size : {first + second, first * second}) {
          workload.axes[axes[c]->name] = legal_value(*axes[c], size);
          related.push_back(workload);
        }
      }
    }
  }
  return related;
}

bool is_flag(const model::Axis& axis) {
  if (axis.compile_time) return false;
  return !axis.allowed.empty() ||
         (axis.minimum && axis.maximum && *axis.maximum - *axis.minimum < most_flag_values);
}

std::vector<std::int64_t> values_of(const model::Axis& flag) {
  if (!flag.allowed.empty()) return flag.allowed;
  std::set<std::int64_t> values;
  for (std::int64_t value = *flag.minimum; value <= *flag.maximum; ++value)
    values.insert(legal_value(flag, value));
  if (values.size() > most_unlisted) {
    const std::int64_t middle = *std::next(values.begin(), static_cast<std::ptrdiff_t>(values.size() / 2));
    values = {*values.begin(), middle, legal_value(flag, flag.initial.value_or(middle)), *values.rbegin()};
  }
  return {values.begin(), values.end()};
}

}  // namespace evo::evaluators::gates
