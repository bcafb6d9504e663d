#include "model/tensor_map.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::model {
namespace {

constexpr std::int64_t largest_box = 256;
constexpr std::int64_t granule = 16;  // bytes: of distances, and of a box's rows
constexpr std::uint64_t size_limit = std::uint64_t{1} << 32;
constexpr std::uint64_t stride_limit = std::uint64_t{1} << 40;

Error error_at(const TensorMapModel& map, const Expression& where, const std::string& message) {
  return Error{fmt::format("tensor map {}: {}", map.name, message), where.file(), where.line(), 0};
}

Expected<std::vector<std::uint32_t>> bind_box(const TensorMapModel& map, const Environment& environment) {
  std::vector<std::uint32_t> box;
  for (const Expression& side : map.box) {
    const auto value = side.evaluate_integer(environment);
    if (!value) return tl::make_unexpected(value.error());
    if (*value < 1 || *value > largest_box) {
      return tl::make_unexpected(error_at(map, side,
                                          fmt::format("a side of the box is {} ('{}'); it must be 1 to {}",
                                                      *value, side.text(), largest_box)));
    }
    box.push_back(static_cast<std::uint32_t>(*value));
  }
  return box;
}

Expected<std::uint32_t> bind_swizzle(const TensorMapModel& map, const Environment& environment,
                                     std::int64_t row_bytes) {
  const auto swizzle = map.swizzle.evaluate_integer(environment);
  if (!swizzle) return tl::make_unexpected(swizzle.error());
  if (*swizzle != 0 && *swizzle != 32 && *swizzle != 64 && *swizzle != 128) {
    return tl::make_unexpected(error_at(
        map, map.swizzle, fmt::format("a swizzle of {} bytes; it must be 0, 32, 64 or 128", *swizzle)));
  }
  if (row_bytes % granule != 0) {
    return tl::make_unexpected(
        error_at(map, map.box.front(),
                 fmt::format("a row of the box has {} bytes, no multiple of {}", row_bytes, granule)));
  }
  if (*swizzle != 0 && row_bytes > *swizzle) {
    return tl::make_unexpected(
        error_at(map, map.box.front(),
                 fmt::format("a row of the box has {} bytes, the swizzle is over {}", row_bytes, *swizzle)));
  }
  return static_cast<std::uint32_t>(*swizzle);
}

}  // namespace

Expected<TensorMapPlan> bind_tensor_map(const TensorMapModel& map,
                                        const std::vector<BoundArgument>& arguments,
                                        const Environment& environment) {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const BoundArgument& argument) {
    return argument.name == map.argument;
  });
  if (found == arguments.end() || found->role == ArgumentRole::scalar) {
    return tl::make_unexpected(
        error_at(map, map.swizzle, fmt::format("there is no array '{}'", map.argument)));
  }
  const BoundArgument& argument = *found;
  TensorMapPlan plan;
  plan.name = map.name;
  plan.argument = static_cast<std::uint32_t>(found - arguments.begin());
  plan.dtype = argument.dtype;
  auto box = bind_box(map, environment);
  if (!box) return tl::make_unexpected(box.error());
  plan.box = std::move(*box);

  const std::int64_t element = size_of(argument.dtype);
  for (std::size_t i = 0; i < map.order.size(); ++i) {
    const std::size_t dimension = map.order[i];
    const auto size = static_cast<std::uint64_t>(argument.shape.at(dimension));
    const auto stride = static_cast<std::uint64_t>(argument.strides.at(dimension) * element);
    plan.sizes.push_back(size);
    plan.encodable = plan.encodable && size > 0 && size <= size_limit;
    if (i == 0) {
      if (argument.strides[dimension] != 1) {
        return tl::make_unexpected(
            error_at(map, map.box.front(),
                     fmt::format("dimension {} of {} comes first in the order and is not contiguous",
                                 dimension, argument.name)));
      }
      continue;
    }
    plan.strides.push_back(stride);
    plan.encodable = plan.encodable && stride % granule == 0 && stride < stride_limit;
  }
  const auto swizzle = bind_swizzle(map, environment, static_cast<std::int64_t>(plan.box.front()) * element);
  if (!swizzle) return tl::make_unexpected(swizzle.error());
  plan.swizzle = *swizzle;
  return plan;
}

std::string text_of(const TensorMapModel& map) {
  std::string text = fmt::format("{} {} {} swizzle {} box", map.name, map.argument, fmt::join(map.order, ","),
                                 map.swizzle.text());
  for (const Expression& side : map.box) text += " " + side.text();
  return text;
}

std::string text_of(const TensorMapPlan& map) {
  return fmt::format("{} {} {} {} {} {} {} {}", map.name, map.argument, name_of(map.dtype),
                     fmt::join(map.sizes, ","), fmt::join(map.strides, ","), fmt::join(map.box, ","),
                     map.swizzle, map.encodable);
}

}  // namespace evo::model
