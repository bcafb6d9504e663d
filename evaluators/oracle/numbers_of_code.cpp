// Inputs that hold the numbers that a candidate's code names, and what is next to them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Parameters of the kind `named`.
constexpr std::string_view floating_number = "value", whole_number = "integer", first_number = "first";
/// A draft is a double, which holds whole numbers up to here.
constexpr std::int64_t largest_integer = std::int64_t{1} << 53;
constexpr std::uint64_t few_integers = 24;
/// Of a number: beyond what rounding to 16 bits makes the same of, and still near it.
constexpr double share_beside = 0x1p-8, factor_beyond = 1.5, largest_half = 65504;
/// Of several at once, in FP16.
constexpr double most_of_several = largest_half / 4;

constexpr double most_of_a_small_one = 1024;
/// Short of the largest of FP16 by more than inputs are moved by to see what that changes.
constexpr double most_beyond = 64512;

/// A number, twice, its neighbours in FP32, what is beside it, and, `far`, what is beyond it, as far as FP16
/// has room.
void add_with_neighbours(double value, bool far, std::vector<double>& numbers) {
  const auto single = static_cast<float>(value);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  numbers.insert(numbers.end(), {value, value, std::nextafter(single, infinity),
                                 std::nextafter(single, -infinity), value * (1 - share_beside)});
  // Where it is the largest of FP16, what is beyond would put all of the set out of the question.
  const double above = value * (1 + share_beside);
  if (std::abs(above) <= largest_half || std::abs(value) > largest_half) numbers.push_back(above);
  const double more = value * factor_beyond;
  if (far)
    numbers.push_back(std::abs(value) > largest_half ? more : std::clamp(more, -most_beyond, most_beyond));
}

/// Of those that are named.
bool holds_integers(model::DType dtype) {
  return !is_floating(dtype) && model::size_of(dtype) >= 4;
}

}  // namespace

std::optional<model::InputSet> set_of_numbers(const std::vector<model::Argument>& arguments,
                                              const std::vector<double>& numbers,
                                              const std::vector<std::int64_t>& integers,
                                              const std::vector<double>& first) {
  const auto any = [&](bool floating) {
    return std::ranges::any_of(arguments, [&](const model::Argument& argument) {
      return model::is_given(argument.role) && !argument.fill &&
             (floating ? is_floating(argument.dtype) : holds_integers(argument.dtype));
    });
  };
  model::InputSet set{
      "numbers of the code", std::string(named_kind), {{std::string(undeclared_parameter), 1}}};
  // References are kept by the set's name.
  const auto name = [&](std::string_view what, std::size_t i, double number) {
    set.parameters[fmt::format("{}{}", what, i)] = number;
    set.name += fmt::format("{}{}", set.parameters.size() == 2 ? ": " : ", ", number);
  };
  for (std::size_t i = 0; any(true) && i < numbers.size(); ++i) name(floating_number, i, numbers[i]);
  for (std::size_t i = 0; any(false) && i < integers.size(); ++i) {
    if (std::abs(integers[i]) < largest_integer) name(whole_number, i, static_cast<double>(integers[i]));
  }
  if (set.parameters.size() <= 1) return std::nullopt;
  for (std::size_t i = 0; any(true) && i < first.size(); ++i)
    set.parameters[fmt::format("{}{}", first_number, i)] = first[i];
  return set;
}

std::vector<model::InputSet> sets_of_words(const std::vector<model::Argument>& arguments,
                                           const std::vector<std::int64_t>& integers) {
  std::vector<model::InputSet> sets;
  const bool floating_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && is_floating(argument.dtype);
  });
  if (!floating_output || integers.empty()) return sets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!model::is_given(arguments[i].role) || arguments[i].fill || !may_hold_words(arguments[i].dtype))
      continue;
    model::InputSet set{
        fmt::format("words of the code in {}: {}", arguments[i].name, fmt::join(integers, ", ")),
        std::string(bits_kind),
        {{"argument", static_cast<double>(i)}, {std::string(undeclared_parameter), 1}}};
    for (std::size_t k = 0; k < integers.size(); ++k) {
      if (std::abs(integers[k]) < largest_integer)
        set.parameters[fmt::format("{}{}", whole_number, k)] = static_cast<double>(integers[k]);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

model::Expected<void> put_numbers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                  DraftInputs& draft) {
  model::RandomStream cases({.seed = key.seed,
                             .generation = key.rotation,
                             .slot = 0,
                             .purpose = fmt::format("sizes/{}/{}", set.name, bound.name)});
  // The exponential of what is beyond the largest that it has room for would put all of the set out of the
  // question.
  const bool small = cases.below(2) == 0, far = cases.below(2) == 0;
  std::vector<double> numbers, first, integers;
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(whole_number)) integers.push_back(value);
    if (name.starts_with(floating_number)) add_with_neighbours(value, far, numbers);
    if (name.starts_with(first_number)) add_with_neighbours(value, far, first);
  }
  const auto takes_numbers = [&](const model::BoundArgument& argument) {
    return model::is_given(argument.role) && is_floating(argument.dtype);
  };
  const auto arrays = static_cast<std::size_t>(std::ranges::count_if(bound.arguments, takes_numbers));
  const bool halves = std::ranges::any_of(bound.arguments, [](const model::BoundArgument& argument) {
    return argument.dtype == model::DType::f16;
  });
  // Beside a large number nobody sees what is wrong with a small one: of every second case small ones alone.
  if (small) {
    const auto is_large = [](double value) { return std::abs(value) > most_of_a_small_one; };
    for (std::vector<double>* some : {&numbers, &first}) {
      if (!std::ranges::all_of(*some, is_large)) std::erase_if(*some, is_large);
    }
  }
  const double words_of = set.kind == bits_kind ? parameter(set, "argument", -1) : -1;
  std::size_t array = 0;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::DType dtype = bound.arguments[i].dtype;
    const bool floating = is_floating(dtype);
    if (!model::is_given(bound.arguments[i].role) || (!floating && !holds_integers(dtype))) continue;
    std::vector<double> chosen = numbers;
    if (!floating)
      chosen = words_of == static_cast<double>(i) ? integers_of_type(dtype, integers)
                                                  : integers_that_fit(bound, i, integers, draft[i].size());
    const std::size_t turn = floating ? array++ : 0;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("numbers/{}/{}", set.name, bound.name)});
    for (std::size_t e = 0; !chosen.empty() && e < draft[i].size(); ++e) {
      if (stream.below(floating ? 2 : few_integers) != 0) continue;
      const bool of_first = floating && !first.empty() && stream.below(2) == 0;
      const std::vector<double>& from = of_first ? first : chosen;
      const double number = from[stream.below(from.size())];
      if (floating && halves && std::abs(number) > most_of_several && e % arrays != turn) continue;
      draft[i][e] = number;
    }
  }
  return {};
}

}  // namespace evo::evaluators::oracle
