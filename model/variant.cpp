#include "model/variant.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/edits.hpp"
#include "model/hash.hpp"
#include "model/macro_name.hpp"
#include "model/tensor_map.hpp"

namespace evo::model {
namespace {

/// Appends what the template's program writes, or says that it failed.
void generate_source(const Template& kernel, const Environment& values, Variant& variant) {
  if (!kernel.generator) {
    variant.failure = Failure{
        Status::compile_error,
        "source_command",
        {{"error", "nothing here runs the command that makes the source", kernel.source_file, 0, {}}}};
    return;
  }
  Environment named = values;
  for (const char* limit : {"smem_limit", "max_threads", "warp_size"}) named.erase(limit);
  auto source = kernel.generator->generate(named);
  if (source) {
    variant.source += *source;
  } else {
    variant.failure = std::move(source.error());
  }
}

}  // namespace

Environment environment_of(const Space& space, const Genome& genome) {
  Environment environment = space.fixed();
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  return environment;
}

const BoundFill* BoundArgument::fill_in(std::string_view set) const {
  if (const auto own = set_fills.find(set); own != set_fills.end()) return &own->second;
  return fill ? &*fill : nullptr;
}

std::int64_t BoundArgument::extent() const {
  if (role == ArgumentRole::scalar) return 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return 0;
    last += (shape[i] - 1) * strides[i];
  }
  return (last + 1) * slices;
}

BoundArgument BoundArgument::unreduced() const {
  BoundArgument whole = *this;
  whole.reduce = Reduction::none;
  whole.slices = 1;
  if (!combines_slices(reduce)) return whole;
  whole.shape.insert(whole.shape.begin(), slices);
  whole.strides.insert(whole.strides.begin(), extent() / slices);
  return whole;
}

Space bind_space(const Problem& problem, const Template& kernel,
                 const std::map<std::string, std::int64_t, std::less<>>& compile_time_axes,
                 const TargetProfile& target, std::int64_t smem_limit) {
  Environment fixed = kernel.space.fixed();
  for (const Axis& axis : problem.axes) {
    if (!axis.compile_time) continue;
    if (const auto found = compile_time_axes.find(axis.name); found != compile_time_axes.end()) {
      fixed.insert_or_assign(axis.name, found->second);
    } else if (axis.initial) {
      fixed.insert_or_assign(axis.name, *axis.initial);
    }
  }
  const std::int64_t limit = target.smem_per_block_optin;
  fixed.insert_or_assign("smem_limit", smem_limit > 0 ? std::min(smem_limit, limit) : limit);
  fixed.insert_or_assign("max_threads", std::int64_t{target.max_threads_per_block});
  fixed.insert_or_assign("warp_size", std::int64_t{32});
  return Space(kernel.space.genes(), kernel.space.constraints(), std::move(fixed));
}

std::string render_source(const Template& kernel, const Space& bound_space, const Genome& genome) {
  std::string text;
  for (const auto& [name, value] : bound_space.fixed()) {
    // Limits of the target stay out: a source must not depend on where it runs.
    if (name == "smem_limit" || name == "max_threads" || name == "warp_size") continue;
    text += fmt::format("#define {} {}\n", macro_name(name), to_string(value));
  }
  for (const Gene& gene : bound_space.genes()) {
    if (!gene.is_macro()) continue;
    const Value& value = genome.at(gene.name);
    if (!gene.symbolic() || gene.real || gene.use == GeneUse::text) {
      text += fmt::format("#define {} {}\n", gene.name, to_string(value));
      continue;
    }
    for (std::size_t i = 0; i < gene.values.size(); ++i) {
      text += fmt::format("#define {}_{} {}\n", gene.name, to_string(gene.values[i]), i);
    }
    text += fmt::format("#define {} {}_{}\n", gene.name, gene.name, to_string(value));
  }
  text += render_defines(kernel, bound_space, genome);
  text += fmt::format("#line 1 \"{}\"\n", kernel.source_file);
  text += kernel.source;
  // What a command writes is edited when it is there.
  return kernel.generator_command.empty() ? edited(std::move(text), genome) : text;
}

namespace {

/// What only templates with several launches, or launches of their own arguments, have.
void add_sequence(const Template& kernel, Hasher& hasher) {
  const auto add = [&](const LaunchModel& launch) {
    if (!launch.entry.empty()) hasher.add("entry").add(launch.entry);
    if (launch.when) hasher.add("when").add(launch.when->text());
    for (const LaunchLoop& loop : launch.loops) {
      hasher.add(fmt::format("repeat {} {}", loop.name, loop.number));
      hasher.add(loop.from.text()).add(loop.to.text()).add(loop.step.text());
    }
    if (launch.arguments) {
      hasher.add("args");
      for (const std::size_t argument : *launch.arguments) hasher.add(fmt::format("{}", argument));
    }
  };
  add(kernel.launch);
  for (const LaunchModel& later : kernel.later_launches) {
    hasher.add("then");
    add(later);
    for (std::size_t i = 0; i < 3; ++i) hasher.add(later.grid[i].text()).add(later.block[i].text());
    hasher.add(later.dynamic_smem.text());
    for (const TensorMapModel& map : later.tensor_maps) hasher.add(text_of(map));
  }
}

}  // namespace

Variant make_variant(const Template& kernel, const Space& bound_space, const Genome& genome) {
  Variant variant;
  variant.template_name = kernel.name;
  variant.genome = genome;
  variant.source = render_source(kernel, bound_space, genome);
  variant.options = compile_options(kernel, genome);
  if (!kernel.generator_command.empty()) {
    generate_source(kernel, environment_of(bound_space, genome), variant);
    variant.source = edited(std::move(variant.source), genome);
  }
  Hasher hasher;
  hasher.add(kernel.name).add(kernel.entry).add(variant.source).add(genome.text());
  for (std::size_t i = 0; i < 3; ++i)
    hasher.add(kernel.launch.grid[i].text()).add(kernel.launch.block[i].text());
  hasher.add(kernel.launch.dynamic_smem.text());
  for (const TensorMapModel& map : kernel.launch.tensor_maps) hasher.add(text_of(map));
  add_sequence(kernel, hasher);
  for (const auto& [name, text] : kernel.headers) hasher.add(name).add(text);
  for (const std::string& option : variant.options) hasher.add(option);
  variant.id = hasher.finish().substr(0, 16);
  return variant;
}

}  // namespace evo::model
