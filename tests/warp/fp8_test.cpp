// cvt with 8-bit floats, in both machines: every code, every f16, and f32 around every place where the result
// changes, against the nearest of all values that the codes stand for (PTX ISA, cvt; "Alternate
// Floating-Point Data Formats").
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "evaluators/devices/virtual/semantics/scalar.hpp"
#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using vd::Type;

struct Fp8 {
  const char* name;
  int exponent_bits, mantissa_bits, bias;
  bool infinities;
};
const Fp8 fp8_formats[] = {{"e4m3x2", 4, 3, 7, false}, {"e5m2x2", 5, 2, 15, true}};

double value_of(const Fp8& format, unsigned code) {
  const unsigned magnitude = code & 0x7fU;
  const unsigned mantissa = magnitude & ((1U << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const bool top = exponent == (1 << format.exponent_bits) - 1;
  double value = 0;
  if (format.infinities && top) {
    value =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (!format.infinities && magnitude == 0x7f) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const double fraction = mantissa / std::ldexp(1.0, format.mantissa_bits);
    value = exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                          : std::ldexp(1 + fraction, exponent - format.bias);
  }
  return (code & 0x80U) != 0 ? -value : value;
}

/// The code of the finite value nearest to `value`, by looking at all; ties go to the even code.
unsigned nearest_code(const Fp8& format, double value, bool relu) {
  if (std::isnan(value)) return 0x7f;
  const unsigned sign = std::signbit(value) ? 0x80U : 0U;
  if (relu && sign != 0) return 0;
  unsigned best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (unsigned code = 0; code < 0x80; ++code) {
    const double known = value_of(format, code);
    if (!std::isfinite(known)) continue;
    const double now = std::fabs(known - std::min(std::fabs(value), 1e6));  // more is saturated all the same
    if (now < distance || (now == distance && code % 2 == 0)) {
      best = code;
      distance = now;
    }
  }
  return best | sign;
}

std::uint32_t bits_of_float(double value) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  return bits;
}
double value_of_half(unsigned bits) {
  const unsigned mantissa = bits & 0x3ffU;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) {
    value =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

/// Runs `conversion` on each pair of words; the destination is stored as 32 bits.
std::vector<std::uint32_t> converted(const std::string& conversion, std::vector<std::uint32_t> words) {
  const std::size_t count = words.size() / 2;
  const std::size_t padded = (count + 255) / 256 * 256;
  words.resize(2 * padded);
  Kernel k(kernel("mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, 256, %r1;\n"
                  "mul.wide.u32 %rd3, %r1, 8; add.s64 %rd5, %rd1, %rd3;\n"
                  "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd6, %rd2, %rd4;\n"
                  "ld.global.b32 %r5, [%rd5]; ld.global.b32 %r6, [%rd5+4];\n"
                  "mov.b32 %f1, %r5; mov.b32 %f2, %r6; cvt.u16.u32 %h1, %r5;\n" +
                  conversion + "\nst.global.b32 [%rd6], %r7;\n"),
           "k");
  const std::size_t in = k.buffer(words);
  const std::size_t out = k.blank(padded * 4);
  k.pointer(in).pointer(out);
  k.launch.grid = {static_cast<std::uint32_t>(padded / 256), 1, 1};
  k.launch.block = {256, 1, 1};
  EXPECT_TRUE(k.run().clean()) << conversion;
  auto results = k.contents<std::uint32_t>(out);
  // The exact machine's arithmetic is the scalar function.
  for (const vd::Instruction& one : k.program().code) {
    const auto narrow = [](Type type) { return type == Type::e4m3x2 || type == Type::e5m2x2; };
    if (one.op != vd::Opcode::cvt || (!narrow(one.type) && !narrow(one.type2))) continue;
    const auto exact = vd::semantics::scalar_function(one);
    for (std::size_t i = 0; exact != nullptr && i < count; ++i) {
      const std::uint64_t sources[6] = {words[2 * i], words[2 * i + 1]};
      if (exact(one, sources).value != results[i]) ADD_FAILURE() << conversion << " differs at " << i;
    }
    EXPECT_NE(exact, nullptr);
  }
  results.resize(count);
  return results;
}

TEST(Fp8, EveryCodeIsItsValue) {
  for (const Fp8& format : fp8_formats) {
    for (const bool relu : {false, true}) {
      std::vector<std::uint32_t> words;
      for (unsigned code = 0; code < 256; ++code) {
        words.push_back(code | (255 - code) << 8);
        words.push_back(0);
      }
      const auto results = converted(
          std::string("cvt.rn") + (relu ? ".relu" : "") + ".f16x2." + format.name + " %r7, %h1;", words);
      for (unsigned code = 0; code < 256; ++code) {
        for (const unsigned half : {0U, 1U}) {
          const double value = value_of(format, half == 0 ? code : 255 - code);
          const unsigned bits = results[code] >> 16 * half & 0xffffU;
          if (std::isnan(value)) {
            EXPECT_EQ(bits, 0x7fffU) << format.name << code;
          } else {
            const double wanted = relu && std::signbit(value) ? 0.0 : value;
            EXPECT_EQ(value_of_half(bits), wanted) << format.name << code;
            EXPECT_EQ(std::signbit(value_of_half(bits)), std::signbit(wanted)) << format.name << code;
          }
        }
      }
    }
  }
}

TEST(Fp8, EveryHalfGoesToTheNearest) {
  for (const Fp8& format : fp8_formats) {
    for (const bool relu : {false, true}) {
      std::vector<std::uint32_t> words;
      for (unsigned bits = 0; bits < 0x10000; ++bits) {
        words.push_back(bits | (bits ^ 0x8001U) << 16);
        words.push_back(0);
      }
      const auto results =
          converted(std::string("{ .reg .b16 t; cvt.rn.satfinite") + (relu ? ".relu." : ".") + format.name +
                        ".f16x2 t, %r5; cvt.u32.u16 %r7, t; }",
                    words);
      for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const unsigned wanted = nearest_code(format, value_of_half(bits), relu) |
                                nearest_code(format, value_of_half(bits ^ 0x8001U), relu) << 8;
        ASSERT_EQ(results[bits], wanted) << format.name << " of " << bits;
      }
    }
  }
}

TEST(Fp8, SinglesGoToTheNearestAndTheFirstIsTheUpper) {
  for (const Fp8& format : fp8_formats) {
    std::vector<std::uint32_t> singles{0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc00001U, 0x7f800001U, 0U,
                                       0x80000000U, 1U,          0x80000001U, 0x7f7fffffU, 0xff7fffffU};
    for (unsigned code = 0; code < 0x7f; ++code) {
      const double here = value_of(format, code), next = value_of(format, code + 1);
      if (!std::isfinite(here)) continue;
      const double step = std::isfinite(next) ? next - here : here / 8;
      for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        for (std::uint32_t near = 0; near < 3; ++near) {
          const std::uint32_t bits = bits_of_float(here + part * step) + near - 1;
          singles.push_back(bits);
          singles.push_back(bits ^ 0x80000000U);
        }
      }
    }
    std::mt19937 random(3);
    for (int k = 0; k < 20000; ++k) singles.push_back(static_cast<std::uint32_t>(random()));
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      words.push_back(singles[i]);
      words.push_back(singles[(i + 7) % singles.size()]);
    }
    const auto results = converted(std::string("{ .reg .b16 t; cvt.rn.satfinite.") + format.name +
                                       ".f32 t, %f1, %f2; cvt.u32.u16 %r7, t; }",
                                   words);
    const auto code_of = [&](std::uint32_t bits) {
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return nearest_code(format, value, false);
    };
    for (std::size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i], code_of(words[2 * i]) << 8 | code_of(words[2 * i + 1]))
          << format.name << " of " << words[2 * i] << ", " << words[2 * i + 1];
    }
  }
}

TEST(Fp8, WhatPtxDoesNotHaveIsUnknown) {
  for (const char* statement :
       {"cvt.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
        "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1;",
        "cvt.rn.satfinite.f16x2.e4m3x2 %r7, %h1;", "cvt.rn.f32.e4m3x2 %f1, %h1;",
        "cvt.rn.satfinite.f16x2.f32 %r7, %f1, %f2;", "cvt.rn.f32.f16x2 %f1, %r7;"}) {
    const Kernel k(kernel(statement), "k");
    bool unknown = false;
    for (const vd::Instruction& one : k.program().code) unknown |= one.op == vd::Opcode::unsupported;
    EXPECT_TRUE(unknown) << statement;
  }
}

}  // namespace
}  // namespace evo::tests::warp
