#include "evaluators/oracle/compared_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::string_view scalar_name = "scalar", number_name = "number";

double as_stored(model::DType dtype, double value) {
  std::array<std::byte, 8> bits{};
  store_element(dtype, value, bits.data());
  return load_element(dtype, bits.data());
}

bool takes(const model::BoundArgument& argument, const model::InputSet& set, double value) {
  if (as_stored(argument.dtype, value) != value) return false;
  const model::BoundFill* fill = argument.fill_in(set.name);
  if (fill == nullptr) return true;
  const bool continuous = fill->form == model::FillForm::normal || fill->form == model::FillForm::uniform;
  return continuous && value >= fill->low() && value <= fill->high();
}

}  // namespace

std::optional<model::InputSet> set_of_compared(const std::vector<model::Argument>& arguments,
                                               const std::set<std::size_t>& scalars,
                                               const std::set<double>& numbers) {
  const bool any = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_given(argument.role) && is_floating(argument.dtype);
  });
  model::InputSet set{
      "equal to what is compared", std::string(compared_kind), {{std::string(undeclared_parameter), 1}}};
  // References are kept by the set's name.
  for (const std::size_t scalar : scalars) {
    if (scalar >= arguments.size() || arguments[scalar].role != model::ArgumentRole::scalar ||
        !is_floating(arguments[scalar].dtype))
      continue;
    set.parameters[fmt::format("{}{}", scalar_name, scalar)] = static_cast<double>(scalar);
    set.name += fmt::format("{}{}", set.parameters.size() == 2 ? ": " : ", ", arguments[scalar].name);
  }
  std::size_t place = 0;
  for (const double number : numbers) {
    set.parameters[fmt::format("{}{}", number_name, place++)] = number;
    set.name += fmt::format("{}{}", set.parameters.size() == 2 ? ": " : ", ", number);
  }
  return any && set.parameters.size() > 1 ? std::optional(std::move(set)) : std::nullopt;
}

std::vector<double> compared_values(const model::Case& bound, const model::InputSet& set) {
  std::set<double> values;
  if (set.kind != compared_kind) return {};
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(number_name)) values.insert(std::abs(value));
    const auto scalar = static_cast<std::size_t>(value);
    if (!name.starts_with(scalar_name) || scalar >= bound.arguments.size()) continue;
    const model::BoundArgument& argument = bound.arguments[scalar];
    values.insert(std::abs(as_stored(argument.dtype, argument.scalar_float)));
  }
  values.erase(0);
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return {values.begin(), values.end()};
}

void put_compared(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                  DraftInputs& draft) {
  constexpr std::uint64_t one_in = 3;
  const std::vector<double> values = compared_values(bound, set);
  for (std::size_t i = 0; !values.empty() && i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype)) continue;
    std::vector<double> fitting;
    for (const double value : values) {
      for (const double either : {value, -value}) {
        if (takes(argument, set, either)) fitting.push_back(either);
      }
    }
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("compared/{}/{}", set.name, bound.name)});
    for (std::size_t e = 0; !fitting.empty() && e < draft[i].size(); ++e) {
      if (stream.below(one_in) == 0) draft[i][e] = fitting[stream.below(fitting.size())];
    }
  }
}

}  // namespace evo::evaluators::oracle
