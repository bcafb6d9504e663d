// Evaluates a bound formula for many values of one variable (the lanes) at a time: the cost of walking the
// tree is shared, and the inner loops are those of plain arrays. Private to the formula's own files.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evaluators/oracle/formula_program.hpp"

namespace evo::evaluators::oracle::lanes {

inline constexpr std::int64_t most_lanes = 256;

/// Contents of the arrays by slot: floating-point ones in the type that is computed in, others in double.
template <class Real>
struct Contents {
  std::vector<std::vector<Real>> floating;
  std::vector<std::vector<double>> integral;
};

/// Thrown where a formula has no value: an index out of range.
struct EvaluationStop {
  model::Error error;
};

/// Of all lanes: one number each, or the same for all.
template <class Real>
struct Value {
  const Real* data = nullptr;
  Real same = 0;
  [[nodiscard]] Real at(std::int64_t lane) const { return data == nullptr ? same : data[lane]; }
};

/// Which lanes count; nullptr: all.
using Mask = const std::uint8_t*;

/// One thread's evaluation of one statement. Lanes that a mask leaves out are not looked at: they may index
/// beyond an array.
template <class Real>
class Lanes {
 public:
  Lanes(const Program& program, const BoundStatement& statement, const Contents<Real>& contents)
      : program_(program),
        statement_(statement),
        contents_(contents),
        buffers_(program.buffers),
        masks_(program.buffers),
        variables_(program.variables.size() + 64) {}

  void set(std::size_t variable, std::int64_t value) { variables_[variable] = value; }
  /// The statement's value at so many values of `lane` from `base` on.
  Value<Real> evaluate(std::size_t lane, std::int64_t base, std::int64_t count) {
    lane_ = lane;
    base_ = base;
    count_ = count;
    return eval(statement_.value, nullptr);
  }
  /// Without lanes.
  Real evaluate() {
    lane_ = no_variable;
    return scalar<Real>(statement_.value);
  }

 private:
  using Op = model::formula::Op;

  [[nodiscard]] bool varies(const BoundNode& node) const {
    return lane_ != no_variable && (node.uses >> lane_ & 1) != 0;
  }
  Real* buffer(const BoundNode& node) {
    auto& buffer = buffers_[node.buffer];
    if (buffer.empty()) buffer.resize(static_cast<std::size_t>(most_lanes));
    return buffer.data();
  }
  /// Two masks of a node.
  std::uint8_t* lane_mask(const BoundNode& node, std::size_t which) {
    auto& masks = masks_[node.buffer];
    if (masks.empty()) masks.resize(static_cast<std::size_t>(2 * most_lanes));
    return masks.data() + which * static_cast<std::size_t>(most_lanes);
  }
  [[nodiscard]] bool any(Mask mask) const {
    if (mask == nullptr) return true;
    for (std::int64_t l = 0; l < count_; ++l) {
      if (mask[l] != 0) return true;
    }
    return false;
  }

  // formula_scalar.inl: one number, the lanes' variable being what set() says.
  template <class Number>
  [[nodiscard]] Number scalar(const BoundNode& node);
  template <class Number>
  [[nodiscard]] Number scalar_reduction(const BoundNode& node);
  /// The last range of a reduction as lanes: `low` to `high`.
  void reduce_in_lanes(const BoundNode& node, std::int64_t low, std::int64_t high, Real& sum);
  [[nodiscard]] std::int64_t integer(const BoundNode& node);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> bounds(const BoundRange& range);
  /// Where an element lies; stops where it is none.
  [[nodiscard]] std::int64_t offset(const BoundNode& node);
  [[noreturn]] void out_of_range(const BoundNode& node, std::size_t dimension, std::int64_t index) const;
  template <class Number>
  [[nodiscard]] Number load(std::size_t slot, std::int64_t at) const {
    return program_.arrays[slot].integral
               ? static_cast<Number>(contents_.integral[slot][static_cast<std::size_t>(at)])
               : static_cast<Number>(contents_.floating[slot][static_cast<std::size_t>(at)]);
  }

  // formula_lanes.inl: all lanes.
  Value<Real> eval(const BoundNode& node, Mask mask);
  Value<Real> element(const BoundNode& node, Mask mask);
  Value<Real> where(const BoundNode& node, Mask mask);
  Value<Real> logical(const BoundNode& node, Mask mask);
  Value<Real> reduction(const BoundNode& node, Mask mask);
  void reduce(const BoundNode& node, std::size_t range, Mask mask, Real* result);
  Value<Real> one_by_one(const BoundNode& node, Mask mask);

  const Program& program_;
  const BoundStatement& statement_;
  const Contents<Real>& contents_;
  std::vector<std::vector<Real>> buffers_;
  std::vector<std::vector<std::uint8_t>> masks_;
  std::vector<std::int64_t> variables_;
  std::size_t lane_ = no_variable;
  std::int64_t base_ = 0, count_ = 0;
};

template <class Number>
[[nodiscard]] Number start_of(model::formula::Op op) {
  using model::formula::Op;
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  return op == Op::sum ? 0 : op == Op::product ? 1 : op == Op::smallest ? infinity : -infinity;
}

template <class Number>
[[nodiscard]] Number joined(model::formula::Op op, Number a, Number b) {
  using model::formula::Op;
  if (op == Op::sum) return a + b;
  if (op == Op::product) return a * b;
  if (op == Op::smallest) return b < a || std::isnan(b) ? b : a;
  return b > a || std::isnan(b) ? b : a;
}

template <class Number>
[[nodiscard]] Number two(model::formula::Op op, Number a, Number b) {
  using model::formula::Op;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::floor_divide:
      return std::floor(a / b);
    case Op::remainder:
      return a - b * std::floor(a / b);
    case Op::power:
      return std::pow(a, b);
    case Op::equal:
      return a == b ? Number{1} : Number{0};
    case Op::not_equal:
      return a != b ? Number{1} : Number{0};
    case Op::less:
      return a < b ? Number{1} : Number{0};
    case Op::less_equal:
      return a <= b ? Number{1} : Number{0};
    case Op::greater:
      return a > b ? Number{1} : Number{0};
    case Op::greater_equal:
      return a >= b ? Number{1} : Number{0};
    case Op::minimum:
      return joined(Op::smallest, a, b);
    case Op::maximum:
      return joined(Op::largest, a, b);
    default:
      return 0;
  }
}

/// A function of one number, by its place in function_names().
template <class Number>
[[nodiscard]] Number one(std::size_t function, Number x) {
  switch (function) {
    case 0:
      return std::exp(x);
    case 1:
      return std::exp2(x);
    case 2:
      return std::log(x);
    case 3:
      return std::log2(x);
    case 4:
      return std::sqrt(x);
    case 5:
      return 1 / std::sqrt(x);
    case 6:
      return std::tanh(x);
    case 7:
      return std::erf(x);
    case 8:
      return std::erfc(x);
    case 9:
      return std::abs(x);
    case 10:
      return std::sin(x);
    case 11:
      return std::cos(x);
    case 12:
      return std::floor(x);
    case 13:
      return std::ceil(x);
    case 14:
      return std::nearbyint(x);
    default:
      return std::trunc(x);
  }
}

}  // namespace evo::evaluators::oracle::lanes
