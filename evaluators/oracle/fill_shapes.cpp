#include "evaluators/oracle/fill_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "evaluators/oracle/fill_parts.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/tails.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::BoundArgument;
using model::BoundFill;
using model::FillForm;

constexpr std::array<std::string_view, 9> range_patterns{
    "rising", "falling", "late_spike", "early_spike", "dominant", "plateau", "cancellation", "ones", "zeros"};
/// Shown of all arguments at once: of each apart `ones` and `plateau` have such numbers.
constexpr std::array<std::string_view, 2> end_patterns{"top", "bottom"};
constexpr std::array<std::string_view, 4> offset_patterns{"rising", "late_spike", "early_spike", "dominant"};
constexpr std::array<std::string_view, 2> permutation_patterns{"rising", "falling"};
constexpr std::array<std::string_view, 6> row_patterns{"rising",   "late_spike", "early_spike",
                                                       "dominant", "ones",       "zeros"};
constexpr std::array<std::string_view, 6> sorted_patterns{"rising", "late_spike", "early_spike",
                                                          "ones",   "zeros",      "small"};

constexpr std::uint64_t powers_of_a_run = 9;
constexpr double share_at_an_end = 1.0 / 32;  ///< of the range

/// How far from an end of the range a number next to it is: within a 32nd of the range. Of integers every
/// second is so far in its magnitude, so that of 32 bits some are a few off: what is added to them leaves the
/// type.
double from_an_end(double low, double high, bool whole, model::RandomStream& stream) {
  const double span = (high - low) * share_at_an_end;
  // Few numbers are all at the end itself: sums of so many are largest.
  const bool by_magnitude = whole && span >= 1 && stream.below(2) == 0;
  const double drawn = stream.uniform();
  if (by_magnitude) return std::floor(std::exp2(drawn * std::log2(1 + span))) - 1;
  return share_between(low, high, share_at_an_end * drawn, whole) - low;
}

/// A power of two of either sign, as far as the range has it; one in four is one more or less. Alone in a
/// stretch of equals it is a mask, or the width of a field, that nothing else adds bits to.
double next_to_a_power(double low, double high, model::RandomStream& stream) {
  const auto bits = static_cast<std::uint64_t>(std::log2(std::max(high, -low))) + 1;
  // Every second from the upper half: what rounds on its way does so there.
  const std::uint64_t least = stream.below(2) == 0 ? bits / 2 : 0;
  const double power = std::ldexp(1, static_cast<int>(least + stream.below(bits - least)));
  const double sign = low < 0 && stream.below(2) == 0 ? -1 : 1;
  constexpr std::array<double, 8> beside{0, 0, 0, 0, 0, 0, 1, -1};
  return std::clamp(sign * power + beside[stream.below(beside.size())], low, high);
}

/// Any numbers from low to high are as good: the ends, and what moves share_between them.
void shape_range(const BoundArgument& argument, const BoundFill& fill, std::string_view kind,
                 model::RandomStream stream, std::vector<double>& values) {
  const bool ranks = fill.form == FillForm::zipf;
  const double low = ranks ? 0 : fill.low(), high = ranks ? fill.a - 1 : fill.high();
  const bool whole = is_whole(argument, fill);
  const std::size_t columns = std::max<std::size_t>(columns_of(argument), 1), count = values.size();
  const std::size_t rows = argument.shape.size() < 2 ? 1 : count / columns;
  if (kind == runs_kind) {
    const bool words = whole && high - low >= least_span_of_words;
    for (double& value : values) value = share_between(low, high, stream.uniform(), whole);
    hold_in_runs(stream, values);
    // About half of a warp's numbers, or a group's, are one power of two each.
    constexpr std::size_t group = 64;
    for (std::size_t at = 0; words && at < count; at += group) {
      if (stream.below(2) != 0) continue;
      const double power = next_to_a_power(low, high, stream);
      for (std::size_t e = at; e < std::min(at + group, count); ++e) values[e] = power;
    }
    return;
  }
  std::size_t chosen = 0;
  for (std::size_t e = 0; e < count; ++e) {
    const std::size_t row = e / columns, column = e % columns;
    const double share = count > 1 ? static_cast<double>(e) / static_cast<double>(count - 1) : 1;
    if (column == 0) chosen = stream.below(columns);
    double& value = values[e];
    if (kind == "rising") value = share_between(low, high, share, whole);
    if (kind == "falling") value = share_between(low, high, 1 - share, whole);
    if (kind == "late_spike" && (column == columns - 1 || (rows > 1 && row == rows - 1))) value = high;
    if (kind == "early_spike" && (column == 0 || (rows > 1 && row == 0))) value = low;
    if (kind == "dominant") value = column == chosen ? high : low;
    if (kind == "plateau") value = column == chosen ? low : high;
    if (kind == "cancellation") value = (row + column) % 2 == 0 ? high : low;
    if (kind == "ones") value = high;
    if (kind == "top" || kind == "bottom") {
      // Some of the same place in all arrays are the end itself: what only all of them at once leave.
      constexpr std::size_t at_the_end = 32;
      const double off = from_an_end(low, high, whole, stream);
      const double apart = whole && column % at_the_end == 0 ? 0 : off;
      value = kind == "top" ? high - apart : low + apart;
    }
    if (kind == zeros_kind && stream.below(2) == 0) value = low;
    // Between two integers, for what is rounded to one: nearly everywhere a number and a half.
    if (kind == "halves" && !whole) {
      const double half = std::floor(share_between(low, high, stream.uniform(), false)) + 0.5;
      const double small = std::ldexp(2 * static_cast<double>(stream.below(16)) - 15, -2);
      value = std::clamp(stream.below(4) == 0 ? small : half, low, high);
    }
    if (kind == fine_halves_kind && !whole) {
      constexpr double finest_halves = 0x1p14;
      double scale = std::ldexp(1, static_cast<int>(stream.below(9)));
      const double number = share_between(low, high, stream.uniform(), false);
      const auto half_of = [&] { return (std::floor(number * scale) + 0.5) / scale; };
      // An end of the range is no such half: whole numbers times 0.05 are ties in double that float has not.
      while ((half_of() < low || half_of() > high) && scale < finest_halves) scale *= 2;
      value = std::clamp(half_of(), low, high);
    }
    if (kind == near_zero_kind && !whole && low <= 0 && high >= 0)
      value = 0x1p-16 * share_between(low, high, stream.uniform(), false);
    if (kind == all_zero_kind && low <= 0 && high >= 0) value = 0;
    if (kind == odd_multiples_kind && high - low >= least_span_of_words)
      value = odd_multiple(low, high, stream);
    // In every 32nd place: who keeps a few of each lane loses some.
    if (kind == "comb" && column % 32 == chosen % 32) value = high;
    // Three numbers, so that most elements have equals in their row, near and far.
    if (kind == "ties") value = share_between(low, std::min(high, low + 2), stream.uniform(), whole);
  }
}

/// In order, and in the opposite order: as a whole, or each row.
void shape_permutation(const BoundArgument& argument, const BoundFill& fill, std::string_view kind,
                       std::vector<double>& values) {
  const bool by_row = fill.a != static_cast<double>(values.size());
  each_row(by_row ? columns_of(argument) : values.size(), values, [&](auto first, auto last) {
    std::iota(first, last, 0.0);
    if (kind == "falling") std::reverse(first, last);
  });
}

/// Three quarters of all in one row, the first in a third of the cases, and short rows around it: a hub.
template <class Iterator>
void make_hub(Iterator first, Iterator last, double high, model::RandomStream& stream) {
  const auto rows = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(last - first - 1, 1));
  const auto hub = static_cast<std::ptrdiff_t>(stream.below(3) == 0 ? 0 : stream.below(rows));
  const double rest = std::floor(high / 4);
  for (auto at = first; at != last; ++at) {
    const double before = std::floor(rest * static_cast<double>(at - first) / static_cast<double>(rows));
    *at = before + (at - first > hub ? high - rest : 0);
  }
}

/// Rows of equal length, all in the last row or all in the first, or most in one; ascending numbers likewise.
void shape_ascending(const BoundArgument& argument, const BoundFill& fill, std::string_view kind,
                     model::RandomStream stream, std::vector<double>& values) {
  const bool offsets = fill.form == FillForm::offsets;
  const bool whole = offsets || is_whole(argument, fill);
  const std::size_t columns = columns_of(argument);
  const double low = offsets ? 0 : fill.a, high = offsets ? left_to_share(fill, columns) : fill.b;
  each_row(columns, values, [&](auto first, auto last) {
    // What it draws anew; otherwise they are as they were.
    const bool shaped = offsets && takes_pattern(fill.form, kind);
    if (kind == "dominant") make_hub(first, last, high, stream);
    for (auto at = first; at != last; ++at) {
      const auto index = at - first, end = last - first - 1;
      if (kind == "rising")
        *at = share_between(low, high, end > 0 ? static_cast<double>(index) / static_cast<double>(end) : 1,
                            whole);
      if (kind == "late_spike") *at = index == end ? high : low;
      if (kind == "early_spike") *at = index == 0 ? low : high;
      if (kind == "ones") *at = high;
      if (kind == zeros_kind) *at = low;
      // As close together as those that it stands beside.
      if (kind == "small" && !whole && low <= 0 && high >= 0) *at *= 0x1p-20;
    }
    if (shaped) add_least(fill, first, last);
  });
}

/// How long rows are: all as long as usual, none with anything in it, or one that takes all there is from
/// where it begins.
void shape_rows(const BoundFill& fill, std::string_view kind, model::RandomStream stream,
                std::vector<double>& values) {
  const double usual = usual_row(fill, values);
  const std::size_t count = values.size(), hub = count == 0 ? 0 : stream.below(count);
  for (std::size_t e = 0; e < count; ++e) {
    double& value = values[e];
    if (kind == "rising")
      value = share_between(0, usual, static_cast<double>(e) / static_cast<double>(count), true);
    if (kind == "ones") value = usual;
    if (kind == zeros_kind) value = 0;
    if (kind == "late_spike" && e + 1 == count) value = fill.a;
    if (kind == "early_spike" && e == 0) value = fill.a;
    if (kind == "dominant") value = e == hub ? fill.a : std::min(value, 1.0);
  }
}

/// In order, from the least number or down from the greatest.
void shape_distinct(const BoundFill& fill, std::string_view kind, std::vector<double>& values) {
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (kind == "rising") values[e] = fill.a + static_cast<double>(e);
    if (kind == "falling") values[e] = fill.b - static_cast<double>(e);
  }
}

/// The bits of a float from 2^-28 to 2^19, whose last bit that is set may be any of its mantissa.
double word_of_a_float(model::RandomStream& stream) {
  constexpr std::uint32_t least_exponent = 127 - 28, exponents = 47, mantissa_bits = 23;
  const auto exponent = least_exponent + static_cast<std::uint32_t>(stream.below(exponents));
  const auto last = static_cast<std::uint32_t>(stream.below(mantissa_bits));
  const std::uint32_t drawn = stream.next_u32() >> (32 - mantissa_bits);
  return exponent << mantissa_bits | (drawn >> last | 1U) << last;
}

}  // namespace

double odd_multiple(double low, double high, model::RandomStream& stream) {
  const auto powers = static_cast<std::uint64_t>(std::log2(high - low + 1));
  const double power = std::ldexp(1, static_cast<int>(stream.below(powers)));
  const double multiple = 2 * std::floor(share_between(low, high, stream.uniform(), true) / (2 * power)) + 1;
  const bool has_floats = low <= 0 && high >= static_cast<double>(std::numeric_limits<std::int32_t>::max());
  const double word = has_floats && stream.below(2) == 0 ? word_of_a_float(stream) : multiple * power;
  constexpr std::array<double, 8> beside{0, 0, 0, 0, 0, 0, 1, -1};
  return std::clamp(word + beside[stream.below(beside.size())], low, high);
}

void hold_in_runs(model::RandomStream& stream, std::vector<double>& values) {
  for (std::size_t at = 0; at < values.size();) {
    const std::uint64_t length = 1 + stream.below(std::uint64_t{1} << stream.below(powers_of_a_run));
    const std::size_t end = std::min(values.size(), at + length);
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(at),
              values.begin() + static_cast<std::ptrdiff_t>(end), values[at]);
    at = end;
  }
}

bool takes_pattern(FillForm form, std::string_view kind) {
  const auto any = [&](const auto& list) { return std::ranges::find(list, kind) != list.end(); };
  switch (form) {
    case FillForm::normal:
    case FillForm::uniform:
      return any(range_patterns) || any(end_patterns) || kind == "halves" || kind == fine_halves_kind ||
             kind == all_zero_kind || kind == near_zero_kind;
    case FillForm::integers:
    case FillForm::zipf:
      return any(range_patterns) || any(end_patterns) || kind == "ties" || kind == "comb" ||
             kind == runs_kind || kind == all_zero_kind || kind == odd_multiples_kind;
    case FillForm::permutation:
    case FillForm::distinct:
      return any(permutation_patterns);
    case FillForm::ends:
    case FillForm::lengths:
      return any(row_patterns);
    case FillForm::offsets:
      return any(offset_patterns);
    case FillForm::sorted:
      return any(sorted_patterns);
    default:
      return false;
  }
}

void shape_fill(const BoundArgument& argument, const BoundFill& fill, std::string_view kind,
                model::RandomStream stream, std::vector<double>& values) {
  if (fill.has_range() || fill.form == FillForm::zipf) {
    shape_range(argument, fill, kind, stream, values);
  } else if (fill.form == FillForm::permutation) {
    shape_permutation(argument, fill, kind, values);
  } else if (fill.form == FillForm::distinct) {
    shape_distinct(fill, kind, values);
  } else if (model::follows_another(fill.form)) {
    shape_rows(fill, kind, stream, values);
  } else {
    shape_ascending(argument, fill, kind, stream, values);
  }
}

}  // namespace evo::evaluators::oracle
