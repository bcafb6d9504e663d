#include "evaluators/oracle/elements.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/rounding.hpp"

namespace evo::evaluators::oracle {
namespace {

TEST(Half, EveryBitPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = double_from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(double_from_half(half_from_double(value))));
    } else {
      EXPECT_EQ(half_from_double(value), half) << bits;
    }
    const double brain = double_from_bfloat16(half);
    if (!std::isnan(brain)) {
      EXPECT_EQ(bfloat16_from_double(brain), half) << bits;
    }
  }
}

// Between two neighbours the nearer one wins, and exactly halfway the one with an even last bit.
TEST(Half, RoundsToNearestTiesToEvenBetweenAllNeighbours) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const auto lower = static_cast<std::uint16_t>(bits);
    const auto upper = static_cast<std::uint16_t>(bits + 1);
    const double a = double_from_half(lower);
    const double b = double_from_half(upper);
    const double middle = (a + b) / 2;
    ASSERT_EQ(half_from_double(middle), (lower & 1) == 0 ? lower : upper) << bits;
    ASSERT_EQ(half_from_double(std::nextafter(middle, 0.0)), lower) << bits;
    ASSERT_EQ(half_from_double(std::nextafter(middle, 1e9)), upper) << bits;
    ASSERT_EQ(half_from_double(-middle), half_from_double(middle) | 0x8000) << bits;
  }
}

TEST(Half, EdgesOfTheRange) {
  EXPECT_EQ(half_from_double(65504), 0x7bff);
  EXPECT_EQ(half_from_double(65519.99), 0x7bff);
  EXPECT_EQ(half_from_double(65520), 0x7c00);
  EXPECT_EQ(half_from_double(1e300), 0x7c00);
  EXPECT_EQ(half_from_double(-std::numeric_limits<double>::infinity()), 0xfc00);
  EXPECT_EQ(half_from_double(0x1p-25), 0);  // halfway to the least subnormal: even
  EXPECT_EQ(half_from_double(0x1.0000000000001p-25), 1);
  EXPECT_EQ(half_from_double(0x1.8p-24), 2);
  EXPECT_EQ(half_from_double(-0.0), 0x8000);
  EXPECT_EQ(half_from_double(1e-320), 0);
  EXPECT_EQ(half_from_double(std::numeric_limits<double>::quiet_NaN()) & 0x7e00, 0x7e00);
}

// Many at a time: the same bits as one at a time.
TEST(RoundTo, IsWhatTheElementHolds) {
  std::vector<double> values{0.0,
                             -0.0,
                             65504,
                             65519.99,
                             65520,
                             1e300,
                             -1e300,
                             1e-320,
                             -1e-320,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
  const std::size_t special = values.size();
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (const double held : {double_from_half(static_cast<std::uint16_t>(bits)),
                              double_from_bfloat16(static_cast<std::uint16_t>(bits))}) {
      if (!std::isfinite(held)) continue;
      // The number itself, about halfway to the next one of either type, and just beside that.
      for (const double factor : {1.0, 1 + 0x1p-11, 1 + 0x1p-8}) {
        values.push_back(held * factor);
        values.push_back(std::nextafter(held * factor, 0.0));
        values.push_back(std::nextafter(held * factor, 2 * held));
      }
      values.push_back(held + 0x1p-25);
      values.push_back(held + 0x1p-134);
    }
  }
  std::vector<double> halves = values, brains = values;
  round_to(model::DType::f16, halves);
  round_to(model::DType::bf16, brains);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double half = double_from_half(half_from_double(values[i]));
    const double brain = double_from_bfloat16(bfloat16_from_double(values[i]));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(halves[i]), std::bit_cast<std::uint64_t>(half)) << values[i];
    ASSERT_EQ(std::bit_cast<std::uint64_t>(brains[i]), std::bit_cast<std::uint64_t>(brain)) << values[i];
  }
  EXPECT_GT(values.size(), special + 900000);
  std::vector<double> none{std::numeric_limits<double>::quiet_NaN()};
  round_to(model::DType::f16, none);
  EXPECT_TRUE(std::isnan(none[0]));
}

RC_GTEST_PROP(BFloat16, IsTheFloatRoundedByHand, ()) {
  const auto bits = *rc::gen::arbitrary<std::uint32_t>();
  const float value = std::bit_cast<float>(bits);
  RC_PRE(std::isfinite(value));
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  RC_ASSERT(bfloat16_from_double(value) == static_cast<std::uint16_t>(rounded));
}

RC_GTEST_PROP(Elements, WhatIsStoredIsLoaded, ()) {
  using model::DType;
  const int value = *rc::gen::inRange(-120, 120);
  for (const DType dtype :
       {DType::f16, DType::f32, DType::f64, DType::i8, DType::i32, DType::i64, DType::bf16}) {
    std::array<std::byte, 8> bytes{};
    store_element(dtype, value, bytes.data());
    RC_ASSERT(load_element(dtype, bytes.data()) == value);
  }
}

TEST(Elements, IntegersRoundAndClamp) {
  std::array<std::byte, 8> bytes{};
  const auto stored = [&](model::DType dtype, double value) {
    store_element(dtype, value, bytes.data());
    return load_element(dtype, bytes.data());
  };
  EXPECT_EQ(stored(model::DType::i8, 1000), 127);
  EXPECT_EQ(stored(model::DType::u8, -3), 0);
  EXPECT_EQ(stored(model::DType::u32, 5e9), 4294967295.0);
  EXPECT_EQ(stored(model::DType::i32, 2.5), 2);
  EXPECT_EQ(stored(model::DType::i64, -1e300), -9223372036854775808.0);
  EXPECT_EQ(stored(model::DType::u64, 1e300), 18446744073709551615.0);
}

}  // namespace
}  // namespace evo::evaluators::oracle
