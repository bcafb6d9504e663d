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

/// Numbers of one grid: all are whole multiples of a unit, and few. Sums of some thousand products of two are
/// exact in float then, in any order, and correct kernels agree about them.
class Grid {
 public:
  /// Only if all that is there and this one lie on such a grid.
  void insert(double value) {
    if (value == 0 || !std::isfinite(value)) return;
    double unit = 1;
    while (std::abs(value) / unit != std::floor(std::abs(value) / unit) && unit > least_unit) unit /= 2;
    while (std::fmod(std::abs(value), 2 * unit) == 0) unit *= 2;
    const double finest = std::min(unit, unit_), most = std::max(std::abs(value), most_);
    if (std::fmod(std::abs(value), finest) != 0 || most / finest > most_units) return;
    unit_ = finest;
    most_ = most;
    values_.insert({value, -value});
  }
  /// And 3 and 4 fifths of it, whose squares add up to its own.
  void insert_with_sides(double value) {
    insert(value);
    for (const double share : {3.0, 4.0}) {
      const double side = value * share / 5;
      if (side * 5 == value * share) insert(side);
    }
  }
  [[nodiscard]] const std::set<double>& values() const { return values_; }

 private:
  static constexpr double least_unit = 0x1p-12, most_units = 512;
  // As simple_numbers have it.
  double unit_ = 0.5, most_ = 2;
  std::set<double> values_;
};

/// Alone, and 0, which every grid has.
bool lies_on_a_grid(double value) {
  Grid grid;
  grid.insert(value);
  return value == 0 || !grid.values().empty();
}

/// By another a correct kernel multiplies, or divides by its reciprocal, and rounds on its way.
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

struct Reaching {
  std::vector<double> alone;     ///< one element is enough
  std::vector<double> together;  ///< two or more make a threshold
};

Reaching reaching_values(const Wanted& wanted) {
  Grid grid;
  for (const double threshold : wanted.thresholds) grid.insert(threshold);
  // What does not lie on the grid has no part in what follows.
  std::vector<double> thresholds;
  std::ranges::copy_if(wanted.thresholds, std::back_inserter(thresholds),
                       [&](double threshold) { return grid.values().contains(threshold); });
  for (const double threshold : thresholds) {
    for (const double factor : wanted.factors) {
      grid.insert(threshold / factor);
      grid.insert(threshold * factor);
    }
  }
  Reaching reaching;
  reaching.alone.assign(grid.values().begin(), grid.values().end());
  for (const double threshold : thresholds) {
    grid.insert_with_sides(threshold);
    for (const double other : {threshold / 2, 2 * threshold, threshold + 1, threshold - 1, 1 - threshold})
      grid.insert(other);
    const double root = std::sqrt(std::abs(threshold));
    if (root * root == std::abs(threshold)) grid.insert_with_sides(root);
  }
  reaching.together.assign(grid.values().begin(), grid.values().end());
  return reaching;
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
  // Those that lie on no grid have no part in it, and must not take the place of those that do.
  std::set<double> thresholds;
  std::ranges::copy_if(reached.thresholds, std::inserter(thresholds, thresholds.end()), lies_on_a_grid);
  if (!any || kept || (thresholds.empty() && !reached.whole && !reached.scalars)) return std::nullopt;
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
  add(threshold_name, thresholds, most_thresholds);
  add(factor_name, reached.factors, most_factors);
  if (reached.whole) text += text.empty() ? ": integers" : ", integers";
  if (reached.scalars) text += text.empty() ? ": scalars" : ", scalars";
  set.name += text;
  return set;
}

void put_reaching(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  if (set.kind != reaching_kind) return;
  const Reaching reaching = reaching_values(wanted_in(bound, set));
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    const auto fits = [&](double value) { return takes_number(argument, set, value); };
    std::vector<double> alone, together, simple;
    std::ranges::copy_if(reaching.alone, std::back_inserter(alone), fits);
    std::ranges::copy_if(reaching.together, std::back_inserter(together), fits);
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
    // Of nothing but zeros whatever scalars make of them may be the same, and tells nothing of those.
    if (std::ranges::all_of(array, [](double value) { return value == 0; }) && !array.empty())
      array[stream.below(array.size())] = one_of(alone);
  }
  follow_others(bound, set, draft);  // of what was put there
}

}  // namespace evo::evaluators::oracle
