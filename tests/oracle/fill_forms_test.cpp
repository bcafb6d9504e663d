// What each form of a fill holds: permutations, offsets, sorted numbers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/layout.hpp"
#include "tests/oracle/fills_fixture.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::BoundFill;
using model::DType;
using model::FillForm;

TEST_F(Fills, PermutationsAreSome) {
  for (const model::InputSet& set : all_sets(FillForm::permutation, DType::i32)) {
    std::vector<double> whole = values(with({FillForm::permutation, 120}), set);
    std::vector<double> expected(120);
    std::iota(expected.begin(), expected.end(), 0);
    if (set.name != "rising of x") {
      EXPECT_NE(whole, expected) << set.name;
    }
    std::ranges::sort(whole);
    EXPECT_EQ(whole, expected) << set.name;
    const std::vector<double> rows = values(with({FillForm::permutation, 10}), set);
    for (std::size_t row = 0; row < 12; ++row) {
      std::set<double> seen(rows.begin() + static_cast<std::ptrdiff_t>(10 * row),
                            rows.begin() + static_cast<std::ptrdiff_t>(10 * row + 10));
      EXPECT_EQ(seen.size(), 10U);
      EXPECT_EQ(*seen.rbegin(), 9);
    }
  }
}

TEST_F(Fills, PermutationsStandInOrderAndBackwards) {
  const model::Case bound = with({FillForm::permutation, 120});
  EXPECT_TRUE(std::ranges::is_sorted(values(bound, {"rising of x", "rising", {{"argument", 0}}})));
  EXPECT_TRUE(std::ranges::is_sorted(values(bound, {"falling of x", "falling", {{"argument", 0}}}),
                                     std::ranges::greater()));
}

TEST_F(Fills, RanksAndIntegersHaveTiesAndEndsOfTheirRange) {
  for (const FillForm form : {FillForm::zipf, FillForm::integers}) {
    const BoundFill fill = form == FillForm::zipf ? BoundFill{form, 50, 1.2} : BoundFill{form, 0, 49};
    const model::Case bound = with(fill);
    std::set<std::string> names;
    for (const model::InputSet& set : all_sets(form, DType::i32)) {
      names.insert(set.name);
      for (const double value : values(bound, set)) {
        ASSERT_GE(value, 0) << set.name;
        ASSERT_LE(value, 49) << set.name;
      }
    }
    EXPECT_TRUE(names.contains("ties of x") && names.contains("rising of x"));
    EXPECT_FALSE(names.contains("wide of x")) << "it says what it holds";
    EXPECT_TRUE(names.contains("comb of x"));
    const auto ties = values(bound, {"ties of x", "ties", {{"argument", 0}}});
    EXPECT_LE(std::set<double>(ties.begin(), ties.end()).size(), 3U);
    const model::Case row = with(fill, DType::i32, {96});
    const auto comb = values(row, {"comb of x", "comb", {{"argument", 0}}});
    const auto tooth = static_cast<std::size_t>(std::ranges::find(comb, 49.0) - comb.begin());
    bool everywhere = false;
    for (std::size_t at = tooth; at < tooth + 32 && !everywhere; ++at)
      everywhere = comb[at % 32] == 49 && comb[at % 32 + 32] == 49 && comb[at % 32 + 64] == 49;
    EXPECT_TRUE(everywhere) << "all of a lane";
    EXPECT_EQ(values(bound, {"ones of x", "ones", {{"argument", 0}}}), std::vector<double>(120, 49));
  }
}

TEST_F(Fills, OffsetsAscendFromZeroToTheirEnd) {
  const model::Case bound = with({FillForm::offsets, 300}, DType::i32, {3, 40});
  std::set<std::vector<double>> different;
  bool empty_row = false, all_in_one = false;
  for (const model::InputSet& set : all_sets(FillForm::offsets, DType::i32)) {
    const std::vector<double> found = values(bound, set);
    different.insert(found);
    for (std::size_t row = 0; row < 3; ++row) {
      const auto first = found.begin() + static_cast<std::ptrdiff_t>(40 * row), last = first + 40;
      EXPECT_EQ(*first, 0) << set.name;
      EXPECT_EQ(*(last - 1), 300) << set.name;
      EXPECT_TRUE(std::is_sorted(first, last)) << set.name;
      empty_row |= std::adjacent_find(first, last) != last;
      all_in_one |= *(last - 2) == 0;
    }
  }
  EXPECT_GE(different.size(), 4U);
  EXPECT_TRUE(empty_row);
  EXPECT_TRUE(all_in_one) << "one row may have everything";
}

TEST_F(Fills, RowsBetweenOffsetsHaveTheLeastThatTheyMay) {
  model::BoundFill fill{FillForm::offsets, 300};
  fill.b = 2;
  const model::Case bound = with(fill, DType::i32, {3, 40});
  bool shortest = false, hub = false;
  for (const model::InputSet& set : all_sets(FillForm::offsets, DType::i32)) {
    const std::vector<double> found = values(bound, set);
    for (std::size_t e = 0; e < found.size(); ++e) {
      if (e % 40 == 0) {
        EXPECT_EQ(found[e], 0) << set.name;
        continue;
      }
      const double length = found[e] - found[e - 1];
      EXPECT_GE(length, 2) << set.name << " " << e;
      shortest |= length == 2;
      hub |= length == 300 - 38 * 2;
    }
    EXPECT_EQ(found.back(), 300) << set.name;
  }
  EXPECT_TRUE(shortest && hub);
}

TEST_F(Fills, SortedNumbersAscendWithinTheirRange) {
  for (const DType dtype : {DType::f32, DType::i32}) {
    for (const model::InputSet& set : all_sets(FillForm::sorted, dtype)) {
      const std::vector<double> found = values(with({FillForm::sorted, -3, 7}, dtype, {120}), set);
      EXPECT_TRUE(std::ranges::is_sorted(found)) << set.name;
      EXPECT_GE(found.front(), -3);
      EXPECT_LE(found.back(), 7);
    }
  }
  const auto close = values(with({FillForm::sorted, -3, 7}, DType::f32, {120}), {"small", "small", {}});
  EXPECT_LE(close.back() - close.front(), 10 * 0x1p-20) << "as close together as what it stands beside";
  EXPECT_LT(close.front(), close.back());
}

TEST_F(Fills, ZipfFavoursSmallNumbers) {
  const std::vector<double> found =
      values(with({FillForm::zipf, 50, 1.2}, DType::i32, {4000}), {"plain", "normal", {}});
  EXPECT_EQ(std::ranges::min(found), 0);
  EXPECT_LT(std::ranges::max(found), 50);
  const auto zeros = std::ranges::count(found, 0.0), tens = std::ranges::count(found, 10.0);
  EXPECT_GT(zeros, 5 * tens);
  EXPECT_GT(tens, 0);
}

TEST_F(Fills, ConstantsAndRampsAreTheSameInEverySet) {
  for (const model::InputSet& set : all_sets(FillForm::constant, DType::i32)) {
    EXPECT_EQ(values(with({FillForm::constant, 7}), set), std::vector<double>(120, 7)) << set.name;
    const std::vector<double> ramp = values(with({FillForm::ramp, 5, 2}), set);
    for (std::size_t e = 0; e < ramp.size(); ++e) ASSERT_EQ(ramp[e], 5 + 2 * static_cast<double>(e));
  }
}

TEST_F(Fills, AColumnHasTheNumbersOfTheOtherArgument) {
  model::Case bound = with({FillForm::column, 2, 0, 1}, DType::f32, {30});
  bound.arguments[1].shape = {30, 4};
  bound.arguments[1].strides = {5, 1};
  for (const model::InputSet& set : all_sets(FillForm::column, DType::f32)) {
    const std::vector<double> column = values(bound, set), all = values(bound, set, 1, 1);
    for (std::size_t e = 0; e < 30; ++e) ASSERT_EQ(column[e], all[4 * e + 2]) << set.name;
  }
}

TEST_F(Fills, OfDistinctNumbersNoneComesTwice) {
  for (const double most : {119.0, 130.0, 1e6}) {
    std::set<std::vector<double>> drawn;
    for (const model::InputSet& set : all_sets(FillForm::distinct, DType::i32)) {
      const std::vector<double> found = values(with({FillForm::distinct, 0, most}), set);
      ASSERT_EQ(std::set<double>(found.begin(), found.end()).size(), 120U) << set.name;
      ASSERT_GE(std::ranges::min(found), 0) << set.name;
      ASSERT_LE(std::ranges::max(found), most) << set.name;
      if (set.name == "rising") {
        EXPECT_TRUE(std::ranges::is_sorted(found));
      }
      drawn.insert(found);
    }
    EXPECT_GE(drawn.size(), 3U);
  }
}

TEST_F(Fills, RowsEndBehindWhereTheyBegin) {
  constexpr double last = 500;
  for (const FillForm form : {FillForm::ends, FillForm::lengths}) {
    model::Case bound = with({form, last, 0, 1}, DType::i32, {120});
    bound.arguments[1] = tests::array_argument("y", ArgumentRole::input, DType::i32, {120});
    bound.arguments[1].fill = BoundFill{FillForm::integers, 0, last};
    std::set<double> lengths;
    bool none = false;
    for (const model::InputSet& set : all_sets(form, DType::i32)) {
      const std::vector<double> rows = values(bound, set), begins = values(bound, set, 1, 1);
      double all = 0;
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const double end = form == FillForm::ends ? rows[e] : begins[e] + rows[e];
        ASSERT_GE(end, begins[e]) << set.name;
        ASSERT_LE(end, last) << set.name;
        all += end - begins[e];
        lengths.insert(end - begins[e]);
      }
      none = none || all == 0;
      // References read what there is a few times, not once a row.
      EXPECT_LE(all, 4 * last) << set.name;
    }
    EXPECT_TRUE(none);
    // Twice as long as rows are where all have the same, and beyond.
    for (int length = 0; length <= 10; ++length) EXPECT_TRUE(lengths.contains(length)) << length;
    EXPECT_GT(*lengths.rbegin(), 100);
  }
}

TEST_F(Fills, OneRowBetweenOffsetsIsLongAmongShortOnes) {
  const model::Case bound = with({FillForm::offsets, 3000}, DType::i32, {41});
  const std::vector<double> offsets = values(bound, {"dominant of x", "dominant", {{"argument", 0}}});
  EXPECT_TRUE(std::ranges::is_sorted(offsets));
  EXPECT_EQ(offsets.front(), 0);
  EXPECT_EQ(offsets.back(), 3000);
  std::size_t hubs = 0, some = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const double length = offsets[row + 1] - offsets[row];
    hubs += length > 2000 ? 1 : 0;
    some += length > 0 && length < 40 ? 1 : 0;
  }
  EXPECT_EQ(hubs, 1U);
  EXPECT_EQ(some, 39U);
}

}  // namespace
}  // namespace evo::evaluators::oracle
