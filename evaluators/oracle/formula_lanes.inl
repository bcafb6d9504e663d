// Of Lanes: all lanes of a node at a time.
#pragma once

#include <algorithm>
#include <optional>

#include "evaluators/oracle/formula_scalar.inl"

namespace evo::evaluators::oracle::lanes {

/// By how much an integer expression grows from one value of `lane` to the next; nullopt: not steadily.
inline std::optional<std::int64_t> slope(const BoundNode& node, std::size_t lane) {
  using model::formula::Op;
  if ((node.uses >> lane & 1) == 0) return 0;
  if (node.op == Op::name) return 1;
  if (node.op != Op::add && node.op != Op::subtract && node.op != Op::multiply) return std::nullopt;
  const auto a = slope(node.children[0], lane), b = slope(node.children[1], lane);
  if (!a || !b) return std::nullopt;
  if (node.op == Op::add) return *a + *b;
  if (node.op == Op::subtract) return *a - *b;
  if (node.children[0].op == Op::number) return static_cast<std::int64_t>(node.children[0].number) * *b;
  if (node.children[1].op == Op::number) return static_cast<std::int64_t>(node.children[1].number) * *a;
  return std::nullopt;
}

template <class Real>
Value<Real> Lanes<Real>::eval(const BoundNode& node, Mask mask) {
  if (!varies(node)) {
    // A value that no lane changes: once, with the lanes' variable of whoever asks untouched.
    return {nullptr, scalar<Real>(node)};
  }
  if constexpr (!std::is_same_v<Real, double>) {
    if (node.integral && node.op != Op::name && node.op != Op::element) return one_by_one(node, mask);
  }
  switch (node.op) {
    case Op::name: {
      Real* out = buffer(node);
      for (std::int64_t l = 0; l < count_; ++l) out[l] = static_cast<Real>(base_ + l);
      return {out, 0};
    }
    case Op::element:
      return element(node, mask);
    case Op::where:
      return where(node, mask);
    case Op::logical_and:
    case Op::logical_or:
      return logical(node, mask);
    case Op::sum:
    case Op::product:
    case Op::smallest:
    case Op::largest:
      return reduction(node, mask);
    default:
      break;
  }
  const Value<Real> a = eval(node.children[0], mask);
  Real* out = buffer(node);
  if (node.children.size() == 1) {
    if (a.data == nullptr) {
      return {nullptr, node.op == Op::negate        ? -a.same
                       : node.op == Op::logical_not ? (a.same == 0 ? Real{1} : Real{0})
                                                    : one(node.slot, a.same)};
    }
    for (std::int64_t l = 0; l < count_; ++l) {
      out[l] = node.op == Op::negate        ? -a.data[l]
               : node.op == Op::logical_not ? (a.data[l] == 0 ? Real{1} : Real{0})
                                            : one(node.slot, a.data[l]);
    }
    return {out, 0};
  }
  const Value<Real> b = eval(node.children[1], mask);
  if (a.data == nullptr && b.data == nullptr) return {nullptr, two(node.op, a.same, b.same)};
  const auto each = [&](const auto& f) {
    if (a.data != nullptr && b.data != nullptr) {
      for (std::int64_t l = 0; l < count_; ++l) out[l] = f(a.data[l], b.data[l]);
    } else if (a.data != nullptr) {
      for (std::int64_t l = 0; l < count_; ++l) out[l] = f(a.data[l], b.same);
    } else {
      for (std::int64_t l = 0; l < count_; ++l) out[l] = f(a.same, b.data[l]);
    }
  };
  if (node.op == Op::multiply) {
    each([](Real x, Real y) { return x * y; });
  } else if (node.op == Op::add) {
    each([](Real x, Real y) { return x + y; });
  } else if (node.op == Op::subtract) {
    each([](Real x, Real y) { return x - y; });
  } else {
    each([op = node.op](Real x, Real y) { return two(op, x, y); });
  }
  return {out, 0};
}

/// Lane by lane, for what has no faster way.
template <class Real>
Value<Real> Lanes<Real>::one_by_one(const BoundNode& node, Mask mask) {
  Real* out = buffer(node);
  const std::size_t lane = lane_;
  const std::int64_t base = base_, count = count_;
  lane_ = no_variable;
  for (std::int64_t l = 0; l < count; ++l) {
    variables_[lane] = base + l;
    out[l] = mask == nullptr || mask[l] != 0 ? scalar<Real>(node) : Real{0};
  }
  lane_ = lane;
  base_ = base;
  count_ = count;
  return {out, 0};
}

template <class Real>
Value<Real> Lanes<Real>::element(const BoundNode& node, Mask mask) {
  const BoundArray& array = program_.arrays[node.slot];
  std::int64_t first = 0, step = 0;
  if (node.shifted >= 0) return one_by_one(node, mask);
  variables_[lane_] = base_;
  for (std::size_t d = 0; d < node.children.size(); ++d) {
    const auto growth = slope(node.children[d], lane_);
    if (!growth) return one_by_one(node, mask);
    const std::int64_t at = integer(node.children[d]), last = at + *growth * (count_ - 1);
    if (std::min(at, last) < 0 || std::max(at, last) >= array.shape[d]) return one_by_one(node, mask);
    first += at * array.strides[d];
    step += *growth * array.strides[d];
  }
  const auto gather = [&](const auto& from) {
    Real* out = buffer(node);
    for (std::int64_t l = 0; l < count_; ++l)
      out[l] = static_cast<Real>(from[static_cast<std::size_t>(first + l * step)]);
    return Value<Real>{out, 0};
  };
  if (array.integral) return gather(contents_.integral[node.slot]);
  if (step == 1) return {contents_.floating[node.slot].data() + first, 0};
  return gather(contents_.floating[node.slot]);
}

template <class Real>
Value<Real> Lanes<Real>::where(const BoundNode& node, Mask mask) {
  const Value<Real> condition = eval(node.children[0], mask);
  if (condition.data == nullptr) {
    const Value<Real> taken = eval(node.children[condition.same != 0 ? 1 : 2], mask);
    return taken;
  }
  std::uint8_t* yes = lane_mask(node, 0);
  std::uint8_t* no = lane_mask(node, 1);
  for (std::int64_t l = 0; l < count_; ++l) {
    const bool active = mask == nullptr || mask[l] != 0, holds = condition.data[l] != 0;
    yes[l] = active && holds ? 1 : 0;
    no[l] = active && !holds ? 1 : 0;
  }
  Value<Real> a, b;
  if (any(yes)) a = eval(node.children[1], yes);
  if (any(no)) b = eval(node.children[2], no);
  Real* out = buffer(node);
  for (std::int64_t l = 0; l < count_; ++l) out[l] = yes[l] != 0 ? a.at(l) : no[l] != 0 ? b.at(l) : Real{0};
  return {out, 0};
}

/// The right side only where the left one leaves it open, so that it may be a guard.
template <class Real>
Value<Real> Lanes<Real>::logical(const BoundNode& node, Mask mask) {
  const bool both = node.op == Op::logical_and;
  const Value<Real> a = eval(node.children[0], mask);
  std::uint8_t* open = lane_mask(node, 0);
  for (std::int64_t l = 0; l < count_; ++l)
    open[l] = (mask == nullptr || mask[l] != 0) && (a.at(l) != 0) == both ? 1 : 0;
  Value<Real> b;
  if (any(open)) b = eval(node.children[1], open);
  Real* out = buffer(node);
  for (std::int64_t l = 0; l < count_; ++l)
    out[l] = open[l] != 0 ? (b.at(l) != 0 ? Real{1} : Real{0}) : (both ? Real{0} : Real{1});
  return {out, 0};
}

template <class Real>
Value<Real> Lanes<Real>::reduction(const BoundNode& node, Mask mask) {
  for (const BoundRange& range : node.ranges) {
    for (const BoundNode& bound : range.bounds) {
      if (varies(bound)) return one_by_one(node, mask);
    }
  }
  Real* result = buffer(node);
  std::fill_n(result, count_, start_of<Real>(node.op));
  reduce(node, 0, mask, result);
  return {result, 0};
}

template <class Real>
void Lanes<Real>::reduce(const BoundNode& node, std::size_t range, Mask mask, Real* result) {
  if (range < node.ranges.size()) {
    const auto [low, high] = bounds(node.ranges[range]);
    for (std::int64_t k = low; k < high; ++k) {
      variables_[node.ranges[range].variable] = k;
      reduce(node, range + 1, mask, result);
    }
    return;
  }
  const BoundNode& body = node.children[0];
  // The most common body without a pass over a buffer of its own.
  if (node.op == Op::sum && body.op == Op::multiply && !body.integral && varies(body)) {
    const Value<Real> a = eval(body.children[0], mask), b = eval(body.children[1], mask);
    if (a.data != nullptr && b.data != nullptr) {
      for (std::int64_t l = 0; l < count_; ++l) result[l] += a.data[l] * b.data[l];
    } else if (a.data == nullptr && b.data == nullptr) {
      for (std::int64_t l = 0; l < count_; ++l) result[l] += a.same * b.same;
    } else {
      const Real* many = a.data != nullptr ? a.data : b.data;
      const Real same = a.data != nullptr ? b.same : a.same;
      for (std::int64_t l = 0; l < count_; ++l) result[l] += many[l] * same;
    }
    return;
  }
  const Value<Real> value = eval(body, mask);
  if (node.op == Op::sum) {
    for (std::int64_t l = 0; l < count_; ++l) result[l] += value.at(l);
  } else {
    for (std::int64_t l = 0; l < count_; ++l) result[l] = joined(node.op, result[l], value.at(l));
  }
}

}  // namespace evo::evaluators::oracle::lanes
