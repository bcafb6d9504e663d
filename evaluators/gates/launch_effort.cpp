#include "evaluators/gates/launch_effort.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr std::int64_t most_times_larger = 2;
constexpr std::uint64_t least_ratio = 64;
constexpr std::uint64_t most_waiting_threads = 1U << 18;

std::vector<std::int64_t> sizes_of(const model::Case& bound) {
  std::vector<std::int64_t> sizes;
  for (const auto& [axis, value] : bound.axes) sizes.push_back(value);
  return sizes;
}

/// The scalar that nobody declared the value of, and its value.
std::optional<std::pair<std::size_t, double>> scalar_of(const model::Case& bound) {
  if (!bound.undeclared_scalar) return std::nullopt;
  const model::BoundArgument& scalar = bound.arguments[*bound.undeclared_scalar];
  return std::pair{*bound.undeclared_scalar, model::is_floating(scalar.dtype)
                                                 ? scalar.scalar_float
                                                 : static_cast<double>(scalar.scalar_integer)};
}

}  // namespace

void LaunchEffort::ended(const model::Case& bound, std::size_t set, std::uint64_t instructions) {
  ended_.push_back({sizes_of(bound), set, scalar_of(bound), instructions});
}

std::uint64_t LaunchEffort::of_a_block(const model::Case& bound, std::uint64_t budget) {
  return devices::instructions_of_a_block(
      budget, std::uint64_t{bound.launch.grid[0]} * bound.launch.grid[1] * bound.launch.grid[2]);
}

bool LaunchEffort::is_endless(const model::Case& bound, std::size_t set, std::uint64_t instructions) const {
  const std::vector<std::int64_t> sizes = sizes_of(bound);
  const auto scalar = scalar_of(bound);
  return std::ranges::any_of(ended_, [&](const Ended& other) {
    if (other.set != set || other.scalar != scalar || other.sizes.size() != sizes.size() ||
        other.instructions > instructions / least_ratio)
      return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] > most_times_larger * other.sizes[i]) return false;
    }
    return true;
  });
}

bool LaunchEffort::is_crowd(const model::Case& bound) {
  return std::ranges::any_of(model::kernels_of(bound.launch), [](const model::LaunchPlan* kernel) {
    std::uint64_t threads = 1;
    for (const auto* sizes : {&kernel->grid, &kernel->block}) {
      for (const std::uint32_t size : *sizes) threads *= size;
    }
    return threads > most_waiting_threads;
  });
}

void LaunchEffort::left_out(const model::Case& bound) {
  if (left_out_++ > 0) return;
  for (const auto& [axis, value] : bound.axes)
    first_ += fmt::format("{}{}={}", first_.empty() ? "" : ",", axis, value);
}

std::optional<model::Evidence> LaunchEffort::note() const {
  if (left_out_ == 0) return std::nullopt;
  return model::Evidence{
      "took_too_long",
      fmt::format("{} launches at sizes that nobody asked for did not end in time, or would have been a "
                  "crowd that waits for each other, and were left out, the "
                  "first with {}: nothing is said of those",
                  left_out_, first_),
      {},
      0,
      {{"launches", std::to_string(left_out_)}, {"axes", first_}}};
}

}  // namespace evo::evaluators::gates
