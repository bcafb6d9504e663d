#include "config/axis_values.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::config {
namespace {

/// Which of the axis's rules a value breaks; empty if none.
std::string broken_rule(const model::Axis& axis, std::int64_t value) {
  if (!axis.allowed.empty() &&
      std::find(axis.allowed.begin(), axis.allowed.end(), value) == axis.allowed.end())
    return fmt::format("is not allowed; allowed: {}", fmt::join(axis.allowed, ", "));
  if (axis.minimum && value < *axis.minimum) return fmt::format("is below the minimum, {}", *axis.minimum);
  if (axis.maximum && value > *axis.maximum) return fmt::format("is above the maximum, {}", *axis.maximum);
  if (axis.multiple_of && value % *axis.multiple_of != 0)
    return fmt::format("is no multiple of {}", *axis.multiple_of);
  return {};
}

}  // namespace

std::optional<std::int64_t> nearest_legal(const model::Axis& axis, std::int64_t value) {
  std::vector<std::int64_t> candidates = axis.allowed;
  if (candidates.empty()) {
    const std::int64_t step = axis.multiple_of.value_or(1);
    std::int64_t inside = value;
    if (axis.minimum) inside = std::max(inside, *axis.minimum);
    if (axis.maximum) inside = std::min(inside, *axis.maximum);
    const std::int64_t below = inside - ((inside % step) + step) % step;
    candidates = {below, below + step};
  }
  std::optional<std::int64_t> best;
  for (const std::int64_t candidate : candidates) {
    if (!broken_rule(axis, candidate).empty()) continue;
    const auto distance = [&](std::int64_t other) {
      return other > value ? static_cast<std::uint64_t>(other) - static_cast<std::uint64_t>(value)
                           : static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(other);
    };
    if (!best || distance(candidate) < distance(*best)) best = candidate;
  }
  return best;
}

std::optional<std::string> axis_objection(const model::Axis& axis, std::int64_t value) {
  const std::string rule = broken_rule(axis, value);
  if (rule.empty()) return std::nullopt;
  const auto nearest = nearest_legal(axis, value);
  return fmt::format("{}={} {}{}", axis.name, value, rule,
                     nearest ? fmt::format("; the nearest legal value is {}", *nearest) : "");
}

}  // namespace evo::config
