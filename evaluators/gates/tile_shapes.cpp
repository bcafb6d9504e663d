// Sizes of one axis at, below and above whole tiles, of a launch or of a loop.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "evaluators/gates/shape_collector.hpp"
#include "evaluators/gates/tile_sizes.hpp"

namespace evo::evaluators::gates {
namespace {

/// What such a shape may cost; a step of the grid is looked for up to so many elements.
constexpr double tile_flops = 2097152, tile_threads = 131072,
                 long_tile_threads = 2097152;  // 2^21, 2^17, 2^21
constexpr std::int64_t longest_step = std::int64_t{1} << 20;
/// Multiples of tiles up to here are among the sizes that are shown anyway, and so are those next to them.
constexpr std::int64_t short_tile = 256;
constexpr std::size_t most_of_code = 18;
/// Of a tile in a shape of several axes: a wider one is a tile of a single axis. One block an element is
/// none.
constexpr std::int64_t least_side = 4, widest_side = 256, usual_side = 32;

}  // namespace

bool ShapeCollector::add_light(CaseUse use, model::Workload workload, double most_flops,
                               double most_threads) {
  const auto bound = bind(workload);
  return bound && bound->flops <= most_flops && model::threads_in(bound->launch) <= most_threads &&
         few_enough(bound->launch) && add(use, std::move(workload));
}

/// Elements of the axis that a block of the grid takes, the other axes at their least.
std::set<std::int64_t> ShapeCollector::tiles_of(const model::Axis& axis) const {
  model::Workload workload = first_;
  for (const model::Axis& other : problem_.axes) {
    if (is_free(other)) workload.axes[other.name] = legal_value(other, 1);
  }
  const std::int64_t step = axis.multiple_of.value_or(1);
  const std::int64_t most = std::min(longest_step, axis.maximum.value_or(longest_step)) / step;
  std::set<std::int64_t> tiles;
  const auto at = [&](std::int64_t i) -> std::optional<model::LaunchPlan> {
    workload.axes[axis.name] = legal_value(axis, i * step);
    auto bound = bind(workload);
    return bound ? std::optional(std::move(bound->launch)) : std::nullopt;
  };
  for (const std::int64_t steps : grid_steps(at, most)) tiles.insert(steps * step);
  return tiles;
}

void ShapeCollector::show_tiles(const std::vector<std::int64_t>& numbers) {
  std::vector<AxisTiles> all;
  for (const model::Axis& axis : problem_.axes) {
    if (is_free(axis) && !has_few_values(axis)) all.push_back({&axis, tiles_of(axis)});
  }
  std::size_t of_code = 0;
  for (const AxisTiles& one : all) {
    for (const std::int64_t tile : one.tiles) {
      if (tile > short_tile) static_cast<void>(next_to_tiles(*one.axis, tile, most_of_code));
    }
  }
  for (const std::int64_t number : numbers) {
    for (const AxisTiles& one : all) {
      if (!one.tiles.contains(number) && of_code < most_of_code)
        of_code += next_to_tiles(*one.axis, number, most_of_code - of_code);
    }
  }
  if (all.size() > 2) one_above_tiles(all);
}

/// At, one below and one above two tiles, or one where the axis ends before two. How many were added.
std::size_t ShapeCollector::next_to_tiles(const model::Axis& axis, std::int64_t tile, std::size_t most) {
  const std::int64_t step = axis.multiple_of.value_or(1);
  const std::int64_t whole = std::lcm(tile, step);
  const std::int64_t end = std::max(axis.maximum.value_or(0), axis.alone.value_or(0));
  const bool room = !axis.maximum || 2 * whole + step <= end;
  const std::int64_t middle = room ? 2 * whole : whole;
  std::size_t added = 0;
  // The other axes are one, so that a tile of all elements ends there, too; and few at whole tiles, so that a
  // row is one of several.
  for (const std::int64_t others : {1, 3}) {
    for (const std::int64_t size : {middle, middle - step, middle + step}) {
      if (added == most || (others > 1 && size != middle)) continue;
      if (axis.maximum && size > *axis.maximum) {  // no further than an axis goes alone
        auto alone = size <= end && size % step == 0 ? alone_at(axis, size) : std::nullopt;
        if (alone && add_light(CaseUse::alone, std::move(*alone), tile_flops, long_tile_threads)) ++added;
        continue;
      }
      if (size != legal_value(axis, size)) continue;
      model::Workload workload = first_;
      for (const model::Axis& other : problem_.axes) {
        if (is_free(other)) workload.axes[other.name] = legal_value(other, others);
      }
      workload.axes[axis.name] = size;
      if (add_light(CaseUse::named, std::move(workload), tile_flops, long_tile_threads)) ++added;
    }
  }
  return added;
}

/// One above whole tiles in one axis, while the others have an interior, ragged and at whole tiles: what a
/// halo brings in for the lone last element shows only there.
void ShapeCollector::one_above_tiles(const std::vector<AxisTiles>& all) {
  /// The widest that is a tile of several axes; 1: a block for each element.
  const auto tile_of = [](const AxisTiles& one) {
    std::int64_t tile = one.tiles.empty() ? usual_side : 1;
    for (const std::int64_t each : one.tiles) {
      if (each >= least_side && each <= widest_side) tile = each;
    }
    return tile;
  };
  // Several tiles where these are small.
  const auto whole_size = [](std::int64_t tile, std::int64_t about) {
    const std::int64_t several = tile <= usual_side / 2 ? 2 * tile : tile;
    return about > usual_side / 2 ? several : std::min(tile, 2 * about);
  };
  // Tiles of the chosen axis, and about how much of the others: smaller where it costs too much, though never
  // without an interior.
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 6> sizes{
      {{2, 19}, {2, 8}, {1, 19}, {1, 8}, {2, 3}, {1, 3}}};
  for (const AxisTiles& chosen : all) {
    const std::int64_t tile = tile_of(chosen), step = chosen.axis->multiple_of.value_or(1);
    if (tile == 1) continue;
    const auto beside = [&](const AxisTiles& other) { return &other != &chosen && tile_of(other) > 1; };
    for (const bool ragged : {true, false}) {
      if (!ragged && std::ranges::none_of(all, beside)) continue;  // the same again
      static_cast<void>(std::ranges::any_of(sizes, [&](const auto& size) {
        model::Workload workload = first_;
        std::int64_t apart = 0;
        for (const AxisTiles& other : all) {
          std::int64_t value = 3;  // of an axis with a block for each element
          if (beside(other))
            value = ragged ? size.second + 2 * apart++ : whole_size(tile_of(other), size.second);
          workload.axes[other.axis->name] = legal_value(*other.axis, value);
        }
        // An axis that the grid does not follow goes round in a loop: one above two tiles of 16, one of 32.
        const std::int64_t tiles = chosen.tiles.empty() ? 1 : size.first;
        const std::int64_t above = std::lcm(tiles * tile, step) + step;
        workload.axes[chosen.axis->name] = above;
        return above == legal_value(*chosen.axis, above) &&
               add_light(CaseUse::named, std::move(workload), named_flops, tile_threads);
      }));
    }
  }
}

}  // namespace evo::evaluators::gates
