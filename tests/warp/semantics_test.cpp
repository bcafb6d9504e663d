// Semantics of floating-point scalars and conversions against independent references: the host's own rounding
// modes, wider arithmetic, and for binary16 every value there is.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "evaluators/devices/virtual/semantics/approximate.hpp"
#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/floating.hpp"
#include "evaluators/devices/virtual/semantics/half.hpp"
#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/integer_conversions.hpp"

namespace evo::tests::warp {
namespace {

using namespace evo::evaluators::virtual_device;
using namespace evo::evaluators::virtual_device::semantics;

std::uint32_t word(std::mt19937& random) {
  return static_cast<std::uint32_t>(random());
}

/// The value of a binary16 pattern by its definition.
double half_value(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 0x3ff;
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}
/// Nearest-even binary16 of a double, by search among the neighbours.
unsigned nearest_half(double value) {
  if (std::isnan(value)) return 0x7fff;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  unsigned low = 0;
  unsigned high = 0x7bff;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (half_value(middle) <= magnitude) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low == 0x7bff) return sign | low;
  const double below = magnitude - half_value(low);
  const double above = half_value(low + 1) - magnitude;
  const bool up = above < below || (above == below && low % 2 == 1);
  return sign | (low + (up ? 1 : 0));
}

std::vector<float> awkward() {
  std::vector<float> values = {0.0F,
                               -0.0F,
                               1.0F,
                               -1.0F,
                               0x1p-149F,
                               -0x1p-149F,
                               0x1p-126F,
                               0x1.fffffep-127F,
                               0x1.fffffep127F,
                               -0x1.fffffep127F,
                               HUGE_VALF,
                               -HUGE_VALF,
                               NAN,
                               0x1.000002p0F,
                               3.0F,
                               0x1p-75F,
                               0x1.8p-74F,
                               65504.0F,
                               65520.0F,
                               1e-8F,
                               0x1p24F,
                               0x1.000002p24F};
  std::mt19937 random(7);
  for (int k = 0; k < 300; ++k) values.push_back(f32_of(static_cast<std::uint32_t>(random())));
  for (int k = 0; k < 200; ++k)
    values.push_back(
        std::ldexp(static_cast<float>(random() % 8192) / 64.0F - 64.0F, static_cast<int>(random() % 9) - 4));
  return values;
}

bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || bits_of(a) == bits_of(b);
}

TEST(HalfConversion, EveryValueWidensExactlyAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float wide = to_f32(Half{bits});
    if (std::isnan(half_value(bits))) {
      EXPECT_EQ(bits_of(wide), f32_nan_bits);
      EXPECT_EQ(to_half(wide).bits, f16_nan_bits);
    } else {
      ASSERT_EQ(static_cast<double>(wide), half_value(bits));
      ASSERT_EQ(to_half(wide).bits, bits);
    }
  }
}

TEST(HalfConversion, RoundsToNearestEven) {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    // The value, the midpoint above it, and a hair on both sides of that.
    const double middle = bits == 0x7bff ? 65520.0 : (half_value(bits) + half_value(bits + 1)) / 2;
    for (const float x : {static_cast<float>(middle), std::nextafter(static_cast<float>(middle), 0.0F),
                          std::nextafter(static_cast<float>(middle), HUGE_VALF)}) {
      ASSERT_EQ(to_half(x).bits, nearest_half(x)) << x;
      ASSERT_EQ(to_half(-x).bits, nearest_half(-x)) << x;
    }
  }
  for (const float x : awkward()) EXPECT_EQ(to_half(x).bits, nearest_half(x)) << x;
}

TEST(HalfArithmetic, FusedMultiplyAddRoundsOnce) {
  std::mt19937 random(3);
  for (int k = 0; k < 400'000; ++k) {
    const Half a{word(random) & 0xffffU};
    const Half b{word(random) & 0xffffU};
    const Half c{word(random) & 0xffffU};
    // Exact: the product has 22 bits, the sum fits the 64-bit significand unless c is out of reach.
    const long double product = static_cast<long double>(to_f32(a)) * to_f32(b);
    const long double sum = product + to_f32(c);
    const long double lost = (product - (sum - to_f32(c))) + (to_f32(c) - (sum - (sum - to_f32(c))));
    if (!std::isfinite(static_cast<double>(sum)) || lost != 0 ||
        static_cast<long double>(static_cast<double>(sum)) != sum)
      continue;
    if (sum == 0) continue;
    ASSERT_EQ((HalfOps::fma<false, false>(a, b, c).bits), nearest_half(static_cast<double>(sum)))
        << a.bits << ' ' << b.bits << ' ' << c.bits;
  }
}

TEST(HalfArithmetic, SumsAndProductsRoundOnce) {
  std::mt19937 random(4);
  for (int k = 0; k < 200'000; ++k) {
    const Half a{word(random) & 0xffffU};
    const Half b{word(random) & 0xffffU};
    const double x = half_value(a.bits);
    const double y = half_value(b.bits);
    const auto check = [&](unsigned got, double exact) {
      if (exact != 0) {
        ASSERT_EQ(got, nearest_half(exact)) << x << ' ' << y;
      }
    };
    check(HalfOps::add<false, false>(a, b).bits, x + y);
    check(HalfOps::sub<false, false>(a, b).bits, x - y);
    check(HalfOps::mul<false, false>(a, b).bits, x * y);
  }
}

class Directed : public testing::TestWithParam<std::pair<Rounding, int>> {};

TEST_P(Directed, SingleAgreesWithTheHost) {
  const auto [rounding, mode] = GetParam();
  const auto host = [mode = mode](auto operation) {
    std::fesetround(mode);
    const volatile float result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
  };
  const auto values = awkward();
  std::mt19937 random(5);
  for (int k = 0; k < 60'000; ++k) {
    const volatile float a = values[random() % values.size()];
    const volatile float b = values[random() % values.size()];
    const volatile float c = values[random() % values.size()];
    const float sum = host([&] { return a + b; });
    const float product = host([&] { return a * b; });
    const float fused = host([&] { return std::fma(a, b, c); });
    const float quotient = host([&] { return a / b; });
    const float root = host([&] { return std::sqrt(a); });
    const auto directed = [r = rounding](float p, float q, float s, auto what) {
      switch (r) {
        case Rounding::rz:
          return what.template operator()<Rounding::rz>(p, q, s);
        case Rounding::rm:
          return what.template operator()<Rounding::rm>(p, q, s);
        case Rounding::rp:
          return what.template operator()<Rounding::rp>(p, q, s);
        default:
          return what.template operator()<Rounding::rn>(p, q, s);
      }
    };
    const auto add_ = []<Rounding R>(float p, float q, float) { return add_f32<R>(p, q); };
    const auto mul_ = []<Rounding R>(float p, float q, float) { return mul_f32<R>(p, q); };
    const auto fma_ = []<Rounding R>(float p, float q, float s) { return fma_f32<R>(p, q, s); };
    ASSERT_TRUE(same(directed(a, b, c, add_), sum)) << a << ' ' << b;
    ASSERT_TRUE(same(directed(a, b, c, mul_), product)) << a << ' ' << b;
    ASSERT_TRUE(same(directed(a, b, c, fma_), fused)) << a << ' ' << b << ' ' << c;
    ASSERT_TRUE(same(div_f32(a, b, rounding), quotient)) << a << ' ' << b;
    ASSERT_TRUE(same(sqrt_f32(a, rounding), root)) << a;
  }
}

TEST_P(Directed, ConversionsAgreeWithTheHost) {
  const auto [rounding, mode] = GetParam();
  std::mt19937_64 random(6);
  for (int k = 0; k < 20'000; ++k) {
    const volatile std::uint64_t bits = random() >> random() % 64;
    const volatile double wide = f64_of(random());
    std::fesetround(mode);
    const volatile auto narrow = static_cast<float>(wide);
    const volatile auto from_u64 = static_cast<float>(bits);
    const volatile auto from_s64 = static_cast<double>(static_cast<std::int64_t>(bits));
    std::fesetround(FE_TONEAREST);
    if (!std::isnan(wide)) {
      ASSERT_EQ(convert(bits_of(double{wide}), Type::f32, Type::f64, {rounding, false, false, false}),
                bits_of(float{narrow}))
          << wide;
    }
    ASSERT_EQ(convert(bits, Type::f32, Type::u64, {rounding, false, false, false}), bits_of(float{from_u64}))
        << bits;
    ASSERT_EQ(convert(bits, Type::f64, Type::s64, {rounding, false, false, false}), bits_of(double{from_s64}))
        << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Directed,
                         testing::Values(std::pair{Rounding::rn, FE_TONEAREST},
                                         std::pair{Rounding::rz, FE_TOWARDZERO},
                                         std::pair{Rounding::rm, FE_DOWNWARD},
                                         std::pair{Rounding::rp, FE_UPWARD}));

TEST(Conversion, FloatToIntegerClampsAndRounds) {
  const ConvertFlags zero{Rounding::rzi, false, false, false};
  const ConvertFlags even{Rounding::rni, false, false, false};
  const auto s32 = [](float x, const ConvertFlags& flags) {
    return static_cast<std::int32_t>(convert(bits_of(x), Type::s32, Type::f32, flags));
  };
  EXPECT_EQ(s32(2.5F, even), 2);
  EXPECT_EQ(s32(3.5F, even), 4);
  EXPECT_EQ(s32(-2.5F, even), -2);
  EXPECT_EQ(s32(-2.9F, zero), -2);
  EXPECT_EQ(s32(-2.1F, {Rounding::rmi, false, false, false}), -3);
  EXPECT_EQ(s32(2.1F, {Rounding::rpi, false, false, false}), 3);
  EXPECT_EQ(s32(1e20F, zero), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(s32(-1e20F, zero), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(s32(NAN, zero), 0);
  EXPECT_EQ(convert(bits_of(NAN), Type::s64, Type::f32, zero), std::uint64_t{1} << 63);
  EXPECT_EQ(convert(bits_of(-1.0F), Type::u32, Type::f32, zero), 0U);
  EXPECT_EQ(convert(bits_of(300.0F), Type::u8, Type::f32, zero), 255U);
  for (const float x : awkward()) {
    EXPECT_EQ(clamped<std::int32_t>(std::trunc(x), 0), s32(x, zero)) << x;
  }
}

TEST(Conversion, TensorFloatRoundsAwayFromZero) {
  const ConvertFlags away{Rounding::rna, false, false, false};
  const auto tf32 = [&](float x) {
    return f32_of(static_cast<std::uint32_t>(convert(bits_of(x), Type::tf32, Type::f32, away)));
  };
  EXPECT_EQ(tf32(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);
  EXPECT_EQ(tf32(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
  EXPECT_EQ(tf32(1.0F + 0x1p-12F), 1.0F);
}

TEST(Conversion, TensorFloatDropsTheLowBitsOfANan) {
  const ConvertFlags away{Rounding::rna, false, false, false};
  const auto tf32 = [&](std::uint32_t bits) { return convert(bits, Type::tf32, Type::f32, away); };
  EXPECT_EQ(tf32(0x7fa22670U), 0x7fa22000U);
  EXPECT_EQ(tf32(0xffffffffU), 0xffffe000U);
  EXPECT_EQ(tf32(0x7f801000U), 0x7f800000U);  // nothing of the NaN is left
}

TEST(Conversion, IntegersSaturate) {
  const auto saturated = [](std::int64_t x, Type to) {
    return convert_integer(static_cast<std::uint64_t>(x), to, Type::s64, true);
  };
  EXPECT_EQ(saturated(300, Type::u8), 255U);
  EXPECT_EQ(saturated(-5, Type::u8), 0U);
  EXPECT_EQ(saturated(-200, Type::s8), 0x80U);
  EXPECT_EQ(saturated(200, Type::s8), 0x7fU);
  EXPECT_EQ(saturated(-200, Type::s32), 0xffffff38U);
  EXPECT_EQ(convert_integer(0x80, Type::s32, Type::s8, false), 0xffffff80U);
  EXPECT_EQ(convert_integer(0x180, Type::u8, Type::u32, false), 0x80U);
}

TEST(Extremes, NanLosesAndZeroesHaveAnOrder) {
  EXPECT_EQ(max_f32<false>(NAN, 2.0F), 2.0F);
  EXPECT_EQ(min_f32<false>(2.0F, NAN), 2.0F);
  EXPECT_EQ(bits_of(max_f32<true>(NAN, 2.0F)), f32_nan_bits);
  EXPECT_EQ(bits_of(max_f32<false>(NAN, NAN)), f32_nan_bits);
  EXPECT_EQ(bits_of(max_f32<false>(-0.0F, 0.0F)), 0U);
  EXPECT_EQ(bits_of(max_f32<false>(0.0F, -0.0F)), 0U);
  EXPECT_EQ(bits_of(min_f32<false>(-0.0F, 0.0F)), 0x80000000U);
  EXPECT_EQ(bits_of(min_f32<false>(0.0F, -0.0F)), 0x80000000U);
}

TEST(Approximate, Ex2StaysWithinItsBound) {
  double worst = 0;
  for (float x = -149.0F; x < 128.0F; x += 0.00371F) {
    const double exact = std::exp2(static_cast<double>(x));
    const double ulp = std::max(std::ldexp(1.0, std::ilogb(exact) - 23), 0x1p-149);
    worst = std::max(worst, std::fabs(ex2<false>(x) - exact) / ulp);
  }
  EXPECT_LT(worst, 1.25);
  for (int n = -149; n < 128; ++n) EXPECT_EQ(ex2<false>(static_cast<float>(n)), std::ldexp(1.0F, n));
  EXPECT_EQ(ex2<false>(200.0F), HUGE_VALF);
  EXPECT_EQ(ex2<false>(HUGE_VALF), HUGE_VALF);
  EXPECT_EQ(ex2<false>(-HUGE_VALF), 0.0F);
  EXPECT_EQ(ex2<true>(-140.0F), 0.0F);
  EXPECT_TRUE(std::isnan(ex2<false>(NAN)));
}

// What PTX ISA grants is used, not exceeded: a kernel that lives on it differs from one that does not.
TEST(Approximate, ErrorsAreThoseOfTheInstructions) {
  double tangent = 0, turn = 0, far = 0, logarithm = 0;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 200000; ++k) {
    const auto x = static_cast<float>(unit(random) * 8 - 4);
    tangent = std::max(tangent, std::fabs(hyperbolic_tangent(x) / std::tanh(double{x}) - 1));
    const auto angle = static_cast<float>((unit(random) * 4 - 2) * M_PI);
    turn = std::max({turn, std::fabs(sine(angle) - std::sin(double{angle})),
                     std::fabs(cosine(angle) - std::cos(double{angle}))});
    const auto large = static_cast<float>((unit(random) * 200 - 100) * M_PI);
    far = std::max({far, std::fabs(sine(large) - std::sin(double{large})),
                    std::fabs(cosine(large) - std::cos(double{large}))});
    const auto near_one = static_cast<float>(0.5 + 1.5 * unit(random));
    logarithm = std::max(logarithm, std::fabs(lg2(near_one) - std::log2(double{near_one})));
  }
  EXPECT_LE(tangent, 0x1p-11);
  EXPECT_GE(tangent, 0x1p-12);
  EXPECT_LE(turn, std::exp2(-20.5));
  EXPECT_GE(turn, 0x1p-22);
  EXPECT_LE(far, std::exp2(-14.7));
  EXPECT_GE(far, 0x1p-16);
  EXPECT_LE(logarithm, 0x1p-22);
  EXPECT_GE(logarithm, 0x1p-24);
}
TEST(Approximate, EndsAreExact) {
  for (const float zero : {0.0F, -0.0F}) {
    EXPECT_EQ(std::signbit(sine(zero)), std::signbit(zero));
    EXPECT_EQ(std::signbit(hyperbolic_tangent(zero)), std::signbit(zero));
    EXPECT_EQ(sine(zero), 0.0F);
    EXPECT_EQ(cosine(zero), 1.0F);
  }
  EXPECT_EQ(sine(0x1p-120F), 0x1p-120F);
  EXPECT_EQ(hyperbolic_tangent(HUGE_VALF), 1.0F);
  EXPECT_EQ(hyperbolic_tangent(-20.0F), -1.0F);
  EXPECT_EQ(lg2(1.0F), 0.0F);
  EXPECT_EQ(lg2(0.0F), -HUGE_VALF);
  EXPECT_TRUE(std::isnan(sine(HUGE_VALF)) && std::isnan(cosine(NAN)) && std::isnan(hyperbolic_tangent(NAN)));
  EXPECT_TRUE(std::isnan(lg2(-1.0F)));
}

}  // namespace
}  // namespace evo::tests::warp
