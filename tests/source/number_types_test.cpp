#include "source/number_types.hpp"

#include <gtest/gtest.h>

namespace evo::source {
namespace {

TEST(NumberTypes, NumbersOfFloatBecomeDoublesOfTheSameValue) {
  EXPECT_EQ(with_double_numbers("y = (i + 0.5f) * n;"), "y = (i + (static_cast<double>(0.5f))) * n;");
  EXPECT_EQ(with_double_numbers("1e3F + 0x1.8p3f"),
            "(static_cast<double>(1e3F)) + (static_cast<double>(0x1.8p3f))");
}

TEST(NumberTypes, WhatIsNoNumberOfFloatStays) {
  for (const char* text : {"0x1f + 0.5 + 7 + 1e3", "xf = .5L; // 0.5f", "asm(\"0.5f\");", "0xe0f"})
    EXPECT_EQ(with_double_numbers(text), text);
}

TEST(NumberTypes, NumbersOfDoubleBecomeFloats) {
  EXPECT_EQ(with_float_numbers("0.5 * x + 1e300 + 2"), "0.5f * x + 1e300 + 2");
  EXPECT_EQ(with_float_numbers("0.5f + 0x1e"), "0.5f + 0x1e");
}

}  // namespace
}  // namespace evo::source
