#include "evaluators/oracle/matching.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "model/dtype.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Stretches are at most so long, and at most twice the array that they are taken from.
constexpr std::size_t most_compared = 128, few_values = 4;
/// Three times: one in so many is a neighbour, one has another bit, and one of 64 bits another low word.
constexpr std::uint64_t one_in_a_near_miss = 24;

/// Mostly itself; now and then its neighbour, or what differs from it in one bit: who compares some of the
/// bits, in another type or with an epsilon takes these for equal.
double nearly(double value, model::DType dtype, model::RandomStream& stream) {
  const std::uint64_t way = stream.below(one_in_a_near_miss), bit = stream.below(52);
  if (way > 2) return value;
  if (model::is_floating(dtype)) {
    // From the next number to what differs in the first half of its digits.
    const std::uint64_t most = model::size_of(dtype) < 4 ? 2 : 11;
    const double units = std::ldexp(way == 0 ? -1.0 : 1.0, static_cast<int>(bit % most));
    return value * (1 + units * unit_in_last_place(dtype));
  }
  if (way == 2) {
    if (!is_long_integer(dtype) || std::abs(value) >= 0x1p53) return value;
    return std::floor(value / 0x1p32) * 0x1p32 + static_cast<double>(stream.next_u32());
  }
  const auto [least, greatest] = model::range_of(dtype);
  const auto bits = 8 * static_cast<std::uint64_t>(model::size_of(dtype));
  const double step = way == 0 ? 1 : std::ldexp(1.0, static_cast<int>(bit % bits));
  const double other = std::fmod(std::floor(std::abs(value) / step), 2) == 0 ? value + step : value - step;
  return std::abs(value) < 0x1p53 && other >= least && other <= greatest ? other : value;
}

void take_stretches(const std::vector<double>& from, const model::BoundFill* fill, model::DType dtype,
                    model::RandomStream& stream, std::vector<double>& values) {
  // Several of them, so that half of them is not none.
  const std::size_t longest =
      std::min({most_compared, 2 * from.size(), std::max(few_values, values.size() / 8)});
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t length = 1 + stream.below(longest), end = std::min(at + length, values.size());
    const bool taken = stream.below(2) == 0;
    // From its beginning, from anywhere, or from the same place: who compares element by element.
    const std::uint64_t way = stream.below(3);
    std::size_t place = way == 0 ? 0 : way == 1 ? stream.below(from.size()) : at % from.size();
    for (; at < end; ++at, place = (place + 1) % from.size()) {
      const double value = nearly(from[place], dtype, stream);
      if (taken && (fill == nullptr || (value >= fill->low() && value <= fill->high()))) values[at] = value;
    }
  }
}

/// Numbers of a table in order, about half of them the one before: what begins and what ends among equals is
/// another place then.
void repeat_some(const model::BoundArgument& argument, model::RandomStream& stream,
                 std::vector<double>& values) {
  const std::size_t columns =
      argument.shape.empty() ? 1 : std::max<std::size_t>(static_cast<std::size_t>(argument.shape.back()), 1);
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (stream.below(2) == 0 && e % columns != 0) values[e] = values[e - 1];
  }
}

/// May such an argument hold what another one does?
bool takes_any(model::DType dtype, std::optional<model::FillForm> form) {
  if (!form || form == model::FillForm::integers) return true;
  return model::is_floating(dtype) && (form == model::FillForm::normal || form == model::FillForm::uniform);
}

/// Are they drawn one by one, or in order?
bool has_numbers(std::optional<model::FillForm> form) {
  return !form || form == model::FillForm::integers || form == model::FillForm::sorted ||
         form == model::FillForm::normal || form == model::FillForm::uniform;
}

}  // namespace

bool may_match(const std::vector<model::Argument>& arguments) {
  // What is equal as a floating-point number decides where something is counted or found: also in a table
  // that is in order.
  const bool whole_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && !model::is_floating(argument.dtype);
  });
  const auto given = [](const model::Argument& argument) {
    return model::is_given(argument.role) && argument.dtype != model::DType::boolean;
  };
  const auto form = [](const model::Argument& argument) {
    return argument.fill ? std::optional(argument.fill->form) : std::nullopt;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (i != j && given(arguments[i]) && given(arguments[j]) && arguments[i].dtype == arguments[j].dtype &&
          takes_any(arguments[i].dtype, form(arguments[i])) && has_numbers(form(arguments[j])) &&
          (whole_output || !model::is_floating(arguments[i].dtype) ||
           form(arguments[j]) == model::FillForm::sorted))
        return true;
    }
  }
  return false;
}

void match_integers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                    DraftInputs& draft) {
  const auto given = [&](std::size_t i) {
    const model::BoundArgument& argument = bound.arguments[i];
    return model::is_given(argument.role) && argument.dtype != model::DType::boolean && !draft[i].empty();
  };
  const auto form = [&](std::size_t i) {
    const model::BoundFill* fill = bound.arguments[i].fill_in(set.name);
    return fill == nullptr ? std::nullopt : std::optional(fill->form);
  };
  const auto ordered = [&](std::size_t i) { return form(i) == model::FillForm::sorted; };
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!given(i) || !ordered(i)) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("repeated/{}", bound.name)});
    repeat_some(bound.arguments[i], stream, draft[i]);
  }
  const DraftInputs before = draft;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!given(i) || !takes_any(bound.arguments[i].dtype, form(i))) continue;
    for (std::size_t other = 0; other < draft.size(); ++other) {
      const std::size_t size = before[other].size(), own = before[i].size();
      if (other == i || !given(other) || !has_numbers(form(other)) ||
          bound.arguments[other].dtype != bound.arguments[i].dtype)
        continue;
      // One that is in order gives, and takes nothing.
      if (!ordered(other) && (size > own || (size == own && other > i))) continue;
      const std::string purpose = fmt::format("matches/{}/{}", bound.name, other);
      model::RandomStream stream(
          {.seed = key.seed, .generation = key.rotation, .slot = i, .purpose = purpose});
      take_stretches(before[other], bound.arguments[i].fill_in(set.name), bound.arguments[i].dtype, stream,
                     draft[i]);
      break;
    }
  }
}

}  // namespace evo::evaluators::oracle
