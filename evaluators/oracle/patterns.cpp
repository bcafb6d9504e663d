#include "evaluators/oracle/patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "model/random.hpp"

namespace evo::evaluators::oracle {
namespace {

/// exp(88.7) is the largest that FP32 holds, and exp(11) that FP16 does: a maximum that is stale by this much
/// overflows in both.
constexpr double height = 120;

/// Row-major sizes of an argument's last two dimensions; a vector is one row.
struct Matrix {
  explicit Matrix(const model::BoundArgument& argument) {
    const auto& shape = argument.shape;
    columns = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
    rows = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]);
  }
  [[nodiscard]] std::size_t row(std::size_t element) const { return element / columns % rows; }
  [[nodiscard]] std::size_t column(std::size_t element) const { return element % columns; }
  std::size_t rows, columns;
};

double share(std::size_t index, std::size_t count) {
  return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0;
}

void ramp(const model::BoundArgument& argument, std::vector<double>& values, double sign) {
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double place = share(matrix.row(e), matrix.rows) + share(matrix.column(e), matrix.columns);
    values[e] += sign * height * (place - 1);
  }
}

/// The spike stands in one row and in one column, so that every row and every column meets it once.
void spike(const model::BoundArgument& argument, std::vector<double>& values, bool last) {
  const Matrix matrix(argument);
  const std::size_t row = last ? matrix.rows - 1 : 0, column = last ? matrix.columns - 1 : 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if ((matrix.rows > 1 && matrix.row(e) == row) || matrix.column(e) == column) values[e] += height;
  }
}

/// Powers of two, so that nothing is rounded. Times normal numbers these stay within the type's range in sums
/// of products.
double large_factor(model::DType dtype) {
  return dtype == model::DType::f16 ? 0x1p8 : 0x1p20;
}

double smallest_normal(model::DType dtype) {
  if (dtype == model::DType::f16) return 0x1p-14;
  return dtype == model::DType::f64 ? 0x1p-1022 : 0x1p-126;
}

/// Parameters of the kind `named`.
constexpr std::string_view floating_number = "value", whole_number = "integer";
/// A draft is a double, which holds whole numbers up to here.
constexpr std::int64_t largest_integer = std::int64_t{1} << 53;
constexpr std::uint64_t few_integers = 24;

/// Of those that are named.
bool holds_integers(model::DType dtype) {
  return !is_floating(dtype) && model::size_of(dtype) >= 4;
}

struct NamedPattern {
  std::string_view kind;
  bool apart;                  ///< on each argument apart; otherwise on all at once
  bool wide_only;              ///< for types with the range of FP32
  bool whole_outputs = false;  ///< only where an output is an integer
};

constexpr std::array patterns{
    NamedPattern{"rising", true, false},        NamedPattern{"falling", true, false},
    NamedPattern{"late_spike", true, false},    NamedPattern{"early_spike", true, false},
    NamedPattern{"dominant", true, false},      NamedPattern{"plateau", true, false},
    NamedPattern{"cancellation", true, false},  NamedPattern{"ones", true, false},
    NamedPattern{"large", true, false},         NamedPattern{"small", true, false},
    NamedPattern{"huge", true, true},           NamedPattern{"huge_negative", true, true},
    NamedPattern{"tiny", true, true},           NamedPattern{"larger", false, false},
    NamedPattern{"small", false, false},        NamedPattern{"zeros", false, false},
    NamedPattern{"denormal", false, false},     NamedPattern{"tiny", false, true},
    NamedPattern{"equal", false, false},        NamedPattern{"opposite", false, false},
    NamedPattern{"ties", false, false},         NamedPattern{"comb", false, false},
    NamedPattern{"near_ties", false, false},    NamedPattern{"sunken", true, false},
    NamedPattern{"halves", false, false, true},
};

}  // namespace

bool has_ties(const model::InputSet& set) {
  return set.kind == "ties" || set.kind == "near_ties" || set.kind == "halves";
}

void rising(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  ramp(argument, values, 1);
}

void falling(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  ramp(argument, values, -1);
}

void late_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  spike(argument, values, true);
}

void early_spike(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  spike(argument, values, false);
}

void dominant(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "dominant"});
  std::size_t chosen = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) == 0) chosen = stream.below(matrix.columns);
    values[e] = matrix.column(e) == chosen ? height : 1;
  }
}

void plateau(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "plateau"});
  std::size_t chosen = 0;
  double above = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) == 0) {
      chosen = stream.below(matrix.columns);
      above = 6 + static_cast<double>(stream.below(20));
    }
    values[e] = matrix.column(e) == chosen ? above : 0;
  }
}

void cancellation(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e)
    values[e] += (matrix.row(e) + matrix.column(e)) % 2 == 0 ? height : -height;
}

void ones(const model::BoundArgument&, std::vector<double>& values, std::uint64_t) {
  std::fill(values.begin(), values.end(), 1.0);
}

void zeros(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const Matrix matrix(argument);
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "zeros"});
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (stream.below(2) == 0 || (matrix.rows > 1 && matrix.row(e) == matrix.rows / 2)) values[e] = 0;
  }
}

/// Which of several equals is meant (a position, an order) shows where there are some. Adding 0 makes 0 of
/// -0.
void ties(const model::BoundArgument&, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value = std::clamp(std::nearbyint(value), -2.0, 2.0) + 0.0;
}

/// Every 32nd number is far above the others, from a drawn one on: who keeps a few of each lane, bank or
/// thread loses some.
void comb(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  constexpr std::size_t tooth = 32;
  const Matrix matrix(argument);
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (matrix.column(e) % tooth == draw % tooth) values[e] += 16;
  }
}

/// Neighbours in the type, and zeros of both signs: equal to who looks at some of the bits, or different to
/// who looks at all of them.
void near_ties(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  const double step = argument.dtype == model::DType::f16    ? 0x1p-10
                      : argument.dtype == model::DType::bf16 ? 0x1p-7
                                                             : 0x1p-23;
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "near ties"});
  // Whole rows in turn, or stretches of a vector, and now and then all of it: what is above zero hides which
  // of the zeros was meant. Those of one sign come first, those of the other last, the other way in the next
  // row.
  constexpr std::size_t stretch = 64;
  const Matrix matrix(argument);
  const std::size_t length = matrix.rows > 1 ? matrix.columns : stretch;
  const bool all_about_zero = matrix.rows == 1 && draw % 3 == 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t part = e / length, third = 3 * (e % length) / length;
    const std::uint64_t drawn = stream.below(6);
    if (!all_about_zero && (part + draw) % 2 != 0) {
      values[e] = 1 + static_cast<double>(drawn % 2) * step;
    } else if (drawn < 2) {
      values[e] = -1;
    } else {
      const bool minus_first = (part / 2) % 2 == 0;
      const bool minus = third == 1 ? drawn % 2 == 0 : (third == 0) == minus_first;
      values[e] = minus ? -0.0 : 0.0;
    }
  }
}

/// Odd multiples of 1/2 to 1/256: whoever makes integers of them, also behind a factor that is a power of
/// two, has to round in the middle between two.
void halves(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "halves"});
  for (double& value : values) {
    const double odd = 2 * static_cast<double>(stream.below(16)) - 15;
    value = std::ldexp(odd, -1 - static_cast<int>(stream.below(8)));
  }
}

void special_values(const model::BoundArgument&, std::vector<double>& values, std::uint64_t draw) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 3> special{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  model::RandomStream stream({.seed = draw, .generation = 0, .slot = 0, .purpose = "special values"});
  // One kind for a stretch of elements: an infinity shows where no NaN is near.
  std::size_t kind = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e % 64 == 0) kind = stream.below(special.size());
    if (stream.below(24) == 0) values[e] = special[kind];
  }
}

void denormal(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= smallest_normal(argument.dtype) / 8;
}

void large(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= large_factor(argument.dtype);
}

/// The square root of that: where all inputs are large, a product of two is as one that is large alone.
void larger(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value *= std::sqrt(large_factor(argument.dtype));
}

/// Near the ends of a 32-bit range; the sum of a few stays within it. A 16-bit float has no room for more
/// than large().
void huge(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const double factor = argument.dtype == model::DType::f16 ? large_factor(argument.dtype) : 0x1p122;
  for (double& value : values) value *= factor;
}

void huge_negative(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t draw) {
  huge(argument, values, draw);
  for (double& value : values) value = -std::abs(value);
}

void tiny(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  const double factor = argument.dtype == model::DType::f16 ? 1 / large_factor(argument.dtype) : 0x1p-100;
  for (double& value : values) value *= factor;
}

void small(const model::BoundArgument& argument, std::vector<double>& values, std::uint64_t) {
  for (double& value : values) value /= large_factor(argument.dtype);
}

model::Expected<void> apply_pattern(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                    DraftInputs& draft, Pattern pattern) {
  const double named = parameter(set, "argument", -1);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || draft[i].empty()) continue;
    if (named >= 0 && static_cast<std::size_t>(named) != i) continue;
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("pattern/{}/{}", set.name, bound.name)});
    pattern(argument, draft[i], stream.next_u64());
  }
  return {};
}

model::Expected<void> sink_inputs(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                  DraftInputs& draft) {
  const double named = parameter(set, "argument", -1), by = parameter(set, "by", sunken_by);
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role) || !is_floating(argument.dtype) || draft[i].empty()) continue;
    if (named >= 0 && static_cast<std::size_t>(named) != i) continue;
    for (double& value : draft[i]) value -= by;
  }
  return {};
}

model::Expected<void> relate_inputs(const model::Case& bound, const model::InputSet& set, const InputKey&,
                                    DraftInputs& draft, double sign) {
  const std::vector<double>* first = nullptr;
  double turn = sign;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_given(bound.arguments[i].role) || !is_floating(bound.arguments[i].dtype) ||
        bound.arguments[i].fill_in(set.name) != nullptr)
      continue;
    if (first == nullptr) {
      first = &draft[i];
    } else if (draft[i].size() == first->size()) {
      // Not quite opposite in every third element: what is left of a sum is small, and not nothing.
      for (std::size_t e = 0; e < draft[i].size(); ++e)
        draft[i][e] = (*first)[e] * turn + (sign < 0 && e % 3 == 0 ? draft[i][e] / 4096 : 0);
      turn *= sign;
    }
  }
  return {};
}

std::optional<model::InputSet> set_of_numbers(const std::vector<model::Argument>& arguments,
                                              const std::vector<double>& numbers,
                                              const std::vector<std::int64_t>& integers) {
  const auto any = [&](bool floating) {
    return std::ranges::any_of(arguments, [&](const model::Argument& argument) {
      return model::is_given(argument.role) && !argument.fill &&
             (floating ? is_floating(argument.dtype) : holds_integers(argument.dtype));
    });
  };
  model::InputSet set{"numbers of the code", "named", {{std::string(undeclared_parameter), 1}}};
  // References are kept by the set's name.
  const auto name = [&](std::string_view what, std::size_t i, double number) {
    set.parameters[fmt::format("{}{}", what, i)] = number;
    set.name += fmt::format("{}{}", set.parameters.size() == 2 ? ": " : ", ", number);
  };
  for (std::size_t i = 0; any(true) && i < numbers.size(); ++i) name(floating_number, i, numbers[i]);
  for (std::size_t i = 0; any(false) && i < integers.size(); ++i) {
    if (std::abs(integers[i]) < largest_integer) name(whole_number, i, static_cast<double>(integers[i]));
  }
  return set.parameters.size() > 1 ? std::optional(set) : std::nullopt;
}

model::Expected<void> put_numbers(const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                  DraftInputs& draft) {
  std::vector<double> numbers, integers;
  for (const auto& [name, value] : set.parameters) {
    if (name.starts_with(whole_number)) integers.push_back(value);
    if (!name.starts_with(floating_number)) continue;
    const auto single = static_cast<float>(value);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    numbers.insert(numbers.end(),
                   {value, value, std::nextafter(single, infinity), std::nextafter(single, -infinity)});
  }
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::DType dtype = bound.arguments[i].dtype;
    const bool floating = is_floating(dtype);
    if (!model::is_given(bound.arguments[i].role) || (!floating && !holds_integers(dtype))) continue;
    const std::vector<double> chosen =
        floating ? numbers : integers_that_fit(bound, i, integers, draft[i].size());
    model::RandomStream stream({.seed = key.seed,
                                .generation = key.rotation,
                                .slot = i,
                                .purpose = fmt::format("numbers/{}/{}", set.name, bound.name)});
    for (double& value : draft[i]) {
      if (!chosen.empty() && stream.below(floating ? 2 : few_integers) == 0)
        value = chosen[stream.below(chosen.size())];
    }
  }
  return {};
}

std::vector<model::InputSet> structured_sets(const std::vector<model::Argument>& arguments) {
  std::vector<model::InputSet> sets;
  std::vector<std::size_t> inputs, filled, integers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!model::is_given(arguments[i].role)) continue;
    if (arguments[i].fill) {
      filled.push_back(i);
    } else if (is_floating(arguments[i].dtype)) {
      inputs.push_back(i);
    } else {
      integers.push_back(i);
    }
  }
  const std::string undeclared(undeclared_parameter);
  const auto add_apart = [&](const std::string& kind, std::size_t input) {
    sets.push_back({fmt::format("{} of {}", kind, arguments[input].name),
                    kind,
                    {{"argument", static_cast<double>(input)}, {undeclared, 1}}});
  };
  for (const NamedPattern& pattern : patterns) {
    if (!pattern.apart) continue;
    for (const std::size_t input : filled) {
      if (takes_pattern(arguments[input].fill->form, pattern.kind))
        add_apart(std::string(pattern.kind), input);
    }
  }
  const auto add_of_integers = [&] {
    for (const std::size_t input : filled) {
      if (takes_pattern(arguments[input].fill->form, "ties")) add_apart("ties", input);
    }
    for (const std::size_t input : integers) {
      for (const std::string_view kind : plain_integer_kinds(arguments[input].dtype))
        add_apart(std::string(kind), input);
    }
  };
  if (inputs.empty()) {
    add_of_integers();
    return sets;
  }
  const bool whole_output = std::ranges::any_of(arguments, [](const model::Argument& argument) {
    return model::is_judged(argument.role) && !is_floating(argument.dtype);
  });
  const auto wide = [&](std::size_t input) { return arguments[input].dtype != model::DType::f16; };
  for (const NamedPattern& pattern : patterns) {
    const std::string kind(pattern.kind);
    const bool pairs = pattern.kind == "equal" || pattern.kind == "opposite";
    if (pattern.wide_only && !std::all_of(inputs.begin(), inputs.end(), wide)) continue;
    if (pairs && inputs.size() < 2) continue;
    if (pattern.whole_outputs && !whole_output) continue;
    if (!pattern.apart) {
      sets.push_back({kind + " everywhere", kind, {{undeclared, 1}}});
      continue;
    }
    for (const std::size_t input : inputs) {
      add_apart(kind, input);
      // Alone it is in no product with another, which a 16-bit type would have to hold.
      if (kind == "sunken" && inputs.size() == 1) sets.back().parameters["by"] = sunken_alone_by;
    }
  }
  add_of_integers();
  return sets;
}

}  // namespace evo::evaluators::oracle
