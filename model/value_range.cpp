#include "model/value_range.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "model/expression_node.hpp"

namespace evo::model {
namespace {

using detail::ExpressionNode;
using detail::Operation;
using Wide = __int128;

std::optional<ValueRange> narrowed(std::initializer_list<Wide> corners) {
  const Wide least = std::min(corners), most = std::max(corners);
  if (least < std::numeric_limits<std::int64_t>::min() || most > std::numeric_limits<std::int64_t>::max())
    return std::nullopt;
  return ValueRange{static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
}

std::optional<ValueRange> joined(const std::optional<ValueRange>& a, const std::optional<ValueRange>& b) {
  if (!a || !b) return std::nullopt;
  return ValueRange{std::min(a->least, b->least), std::max(a->most, b->most),
                    std::gcd(a->multiple, b->multiple)};
}

/// What each result is a multiple of.
std::int64_t multiple_of(Operation operation, const ValueRange& a, const ValueRange& b) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::remainder:
      return std::gcd(a.multiple, b.multiple);
    case Operation::multiply: {
      const Wide product = Wide{a.multiple} * b.multiple;
      return product > std::numeric_limits<std::int64_t>::max() ? std::max(a.multiple, b.multiple)
                                                                : static_cast<std::int64_t>(product);
    }
    case Operation::divide:
    case Operation::floor_div:
    case Operation::ceil_div:
      return b.least == b.most && a.multiple % b.least == 0 ? a.multiple / b.least : 1;
    default:
      return 1;
  }
}

/// Of operations that grow with each operand or shrink with it, the corners say all.
std::optional<ValueRange> at_corners(Operation operation, const ValueRange& a, const ValueRange& b) {
  const Wide al = a.least, am = a.most, bl = b.least, bm = b.most;
  switch (operation) {
    case Operation::add:
      return narrowed({al + bl, am + bm});
    case Operation::subtract:
      return narrowed({al - bm, am - bl});
    case Operation::multiply:
      return narrowed({al * bl, al * bm, am * bl, am * bm});
    case Operation::minimum:
      return narrowed({std::min(al, bl), std::min(am, bm)});
    case Operation::maximum:
      return narrowed({std::max(al, bl), std::max(am, bm)});
    case Operation::divide:
    case Operation::floor_div:
    case Operation::ceil_div: {
      if (b.least < 1) return std::nullopt;
      std::optional<ValueRange> all;
      for (const std::int64_t x : {a.least, a.most}) {
        for (const std::int64_t y : {b.least, b.most}) {
          const auto value = detail::arithmetic(operation, x, y);
          if (!value) return std::nullopt;
          const ValueRange one{*value, *value};
          all = all ? joined(all, one) : one;
        }
      }
      return all;
    }
    case Operation::remainder:
      if (b.least < 1 || a.least < 0) return std::nullopt;
      return ValueRange{0, std::min(a.most, b.most - 1)};
    case Operation::equal:
    case Operation::not_equal:
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::logical_and:
    case Operation::logical_or:
      return ValueRange{0, 1};
    default:
      return std::nullopt;
  }
}

std::optional<ValueRange> range_at(const ExpressionNode& node, const ValueRanges& names) {
  switch (node.operation) {
    case Operation::constant:
      if (const auto* number = std::get_if<std::int64_t>(&node.value)) return range_of(*number);
      return std::nullopt;
    case Operation::name: {
      const auto* name = std::get_if<std::string>(&node.value);
      const auto found = name == nullptr ? names.end() : names.find(*name);
      return found == names.end() ? std::nullopt : std::optional(found->second);
    }
    case Operation::negate: {
      const auto a = range_at(*node.children[0], names);
      auto all = a ? narrowed({-static_cast<Wide>(a->least), -static_cast<Wide>(a->most)}) : std::nullopt;
      if (all) all->multiple = a->multiple;
      return all;
    }
    case Operation::logical_not:
      return ValueRange{0, 1};
    case Operation::conditional:
      return joined(range_at(*node.children[1], names), range_at(*node.children[2], names));
    default: {
      const auto a = range_at(*node.children[0], names);
      const auto b = a ? range_at(*node.children[1], names) : std::nullopt;
      if (!b) return std::nullopt;
      // What has no corners.
      if (node.operation == Operation::power && a->least == a->most && b->least == b->most) {
        if (const auto value = detail::arithmetic(node.operation, a->least, b->least))
          return range_of(*value);
      }
      auto all = at_corners(node.operation, *a, *b);
      if (all) all->multiple = multiple_of(node.operation, *a, *b);
      return all;
    }
  }
}

}  // namespace

ValueRange range_of(std::int64_t number) {
  // Of the least of all the opposite is no number of 64 bits; what divides half of it says as much.
  const bool lowest = number == std::numeric_limits<std::int64_t>::min();
  return {number, number, lowest ? -(number / 2) : std::abs(number)};
}

ValueRange range_of(const Axis& axis) {
  const std::int64_t multiple = axis.multiple_of.value_or(1);
  if (axis.allowed.empty())
    return {axis.minimum.value_or(std::numeric_limits<std::int64_t>::min()),
            axis.maximum.value_or(std::numeric_limits<std::int64_t>::max()), multiple};
  // A list says all: of flags, 0 is one of its values.
  const auto [least, most] = std::ranges::minmax_element(axis.allowed);
  std::int64_t common = 0;
  for (const std::int64_t value : axis.allowed) common = std::gcd(common, value);
  return {std::max(axis.minimum.value_or(*least), *least), std::min(axis.maximum.value_or(*most), *most),
          common};
}

std::optional<ValueRange> range_of(const Expression& expression, const ValueRanges& names) {
  const ExpressionNode* root = expression.root();
  if (root == nullptr) return range_of(0);
  return range_at(*root, names);
}

}  // namespace evo::model
