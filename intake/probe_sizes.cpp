// ProbeRun: the machine, and the sizes of the axes that it looks with.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <span>

#include "intake/probe_run.hpp"
#include "model/target.hpp"

namespace evo::intake {
namespace {

/// No factors of an element, so that each product says what it is one of.
constexpr std::array<std::int64_t, 6> primes{5, 7, 11, 13, 17, 19};
/// Of six axes, whose product is a launch's threads: smaller ones, and another order of them says which of
/// two products is meant.
constexpr std::array<std::int64_t, 6> small_sizes{3, 4, 5, 7, 11, 13};
/// Where the reference takes too long at those: an attention over rows that come 32 at a time.
constexpr std::array<std::int64_t, 6> least_sizes{2, 3, 5, 7, 11, 13};
/// Of seven axes.
constexpr std::array<std::int64_t, 7> many_sizes{2, 3, 4, 5, 7, 11, 13};

/// The other order of sizes. Of many axes the middle one changes its size as well, with its neighbour: at
/// five in both orders it would pass for a number of the code.
std::size_t reversed_place(std::size_t axis, std::size_t axes) {
  const std::size_t middle = axes / 2;
  const bool swaps = axes % 2 == 1 && axes > 4 && (axis == middle || axis == middle + 1);
  if (swaps) axis = axis == middle ? middle + 1 : middle;
  return axes - 1 - axis;
}

model::TargetProfile probe_machine() {
  model::TargetProfile target;
  target.name = "intake";
  target.arch = "sm_80";
  target.compute_major = 8;
  target.max_threads_per_block = 1024;
  target.smem_per_block_optin = 163840;
  target.smem_per_sm = 167936;
  return target;
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What every size of the axis is a multiple of; 1 where nothing was told.
std::int64_t multiple_of(const DraftAxis& axis) {
  for (const auto& [key, value] : axis.keys) {
    if (const auto number = number_in(value); key == "multiple_of" && number) return *number;
  }
  return 1;
}

}  // namespace

ProbeRun::ProbeRun(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale,
                   bool reversed, std::optional<std::size_t> least)
    : draft_(draft), whose_(whose), device_(probe_machine()) {
  if (draft_.axes.empty() || draft_.axes.size() > many_sizes.size()) return;
  bind(scale, reversed, least);
  const auto module = device_.load(artifact);
  if (!module) return;
  module_ = *module;
  ready_ = true;
}

void ProbeRun::bind(std::int64_t scale, bool reversed, std::optional<std::size_t> least) {
  // The least number is of the axis that is a multiple of the most.
  std::vector<std::size_t> order(draft_.axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (draft_.costly) {
    if (reversed) std::ranges::reverse(order);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return multiple_of(draft_.axes[i]); });
    scale = 1;
  }
  for (std::size_t i = 0; i < draft_.axes.size(); ++i) {
    const DraftAxis& axis = draft_.axes[i];
    const bool small = least == i;
    const std::span<const std::int64_t> sizes =
        draft_.axes.size() > primes.size()   ? std::span<const std::int64_t>(many_sizes)
        : draft_.costly                      ? std::span<const std::int64_t>(least_sizes)
        : draft_.axes.size() < primes.size() ? std::span<const std::int64_t>(primes)
                                             : std::span<const std::int64_t>(small_sizes);
    const auto place = static_cast<std::size_t>(std::ranges::find(order, i) - order.begin());
    const std::int64_t prime = small ? 1
                                     : sizes[draft_.costly ? place
                                             : reversed    ? reversed_place(i, draft_.axes.size())
                                                           : i];
    std::int64_t size = small ? 1 : prime * scale;
    for (const auto& [key, value] : axis.keys) {
      const auto multiple = number_in(value);
      if (key == "multiple_of" && multiple && *multiple > 0)
        size = prime * std::lcm(small ? 1 : scale, *multiple);
      if (small && key == "min" && multiple) size = std::max(size, *multiple);
    }
    // A compile-time size is what it was compiled with.
    environment_.insert_or_assign(axis.name, axis.compile_time ? axis.values.front() : size);
  }
  for (const DraftGene& gene : draft_.genes) {
    const auto value = number_in(gene.initial.empty() ? gene.values.front() : gene.initial);
    if (value) environment_.insert_or_assign(gene.name, *value);
  }
}

void ProbeRun::set_sizes(const std::vector<std::int64_t>& sizes) {
  for (std::size_t i = 0; i < draft_.axes.size() && i < sizes.size(); ++i) {
    if (!draft_.axes[i].compile_time) environment_.insert_or_assign(draft_.axes[i].name, sizes[i]);
  }
}

void ProbeRun::step_sizes(const std::vector<std::int64_t>& times) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < draft_.axes.size(); ++i)
    sizes.push_back(*value_of(draft_.axes[i].name) + times[i] * multiple_of(draft_.axes[i]));
  set_sizes(sizes);
}

std::optional<std::int64_t> ProbeRun::value_of(const std::string& text) const {
  const auto expression = model::Expression::parse(text);
  if (!expression) return std::nullopt;
  const auto value = expression->evaluate_integer(environment_);
  if (!value) return std::nullopt;
  return *value;
}

std::optional<std::int64_t> ProbeRun::elements_of(const std::vector<std::string>& shape) const {
  std::int64_t elements = 1;
  for (const std::string& size : shape) {
    const auto value = value_of(size);
    if (!value || *value < 0) return std::nullopt;
    elements *= *value;
  }
  return elements;
}

}  // namespace evo::intake
