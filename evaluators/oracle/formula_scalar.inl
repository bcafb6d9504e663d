// Of Lanes: one number at a time.
#pragma once

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/formula_lanes.hpp"

namespace evo::evaluators::oracle::lanes {

template <class Real>
template <class Number>
Number Lanes<Real>::scalar(const BoundNode& node) {
  const auto child = [&](std::size_t i) { return scalar<Number>(node.children[i]); };
  if constexpr (!std::is_same_v<Number, double>) {
    if (node.integral) return static_cast<Number>(scalar<double>(node));
  }
  switch (node.op) {
    case Op::number:
      return static_cast<Number>(node.number);
    case Op::name:
      return static_cast<Number>(variables_[node.slot]);
    case Op::element:
      return load<Number>(node.slot, offset(node));
    case Op::negate:
      return -child(0);
    case Op::logical_not:
      return child(0) == 0 ? Number{1} : Number{0};
    case Op::logical_and:
      return child(0) != 0 && child(1) != 0 ? Number{1} : Number{0};
    case Op::logical_or:
      return child(0) != 0 || child(1) != 0 ? Number{1} : Number{0};
    case Op::where:
      return child(0) != 0 ? child(1) : child(2);
    case Op::call:
      return one(node.slot, child(0));
    case Op::sum:
    case Op::product:
    case Op::smallest:
    case Op::largest:
      return scalar_reduction<Number>(node);
    default:
      return two(node.op, child(0), child(1));
  }
}

template <class Real>
std::int64_t Lanes<Real>::integer(const BoundNode& node) {
  switch (node.op) {
    case Op::name:
      return variables_[node.slot];
    case Op::add:
      return integer(node.children[0]) + integer(node.children[1]);
    case Op::subtract:
      return integer(node.children[0]) - integer(node.children[1]);
    case Op::multiply:
      return integer(node.children[0]) * integer(node.children[1]);
    default:
      break;
  }
  const double value = scalar<double>(node);
  const bool whole = value >= -9e15 && value <= 9e15 && value == std::floor(value);
  if (whole) return static_cast<std::int64_t>(value);
  throw EvaluationStop{model::formula::detail::error_at(statement_.place, node.position,
                                                        fmt::format("an index is {}, no integer", value))};
}

template <class Real>
std::pair<std::int64_t, std::int64_t> Lanes<Real>::bounds(const BoundRange& range) {
  std::int64_t low = 0, high = range.extent;
  if (!range.bounds.empty()) {
    low = integer(range.bounds[0]);
    high = integer(range.bounds[1]);
  }
  return {low + range.skip_first, high - range.skip_last};
}

template <class Real>
void Lanes<Real>::out_of_range(const BoundNode& node, std::size_t dimension, std::int64_t index) const {
  const BoundArray& array = program_.arrays[node.slot];
  std::vector<std::string> at;
  for (std::size_t v = 0; v < program_.variables.size(); ++v) {
    if ((node.uses >> v & 1) != 0) at.push_back(fmt::format("{} = {}", program_.variables[v], variables_[v]));
  }
  throw EvaluationStop{model::formula::detail::error_at(
      statement_.place, node.position,
      fmt::format("index {} of {} is {}, and the dimension has {} elements ({}); guard it with "
                  "where(condition, {}[...], 0)",
                  dimension, array.name, index, array.shape[dimension], fmt::join(at, ", "), array.name))};
}

template <class Real>
std::int64_t Lanes<Real>::offset(const BoundNode& node) {
  const BoundArray& array = program_.arrays[node.slot];
  std::int64_t result = 0;
  for (std::size_t d = 0; d < node.children.size(); ++d) {
    std::int64_t index = integer(node.children[d]);
    if (node.shifted == static_cast<int>(d)) index = std::min(index + 1, array.shape[d] - 1);
    if (index < 0 || index >= array.shape[d]) out_of_range(node, d, index);
    result += index * array.strides[d];
  }
  return result;
}

template <class Real>
template <class Number>
Number Lanes<Real>::scalar_reduction(const BoundNode& node) {
  Number result = start_of<Number>(node.op);
  const auto loop = [&](const auto& self, std::size_t r) -> void {
    if (r == node.ranges.size()) {
      result = joined(node.op, result, scalar<Number>(node.children[0]));
      return;
    }
    const auto [low, high] = bounds(node.ranges[r]);
    if constexpr (std::is_same_v<Number, Real>) {
      if (r + 1 == node.ranges.size() && high - low >= 8) {
        reduce_in_lanes(node, low, high, result);
        return;
      }
    }
    for (std::int64_t k = low; k < high; ++k) {
      variables_[node.ranges[r].variable] = k;
      self(self, r + 1);
    }
  };
  loop(loop, 0);
  return result;
}

template <class Real>
void Lanes<Real>::reduce_in_lanes(const BoundNode& node, std::int64_t low, std::int64_t high, Real& result) {
  const std::size_t outer_lane = lane_;
  const std::int64_t outer_base = base_, outer_count = count_;
  lane_ = node.ranges.back().variable;
  for (base_ = low; base_ < high; base_ += most_lanes) {
    count_ = std::min(most_lanes, high - base_);
    const Value<Real> values = eval(node.children[0], nullptr);
    for (std::int64_t l = 0; l < count_; ++l) result = joined(node.op, result, values.at(l));
  }
  lane_ = outer_lane;
  base_ = outer_base;
  count_ = outer_count;
}

}  // namespace evo::evaluators::oracle::lanes
