#include "evaluators/oracle/reaching_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "evaluators/oracle/compared_values.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::string_view threshold_name = "threshold", factor_name = "factor", whole_name = "whole",
                           scalars_name = "scalars";
constexpr std::size_t most_thresholds = 6, most_factors = 4;
constexpr std::array simple_numbers{0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5};
/// Of whoever rounds to integers.
constexpr std::array whole_thresholds{0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5};

/// Numbers with few digits first: what is computed is equal to them more often.
std::vector<double> simplest(const std::set<double>& values, std::size_t most) {
  std::vector<double> all(values.begin(), values.end());
  const auto digits = [](double value) {
    int exponent = 0, count = 0;
    for (double rest = std::frexp(std::abs(value), &exponent); rest != 0 && count < 53; ++count)
      rest = 2 * rest - std::floor(2 * rest);
    return count;
  };
  std::ranges::stable_sort(all, {}, digits);
  if (all.size() > most) all.resize(most);
  return all;
}

/// Both sides of a right triangle, too, where the squares of two are compared with that of a third.
void add_with_sides(double value, std::set<double>& values) {
  values.insert(value);
  for (const double share : {3.0, 4.0}) {
    const double side = value * share / 5;
    if (side * 5 == value * share) values.insert(side);
  }
}

/// By another a right kernel multiplies, or divides by its reciprocal, and rounds on its way.
bool is_power_of_two(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5;
}

struct Wanted {
  std::vector<double> thresholds, factors;
};

Wanted wanted_in(const model::Case& bound, const model::InputSet& set) {
  Wanted wanted;
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(threshold_name)) wanted.thresholds.push_back(value);
    if (name.starts_with(factor_name) && is_power_of_two(value)) wanted.factors.push_back(value);
  }
  if (parameter(set, whole_name, 0) != 0)
    wanted.thresholds.insert(wanted.thresholds.end(), whole_thresholds.begin(), whole_thresholds.end());
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role != model::ArgumentRole::scalar || !is_floating(argument.dtype)) continue;
    const double value = as_stored(argument.dtype, argument.scalar_float);
    if (value == 0 || !std::isfinite(value)) continue;
    if (is_power_of_two(value)) wanted.factors.push_back(value);
    if (parameter(set, scalars_name, 0) == 0) continue;
    wanted.thresholds.push_back(value);
    wanted.thresholds.push_back(value * value);
  }
  return wanted;
}

std::set<double> of_both_signs(const std::set<double>& values) {
  std::set<double> both = values;
  for (const double value : values) both.insert(-value);
  both.erase(0);
  return both;
}

/// Of which one element is enough.
std::set<double> reaching_alone(const Wanted& wanted) {
  std::set<double> values;
  for (const double threshold : wanted.thresholds) {
    values.insert(threshold);
    for (const double factor : wanted.factors) {
      values.insert(threshold / factor);
      values.insert(threshold * factor);
    }
  }
  return of_both_signs(values);
}

/// Of which two or more make a threshold.
std::set<double> reaching_together(const Wanted& wanted) {
  std::set<double> values;
  for (const double threshold : wanted.thresholds) {
    add_with_sides(threshold, values);
    for (const double other : {threshold / 2, 2 * threshold, threshold + 1, threshold - 1, 1 - threshold})
      values.insert(other);
    const double root = std::sqrt(std::abs(threshold));
    if (root * root == std::abs(threshold)) add_with_sides(root, values);
  }
  return of_both_signs(values);
}

/// What a stretch of elements is made of.
enum class Texture : std::uint8_t { dense, simple, sparse, constant };
constexpr std::array textures{Texture::dense, Texture::simple, Texture::sparse, Texture::sparse,
                              Texture::constant};

}  // namespace

std::optional<model::InputSet> set_of_reaching(const std::vector<model::Argument>& arguments,
                                               const ReachedValues& reached) {
  const bool any = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_given(argument.role) && is_floating(argument.dtype);
  });
  const bool kept = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return argument.role == model::ArgumentRole::workspace;
  });
  if (!any || kept || (reached.thresholds.empty() && !reached.whole && !reached.scalars)) return std::nullopt;
  model::InputSet set{"what is compared is reached",
                      std::string(reaching_kind),
                      {{std::string(undeclared_parameter), 1},
                       {std::string(whole_name), reached.whole ? 1 : 0},
                       {std::string(scalars_name), reached.scalars ? 1 : 0}}};
  // References are kept by the set's name.
  std::string text;
  const auto add = [&](std::string_view name, const std::set<double>& values, std::size_t most) {
    std::size_t place = 0;
    for (const double value : simplest(values, most)) {
      set.parameters[fmt::format("{}{}", name, place++)] = value;
      text += fmt::format("{}{}{}", text.empty() ? ": " : ", ", name == factor_name ? "times " : "", value);
    }
  };
  add(threshold_name, reached.thresholds, most_thresholds);
  add(factor_name, reached.factors, most_factors);
  if (reached.whole) text += text.empty() ? ": integers" : ", integers";
  if (reached.scalars) text += text.empty() ? ": scalars" : ", scalars";
  set.name += text;
  return set;
}

void put_reaching(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  if (set.kind != reaching_kind) return;
  const Wanted wanted = wanted_in(bound, set);
  const std::set<double> all_alone = reaching_alone(wanted), all_together = reaching_together(wanted);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    const auto fits = [&](double value) { return takes_number(argument, set, value); };
    std::vector<double> alone, together, simple;
    std::ranges::copy_if(all_alone, std::back_inserter(alone), fits);
    std::ranges::copy_if(all_together, std::back_inserter(together), fits);
    std::ranges::copy_if(simple_numbers, std::back_inserter(simple), fits);
    if (alone.empty() || together.empty() || simple.empty()) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("reaching/{}/{}", set.name, bound.name)});
    const auto one_of = [&](const std::vector<double>& from) { return from[stream.below(from.size())]; };
    std::vector<double>& array = draft[i];
    for (std::size_t e = 0; e < array.size();) {
      constexpr std::uint64_t lengths = 9;  // powers of two
      const std::size_t power = std::size_t{1} << stream.below(lengths);
      const std::size_t end = std::min(array.size(), e + power + stream.below(power));
      const Texture texture = textures[stream.below(textures.size())];
      const std::uint64_t one_in = std::uint64_t{4} << stream.below(4);
      const double constant = one_of(alone);
      for (; e < end; ++e) {
        const bool zero = texture == Texture::sparse && stream.below(one_in) != 0;
        if (texture == Texture::constant || zero) {
          array[e] = zero ? 0 : constant;
          continue;
        }
        const std::uint64_t kind = texture == Texture::simple ? 3 : stream.below(4);
        array[e] = one_of(kind == 0 ? together : kind == 1 ? alone : simple);
      }
    }
  }
  copy_columns(bound, set, draft);  // of what was put there
}

}  // namespace evo::evaluators::oracle
