#include "evaluators/oracle/compare.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/oracle/compared_output.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using compared_output::infinity;
using compared_output::nan, compared_output::usual, compared_output::Output, compared_output::with_poison;
using model::ArgumentRole;
using model::DType;

TEST(Compare, RightOutputsPass) {
  Output output(3);
  output.store_all();
  const Comparison result = output.judge(with_poison(0x7fc00123));
  EXPECT_TRUE(result.pass) << result.text("c");
  EXPECT_EQ(result.elements, 12);
  EXPECT_LT(result.relative_frobenius, 1e-6);
}

// Bounds that nobody wrote: a share of next to nothing is less than any rounding.
TEST(Compare, OfAnAutomaticClassTheYardstickIsAll) {
  Output output(3);
  std::fill(output.reference.begin(), output.reference.end(), 0.0);
  output.store_all();
  output.store(5, 2e-8);
  CompareOptions options = usual;
  options.tolerance.relative_frobenius = 1;
  options.tolerance.max_abs_over_rms = 1e6;
  options.tolerance.reference_factor = model::ReferenceFactor{2, 0};
  options.plain_errors = OutputErrors{1.5e-8, 1.5e-8};
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "bounds that somebody wrote";
  options.tolerance.automatic = true;
  EXPECT_TRUE(output.judge(options).pass);
  options.conditioning = OutputErrors{0, 0};
  EXPECT_TRUE(output.judge(options).pass);
  output.store(5, 4e-8);
  EXPECT_EQ(output.judge(options).reason, "mismatch");
  options.conditioning.reset();
  EXPECT_EQ(output.judge(options).reason, "mismatch");
  options.plain_errors.reset();
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "no plain_errors let nothing through";
}

TEST(Compare, NonFiniteNeverPasses) {
  for (const double bad : {nan, infinity, -infinity}) {
    Output output(3);
    output.store_all();
    output.store(7, bad);
    for (const bool exact : {false, true}) {
      CompareOptions lax{.tolerance = {"lax", infinity, infinity}, .exact = exact, .poison = std::nullopt};
      const Comparison result = output.judge(lax);
      EXPECT_FALSE(result.pass);
      EXPECT_EQ(result.reason, "non_finite");
      EXPECT_EQ(result.non_finite, 1);
      EXPECT_EQ(result.worst.front().coordinates, (std::vector<std::int64_t>{1, 3}));
    }
    // Not even if the reference is the same: a reference that is not finite proves nothing.
    output.reference[7] = bad;
    EXPECT_FALSE(output.judge().pass);
    output.store(7, 1);
    CompareOptions lax{.tolerance = {"lax", infinity, infinity}, .exact = false, .poison = std::nullopt};
    EXPECT_EQ(output.judge(lax).reason, "non_finite");
  }
}

TEST(Compare, NaNInTheFirstOrLastElementIsNotLostAmongOthers) {
  for (const std::int64_t place : {0, 11}) {
    Output output(3);
    output.store_all();
    output.store(place, nan);
    const Comparison result = output.judge();
    EXPECT_FALSE(result.pass);
    EXPECT_TRUE(std::isnan(result.relative_frobenius));
    EXPECT_TRUE(std::isnan(result.max_abs_over_rms));
  }
}

TEST(Compare, EitherBoundAloneRejects) {
  Output output(3);
  output.store_all();
  output.store(5, output.reference[5] + 0.05);
  const CompareOptions frobenius_only{.tolerance = {"", 1e-3, 1}, .exact = false, .poison = std::nullopt};
  const CompareOptions largest_only{.tolerance = {"", 1, 1e-2}, .exact = false, .poison = std::nullopt};
  const CompareOptions neither{.tolerance = {"", 1, 1}, .exact = false, .poison = std::nullopt};
  EXPECT_EQ(output.judge(frobenius_only).reason, "mismatch");
  EXPECT_EQ(output.judge(largest_only).reason, "mismatch");
  EXPECT_TRUE(output.judge(neither).pass);
  for (const auto& [frobenius, largest] : {std::pair{nan, 1.0}, std::pair{1.0, nan}}) {
    const CompareOptions undefined{
        .tolerance = {"", frobenius, largest}, .exact = false, .poison = std::nullopt};
    EXPECT_FALSE(output.judge(undefined).pass) << "a bound that is NaN admits nothing";
  }
}

TEST(Compare, ARelativeErrorThatIsGrantedCountsAsNone) {
  Output output(8);
  output.store_all();
  output.store(5, output.reference[5] * (1 + 0x1p-5));
  CompareOptions options = usual;
  EXPECT_FALSE(output.judge(options).pass);
  options.relative = 0x1p-5;
  EXPECT_TRUE(output.judge(options).pass);
  output.store(5, output.reference[5] * (1 + 0x1p-3));
  EXPECT_FALSE(output.judge(options).pass) << "what is beyond counts";
  output.store(5, nan);
  EXPECT_EQ(output.judge(options).reason, "non_finite");
  output.store(5, infinity);
  EXPECT_EQ(output.judge(options).reason, "non_finite");
}

TEST(Compare, IntegersAreGrantedNoRelativeError) {
  const auto argument = tests::array_argument("c", ArgumentRole::output, DType::i32, {1});
  std::vector<std::byte> bytes(4);
  store_element(DType::i32, 100000001, bytes.data());
  CompareOptions options{.tolerance = {"exact", 0, 0}, .exact = false, .poison = std::nullopt};
  options.relative = 1e-3;
  EXPECT_FALSE(compare(argument, bytes, std::vector<double>{100000000}, options).pass);
  EXPECT_TRUE(compare(argument, bytes, std::vector<double>{100000001}, options).pass);
}

TEST(Compare, ZeroReferenceAdmitsZeroOnly) {
  Output output(2);
  output.reference.assign(8, 0.0);
  output.store_all();
  EXPECT_TRUE(output.judge().pass);
  output.store(3, 1e-20);
  EXPECT_FALSE(output.judge().pass);
}

TEST(Compare, SurvivingPoisonIsUnwritten) {
  for (const std::uint32_t pattern : {0x7fc00123U, 0x7e00beefU}) {  // a NaN, and a finite number
    Output output(3, pattern);
    output.store_all();
    Output untouched(3, pattern);
    EXPECT_EQ(untouched.judge(with_poison(pattern)).unwritten, 12);
    EXPECT_EQ(untouched.judge(with_poison(pattern)).reason, "unwritten");
    output.store(11, std::bit_cast<float>(pattern));
    const Comparison tail = output.judge(with_poison(pattern));
    EXPECT_EQ(tail.reason, "unwritten");
    EXPECT_EQ(tail.unwritten, 1);
    EXPECT_EQ(output.judge(with_poison(0x7fc00777)).unwritten, 0);
  }
}

TEST(Compare, ARightByteMayBeThePoisons) {
  auto argument = tests::array_argument("q", ArgumentRole::output, DType::f8e4m3, {4}, {1});
  const std::vector<double> reference{1.03, -0.27, 3.9, 200};
  std::vector<std::byte> bytes(4);
  for (std::size_t i = 0; i < 4; ++i) store_element(DType::f8e4m3, reference[i], &bytes[i]);
  CompareOptions options{.tolerance = {"test", 0.1, 0.1}, .exact = false, .poison = std::nullopt};
  options.poison = std::uint32_t{static_cast<std::uint8_t>(bytes[2])} * 0x01010101U;
  EXPECT_TRUE(compare(argument, bytes, reference, options).pass);
  bytes[3] = bytes[2];
  EXPECT_EQ(compare(argument, bytes, reference, options).reason, "unwritten");

  const std::vector<double> none(4, nan);
  const std::vector<std::byte> nans(4, std::byte{0x7f});
  options.special_values = true;
  options.poison = 0x7f7f7f7f;
  EXPECT_TRUE(compare(argument, nans, none, options).pass);
}

TEST(Compare, GapsMustKeepThePoison) {
  Output output(3);
  output.store_all();
  output.bytes[18] = std::byte{0};  // in the unused fifth column of the first row
  const Comparison result = output.judge(with_poison(0x7fc00123));
  EXPECT_EQ(result.reason, "gap_overwritten");
  EXPECT_EQ(result.gap_bytes, 1);
}

TEST(Compare, ExactModeSeesOneUnitInTheLastPlace) {
  Output output(3);
  output.store_all();
  CompareOptions exact = usual;
  exact.exact = true;
  EXPECT_TRUE(output.judge(exact).pass);
  output.store(4, std::nextafter(static_cast<float>(output.reference[4]), 10.0F));
  EXPECT_TRUE(output.judge().pass);
  EXPECT_EQ(output.judge(exact).reason, "mismatch");
  EXPECT_EQ(output.judge(exact).mismatched, 1);
}

TEST(Compare, ExactModeMayLetTheNextNumberThrough) {
  Output output(3);
  output.store_all();
  CompareOptions exact = usual;
  exact.exact = true;
  exact.exact_ulps = 1;
  const auto correct = static_cast<float>(output.reference[4]);
  for (const float side : {-10.0F, 10.0F}) {
    const float next = std::nextafter(correct, side);
    output.store(4, next);
    EXPECT_TRUE(output.judge(exact).pass);
    output.store(4, std::nextafter(next, side));
    EXPECT_EQ(output.judge(exact).mismatched, 1);
  }
  output.store(4, std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(output.judge(exact).pass);
  output.store(4, -correct);
  EXPECT_FALSE(output.judge(exact).pass);
}

TEST(Compare, WorstFiveComeFirstWithTheirPlaces) {
  Output output(5);
  output.store_all();
  for (std::int64_t i = 0; i < 8; ++i)
    output.store(i, output.reference[static_cast<std::size_t>(i)] + 0.1 * static_cast<double>(i));
  const Comparison result = output.judge();
  ASSERT_EQ(result.worst.size(), 5U);
  EXPECT_EQ(result.worst[0].coordinates, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(result.worst[4].coordinates, (std::vector<std::int64_t>{0, 3}));
  EXPECT_NE(result.text("c").find("c[1,3] is"), std::string::npos) << result.text("c");
}

TEST(Compare, WhatIsRefusedHasItsDistance) {
  Output output(3);
  output.store_all();
  EXPECT_EQ(output.judge().wrong_share, 0);
  double squares = 0;
  for (const double value : output.reference) squares += value * value;
  const double rms = std::sqrt(squares / 12);
  for (const std::int64_t i : {1, 4, 7})
    output.store(i, output.reference[static_cast<std::size_t>(i)] + 4 * 1e-2 * rms);
  const Comparison few = output.judge();
  EXPECT_EQ(few.wrong_share, 0.25);
  EXPECT_NEAR(few.times_bound, 20, 0.01);  // of the root mean square, which is further beyond its bound
  // All of them by little: no single one is too far off.
  for (std::int64_t i = 0; i < 12; ++i)
    output.store(i, output.reference[static_cast<std::size_t>(i)] + 2e-3 * rms);
  EXPECT_EQ(output.judge().wrong_share, 1);
  EXPECT_NEAR(output.judge().times_bound, 2, 0.01);
  output.store_all();
  output.store(5, nan);
  EXPECT_EQ(output.judge().wrong_share, 1.0 / 12);
  EXPECT_FALSE(std::isfinite(output.judge().times_bound));
}

TEST(Compare, ItsDistanceIsThatOfWhatIsJudged) {
  Output output(4);
  output.store_all();
  output.store(4, 100);
  CompareOptions options = usual;
  const std::vector<std::int64_t> rows{1, 3};
  options.rows = rows;
  std::vector<double> reference(output.reference.begin() + 4, output.reference.begin() + 8);
  reference.insert(reference.end(), output.reference.begin() + 12, output.reference.end());
  EXPECT_EQ(compare(output.argument, output.bytes, reference, options).wrong_share, 1.0 / 8);
  // In rows without a reference it is seen that most elements are no numbers.
  for (const std::int64_t i : {0, 1, 2, 3, 8, 9}) output.store(i, nan);
  EXPECT_EQ(compare(output.argument, output.bytes, reference, options).wrong_share, 6.0 / 16);
  options = usual;
  options.special_values = true;
  output.store_all();
  output.reference[2] = infinity;
  output.store(0, 100);
  EXPECT_EQ(output.judge(options).wrong_share, 2.0 / 16);
  options = usual;
  options.exact = true;
  Output exact(2);
  exact.store_all();
  exact.store(3, std::nextafter(static_cast<float>(exact.reference[3]), 9.0F));
  EXPECT_EQ(exact.judge(options).wrong_share, 1.0 / 8);
}

TEST(Compare, WrongSizesAreNoPass) {
  Output output(3);
  output.store_all();
  output.reference.pop_back();
  EXPECT_FALSE(output.judge().pass);
  Output short_buffer(3);
  short_buffer.bytes.pop_back();
  EXPECT_FALSE(short_buffer.judge().pass);
  Output long_buffer(3);
  long_buffer.store_all();
  long_buffer.bytes.push_back(std::byte{0});
  EXPECT_FALSE(long_buffer.judge().pass);
}

RC_GTEST_PROP(Compare, AnySingleBigErrorAnywhereIsFound, ()) {
  Output output(*rc::gen::inRange<std::int64_t>(1, 9));
  output.store_all();
  const auto place = *rc::gen::inRange<std::size_t>(0, output.reference.size());
  output.store(static_cast<std::int64_t>(place), -output.reference[place]);
  RC_ASSERT(!output.judge().pass);
  RC_ASSERT(output.judge().worst.front().coordinates ==
            coordinates_of(output.argument, static_cast<std::int64_t>(place)));
}

RC_GTEST_PROP(Compare, FrobeniusIsWhatTheDefinitionSays, ()) {
  Output output(4);
  const double relative = *rc::gen::inRange(1, 1000) * 1e-4;
  for (std::size_t i = 0; i < output.reference.size(); ++i) {
    output.store(static_cast<std::int64_t>(i), output.reference[i] * (1 + relative));
  }
  const Comparison result = output.judge();
  RC_ASSERT(std::abs(result.relative_frobenius - relative) < 1e-6);
  RC_ASSERT(result.pass == (result.relative_frobenius <= 1e-3 && result.max_abs_over_rms <= 1e-2));
}

TEST(Poison, IsANaNOrALargeNumberInEveryFloatType) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (std::uint32_t draw = 0; draw < 70000; draw += 7) {
      for (const bool finite : {false, true}) {
        const std::uint64_t pattern = poison_pattern(dtype, draw, finite);
        const auto bytes = std::bit_cast<std::array<std::byte, 8>>(pattern | (pattern << 32));
        for (std::int64_t offset = 0; offset < 8; offset += model::size_of(dtype)) {
          const double value = load_element(dtype, bytes.data() + offset);
          ASSERT_EQ(std::isnan(value), !finite) << draw;
          if (finite) {
            ASSERT_TRUE(std::isfinite(value) && std::abs(value) > 1e4);
          }
        }
      }
    }
  }
  EXPECT_NE(poison_pattern(DType::f16, 1, false), poison_pattern(DType::f16, 2, false));
  EXPECT_NE(poison_pattern(DType::i32, 1, false), poison_pattern(DType::i32, 2, false));
}

TEST(Compare, SpecialValuesMustBeWhereTheReferenceHasThem) {
  Output output(3);
  output.reference[1] = nan;
  output.reference[5] = infinity;
  output.reference[6] = -infinity;
  output.store_all();
  CompareOptions options = usual;
  EXPECT_EQ(output.judge(options).reason, "non_finite") << "nobody asked for them";
  options.special_values = true;
  options.poison = 0x7fc00123;
  EXPECT_TRUE(output.judge(options).pass) << output.judge(options).text("c");
  for (const auto& [index, value] : std::vector<std::pair<std::int64_t, double>>{
           {1, 3.0}, {1, infinity}, {5, -infinity}, {5, nan}, {6, 1e30}, {7, nan}, {7, 9.0}, {0, infinity}}) {
    Output wrong = output;
    wrong.store(index, value);
    const Comparison result = wrong.judge(options);
    EXPECT_FALSE(result.pass) << index << " " << value;
    EXPECT_EQ(result.worst.front().coordinates, (std::vector<std::int64_t>{index / 4, index % 4}));
  }
  Output unwritten(3);
  unwritten.reference = output.reference;
  for (std::int64_t i = 0; i < 12; ++i) {
    if (i != 1) unwritten.store(i, output.reference[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(unwritten.judge(options).reason, "unwritten") << "the poison is a NaN, too";
}

TEST(Compare, AWrongByteThatIsThePoisonByChanceIsNoNewsBesideOthers) {
  const auto argument = tests::array_argument("q", ArgumentRole::output, DType::i8, {20});
  const std::vector<double> reference(20, 100);
  CompareOptions options = usual;
  options.poison = 0x17171717;
  std::vector<std::byte> bytes(20, std::byte{50});
  bytes[7] = std::byte{0x17};
  EXPECT_EQ(compare(argument, bytes, reference, options).reason, "mismatch");
  bytes.assign(20, std::byte{100});
  bytes[7] = std::byte{0x17};
  EXPECT_EQ(compare(argument, bytes, reference, options).reason, "unwritten") << "alone it is";
  bytes.assign(20, std::byte{0x17});
  bytes[0] = std::byte{50};
  EXPECT_EQ(compare(argument, bytes, reference, options).reason, "unwritten") << "so many are no chance";
}

}  // namespace
}  // namespace evo::evaluators::oracle
