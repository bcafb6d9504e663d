#include "evaluators/oracle/compared_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::string_view scalar_name = "scalar", opposite_name = "opposite", number_name = "number",
                           off_name = "off_by";
/// Times off_by, in units in the last place: up to what random numbers meet by themselves.
constexpr std::array units_off{1, 2, 5, 14, 40, 120, 400};

/// The numbers themselves.
std::set<double> exact_values(const model::Case& bound, const model::InputSet& set) {
  std::set<double> values;
  if (set.kind != compared_kind) return values;
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(number_name)) values.insert(value);
    const bool opposite = name.starts_with(opposite_name);
    if (!opposite && !name.starts_with(scalar_name)) continue;
    const auto scalar = static_cast<std::size_t>(value);
    if (scalar >= bound.arguments.size()) continue;
    const model::BoundArgument& argument = bound.arguments[scalar];
    const double stored = as_stored(argument.dtype, argument.scalar_float);
    values.insert(opposite ? -stored : stored);
  }
  values.erase(0);
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

std::set<double> as_set(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// What is off `value` by a few units in the last place of `dtype`, below and above; nothing where the type
/// does not hold the value itself.
std::vector<double> neighbours(model::DType dtype, const model::InputSet& set, double value) {
  std::vector<double> all;
  if (as_stored(dtype, value) != value) return all;
  const double least = parameter(set, off_name, 1) * unit_in_last_place(dtype);
  for (const int step : units_off) {
    // Beyond that it is another number.
    constexpr double most = 1.0 / 64;
    const double share = least * step;
    if (share > most) break;
    for (const double sign : {1.0, -1.0}) {
      // Of a number below a power of two a unit is half of the type's share.
      const double other = as_stored(dtype, value * (1 + sign * share));
      if (other != value && std::isfinite(other)) all.push_back(other);
    }
  }
  return all;
}

}  // namespace

double as_stored(model::DType dtype, double value) {
  std::array<std::byte, 8> bits{};
  store_element(dtype, value, bits.data());
  return load_element(dtype, bits.data());
}

bool takes_number(const model::BoundArgument& argument, const model::InputSet& set, double value) {
  if (as_stored(argument.dtype, value) != value) return false;
  const model::BoundFill* fill = argument.fill_in(set.name);
  if (fill == nullptr) return true;
  const bool continuous = fill->form == model::FillForm::normal || fill->form == model::FillForm::uniform;
  return continuous && value >= fill->low() && value <= fill->high();
}

std::optional<model::InputSet> set_of_compared(const std::vector<model::Argument>& arguments,
                                               const ComparedWith& with) {
  // Larger ones stand for infinity: what is computed of them leaves its type, and the set is passed over.
  constexpr double most_of_a_number = 0x1p20;
  constexpr std::size_t most_numbers = 8;
  const bool any = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_given(argument.role) && is_floating(argument.dtype);
  });
  // What was kept there may have been computed.
  const bool kept = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return argument.role == model::ArgumentRole::workspace;
  });
  const bool near = with.off_by > 1;
  model::InputSet set{near ? "near what is compared" : "equal to what is compared",
                      std::string(compared_kind),
                      {{std::string(undeclared_parameter), 1}, {std::string(off_name), with.off_by}}};
  // References are kept by the set's name.
  const auto add = [&](std::string_view what, std::size_t place, double value, const std::string& text) {
    set.parameters[fmt::format("{}{}", what, place)] = value;
    set.name += fmt::format("{}{}", set.parameters.size() == 3 ? ": " : ", ", text);
  };
  const auto add_scalars = [&](const std::set<std::size_t>& scalars, std::string_view what,
                               const char* sign) {
    for (const std::size_t scalar : scalars) {
      if (scalar < arguments.size() && arguments[scalar].role == model::ArgumentRole::scalar &&
          is_floating(arguments[scalar].dtype))
        add(what, scalar, static_cast<double>(scalar), sign + arguments[scalar].name);
    }
  };
  add_scalars(with.scalars, scalar_name, "");
  add_scalars(with.opposites, opposite_name, "-");
  std::size_t place = 0;
  for (const double number : with.numbers) {
    if (std::abs(number) > most_of_a_number || place == most_numbers) continue;
    add(number_name, place++, number, fmt::format("{}", number));
  }
  return any && !kept && set.parameters.size() > 2 ? std::optional(std::move(set)) : std::nullopt;
}

std::vector<double> compared_values(const model::Case& bound, const model::InputSet& set) {
  std::set<double> values = exact_values(bound, set);
  std::set<model::DType> types;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (model::is_given(argument.role) && is_floating(argument.dtype)) types.insert(argument.dtype);
  }
  std::set<double> beside;
  for (const model::DType type : types) {
    for (const double value : values) beside.merge(as_set(neighbours(type, set, value)));
  }
  values.merge(beside);
  return {values.begin(), values.end()};
}

void put_compared(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  constexpr std::uint64_t one_in = 3;
  const std::set<double> values = exact_values(bound, set);
  const bool exact = parameter(set, off_name, 1) <= 1;
  for (std::size_t i = 0; !values.empty() && i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    const auto fits = [&](double value) { return takes_number(argument, set, value); };
    std::vector<double> fitting, beside;
    if (exact) std::ranges::copy_if(values, std::back_inserter(fitting), fits);
    for (const double value : values)
      std::ranges::copy_if(neighbours(argument.dtype, set, value), std::back_inserter(beside), fits);
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("compared/{}/{}", set.name, bound.name)});
    for (std::size_t e = 0; e < draft[i].size(); ++e) {
      const std::uint64_t way = stream.below(one_in);
      if (way > 1) continue;
      const std::vector<double>& from = way == 0 ? fitting : beside;
      if (!from.empty()) draft[i][e] = from[stream.below(from.size())];
    }
  }
  if (!values.empty()) follow_others(bound, set, draft);  // of what was put there
}

}  // namespace evo::evaluators::oracle
