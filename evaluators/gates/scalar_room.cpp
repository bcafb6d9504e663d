#include "evaluators/gates/scalar_room.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>

#include "evaluators/gates/check_plan.hpp"
#include "evaluators/gates/shape_collector.hpp"
#include "evaluators/gates/tile_sizes.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr double room_threads = 262144;  // 2^18
constexpr std::int64_t room_bytes = std::int64_t{64} << 20;
/// Elements of an axis that are looked at for a step of the grid; a block that takes more is no tile.
constexpr std::int64_t widest_block = 4096;
/// Beyond whole windows and blocks, so that the last block is ragged.
constexpr std::int64_t ragged_end = 9;
constexpr std::int64_t least_of_less_room = 128;
/// Eighths of a value: both sides of an element have room for it; one has; a kernel that takes half of it at
/// most shows.
constexpr std::array<std::int64_t, 3> rooms_in_eighths{16, 10, 5};

/// Elements of the axis that a block takes at most; 1: the grid does not follow it.
std::int64_t block_along(const TemplateContext& context, const model::Genome& genome,
                         const model::Workload& workload, const model::Axis& axis) {
  const std::int64_t step = axis.multiple_of.value_or(1);
  const std::int64_t most = std::min(widest_block, axis.maximum.value_or(widest_block)) / step;
  const auto at = [&](std::int64_t i) -> std::optional<model::LaunchPlan> {
    model::Workload sized = workload;
    sized.axes[axis.name] = legal_value(axis, i * step);
    auto bound = model::bind_case(context.experiment->problem, *context.kernel_template, context.space,
                                  genome, sized, {});
    return bound ? std::optional(std::move(bound->launch)) : std::nullopt;
  };
  const std::set<std::int64_t> steps = grid_steps(at, most);
  return steps.empty() ? 1 : *steps.rbegin() * step;
}

}  // namespace

std::vector<std::int64_t> values_with_room(std::vector<std::int64_t> values) {
  const auto size_of = [](std::int64_t value) { return value < 0 ? -value : value; };
  std::erase_if(values, [](std::int64_t value) {
    return value < -most_of_a_window || value > most_of_a_window || (value > -2 && value < 2);
  });
  std::ranges::stable_sort(values, std::greater(), size_of);
  if (values.size() > 2) values = {values.front(), values[values.size() / 2]};
  return values;
}

std::vector<model::Workload> shapes_with_room(const TemplateContext& context, const model::Genome& genome,
                                              const model::Workload& workload, std::int64_t value) {
  std::vector<model::Workload> shapes;
  for (const model::Axis& axis : context.experiment->problem.axes) {
    if (!is_free(axis) || has_few_values(axis)) continue;
    const std::int64_t tile = block_along(context, genome, workload, axis);
    for (const std::int64_t eighths : rooms_in_eighths) {
      const bool whole = eighths == rooms_in_eighths.front();
      const std::int64_t size = std::abs(value) * eighths / 8 + (whole ? 2 * tile : 0) + ragged_end;
      // Of few elements the first shape tells all.
      if (!whole && size < least_of_less_room) continue;
      model::Workload roomy = workload;
      roomy.axes[axis.name] = legal_value(axis, size);
      roomy.name = "room along " + axis.name;
      if (roomy.axes[axis.name] <= workload.axes.at(axis.name)) continue;
      const auto legal = within_domain(context, genome, std::move(roomy));
      if (!legal) continue;
      const auto bound = model::bind_case(context.experiment->problem, *context.kernel_template,
                                          context.space, genome, *legal, {});
      if (!bound || bound->flops > light_flops || oracle::case_bytes(*bound) > room_bytes ||
          model::threads_in(bound->launch) > room_threads)
        continue;
      shapes.push_back(*legal);
      if (whole) break;
    }
  }
  return shapes;
}

}  // namespace evo::evaluators::gates
