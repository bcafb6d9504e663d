#include "evaluators/gates/placement.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

constexpr std::uint32_t widest_access = 16;  // bytes, of one load or store

/// Whose address a kernel sees: that of a texture or surface it does not.
bool is_array(const model::BoundArgument& argument) {
  return argument.role != model::ArgumentRole::scalar && !argument.texture;
}

/// What its address is a multiple of, at least.
std::uint32_t element_bytes(const model::BoundArgument& argument) {
  return static_cast<std::uint32_t>(std::max(model::size_of(argument.dtype), argument.alignment));
}

/// A turn's distance, or less where the problem says that the array is aligned to more (fragments: 32).
std::uint32_t turn_of(const model::BoundArgument& argument, unsigned shift) {
  const std::uint32_t distance = misalignment(shift);
  return distance - distance % element_bytes(argument);
}

}  // namespace

std::uint32_t misalignment(unsigned shift) {
  constexpr std::array<std::uint32_t, alignment_count> distances{0, 16, 128, 240};
  return distances[shift % alignment_count];
}

Placement in_turn(const model::Case& bound, unsigned shift) {
  Placement placement;
  for (const model::BoundArgument& argument : bound.arguments)
    placement.push_back(is_array(argument) ? turn_of(argument, shift++) : 0);
  return placement;
}

Placement in_turn_or_aligned(const model::Case& bound, std::size_t check) {
  const auto turn = static_cast<unsigned>(check % placement_count);
  if (turn == alignment_count) return Placement(bound.arguments.size(), 0);
  return in_turn(bound, turn);
}

std::vector<Placement> each_apart(const model::Case& bound) {
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!is_array(bound.arguments[i])) continue;
    const std::uint32_t size = element_bytes(bound.arguments[i]);
    for (std::uint32_t distance = size; distance < widest_access; distance += size) {
      placements.push_back(in_turn(bound, static_cast<unsigned>(placements.size())));
      placements.back()[i] += distance;
    }
  }
  return placements;
}

Placement one_apart(const model::Case& bound, std::size_t k, model::RandomStream& stream) {
  std::vector<std::size_t> movable;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (is_array(bound.arguments[i]) && element_bytes(bound.arguments[i]) < widest_access)
      movable.push_back(i);
  }
  if (movable.empty()) return {};
  const std::size_t chosen = movable[k % movable.size()];
  const std::uint32_t size = element_bytes(bound.arguments[chosen]);
  Placement placement = in_turn(bound, static_cast<unsigned>(k));
  placement[chosen] += size * (1 + static_cast<std::uint32_t>(stream.below(widest_access / size - 1)));
  return placement;
}

std::vector<Placement> alike(const model::Case& bound, model::RandomStream& stream) {
  std::vector<std::size_t> arrays;
  std::uint32_t widest = 1;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!is_array(bound.arguments[i])) continue;
    arrays.push_back(i);
    widest = std::max(widest, element_bytes(bound.arguments[i]));
  }
  std::vector<Placement> placements;
  if (widest >= widest_access) return placements;
  const auto shifted = [&](std::span<const std::size_t> which) {
    // A multiple of every element's size that no 16-byte access allows.
    const std::uint32_t distance =
        widest * (1 + static_cast<std::uint32_t>(stream.below(widest_access / widest - 1)));
    placements.push_back(in_turn(bound, static_cast<unsigned>(placements.size())));
    for (const std::size_t i : which) placements.back()[i] += distance;
  };
  if (arrays.size() > 2) shifted(arrays);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (std::size_t b = a + 1; b < arrays.size(); ++b) {
      shifted(std::array{arrays[a], arrays[b]});
      if (widest > widest_access / 4) continue;  // halves of it are equal
      placements.push_back(placements.back());
      for (std::uint32_t& at : placements.back()) at -= at % widest_access;
      placements.back()[arrays[a]] += widest;
      placements.back()[arrays[b]] += widest_access - widest;
    }
  }
  return placements;
}

Placement none_aligned(const model::Case& bound) {
  Placement placement = in_turn(bound, 0);
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (is_array(bound.arguments[i])) placement[i] += element_bytes(bound.arguments[i]) % widest_access;
  }
  return placement;
}

Placement anywhere(const model::Case& bound, model::RandomStream& stream) {
  Placement placement;
  for (const model::BoundArgument& argument : bound.arguments) {
    const std::uint32_t size = element_bytes(argument);
    placement.push_back(is_array(argument) ? size * static_cast<std::uint32_t>(stream.below(256 / size)) : 0);
  }
  return placement;
}

std::string text_of(const Placement& placement, const model::Case& bound) {
  std::string text;
  for (std::size_t i = 0; i < placement.size() && i < bound.arguments.size(); ++i) {
    if (placement[i] != 0)
      text += fmt::format("{}{} +{}", text.empty() ? "" : ", ", bound.arguments[i].name, placement[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace evo::evaluators::gates
