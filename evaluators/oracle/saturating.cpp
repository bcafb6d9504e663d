#include "evaluators/oracle/saturating.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// What may lie between an input and what is narrowed: nothing, or a scale that is multiplied with or divided
/// by.
std::vector<double> factors_of(const model::Case& bound) {
  std::vector<double> factors{1};
  for (const model::BoundArgument& argument : bound.arguments) {
    const double scale = std::abs(argument.scalar_float);
    if (argument.role != model::ArgumentRole::scalar || !is_floating(argument.dtype)) continue;
    if (!(scale > 0x1p-20 && scale < 0x1p20) || scale == 1) continue;
    factors.push_back(1 / scale);
    factors.push_back(scale);
  }
  return factors;
}

/// At the largest number, next above it, where the rounding leaves it (and next to that), a little below and
/// above, and far above.
double near_the_limit(double limit, double tie, double unit, model::RandomStream& stream) {
  constexpr std::array<double, 3> off{0, 1, -1};
  const double units = off[stream.below(off.size())];
  const auto beside = [&](double value) { return value + std::ldexp(units * unit, std::ilogb(value)); };
  switch (stream.below(6)) {
    case 0:
      return beside(limit);
    case 1:
      return beside(tie);
    case 2:
      return limit + (2 * tie - 2 * limit) * stream.uniform();
    case 3:
      return limit * (0.75 + 0.25 * stream.uniform());
    case 4:
      return std::ldexp(limit * (1 + stream.uniform()), static_cast<int>(stream.below(12)));
    default:
      return std::ldexp(limit * (1 + stream.uniform()), -1 - static_cast<int>(stream.below(8)));
  }
}

}  // namespace

std::vector<model::InputSet> sets_of_saturation(const std::vector<model::Argument>& arguments,
                                                const std::vector<std::size_t>& inputs) {
  std::vector<model::InputSet> sets;
  std::vector<model::DType> types;
  for (const model::Argument& argument : arguments) {
    const bool narrow =
        model::is_judged(argument.role) && is_floating(argument.dtype) && model::size_of(argument.dtype) == 1;
    if (narrow && std::ranges::find(types, argument.dtype) == types.end()) types.push_back(argument.dtype);
  }
  for (const model::DType type : types) {
    const double limit = model::range_of(type).high;
    for (const std::size_t input : inputs) {
      sets.push_back({fmt::format("{} of {} at {}", saturating_kind, arguments[input].name, limit),
                      std::string(saturating_kind),
                      {{"argument", static_cast<double>(input)},
                       {"limit", limit},
                       {"tie", limit + half_ulp(type, limit)},
                       {std::string(undeclared_parameter), 1}}});
    }
  }
  return sets;
}

model::Expected<void> saturate_inputs(const model::Case& bound, const model::InputSet& set,
                                      const InputKey& key, DraftInputs& draft) {
  const double named = parameter(set, "argument", -1), limit = parameter(set, "limit", 448);
  const double tie = parameter(set, "tie", limit * 29 / 28);
  const std::vector<double> factors = factors_of(bound);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    if (named >= 0 && static_cast<std::size_t>(named) != i) continue;
    const double most = model::range_of(argument.dtype).high / 2, unit = unit_in_last_place(argument.dtype);
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("pattern/{}/{}", set.name, bound.name)});
    for (double& value : draft[i]) {
      const double size = near_the_limit(limit, tie, unit, stream) * factors[stream.below(factors.size())];
      value = std::copysign(std::min(size, most), value);
    }
  }
  return {};
}

std::vector<model::InputSet> sets_of_brims(const std::vector<model::Argument>& arguments,
                                           const std::vector<std::size_t>& inputs) {
  std::vector<model::InputSet> sets;
  const bool halves = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && argument.dtype == model::DType::f16;
  });
  for (const std::size_t input : inputs) {
    if (!halves || arguments[input].dtype != model::DType::f16) continue;
    sets.push_back({fmt::format("{} of {}", brimming_kind, arguments[input].name),
                    std::string(brimming_kind),
                    {{"argument", static_cast<double>(input)}, {std::string(undeclared_parameter), 1}}});
  }
  return sets;
}

/// One element in so many is near the end: a kernel may add two neighbours, of a row or a column, before it
/// halves them.
constexpr std::size_t lone_brim = 61;

model::Expected<void> brim_inputs(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                  DraftInputs& draft) {
  constexpr std::array<double, 6> plain{0, 0.5, 1, 1, -0.5, -1};
  // What is added to it has room, and so have inputs that are moved a little (conditioning.hpp).
  constexpr double least_share = 0.5, near_share = 0.93, most_share = 0.996;
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    if (argument.fill_in(set.name) != nullptr) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("pattern/{}/{}", set.name, bound.name)});
    const bool full = named < 0 || static_cast<std::size_t>(named) == i;
    const double most = model::range_of(argument.dtype).high;
    const std::size_t apart = std::max<std::size_t>(1, std::min(lone_brim, draft[i].size()));
    for (std::size_t e = 0; e < draft[i].size(); ++e) {
      const double least = stream.below(2) == 0 ? least_share : near_share;
      const double share = least + (most_share - least) * stream.uniform();
      const bool at_brim = full && e % apart == apart / 2;
      draft[i][e] = at_brim ? std::copysign(share * most, draft[i][e]) : plain[stream.below(plain.size())];
    }
  }
  return {};
}

bool reaches_the_brim(const model::Case& bound, const Reference& reference) {
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& output = bound.arguments[i];
    if (!model::is_judged(output.role) || output.dtype != model::DType::f16) continue;
    const double near = model::range_of(output.dtype).high * 15 / 16;
    if (std::ranges::any_of(reference.outputs[i], [&](double value) { return std::abs(value) >= near; }))
      return true;
  }
  return false;
}

}  // namespace evo::evaluators::oracle
