// cvt with integers: what runs fast, for any x86-64 and for AVX2, and in the exact machine, against the
// general case over all values of up to 16 bits and many of more.
#include <gtest/gtest.h>

#include <random>

#include "evaluators/devices/virtual/semantics/convert.hpp"
#include "evaluators/devices/virtual/semantics/scalar.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using vd::Rounding;
using vd::Type;

struct Format {
  const char* name;
  Type type;
  unsigned bytes;
};
const Format integer_formats[] = {{"u8", Type::u8, 1},   {"s8", Type::s8, 1},   {"u16", Type::u16, 2},
                                  {"s16", Type::s16, 2}, {"u32", Type::u32, 4}, {"s32", Type::s32, 4},
                                  {"u64", Type::u64, 8}, {"s64", Type::s64, 8}};
const Format floating_formats[] = {{"f16", Type::f16, 2}, {"f32", Type::f32, 4}, {"f64", Type::f64, 8}};

/// Patterns of a type: all of up to 16 bits; else those near powers of two and of integers' bounds, and
/// random ones.
std::vector<std::uint64_t> patterns(const Format& format) {
  std::vector<std::uint64_t> result;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * format.bytes);
  if (format.bytes <= 2) {
    for (std::uint64_t bits = 0; bits <= mask; ++bits) result.push_back(bits);
  } else {
    std::mt19937_64 random(7);
    const auto add = [&](double value) {
      for (const double sign : {1.0, -1.0}) {
        if (format.type == Type::f32)
          result.push_back(vd::semantics::bits_of(static_cast<float>(sign * value)));
        if (format.type == Type::f64) result.push_back(vd::semantics::bits_of(sign * value));
      }
    };
    for (unsigned bit = 0; bit < 8 * format.bytes; ++bit) {
      for (std::uint64_t near = 0; near < 5; ++near) {
        result.push_back(((std::uint64_t{1} << bit) + near - 2) & mask);
        result.push_back((0 - (std::uint64_t{1} << bit) + near - 2) & mask);
        const double power = std::ldexp(1.0, static_cast<int>(bit));
        for (const double rest : {-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5}) add(power + rest);
        if (format.type == Type::f32) {
          for (int step = -2; step <= 2; ++step) {
            const std::uint32_t bits = vd::semantics::bits_of(static_cast<float>(power));
            result.push_back(bits + static_cast<std::uint32_t>(step));
            result.push_back((bits + static_cast<std::uint32_t>(step)) | 0x80000000U);
          }
        }
      }
    }
    for (int k = 0; k < 3000; ++k) {
      result.push_back(random() & mask);
      add(static_cast<double>(random() >> random() % 64) * 0.25);
    }
  }
  if (format.type == Type::f32) {
    // Subnormals, infinities, NaN with and without a payload.
    for (const std::uint64_t bits : {0x1U, 0x7fffffU, 0x7f800000U, 0x7fc00000U, 0x7f800001U, 0x7fffffffU}) {
      result.push_back(bits);
      result.push_back(bits | 0x80000000U);
    }
  }
  result.resize((result.size() + 255) / 256 * 256, 0);
  return result;
}

struct Conversion {
  Format to, from;
  std::string modifiers;  ///< ".rzi.ftz"
  vd::semantics::ConvertFlags flags;
};

std::string text(const Conversion& what) {
  const bool wide_from = what.from.bytes == 8;
  const bool wide_to = what.to.bytes == 8;
  const std::string source = what.from.type == Type::f32   ? "%f1"
                             : what.from.type == Type::f64 ? "%d1"
                             : what.from.type == Type::f16 ? "%h1"
                             : wide_from                   ? "%rd11"
                                                           : "%r5";
  const std::string target = what.to.type == Type::f32   ? "%f2"
                             : what.to.type == Type::f64 ? "%d2"
                             : what.to.type == Type::f16 ? "%h2"
                             : wide_to                   ? "%rd12"
                                                         : "%r6";
  const std::string load = what.from.type == Type::f16 ? "b16" : what.from.name;
  const std::string store = what.to.type == Type::f16 ? "b16" : wide_to ? "b64" : "b32";
  return "mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, 256, %r1;\n"
         "mul.wide.u32 %rd3, %r1, " +
         std::to_string(what.from.bytes) +
         "; add.s64 %rd5, %rd1, %rd3;\n"
         "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd6, %rd2, %rd4;\n"
         "ld.global." +
         load + " " + source +
         ", [%rd5];\n"
         "cvt" +
         what.modifiers + "." + what.to.name + "." + what.from.name + " " + target + ", " + source +
         ";\n"
         "st.global." +
         store + " [%rd6], " + target + ";\n";
}

void check(const Conversion& what) {
  const std::string ptx = kernel(text(what));
  const std::vector<std::uint64_t> values = patterns(what.from);
  std::vector<std::byte> packed(values.size() * what.from.bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(packed.data() + i * what.from.bytes, &values[i], what.from.bytes);
  const std::string name = "cvt" + what.modifiers + "." + what.to.name + "." + what.from.name;
  vd::semantics::ScalarFunction exact = nullptr;
  const vd::Instruction* instruction = nullptr;
  for (const bool wide : {false, true}) {
    Kernel k(ptx, "k", wide);
    for (const vd::Instruction& one : k.program().code) {
      if (one.op == vd::Opcode::cvt) instruction = &one;
    }
    ASSERT_NE(instruction, nullptr);
    EXPECT_NE(vd::warp::portable_alu(*instruction, false), nullptr) << name << " goes lane by lane";
    exact = vd::semantics::scalar_function(*instruction);
    ASSERT_NE(exact, nullptr) << name;
    const std::size_t in = k.buffer(packed);
    const std::size_t out = k.blank(values.size() * 8);
    k.pointer(in).pointer(out);
    k.launch.grid = {static_cast<std::uint32_t>(values.size() / 256), 1, 1};
    k.launch.block = {256, 1, 1};
    ASSERT_TRUE(k.run().clean()) << name;
    const auto results = k.contents<std::uint64_t>(out);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t pattern =
          vd::semantics::convert(values[i], what.to.type, what.from.type, what.flags);
      std::uint64_t expected = pattern;
      const unsigned width = 8 * what.to.bytes;
      // In a register of 32 bits a narrower signed result is extended.
      if (vd::semantics::is_signed(what.to.type) && width < 32 && (pattern >> (width - 1) & 1) != 0)
        expected = (pattern | ~std::uint64_t{0} << width) & 0xffffffffU;
      ASSERT_EQ(results[i], expected) << name << " of " << std::hex << values[i];
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
      const std::uint64_t sources[6] = {values[i], 0, 0, 0, 0, 0};
      ASSERT_EQ(exact(*instruction, sources).value & mask, pattern)
          << name << " of " << std::hex << values[i];
    }
  }
}

TEST(IntegerConversions, FromFloatsRoundAndClamp) {
  const std::pair<const char*, Rounding> roundings[] = {
      {".rni", Rounding::rni}, {".rzi", Rounding::rzi}, {".rmi", Rounding::rmi}, {".rpi", Rounding::rpi}};
  for (const Format& to : integer_formats) {
    for (const Format& from : floating_formats) {
      if (to.bytes == 8 && from.type == Type::f16) continue;
      for (const auto& [name, rounding] : roundings) {
        check({to, from, name, {rounding, false, false, false}});
        if (from.type == Type::f32)
          check({to, from, std::string(name) + ".ftz", {rounding, true, false, false}});
      }
    }
  }
}

TEST(IntegerConversions, ToFloatsAreExactOrNearest) {
  for (const Format& from : integer_formats) {
    for (const Format& to : floating_formats) {
      if (to.type == Type::f16 && from.bytes > 2) continue;
      check({to, from, ".rn", {Rounding::rn, false, false, false}});
      const bool exact = from.bytes <= 2 || (from.bytes == 4 && to.type == Type::f64);
      if (exact && to.type != Type::f16) check({to, from, ".rz", {Rounding::rz, false, false, false}});
    }
  }
}

TEST(IntegerConversions, BetweenIntegersTruncateExtendOrSaturate) {
  for (const Format& from : integer_formats) {
    for (const Format& to : integer_formats) {
      check({to, from, "", {}});
      if (to.bytes <= 2 && (from.bytes == 2 || from.bytes == 4))
        check({to, from, ".sat", {Rounding::none, false, true, false}});
    }
  }
}

}  // namespace
}  // namespace evo::tests::warp
