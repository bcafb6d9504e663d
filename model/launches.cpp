// Which kernels a genome launches, in which order, and what their plans are.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/define.hpp"
#include "model/tensor_map.hpp"
#include "model/variant.hpp"

namespace evo::model {
namespace {

Environment values_of(const Space& space, const Genome& genome) {
  Environment environment = space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  return environment;
}

const std::string& entry_of(const Template& kernel, const LaunchModel& launch) {
  return launch.entry.empty() ? kernel.entry : launch.entry;
}

}  // namespace

std::vector<const LaunchPlan*> kernels_of(const LaunchPlan& plan) {
  std::vector<const LaunchPlan*> all{&plan};
  for (const LaunchPlan& next : plan.then) all.push_back(&next);
  return all;
}

double threads_in(const LaunchPlan& plan) {
  double sum = 0;
  for (const LaunchPlan* kernel : kernels_of(plan)) {
    double threads = 1;
    for (const std::uint32_t extent : kernel->grid) threads *= extent;
    for (const std::uint32_t extent : kernel->block) threads *= extent;
    sum += threads;
  }
  return sum;
}

std::string text_of(const LaunchPlan& plan) {
  std::string text = fmt::format("{},{},{} {},{},{} {}", plan.grid[0], plan.grid[1], plan.grid[2],
                                 plan.block[0], plan.block[1], plan.block[2], plan.dynamic_smem);
  for (const TensorMapPlan& map : plan.tensor_maps) text += " " + text_of(map);
  if (plan.kernel != 0) text += fmt::format(" kernel {}", plan.kernel);
  if (plan.arguments) text += fmt::format(" arguments {}", fmt::join(*plan.arguments, ","));
  for (const SymbolPlan& symbol : plan.symbols)
    text += fmt::format(" {} in {}", symbol.argument, symbol.name);
  for (const StructPlan& packed : plan.structs)
    text += fmt::format(" struct {} of {} bytes at {}", packed.first, packed.bytes,
                        fmt::join(packed.offsets, ","));
  for (const ScalarPlan& scalar : plan.scalars)
    text += fmt::format(" argument {} is {}", scalar.argument, scalar.value);
  for (const LaunchPlan& next : plan.then) text += "; " + text_of(next);
  return text;
}

std::string render_entry(const Template& kernel, const Space& bound_space, const Genome& genome) {
  const auto launches = launches_of(kernel, bound_space, genome);
  return with_values(launches ? entry_of(kernel, *launches->front()) : kernel.entry,
                     values_of(bound_space, genome));
}

std::string render_launch_entry(const Template& kernel, const LaunchModel& launch, const Space& bound_space,
                                const Genome& genome) {
  return with_values(entry_of(kernel, launch), values_of(bound_space, genome));
}

Expected<std::vector<const LaunchModel*>> launches_of(const Template& kernel, const Space& bound_space,
                                                      const Genome& genome) {
  const Environment environment = values_of(bound_space, genome);
  std::vector<const LaunchModel*> launches;
  const auto add = [&](const LaunchModel& launch) -> Expected<void> {
    // Within a loop it may name what has no value yet: each turn is decided then.
    const bool later = launch.when && std::ranges::any_of(launch.when->names(), [&](const auto& name) {
                         return !environment.contains(name);
                       });
    if (launch.when && (launch.loops.empty() || !later)) {
      const auto wanted = launch.when->evaluate_integer(environment);
      if (!wanted) return tl::make_unexpected(wanted.error());
      if (*wanted == 0) return {};
    }
    launches.push_back(&launch);
    return {};
  };
  if (auto added = add(kernel.launch); !added) return tl::make_unexpected(added.error());
  for (const LaunchModel& later : kernel.later_launches) {
    if (auto added = add(later); !added) return tl::make_unexpected(added.error());
  }
  if (launches.empty()) {
    const Expression& first = *kernel.launch.when;
    return tl::make_unexpected(
        Error{fmt::format("no launch is left: the condition of each of them is false, as '{}'", first.text()),
              first.file(), first.line(), 0});
  }
  return launches;
}

std::vector<std::string> render_entries(const Template& kernel, const Space& bound_space,
                                        const Genome& genome) {
  const auto launches = launches_of(kernel, bound_space, genome);
  if (!launches) return {};
  const Environment environment = values_of(bound_space, genome);
  std::vector<std::string> names;
  for (const LaunchModel* launch : *launches) {
    std::string name = with_values(entry_of(kernel, *launch), environment);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Expected<std::int64_t> predicted_static_smem(const Template& kernel, const Space& bound_space,
                                             const Genome& genome) {
  const auto launches = launches_of(kernel, bound_space, genome);
  if (!launches) return tl::make_unexpected(launches.error());
  return launches->front()->static_smem.evaluate_integer(values_of(bound_space, genome));
}

Expected<std::vector<std::optional<std::int64_t>>> predicted_static_smem_of_all(const Template& kernel,
                                                                                const Space& bound_space,
                                                                                const Genome& genome) {
  const auto launches = launches_of(kernel, bound_space, genome);
  if (!launches) return tl::make_unexpected(launches.error());
  const Environment environment = values_of(bound_space, genome);
  const std::vector<std::string> names = render_entries(kernel, bound_space, genome);
  std::vector<std::optional<std::int64_t>> bytes(names.size(), 0);
  for (const LaunchModel* launch : *launches) {
    const auto predicted = launch->static_smem.evaluate_integer(environment);
    if (!predicted) return tl::make_unexpected(predicted.error());
    const auto name =
        std::find(names.begin(), names.end(), with_values(entry_of(kernel, *launch), environment));
    std::optional<std::int64_t>& most = bytes[static_cast<std::size_t>(name - names.begin())];
    if (launch->static_smem_open) most.reset();
    if (most) most = std::max(*most, *predicted);
  }
  return bytes;
}

}  // namespace evo::model
