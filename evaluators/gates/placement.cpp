#include "evaluators/gates/placement.hpp"

#include <array>

#include <fmt/format.h>

namespace evo::evaluators::gates {
namespace {

constexpr std::uint32_t widest_access = 16;  // bytes, of one load or store

bool is_array(const model::BoundArgument& argument) {
  return argument.role != model::ArgumentRole::scalar;
}

std::uint32_t element_bytes(const model::BoundArgument& argument) {
  return static_cast<std::uint32_t>(model::size_of(argument.dtype));
}

}  // namespace

std::uint32_t misalignment(unsigned shift) {
  constexpr std::array<std::uint32_t, alignment_count> distances{0, 16, 128, 240};
  return distances[shift % alignment_count];
}

Placement in_turn(const model::Case& bound, unsigned shift) {
  Placement placement;
  for (const model::BoundArgument& argument : bound.arguments)
    placement.push_back(is_array(argument) ? misalignment(shift++) : 0);
  return placement;
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
