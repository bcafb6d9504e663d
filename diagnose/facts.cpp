#include "diagnose/facts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace evo::diagnose {
namespace {

constexpr std::array fixed{
    // how it ended
    std::string_view{"compile.failed"},
    std::string_view{"launch.refused"},
    std::string_view{"constraint.violated"},
    // where a finding points
    std::string_view{"space.shared"},
    std::string_view{"space.global"},
    std::string_view{"space.local"},
    std::string_view{"access.input"},
    std::string_view{"access.output"},
    std::string_view{"access.workspace"},
    std::string_view{"access.module_data"},
    std::string_view{"race.within_warp"},
    std::string_view{"race.across_warps"},
    std::string_view{"race.across_blocks"},
    std::string_view{"race.async_copy"},
    std::string_view{"race.read_and_write"},
    std::string_view{"race.two_writes"},
    std::string_view{"divergence.shuffle"},
    std::string_view{"misaligned.lane_stride"},
    // how wrong
    std::string_view{"error.small"},
    std::string_view{"error.large"},
    // what the failure depends on
    std::string_view{"alignment.base_dependent"},
    std::string_view{"alignment.any_base"},
    std::string_view{"shape.tail_only"},
    std::string_view{"shape.tail_or_not"},
    std::string_view{"shape.several_tiles_only"},
    std::string_view{"shape.single_tile_too"},
    std::string_view{"axis.flag_needed"},
    std::string_view{"axis.layout_needed"},
    std::string_view{"axis.extent_needed"},
    std::string_view{"axis.far_needed"},
    std::string_view{"orders.differ"},
    std::string_view{"poison.shows"},
    std::string_view{"repeat.later_fails"},
    std::string_view{"repeat.reload_heals"},
    std::string_view{"repeat.zero_workspace_heals"},
    std::string_view{"workspace.zero_heals"},
    // what the stages show
    std::string_view{"stage.all_right"},
    std::string_view{"stage.no_hooks"},
    std::string_view{"stage.from_first_tile"},
    std::string_view{"stage.from_later_tile"},
    std::string_view{"stage.constant_ratio"},
    std::string_view{"stage.unmasked"},
    std::string_view{"stage.overmasked"},
    std::string_view{"stage.not_computed"},
    std::string_view{"stage.half_values"},
    std::string_view{"stage.small_error"},
    std::string_view{"stage.non_finite"},
    std::string_view{"stage.every_use_wrong"},
    std::string_view{"stage.ratio_by_row"},
    std::string_view{"stage.constant_maximum"},
    std::string_view{"stage.single_accuracy"},
    std::string_view{"stage.half_accuracy"},
    // what it took to make it go away
    std::string_view{"repair.warp_barrier_heals"},
    std::string_view{"repair.block_barrier_heals"},
    std::string_view{"repair.no_barrier_heals"},
    std::string_view{"genes.responsible"},
    std::string_view{"genes.single"},
    std::string_view{"genes.sync_weakened"},
    std::string_view{"genes.half_storage"},
    std::string_view{"genes.not_responsible"},
    std::string_view{"edit.responsible"},
    std::string_view{"edit.barrier"},
    std::string_view{"edit.warp_barrier"},
    std::string_view{"edit.wait"},
    std::string_view{"edit.not_responsible"},
};

constexpr std::array families{std::string_view{"finding."}, std::string_view{"wrong."},
                              std::string_view{"set."},     std::string_view{"diverges."},
                              std::string_view{"right."},   std::string_view{"match."},
                              std::string_view{"pattern."}, std::string_view{"heals."},
                              std::string_view{"at."},      std::string_view{"answer."}};

}  // namespace

bool is_fact_name(std::string_view name) {
  const auto in_family = [&](std::string_view family) { return name.starts_with(family) && name != family; };
  return std::find(fixed.begin(), fixed.end(), name) != fixed.end() ||
         std::any_of(families.begin(), families.end(), in_family);
}

std::vector<std::string_view> fixed_fact_names() {
  return {fixed.begin(), fixed.end()};
}

void Facts::add(std::string_view name, std::string text) {
  if (!is_fact_name(name)) throw std::logic_error("there is no fact called " + std::string(name));
  if (!has(name)) facts_.push_back({std::string(name), std::move(text)});
}

const Fact* Facts::find(std::string_view name) const {
  const auto found =
      std::find_if(facts_.begin(), facts_.end(), [&](const Fact& fact) { return fact.name == name; });
  return found == facts_.end() ? nullptr : &*found;
}

}  // namespace evo::diagnose
