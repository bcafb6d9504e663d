#include "evaluators/oracle/patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/plain_integers.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "evaluators/oracle/rounding.hpp"
#include "tests/oracle/pattern_sets.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Patterns, EachInputHasEveryPatternOfItsOwn) {
  const model::Case bound = tests::vector_add_case(40);
  const auto sets = structured_sets(arguments_of(bound));
  const std::vector<double> a = values_of(bound, {"normal", "normal", {}}, 0);
  std::set<std::string> names;
  for (const model::InputSet& set : sets) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_TRUE(rules_of(evo::tests::known(), set).conditioned) << set.name;
    const auto named = set.parameters.find("argument");
    if (named == set.parameters.end()) continue;
    const auto target = static_cast<std::size_t>(named->second);
    for (const std::size_t other : {std::size_t{0}, std::size_t{1}}) {
      const auto values = values_of(bound, set, other);
      const double largest = std::abs(*std::max_element(
          values.begin(), values.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
      EXPECT_TRUE(other == target || is_opposed(set) || largest < 6)
          << set.name << " leaves the other input normal";
    }
  }
  EXPECT_EQ(sets.size(), 2U * 19U + 17U);
}

TEST(Patterns, AShelfIsInEachLaneAndWhatIsBelowItCountsTogether) {
  const std::array<std::pair<std::int64_t, std::vector<std::size_t>>, 3> expected{
      {{100, {32, 32}}, {256, {128, 32}}, {2000, {256, 32}}}};
  for (const auto& [columns, widths] : expected) {
    const model::BoundArgument argument =
        tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {3, columns});
    for (std::uint64_t draw : {0, 1}) {
      std::vector<double> values(static_cast<std::size_t>(3 * columns), 9);
      shelf(argument, values, draw);
      for (std::size_t e = 0; e < values.size(); ++e) {
        const auto column = e % static_cast<std::size_t>(columns),
                   row = e / static_cast<std::size_t>(columns);
        const bool alone = row % 2 != 0;
        const bool on_it = column < (alone ? 1 : widths[draw]);
        const double least = alone ? -14.75 : -11.25, most = alone ? -11.25 : -8.25;
        EXPECT_TRUE(on_it ? values[e] == 0 : values[e] <= most && values[e] >= least) << e;
      }
    }
  }
  std::vector<model::Argument> arguments = arguments_of(tests::vector_add_case(40));
  const auto asked = [&] {
    return std::ranges::any_of(structured_sets(arguments),
                               [](const model::InputSet& set) { return set.kind == "shelf"; });
  };
  EXPECT_TRUE(asked());
  for (model::Argument& argument : arguments)
    if (model::is_judged(argument.role)) argument.dtype = model::DType::f16;
  EXPECT_FALSE(asked()) << "16 bits do not show it";
}

TEST(Patterns, SpikesRampsAndOnesAreWhereTheirNamesSay) {
  const model::Case bound = tests::vector_add_case(40);
  const auto of = [&](const std::string& kind) {
    return values_of(bound, {kind, kind, {{"argument", 0}}}, 0);
  };
  const auto at_largest = [](const std::vector<double>& v) {
    return std::max_element(v.begin(), v.end()) - v.begin();
  };
  EXPECT_EQ(at_largest(of("late_spike")), 39);
  EXPECT_EQ(at_largest(of("early_spike")), 0);
  EXPECT_GT(of("late_spike").back() - of("late_spike").front(), 88)
      << "exp() of the difference overflows in FP32";
  EXPECT_GT(of("rising").back() - of("rising").front(), 88);
  EXPECT_GT(of("falling").front() - of("falling").back(), 88);
  EXPECT_EQ(of("ones"), std::vector<double>(40, 1.0));
  const auto dominant = of("dominant");
  EXPECT_EQ(std::count(dominant.begin(), dominant.end(), 1.0), 39);
  const auto plateau = of("plateau");
  EXPECT_EQ(std::count(plateau.begin(), plateau.end(), 0.0), 39) << "they count together";
  EXPECT_GE(plateau[static_cast<std::size_t>(at_largest(plateau))], 6);
  EXPECT_LE(plateau[static_cast<std::size_t>(at_largest(plateau))], 25);
  const auto zeros = of("zeros");
  EXPECT_GT(std::count(zeros.begin(), zeros.end(), 0.0), 5);
  EXPECT_LT(std::count(zeros.begin(), zeros.end(), 0.0), 35);
  for (const double value : of("denormal")) EXPECT_LT(std::abs(value), 0x1p-126);
  double magnitude = 0;
  for (const double value : of("large")) magnitude = std::max(magnitude, std::abs(value));
  EXPECT_GT(magnitude, 0x1p20);
  const auto cancelling = of("cancellation");
  for (std::size_t i = 1; i < cancelling.size(); ++i) EXPECT_LT(cancelling[i] * cancelling[i - 1], 0);
}

TEST(Patterns, APeakIsFarAboveTheOthersOfItsRow) {
  model::Case bound = tests::vector_add_case(64);
  model::BoundArgument& x = bound.arguments[0];
  x.shape = {60, 40};
  x.strides = {40, 1};
  const auto values = values_of(bound, {"peak", "peak", {}}, 0);
  std::size_t first = 0, last = 0;
  for (std::size_t row = 0; row < 60; ++row) {
    std::size_t peaks = 0;
    for (std::size_t column = 0; column < 40; ++column) {
      if (std::abs(values[row * 40 + column]) < 100) continue;
      EXPECT_EQ(std::abs(values[row * 40 + column]), 0x1p17);
      ++peaks;
      first += column == 0;
      last += column == 39;
    }
    EXPECT_EQ(peaks, 1U);
  }
  EXPECT_GT(first, 15U);
  EXPECT_GT(last, 4U);
}

TEST(Patterns, TiesAreManyAndNoneIsNegativeZero) {
  const auto ties = values_of(tests::vector_add_case(400), {"ties everywhere", "ties", {}}, 0);
  EXPECT_EQ(std::set<double>(ties.begin(), ties.end()).size(), 5U);
  EXPECT_GE(std::count(ties.begin(), ties.end(), 2.0), 5) << "the largest is there several times";
  for (const double value : ties) EXPECT_FALSE(value == 0 && std::signbit(value));
}

TEST(Patterns, HalvesAreTiesOfARoundingBehindAnyPowerOfTwo) {
  const auto values = values_of(tests::vector_add_case(2000), {"halves everywhere", "halves", {}}, 0);
  for (int factor = 0; factor < 8; ++factor) {
    const auto tie = [&](double value) {
      const double scaled = std::ldexp(value, factor);
      return scaled - std::floor(scaled) == 0.5;
    };
    EXPECT_GT(std::ranges::count_if(values, tie), 100) << factor;
  }
}

TEST(Patterns, HalvesBesideTheLargestByteOfAnOutput) {
  model::Case bound = tests::vector_add_case(400);
  for (model::BoundArgument& argument : bound.arguments) {
    argument.shape = {4, 100};
    argument.strides = {100, 1};
  }
  const auto largest_by_row = [&] {
    const auto values = values_of(bound, {"halves everywhere", "halves", {}}, 0);
    std::vector<std::int64_t> counts;
    for (std::ptrdiff_t row = 0; row < 4; ++row)
      counts.push_back(std::count(values.begin() + 100 * row, values.begin() + 100 * row + 100, 127));
    return counts;
  };
  EXPECT_EQ(largest_by_row(), (std::vector<std::int64_t>{0, 0, 0, 0})) << "the output is no byte";
  for (model::BoundArgument& argument : bound.arguments)
    if (argument.role == model::ArgumentRole::output) argument.dtype = model::DType::i8;
  EXPECT_EQ(largest_by_row(), (std::vector<std::int64_t>{4, 0, 4, 0})) << "one in each 32 of a row";
}

TEST(Patterns, HalvesAreForIntegersThatAreMadeOfNumbers) {
  const auto asked = [](model::DType output) {
    model::Argument x, y;
    x.name = "x";
    x.role = model::ArgumentRole::input;
    x.dtype = model::DType::f32;
    y.name = "y";
    y.role = model::ArgumentRole::output;
    y.dtype = output;
    return std::ranges::any_of(structured_sets({x, y}),
                               [](const model::InputSet& set) { return set.kind == "halves"; });
  };
  EXPECT_TRUE(asked(model::DType::i8));
  EXPECT_FALSE(asked(model::DType::f32));
}

TEST(Patterns, ACombStandsOutAtOneRemainder) {
  const auto values = values_of(tests::vector_add_case(640), {"comb everywhere", "comb", {}}, 0);
  std::set<std::size_t> remainders;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (values[e] > 10) remainders.insert(e % 32);
  }
  EXPECT_EQ(remainders.size(), 1U);
}

TEST(Patterns, ACombStandsWhereALaneHasOneMore) {
  int any = 0;
  for (std::uint64_t draw = 0; draw < 256; ++draw) {
    const std::size_t first = first_tooth(100, draw, 0), second = first_tooth(100, draw, 1);
    EXPECT_TRUE(first < 4 || second < 4) << "one of two turns";
    any += first >= 4 || second >= 4;
    EXPECT_EQ(first_tooth(128, draw, 0), draw % 32) << "all lanes have as many";
    EXPECT_EQ(first_tooth(20, draw, 0), draw % 32) << "one each";
  }
  EXPECT_GE(any, 200);
}

TEST(Patterns, ACombIsEqualInEverySecondRow) {
  model::Case bound = tests::vector_add_case(640);
  for (model::BoundArgument& argument : bound.arguments) {
    argument.shape = {2, 320};
    argument.strides = {320, 1};
  }
  const auto values = values_of(bound, {"comb everywhere", "comb", {}}, 0);
  std::array<std::set<double>, 2> teeth;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (values[e] > 10) teeth[e / 320].insert(values[e]);
  }
  EXPECT_EQ(std::min(teeth[0].size(), teeth[1].size()), 1U) << "the largest stands there twice";
  EXPECT_EQ(std::max(teeth[0].size(), teeth[1].size()), 10U);
}

/// Rows of a comb: what stands in the teeth of each.
std::array<std::vector<double>, 4> teeth_of_four_rows(model::DType dtype) {
  constexpr std::size_t columns = 640;
  model::Case bound = tests::vector_add_case(4 * columns);
  for (model::BoundArgument& argument : bound.arguments) {
    argument.dtype = dtype;
    argument.shape = {4, columns};
    argument.strides = {columns, 1};
  }
  const auto values = values_of(bound, {"near_comb everywhere", "near_comb", {}}, 0);
  std::array<std::vector<double>, 4> teeth;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (std::abs(values[e]) > 10) teeth[e / columns].push_back(values[e]);
  }
  return teeth;
}

TEST(Patterns, TeethAreNeighboursAndOneIsBehindOthersOfItsLane) {
  for (const model::DType dtype : {model::DType::f32, model::DType::f16, model::DType::f64}) {
    const double unit = 16 * unit_in_last_place(dtype), next = 32 - unit, height = next - unit;
    std::size_t more = 0, less = 0, neighbours = 0, signs = 0;
    for (const std::vector<double>& row : teeth_of_four_rows(dtype)) {
      ASSERT_EQ(row.size(), 20U) << "one in 32";
      const auto high = std::ranges::count(row, next), plain = std::ranges::count(row, height);
      const auto low = std::ranges::count(row, -next), minus = std::ranges::count(row, -height);
      more += high == 1 && plain == 19 && std::ranges::find(row, next) - row.begin() >= 9;
      less += low == 1 && minus == 19;
      neighbours += high > 3 && plain > 3;
      signs += plain > 3 && minus > 3;
    }
    EXPECT_EQ(more, 1U);
    EXPECT_EQ(less, 1U);
    EXPECT_EQ(neighbours, 1U);
    EXPECT_EQ(signs, 1U);
  }
  EXPECT_TRUE(has_ties({"near_comb everywhere", "near_comb", {}})) << "no border is granted there";
}

TEST(Patterns, CreepsFromOneTileToTheNext) {
  const auto values = values_of(tests::vector_add_case(300), {"creeping", "creeping", {}}, 0);
  EXPECT_TRUE(std::ranges::is_sorted(values));
  EXPECT_LT(values.back() - values.front(), 300.0 / 32 * 1e-3);
  EXPECT_GT(values[32], values[0]);
}

TEST(Patterns, EndsOfRangesAreThoseOfAllOrApart) {
  for (const char* kind : {"top", "bottom", "ends_apart"})
    EXPECT_TRUE(is_at_ends_of_ranges({kind, kind, {}})) << kind;
  EXPECT_FALSE(is_at_ends_of_ranges({"rising", "rising", {}}));
}

TEST(Patterns, EachInputIsAllZeroApartAndTogether) {
  const model::Case bound = tests::vector_add_case(40);
  std::set<std::string> names;
  for (const model::InputSet& set : structured_sets(arguments_of(bound))) {
    if (set.kind != all_zero_kind) continue;
    names.insert(set.name);
    const double named = parameter(set, "argument", -1);
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
      const auto zeros = std::ranges::count(values_of(bound, set, input), 0.0);
      EXPECT_EQ(zeros, named < 0 || static_cast<std::size_t>(named) == input ? 40 : 0) << set.name;
    }
    EXPECT_TRUE(has_equals(set)) << "no border is granted there";
  }
  EXPECT_EQ(names.size(), 3U);
  std::vector<model::Argument> alone = arguments_of(bound);
  alone.erase(alone.begin());
  const auto of_one = structured_sets(alone);
  EXPECT_EQ(std::ranges::count(of_one, std::string(all_zero_kind), &model::InputSet::kind), 1)
      << "once is enough where there is one";
}

TEST(Patterns, NarrowHalvesLieBetweenTwoOfEachNarrowerType) {
  const auto values =
      values_of(tests::vector_add_case(2000), {"narrow_halves everywhere", "narrow_halves", {}}, 0);
  for (const std::uint32_t dropped_bits : {16U, 13U, 20U, 21U}) {  // of bf16, half and TF32, e4m3, e5m2
    const auto ties = std::ranges::count_if(values, [&](double value) {
      const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      return word % (1U << dropped_bits) == 1U << (dropped_bits - 1);
    });
    EXPECT_GT(ties, 200) << dropped_bits;
  }
  std::vector<model::Argument> arguments = arguments_of(tests::vector_add_case(100));
  const auto asked = [&] {
    return std::ranges::any_of(structured_sets(arguments),
                               [](const model::InputSet& set) { return set.kind == "narrow_halves"; });
  };
  EXPECT_FALSE(asked()) << "a float is judged by its error";
  for (model::Argument& argument : arguments)
    if (model::is_judged(argument.role)) argument.dtype = model::DType::u16;
  EXPECT_TRUE(asked());
}

TEST(Patterns, OfRowsEverySecondHasNothingAboveItsZeros) {
  model::Case bound = tests::vector_add_case(240);
  bound.arguments[0].shape = {8, 30};
  bound.arguments[0].strides = {30, 1};
  const auto values = values_of(bound, {"near_ties everywhere", "near_ties", {}}, 0);
  std::size_t without = 0, minus_first = 0, plus_first = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(30 * row), end = begin + 30;
    if (!std::none_of(begin, end, [](double value) { return value > 0; })) continue;
    ++without;
    const auto first = std::find(begin, end, 0.0), last = std::find(begin + 20, end, 0.0);
    ASSERT_LT(first, begin + 10);
    ASSERT_NE(last, end);
    EXPECT_NE(std::signbit(*first), std::signbit(*last));
    (std::signbit(*first) ? minus_first : plus_first) += 1;
  }
  EXPECT_EQ(without, 4U);
  EXPECT_EQ(minus_first, 2U);
  EXPECT_EQ(plus_first, 2U);
}

TEST(Patterns, SpecialValuesAreFewAndOfEachSort) {
  const auto values = values_of(tests::vector_add_case(4000), {"special", "special_values", {}}, 0);
  const auto count = [&](auto is) { return std::count_if(values.begin(), values.end(), is); };
  EXPECT_GT(count([](double x) { return std::isnan(x); }), 10);
  EXPECT_GT(count([](double x) { return x == HUGE_VAL; }), 10);
  EXPECT_GT(count([](double x) { return x == -HUGE_VAL; }), 10);
  EXPECT_LT(count([](double x) { return !std::isfinite(x); }), 400);
  EXPECT_TRUE(rules_of(evo::tests::known(), {"special", "special_values", {}}).special_values);
}

TEST(AttentionInputs, SpikesAndStaircasesRaiseLogitsBySoMuch) {
  const model::Case bound = tests::attention_case(1, 2, 70, 64, false);
  for (const double height : {14.0, 100.0}) {
    for (const std::string kind : {"spike", "staircase"}) {
      const model::InputSet set{kind, kind, {{kind == "spike" ? "height" : "step", height}}};
      const auto q = values_of(bound, set, 0), k = values_of(bound, set, 1);
      for (std::size_t head = 0; head < 2; ++head) {
        for (const std::size_t i : {std::size_t{0}, std::size_t{69}}) {
          std::vector<double> logits;
          for (std::size_t j = 0; j < 70; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < 64; ++d)
              sum += q[(head * 70 + i) * 64 + d] * k[(head * 70 + j) * 64 + d];
            logits.push_back(sum / 8);
          }
          if (kind == "spike") {
            std::sort(logits.begin(), logits.end());
            EXPECT_GT(logits[69] - logits[68], 0.8 * height);
          } else {
            EXPECT_GT(logits[20] - logits[10], 0.8 * height) << "from one group of 16 keys to the next";
            EXPECT_GT(logits[69] - logits[60], 0.8 * height) << "the last key of all";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace evo::evaluators::oracle
