#include "model/structure.hpp"

#include <algorithm>

namespace evo::model {
namespace {

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::vector<StructPlan> structs_of(const std::vector<Argument>& arguments) {
  constexpr std::uint32_t pointer_bytes = 8;
  std::vector<StructPlan> plans;
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string& name = arguments[i].structure;
    if (name.empty()) {
      ++i;
      continue;
    }
    StructPlan plan;
    plan.first = static_cast<std::uint32_t>(i);
    auto most = static_cast<std::uint32_t>(std::max<std::int64_t>(arguments[i].structure_alignment, 1));
    for (; i < arguments.size() && arguments[i].structure == name; ++i) {
      const bool pointer = arguments[i].role != ArgumentRole::scalar;
      const std::uint32_t bytes =
          pointer ? pointer_bytes : static_cast<std::uint32_t>(size_of(arguments[i].dtype));
      std::uint32_t alignment = bytes;
      if (!pointer) alignment = std::max(alignment, static_cast<std::uint32_t>(arguments[i].alignment));
      const std::uint32_t offset = rounded_up(plan.bytes, alignment);
      plan.offsets.push_back(offset);
      plan.bytes = offset + bytes;
      most = std::max(most, alignment);
    }
    plan.bytes = rounded_up(plan.bytes, most);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace evo::model
