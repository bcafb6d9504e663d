#include "model/fill.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/variant.hpp"

namespace evo::model {
namespace {

constexpr std::array<std::string_view, 14> form_names{
    "normal",   "uniform", "integers", "permutation", "offsets",  "sorted", "zipf",
    "constant", "ramp",    "column",   "npy",         "distinct", "ends",   "lengths"};

constexpr double normal_reach = 4;       ///< deviations
constexpr double most_ranks = 16777216;  // 2^24: a table of probabilities is made of them

std::int64_t fill_elements(const BoundArgument& argument) {
  std::int64_t count = 1;
  for (const std::int64_t size : argument.shape) count *= size;
  return count;
}

std::int64_t fill_row(const BoundArgument& argument) {
  return argument.shape.empty() ? 1 : argument.shape.back();
}

Expected<double> fill_number(const Fill::Number& number, const Environment& environment) {
  if (number.number) return *number.number;
  const auto value = number.expression.evaluate_integer(environment);
  if (!value) return tl::make_unexpected(value.error());
  return static_cast<double>(*value);
}

/// What cannot be; empty: nothing.
std::string fill_objection(const BoundFill& fill, const BoundArgument& argument,
                           const std::vector<BoundArgument>& all) {
  const DTypeRange range = range_of(argument.dtype);
  const auto within = [&](double low, double high) {
    if (low > high) return fmt::format("{} is above {}", low, high);
    if (low < range.low || high > range.high)
      return fmt::format("[{}, {}] is more than {} holds ({} to {})", low, high, name_of(argument.dtype),
                         range.low, range.high);
    return std::string();
  };
  switch (fill.form) {
    case FillForm::normal:
      return fill.b < 0 ? fmt::format("a deviation of {} is below 0", fill.b) : "";
    case FillForm::integers:
      if (fill.a != std::floor(fill.a) || fill.b != std::floor(fill.b))
        return fmt::format("{} and {} are not both integers", fill.a, fill.b);
      return within(fill.a, fill.b);
    case FillForm::distinct:
      if (fill.a != std::floor(fill.a) || fill.b != std::floor(fill.b))
        return fmt::format("{} and {} are not both integers", fill.a, fill.b);
      if (const auto count = static_cast<double>(fill_elements(argument)); fill.b - fill.a + 1 < count)
        return fmt::format("of [{}, {}] there are fewer than the {} elements of the array", fill.a, fill.b,
                           count);
      return within(fill.a, fill.b);
    case FillForm::uniform:
    case FillForm::sorted:
      return within(fill.a, fill.b);
    case FillForm::permutation: {
      const std::int64_t whole = fill_elements(argument), row = fill_row(argument);
      const auto n = static_cast<double>(whole);
      if (fill.a != n && fill.a != static_cast<double>(row))
        return fmt::format("a permutation of {} numbers; the array has {} elements, a row {}", fill.a, whole,
                           row);
      return within(0, std::max(fill.a - 1, 0.0));
    }
    case FillForm::offsets:
      if (fill.a > 0 && fill_row(argument) < 2)
        return fmt::format("a row of {} cannot go from 0 to {}", fill_row(argument), fill.a);
      if (fill.b < 0 || fill.b != std::floor(fill.b))
        return fmt::format("rows of at least {}: no number of elements", fill.b);
      if (const auto rows = static_cast<double>(fill_row(argument) - 1); fill.b * rows > fill.a)
        return fmt::format("{} rows of at least {} are more than {}", rows, fill.b, fill.a);
      return within(0, fill.a);
    case FillForm::zipf:
      if (!(fill.a >= 1 && fill.a <= most_ranks) || !(fill.b > 0))
        return fmt::format("{} numbers with the exponent {}: at least 1, at most {}, with one above 0",
                           fill.a, fill.b, most_ranks);
      return within(0, fill.a - 1);
    case FillForm::constant:
      return within(fill.a, fill.a);
    case FillForm::ramp: {
      const double last =
          fill.a + fill.b * static_cast<double>(std::max<std::int64_t>(fill_elements(argument), 1) - 1);
      return within(std::min(fill.a, last), std::max(fill.a, last));
    }
    case FillForm::column: {
      const BoundArgument& other = all.at(fill.argument);
      const std::int64_t columns = fill_row(other);
      if (!(fill.a >= 0 && fill.a < static_cast<double>(columns)))
        return fmt::format("{} has the columns 0 to {}, not {}", other.name, columns - 1, fill.a);
      if (fill_elements(argument) * columns != fill_elements(other))
        return fmt::format("a column of {} has {} elements, {} has {}", other.name,
                           fill_elements(other) / columns, argument.name, fill_elements(argument));
      return "";
    }
    case FillForm::ends:
    case FillForm::lengths: {
      const BoundArgument& begins = all.at(fill.argument);
      if (fill_elements(argument) != fill_elements(begins))
        return fmt::format("{} begins {} rows, {} has {} elements", begins.name, fill_elements(begins),
                           argument.name, fill_elements(argument));
      // What has no such fill holds any numbers.
      const auto& from = begins.fill;
      const bool known =
          from && (from->has_range() || from->form == FillForm::sorted || from->form == FillForm::distinct);
      if (known && (from->low() < 0 || from->high() > fill.a))
        return fmt::format("{} holds {} to {}, and rows begin within 0 to {}", begins.name, from->low(),
                           from->high(), fill.a);
      return within(0, fill.a);
    }
    case FillForm::npy:
      if (fill.recording->shape.size() != argument.shape.size())
        return fmt::format("the file's array has {} dimensions ([{}]), the argument {}",
                           fill.recording->shape.size(), fmt::join(fill.recording->shape, ", "),
                           argument.shape.size());
      return "";
  }
  return "";
}

Expected<BoundFill> bind_fill(const Fill& fill, std::size_t index, const Environment& environment,
                              const std::vector<BoundArgument>& all) {
  BoundFill bound;
  bound.form = fill.form;
  bound.argument = fill.argument;
  bound.recording = fill.recording;
  if (fill.recording) bound.recorded = fill.recording->name;
  for (std::size_t i = 0; i < fill.numbers.size(); ++i) {
    const auto value = fill_number(fill.numbers[i], environment);
    if (!value) return tl::make_unexpected(value.error());
    (i == 0 ? bound.a : bound.b) = *value;
  }
  if (const std::string wrong = fill_objection(bound, all[index], all); !wrong.empty()) {
    return tl::make_unexpected(
        Error{fmt::format("fill of {} ({}): {}", all[index].name,
                          fill_form_names()[static_cast<std::size_t>(fill.form)], wrong),
              fill.file, fill.line, 0});
  }
  return bound;
}

}  // namespace

bool follows_another(FillForm form) {
  return form == FillForm::column || form == FillForm::ends || form == FillForm::lengths;
}

std::span<const std::string_view> fill_form_names() {
  return form_names;
}

bool BoundFill::has_range() const {
  return form == FillForm::normal || form == FillForm::uniform || form == FillForm::integers;
}
double BoundFill::low() const {
  return form == FillForm::normal ? a - normal_reach * b : a;
}
double BoundFill::high() const {
  return form == FillForm::normal ? a + normal_reach * b : b;
}
bool BoundFill::is_fixed() const {
  return form == FillForm::constant || form == FillForm::ramp || form == FillForm::npy;
}

Expected<void> bind_fills(const Problem& problem, const Environment& environment,
                          std::vector<BoundArgument>& arguments) {
  // What hangs on another argument after all others.
  for (const bool follows : {false, true}) {
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      const std::optional<Fill>& fill = problem.arguments[i].fill;
      if (!fill || follows_another(fill->form) != follows) continue;
      auto bound = bind_fill(*fill, i, environment, arguments);
      if (!bound) return tl::make_unexpected(bound.error());
      arguments[i].fill = std::move(*bound);
    }
  }
  for (const InputSet& set : problem.input_sets) {
    for (const auto& [name, fill] : set.fills) {
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name != name) continue;
        auto bound = bind_fill(fill, i, environment, arguments);
        if (!bound) return tl::make_unexpected(bound.error());
        arguments[i].set_fills.insert_or_assign(set.name, std::move(*bound));
      }
    }
  }
  return {};
}

}  // namespace evo::model
