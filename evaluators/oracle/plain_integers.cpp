#include "evaluators/oracle/plain_integers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fill_shapes.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "model/dtype.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Those of types with a sign alone at the end.
constexpr std::array<std::string_view, 17> signed_kinds{
    "rising", "falling", "late_spike", "early_spike", "ties", "ones",     "zeros", "cancellation", "dominant",
    "runs",   "wide",    "extremes",   "high",        "top",  "negative", "low",   "bottom"};
constexpr std::size_t kinds_of_signed = 3;
/// `top` and `bottom` are so many numbers, so that neighbours differ.
constexpr std::uint64_t numbers_at_an_end = 3;
constexpr std::array<std::string_view, 4> truth_kinds{"rising", "ones", "zeros", "runs"};

struct IntegerRange {
  double low = 0, high = 0;
};

IntegerRange usual_range(model::DType dtype) {
  const auto [least, greatest] = model::range_of(dtype);
  return {least < 0 ? -100.0 : 0.0, std::min(least < 0 ? 100.0 : 200.0, greatest)};
}

/// A draft is a double, which holds whole numbers up to 2^53.
constexpr double most_of_64_bits = 0x1p52;
constexpr double most_of_a_sum = 0x1p30;

IntegerRange wide_range(const model::Case& bound, model::DType dtype, std::size_t count) {
  const auto [least, greatest] = model::range_of(dtype);
  const bool whole_outputs =
      std::none_of(bound.arguments.begin(), bound.arguments.end(), [](const model::BoundArgument& argument) {
        return model::is_judged(argument.role) && model::is_floating(argument.dtype);
      });
  const double sum = std::max(std::floor(most_of_a_sum / static_cast<double>(count)), 100.0);
  const double most = whole_outputs ? most_of_64_bits : sum;
  return {std::max(least, -most), std::min(greatest, most)};
}

/// All of 64 bits, where the answer comes from a kernel: a formula is reckoned in doubles, and sums of such
/// numbers would be rounded.
IntegerRange whole_range(const model::Case& bound, model::DType dtype, const IntegerRange& wide) {
  if (model::size_of(dtype) != 8 || wide.high < most_of_64_bits || !bound.reference_launch) return wide;
  const auto [least, greatest] = model::range_of(dtype);
  return {least, greatest};
}

double between(const IntegerRange& range, double share) {
  return std::clamp(std::floor(range.low + (range.high - range.low + 1) * share), range.low, range.high);
}

bool has_own_meaning(std::string_view kind) {
  return kind == "wide" || kind == "extremes" || kind == "high" || kind == "low" || kind == "negative" ||
         kind == "ties" || kind == "top" || kind == "bottom" || kind == all_zero_kind;
}

/// What a digit, or a rounding by hand, turns on: a power of ten and the number below it, or the word of a
/// float (an infinity, a NaN, the ends of its normal numbers, the middle between two BF16).
double special_number(model::RandomStream& stream, bool is_signed) {
  if (stream.below(2) == 0)
    return std::pow(10, static_cast<double>(1 + stream.below(9))) - static_cast<double>(stream.below(2));
  constexpr std::array<std::uint32_t, 8> words{0x7f800000, 0x7f800001, 0x7f7f8000, 0x7f7fffff,
                                               0x7fc00000, 0x00800000, 0x007fffff, 0};
  std::uint32_t word = words[stream.below(words.size())];
  if (word == 0) word = (stream.next_u32() & 0xffff0000U) | 0x8000U;
  if (stream.below(2) == 0) word ^= 0x80000000U;
  return is_signed ? static_cast<double>(static_cast<std::int32_t>(word)) : static_cast<double>(word);
}

/// One element of a pattern along the array, or along its last two dimensions.
struct IntegerPlace {
  std::size_t row, column, rows, columns;
  double share;  ///< of the way through the array
};

/// Every second row, or stretch of a vector.
bool is_at_the_very_end(std::size_t rows, std::size_t row, std::size_t column) {
  return (rows > 1 ? row : column / 64) % 2 == 0;
}

double patterned(std::string_view kind, const IntegerRange& usual, const IntegerRange& wide,
                 const IntegerRange& whole, const IntegerPlace& at, std::size_t chosen,
                 model::RandomStream& stream, double drawn) {
  const bool last = at.column + 1 == at.columns || (at.rows > 1 && at.row + 1 == at.rows);
  const bool first = at.column == 0 || (at.rows > 1 && at.row == 0);
  if (kind == "rising") return between(usual, at.share);
  if (kind == "falling") return between(usual, 1 - at.share);
  if (kind == "late_spike") return last ? usual.high : drawn;
  if (kind == "early_spike") return first ? usual.low : drawn;
  if (kind == "dominant") return at.column == chosen ? usual.high : 1;
  if (kind == "cancellation") return (at.row + at.column) % 2 == 0 ? usual.high : usual.low;
  if (kind == "ones") return 1;
  if (kind == zeros_kind) return stream.below(2) == 0 || (at.rows > 1 && at.row == at.rows / 2) ? 0 : drawn;
  if (kind == "ties") return std::max(wide.low, -1.0) + static_cast<double>(stream.below(3));
  if (kind == "negative") return between({usual.low, -1}, stream.uniform());
  // A maximum may begin at a number that is not low enough, and a minimum at one that is not high enough.
  if (kind == "high") return between({std::floor(wide.high / 2), wide.high}, stream.uniform());
  if (kind == "low") return between({wide.low, std::floor(wide.low / 2)}, stream.uniform());
  // What stands for "none", or pads a border, may be short of the type's end.
  // Every second row, or stretch, is at the end itself: the least of it is the greatest number.
  const bool flat = is_at_the_very_end(at.rows, at.row, at.column);
  const double from_end = flat ? 0 : static_cast<double>(stream.below(numbers_at_an_end));
  if (kind == "top") return wide.high - from_end;
  if (kind == "bottom") return wide.low + from_end;
  if (kind == bits_kind) return between(at.column % 2 == 0 ? whole : wide, stream.uniform());
  // Numbers of 64 bits with the low ones set, and with the high ones: a double has no room for both, which
  // draw_low_bits() mends where a kernel answers.
  if (kind == "wide") return between(at.column % 2 == 0 ? whole : wide, stream.uniform());
  if (kind == "extremes" && stream.below(4) == 0) {
    const double special = special_number(stream, wide.low < 0);
    if (special >= wide.low && special <= wide.high) return special;
  }
  if (kind == "extremes") {
    const std::array<double, 9> ends{
        wide.low,  wide.low + 1, wide.high, wide.high - 1, 0, 1, wide.low < 0 ? -1.0 : 2.0,
        whole.low, whole.high};
    return ends[stream.below(ends.size())];
  }
  return drawn;
}

/// There 64 bits are at their very end, which a double has no room for.
void put_ends(const model::Case& bound, std::size_t index, bool upper, std::vector<std::byte>& bytes) {
  const model::BoundArgument& argument = bound.arguments[index];
  const auto& shape = argument.shape;
  const IntegerRange range = whole_range(bound, argument.dtype, wide_range(bound, argument.dtype, 1));
  if (range.high < most_of_64_bits * 2) return;  // sums of them are not exact
  const std::uint64_t sign = std::uint64_t{1} << 63, none = range.low < 0 ? sign : 0;
  const std::uint64_t word = upper ? ~none : none;
  const auto columns = shape.empty() ? 1 : std::max<std::size_t>(static_cast<std::size_t>(shape.back()), 1);
  const auto rows = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]);
  for_elements(argument, 0, element_count(argument), [&](std::int64_t e, std::int64_t offset) {
    const auto place = static_cast<std::size_t>(e);
    if (!is_at_the_very_end(rows, place / columns % std::max<std::size_t>(rows, 1), place % columns)) return;
    std::memcpy(bytes.data() + offset * model::size_of(argument.dtype), &word, sizeof word);
  });
}

}  // namespace

std::span<const std::string_view> plain_integer_kinds(model::DType dtype) {
  if (dtype == model::DType::boolean) return truth_kinds;
  const std::span<const std::string_view> all(signed_kinds);
  return model::range_of(dtype).low < 0 ? all : all.first(all.size() - kinds_of_signed);
}

bool may_hold_words(model::DType dtype) {
  return !model::is_floating(dtype) && dtype != model::DType::boolean && model::size_of(dtype) >= 4;
}

std::vector<double> integers_that_fit(const model::Case& bound, std::size_t index,
                                      const std::vector<double>& integers, std::size_t count) {
  constexpr double always = 0x1p20;
  const model::DType dtype = bound.arguments[index].dtype;
  const IntegerRange wide = wide_range(bound, dtype, std::max<std::size_t>(count, 1));
  std::vector<double> fitting = integers_of_type(dtype, integers);
  std::erase_if(fitting, [&](double value) {
    return std::abs(value) > always && (value < wide.low || value > wide.high);
  });
  return fitting;
}

std::vector<double> integers_of_type(model::DType dtype, const std::vector<double>& integers) {
  const auto [least, greatest] = model::range_of(dtype);
  std::vector<double> fitting;
  for (double value : integers) {
    // PTX writes the words of unsigned numbers as signed ones.
    if (least == 0 && value < 0 && value >= -0x1p31) value += 0x1p32;
    if (value >= least && value <= greatest) fitting.push_back(value);
  }
  return fitting;
}

void draw_low_bits(const model::Case& bound, std::size_t index, const model::InputSet& set,
                   model::RandomStream stream, std::vector<std::byte>& bytes) {
  constexpr std::uint64_t lost = (std::uint64_t{1} << 11) - 1;  // of the largest, by a double
  constexpr std::uint64_t one_in = 4;                           // so that most pairs of equals stay equal
  const bool pairs = set.kind == matches_kind;
  const model::BoundArgument& argument = bound.arguments[index];
  if (!is_long_integer(argument.dtype) || !bound.reference_launch) return;
  if (set.kind == ends_apart_kind) {
    put_ends(bound, index, kind_for(set, index) == "top", bytes);
    return;
  }
  if (set.kind != "wide" && set.kind != bits_kind && !pairs) return;
  const double named = parameter(set, "argument", -1);
  if (named >= 0 && static_cast<std::size_t>(named) != index) return;
  for_elements(argument, 0, element_count(argument), [&](std::int64_t, std::int64_t offset) {
    std::byte* const element = bytes.data() + offset * model::size_of(argument.dtype);
    const std::uint64_t low = stream.next_u64() & lost;
    if (pairs && stream.below(one_in) != 0) return;
    if (std::abs(load_element(argument.dtype, element)) < 0x1p53) return;
    std::uint64_t word = 0;
    std::memcpy(&word, element, sizeof word);
    word ^= low;
    std::memcpy(element, &word, sizeof word);
  });
}

void draw_plain_integers(const model::Case& bound, std::size_t index, const model::InputSet& set,
                         model::RandomStream stream, std::vector<double>& values) {
  const model::BoundArgument& argument = bound.arguments[index];
  const IntegerRange usual = usual_range(argument.dtype);
  for (double& value : values) value = between(usual, stream.uniform());
  if (set.kind == matches_kind) {
    const IntegerRange large = wide_range(bound, argument.dtype, std::max<std::size_t>(values.size(), 1));
    const IntegerRange all = whole_range(bound, argument.dtype, large);
    for (double& value : values) {
      if (const std::uint64_t way = stream.below(4); way < 2)
        value = between(way == 0 ? large : all, stream.uniform());
    }
  }
  const double named = set.kind == ends_apart_kind ? -1 : parameter(set, "argument", -1);
  const std::string_view kind = kind_for(set, index);
  if (named >= 0 ? static_cast<std::size_t>(named) != index : !has_own_meaning(kind)) return;
  if (kind == all_zero_kind) {
    std::fill(values.begin(), values.end(), 0.0);
    return;
  }
  const auto kinds = plain_integer_kinds(argument.dtype);
  const bool bits = kind == bits_kind && may_hold_words(argument.dtype);
  // Of types without a sign, beside others at their upper end.
  const bool bottom = kind == "bottom" && argument.dtype != model::DType::boolean;
  const bool odd = kind == odd_multiples_kind && may_hold_words(argument.dtype);
  if (!bits && !bottom && !odd && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return;
  IntegerRange wide = wide_range(bound, argument.dtype, std::max<std::size_t>(values.size(), 1));
  IntegerRange whole = whole_range(bound, argument.dtype, wide);
  if (bits) {
    const auto [least, greatest] = model::range_of(argument.dtype);
    wide = {std::max(least, -most_of_64_bits), std::min(greatest, most_of_64_bits)};
    whole = whole_range(bound, argument.dtype, wide);
  }
  if (odd) {
    for (double& value : values) value = odd_multiple(wide.low, wide.high, stream);
    return;
  }
  if (kind == runs_kind) {
    for (double& value : values) value = usual.low + (usual.high - usual.low) * stream.uniform();
    hold_in_runs(stream, values);
    for (double& value : values) value = std::floor(value);
    return;
  }
  const auto& shape = argument.shape;
  IntegerPlace at{0, 0, shape.size() < 2 ? 1 : static_cast<std::size_t>(shape[shape.size() - 2]),
                  shape.empty() ? 1 : std::max<std::size_t>(static_cast<std::size_t>(shape.back()), 1), 1};
  std::size_t chosen = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    at.row = e / at.columns % std::max<std::size_t>(at.rows, 1);
    at.column = e % at.columns;
    if (values.size() > 1) at.share = static_cast<double>(e) / static_cast<double>(values.size() - 1);
    if (at.column == 0) chosen = stream.below(at.columns);
    values[e] = patterned(kind, usual, wide, whole, at, chosen, stream, values[e]);
  }
}

}  // namespace evo::evaluators::oracle
