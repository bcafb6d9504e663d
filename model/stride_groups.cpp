#include "model/stride_groups.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "model/records.hpp"

namespace evo::model {
namespace {

/// An array's dimension.
using Place = std::pair<std::size_t, std::size_t>;

std::optional<std::size_t> find_argument(const Problem& problem, const std::string& name) {
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    if (problem.arguments[i].name == name) return i;
  }
  return std::nullopt;
}

bool is_integer(DType dtype) {
  return dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i64 || dtype == DType::u64;
}

/// A stride that has the expression of a size changes with that size alone, and one that is an axis with the
/// axis.
bool is_size(const Problem& problem, const std::string& text) {
  if (problem.find_axis(text) != nullptr) return true;
  return std::any_of(problem.arguments.begin(), problem.arguments.end(), [&](const Argument& argument) {
    return std::any_of(argument.shape.begin(), argument.shape.end(),
                       [&](const Expression& size) { return size.text() == text; });
  });
}

/// Scalars that tell a stride -> the places that they tell.
std::map<std::size_t, std::vector<Place>> find_links(const Problem& problem) {
  std::map<std::size_t, std::vector<Place>> links;
  std::set<Place> told;
  for (std::size_t s = 0; s < problem.arguments.size(); ++s) {
    const ScalarValue& scalar = problem.arguments[s].scalar;
    for (const std::string& name : scalar.stride_of) {
      const auto array = find_argument(problem, name);
      if (!array) continue;  // the loader refuses it
      links[s].emplace_back(*array, scalar.dimension);
      told.emplace(*array, scalar.dimension);
    }
  }
  std::map<std::string, std::vector<std::size_t>> by_text;
  for (std::size_t s = 0; s < problem.arguments.size(); ++s) {
    const Argument& argument = problem.arguments[s];
    if (argument.role != ArgumentRole::scalar || !is_integer(argument.dtype)) continue;
    if (!argument.scalar.stride_of.empty() || argument.scalar.form != ScalarValue::Form::integer) continue;
    if (argument.scalar.expression.names().empty() || is_size(problem, argument.scalar.expression.text()))
      continue;
    by_text[argument.scalar.expression.text()].push_back(s);
  }
  for (const auto& [text, scalars] : by_text) {
    if (scalars.size() != 1) continue;  // which of them tells which array, nobody says
    for (std::size_t a = 0; a < problem.arguments.size(); ++a) {
      if (!record_of(problem.arguments[a].name).empty()) continue;  // structs follow each other
      const auto& strides = problem.arguments[a].strides;
      for (std::size_t d = 0; d < strides.size(); ++d) {
        if (strides[d].text() == text && !told.contains({a, d})) links[scalars.front()].emplace_back(a, d);
      }
    }
  }
  return links;
}

}  // namespace

std::vector<StrideGroup> stride_groups(const Problem& problem) {
  const auto links = find_links(problem);
  std::vector<std::size_t> leader(problem.arguments.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t a) {
    while (leader[a] != a) a = leader[a];
    return a;
  };
  for (const auto& [scalar, places] : links) {
    for (const auto& [array, dimension] : places) {
      const std::size_t first = find(places.front().first), other = find(array);
      leader[std::max(first, other)] = std::min(first, other);
    }
  }
  std::map<std::size_t, StrideGroup> groups;
  for (const auto& [scalar, places] : links) {
    for (const auto& [array, dimension] : places) {
      StrideGroup& group = groups[find(array)];
      if (std::find(group.arrays.begin(), group.arrays.end(), array) == group.arrays.end())
        group.arrays.push_back(array);
      auto& told = group.scalars[dimension];
      if (std::find(told.begin(), told.end(), scalar) == told.end()) told.push_back(scalar);
    }
  }
  std::vector<StrideGroup> result;
  for (auto& [first, group] : groups) {
    std::sort(group.arrays.begin(), group.arrays.end());
    result.push_back(std::move(group));
  }
  return result;
}

namespace {

std::optional<CaseChanges> other_strides(const StrideGroup& group, const Case& bound,
                                         const std::map<std::size_t, std::int64_t>& pads, bool packed) {
  const BoundArgument& first = bound.arguments.at(group.arrays.front());
  const std::size_t rank = first.strides.size();
  for (const std::size_t array : group.arrays) {
    if (bound.arguments.at(array).strides != first.strides) return std::nullopt;
  }
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(first.strides[a], b) < std::pair(first.strides[b], a);  // of equal ones, the last first
  });
  std::vector<std::int64_t> strides = first.strides;
  std::int64_t needed = 1;  // elements that the dimensions inside take
  for (const std::size_t d : order) {
    std::int64_t size = 1;
    for (const std::size_t array : group.arrays) size = std::max(size, bound.arguments[array].shape.at(d));
    const auto pad = pads.find(d);
    if (group.scalars.contains(d)) {
      strides[d] = std::max(packed ? 0 : strides[d], needed) + (pad == pads.end() ? 0 : pad->second);
    } else if (size > 1 && strides[d] < needed) {
      return std::nullopt;
    }
    if (strides[d] > 0) needed = std::max(needed, needed + (size - 1) * strides[d]);
  }
  if (strides == first.strides) return std::nullopt;
  CaseChanges changes;
  for (const std::size_t array : group.arrays) changes.strides[array] = strides;
  for (const auto& [dimension, scalars] : group.scalars) {
    for (const std::size_t scalar : scalars)
      changes.scalars[scalar] = static_cast<double>(strides[dimension]);
  }
  return changes;
}

}  // namespace

std::optional<CaseChanges> padded_strides(const StrideGroup& group, const Case& bound,
                                          const std::map<std::size_t, std::int64_t>& pads) {
  return other_strides(group, bound, pads, false);
}

std::optional<CaseChanges> packed_strides(const StrideGroup& group, const Case& bound) {
  return other_strides(group, bound, {}, true);
}

}  // namespace evo::model
