// Instructions through the machine: every lane, whole and partial warps, both sets of vector steps by the
// same values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using Words = std::vector<std::uint32_t>;

/// Runs `body` with %r2, %r3, %r4 = in[t], in[T + t], in[2 T + t] for T threads, and returns %r5 of each.
Words run_words(const std::string& body, const Words& in, unsigned threads, bool checked, bool wide_vectors) {
  const std::string bytes = std::to_string(threads * 4);
  Kernel kernel_(kernel("ld.global.u32 %r2, [%rd5];\n ld.global.u32 %r3, [%rd5+" + bytes +
                        "];\n ld.global.u32 %r4, [%rd5+" + std::to_string(threads * 8) + "];\n" + body +
                        "\n st.global.u32 [%rd6], %r5;\n"),
                 "k", wide_vectors);
  const std::size_t input = kernel_.buffer(in);
  const std::size_t output = kernel_.blank(threads * 4);
  kernel_.pointer(input).pointer(output);
  kernel_.launch.block = {threads, 1, 1};
  kernel_.options.checked = checked;
  const auto run = kernel_.run();
  EXPECT_TRUE(run.clean())
      << body << " suspicions " << run.suspicions.size() << " faults " << run.faults.size()
      << (run.faults.empty()
              ? ""
              : " " + kernel_.program().texts[kernel_.program().code[run.faults[0].instruction].text]);
  return kernel_.contents<std::uint32_t>(output);
}

using Reference = std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)>;
struct Operation {
  std::string body;
  Reference reference;
};
float f(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
std::uint32_t b(float value) {
  return std::isnan(value) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(value);
}
std::int32_t s(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits);
}
std::uint32_t u(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}
/// Byte i of the result is byte which(i) of the pair.
template <class Which>
std::uint32_t bytes(std::uint32_t low, std::uint32_t high, Which which) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= (static_cast<std::uint32_t>(pair(low, high) >> (8 * which(i))) & 0xffU) << (8 * i);
  }
  return result;
}

/// Puts a float operation on %f1, %f2, %f3 between moves.
std::string in_floats(const std::string& body) {
  return "mov.b32 %f1, %r2; mov.b32 %f2, %r3; mov.b32 %f3, %r4;\n" + body + "\n mov.b32 %r5, %f4;";
}

std::vector<Operation> operations() {
  using U = std::uint32_t;
  return {
      {"add.s32 %r5, %r2, %r3;", [](U x, U y, U) { return x + y; }},
      {"sub.s32 %r5, %r2, %r3;", [](U x, U y, U) { return x - y; }},
      {"add.sat.s32 %r5, %r2, %r3;",
       [](U x, U y, U) {
         return u(std::clamp<std::int64_t>(std::int64_t{s(x)} + s(y), INT32_MIN, INT32_MAX));
       }},
      {"mul.lo.s32 %r5, %r2, %r3;", [](U x, U y, U) { return x * y; }},
      {"mul.hi.u32 %r5, %r2, %r3;", [](U x, U y, U) { return static_cast<U>((std::uint64_t{x} * y) >> 32); }},
      {"mul.hi.s32 %r5, %r2, %r3;", [](U x, U y, U) { return u((std::int64_t{s(x)} * s(y)) >> 32); }},
      {"mad.lo.s32 %r5, %r2, %r3, %r4;", [](U x, U y, U z) { return x * y + z; }},
      {"mul.wide.s32 %rd7, %r2, %r3; shr.u64 %rd7, %rd7, 16; cvt.u32.u64 %r5, %rd7;",
       [](U x, U y, U) {
         return static_cast<U>(static_cast<std::uint64_t>(std::int64_t{s(x)} * s(y)) >> 16);
       }},
      {"cvt.s64.s32 %rd7, %r2; cvt.u64.u32 %rd8, %r3; add.s64 %rd9, %rd7, %rd8; shr.s64 %rd9, %rd9, 3; "
       "cvt.u32.u64 %r5, %rd9;",
       [](U x, U y, U) { return u((std::int64_t{s(x)} + y) >> 3); }},
      {"min.s32 %r5, %r2, %r3;", [](U x, U y, U) { return u(std::min(s(x), s(y))); }},
      {"max.u32 %r5, %r2, %r3;", [](U x, U y, U) { return std::max(x, y); }},
      {"abs.s32 %r5, %r2;", [](U x, U, U) { return s(x) < 0 ? 0 - x : x; }},
      {"neg.s32 %r5, %r2;", [](U x, U, U) { return 0 - x; }},
      {"not.b32 %r5, %r2;", [](U x, U, U) { return ~x; }},
      {"and.b32 %r5, %r2, %r3;", [](U x, U y, U) { return x & y; }},
      {"or.b32 %r5, %r2, 0x0f0f;", [](U x, U, U) { return x | 0x0f0f; }},
      {"xor.b32 %r5, %r2, %r3;", [](U x, U y, U) { return x ^ y; }},
      {"lop3.b32 %r5, %r2, %r3, %r4, 0xe8;", [](U x, U y, U z) { return (x & y) | (x & z) | (y & z); }},
      {"and.b32 %r6, %r3, 63; shl.b32 %r5, %r2, %r6;",
       [](U x, U y, U) { return (y & 63) > 31 ? 0 : x << (y & 63); }},
      {"and.b32 %r6, %r3, 63; shr.s32 %r5, %r2, %r6;",
       [](U x, U y, U) { return u(s(x) >> std::min(y & 63, 31U)); }},
      {"and.b32 %r6, %r3, 63; shr.u32 %r5, %r2, %r6;",
       [](U x, U y, U) { return (y & 63) > 31 ? 0 : x >> (y & 63); }},
      {"shf.l.wrap.b32 %r5, %r2, %r3, %r4;",
       [](U x, U y, U z) { return static_cast<U>(((std::uint64_t{y} << 32 | x) << (z & 31)) >> 32); }},
      {"popc.b32 %r5, %r2;", [](U x, U, U) { return static_cast<U>(std::popcount(x)); }},
      {"clz.b32 %r5, %r2;", [](U x, U, U) { return static_cast<U>(std::countl_zero(x)); }},
      {"prmt.b32.f4e %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return u(static_cast<std::int64_t>(pair(x, y) >> 8 * (z & 3U))); }},
      {"prmt.b32.b4e %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return bytes(x, y, [z](unsigned i) { return ((z & 3U) - i) & 7U; }); }},
      {"prmt.b32.rc8 %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return bytes(x, y, [z](unsigned) { return z & 3U; }); }},
      {"prmt.b32.ecl %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return bytes(x, y, [z](unsigned i) { return std::max(i, z & 3U); }); }},
      {"prmt.b32.ecr %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return bytes(x, y, [z](unsigned i) { return std::min(i, z & 3U); }); }},
      {"prmt.b32.rc16 %r5, %r2, %r3, %r4;",
       [](auto x, auto y, auto z) { return bytes(x, y, [z](unsigned i) { return 2 * (z & 1U) + i % 2; }); }},
      {"brev.b32 %r5, %r2; brev.b32 %r5, %r5; prmt.b32 %r5, %r5, %r3, 0x0123;",
       [](U x, U, U) { return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24; }},
      {"div.u32 %r5, %r2, %r3;", [](U x, U y, U) { return y == 0 ? ~0U : x / y; }},
      {"rem.u32 %r5, %r2, %r3;", [](U x, U y, U) { return y == 0 ? ~0U : x % y; }},
      {"setp.lt.s32 %p1, %r2, %r3; selp.b32 %r5, %r4, 7, %p1;",
       [](U x, U y, U z) { return s(x) < s(y) ? z : 7; }},
      {"setp.ge.u32 %p1, %r2, %r3; setp.ne.and.s32 %p2|%p3, %r2, %r4, %p1; selp.b32 %r5, 1, 0, %p2; selp.b32 "
       "%r6, 2, 0, %p3; "
       "add.s32 %r5, %r5, %r6;",
       [](U x, U y, U z) { return (x >= y && x != z ? 1U : 0U) + (x >= y && x == z ? 2U : 0U); }},
      {"setp.lt.s32 %p1, %r2, 0; not.pred %p2, %p1; and.pred %p3, %p2, %p1; or.pred %p4, %p3, !%p1; selp.b32 "
       "%r5, 5, 6, %p4;",
       [](U x, U, U) { return s(x) < 0 ? 6U : 5U; }},
      {"mov.u32 %r5, 1; setp.gt.s32 %p1, %r2, %r3; @%p1 mov.u32 %r5, 2; @!%p1 add.s32 %r5, %r5, 5;",
       [](U x, U y, U) { return s(x) > s(y) ? 2U : 6U; }},
      {"cvt.u16.u32 %h1, %r2; cvt.u16.u32 %h2, %r3; mul.lo.s16 %h3, %h1, %h2; shr.s16 %h3, %h3, 2; "
       "cvt.s32.s16 %r5, %h3;",
       [](U x, U y, U) { return u(static_cast<std::int16_t>(static_cast<std::int16_t>(x * y) >> 2)); }},
      {"mov.b32 {%h1, %h2}, %r2; mov.b32 %r5, {%h2, %h1};", [](U x, U, U) { return x >> 16 | x << 16; }},
      {"mov.b64 %rd7, {%r2, %r3}; mov.b64 {%r6, %r5}, %rd7; xor.b32 %r5, %r5, %r6;",
       [](U x, U y, U) { return x ^ y; }},
      {"add.cc.u32 %r6, %r2, %r3; addc.u32 %r5, %r4, 0;",
       [](U x, U y, U z) { return z + (x + y < x ? 1U : 0U); }},
      {"cvt.s32.s8 %r5, %r2;", [](U x, U, U) { return u(static_cast<std::int8_t>(x)); }},
      {in_floats("add.f32 %f4, %f1, %f2;"), [](U x, U y, U) { return b(f(x) + f(y)); }},
      {in_floats("sub.f32 %f4, %f1, %f2;"), [](U x, U y, U) { return b(f(x) - f(y)); }},
      {in_floats("mul.f32 %f4, %f1, %f2;"), [](U x, U y, U) { return b(f(x) * f(y)); }},
      {in_floats("fma.rn.f32 %f4, %f1, %f2, %f3;"),
       [](U x, U y, U z) { return b(std::fma(f(x), f(y), f(z))); }},
      {in_floats("div.rn.f32 %f4, %f1, %f2;"), [](U x, U y, U) { return b(f(x) / f(y)); }},
      {in_floats("rcp.rn.f32 %f4, %f1;"), [](U x, U, U) { return b(1.0F / f(x)); }},
      {in_floats("sqrt.rn.f32 %f4, %f1;"), [](U x, U, U) { return b(std::sqrt(f(x))); }},
      {in_floats("max.f32 %f4, %f1, %f2; min.f32 %f4, %f4, %f3;"),
       [](U x, U y, U z) { return b(std::fmin(std::fmax(f(x), f(y)), f(z))); }},
      {in_floats("abs.f32 %f4, %f1; neg.f32 %f4, %f4;"), [](U x, U, U) { return x | 0x80000000U; }},
      {in_floats("mov.f32 %f4, 0f3F800000; setp.leu.f32 %p1, %f1, %f2; @%p1 mov.f32 %f4, 0f40000000;"),
       [](U x, U y, U) { return b(f(x) > f(y) ? 1.0F : 2.0F); }},
      {in_floats("cvt.sat.f32.f32 %f4, %f1;"),
       [](U x, U, U) { return std::isnan(f(x)) ? 0U : b(std::fmin(std::fmax(f(x), 0.0F), 1.0F) + 0.0F); }},
      {in_floats("cvt.rni.f32.f32 %f4, %f1;"), [](U x, U, U) { return b(std::nearbyint(f(x))); }},
      {in_floats("fma.rm.f32 %f4, %f1, %f2, %f3;"),
       [](U x, U y, U z) {
         std::fesetround(FE_DOWNWARD);
         const volatile float p = f(x);
         const volatile float q = f(y);
         const volatile float r = f(z);
         const volatile float result = std::fma(p, q, r);
         std::fesetround(FE_TONEAREST);
         return b(result);
       }},
      {"cvt.rn.f32.s32 %f1, %r2; mov.b32 %r5, %f1;", [](U x, U, U) { return b(static_cast<float>(s(x))); }},
      {"cvt.rn.f32.u32 %f1, %r2; mov.b32 %r5, %f1;", [](U x, U, U) { return b(static_cast<float>(x)); }},
      {"cvt.f64.f32 %d1, 0f3FC00000; cvt.rn.f64.s32 %d2, %r2; fma.rn.f64 %d3, %d1, %d2, %d2; cvt.rzi.s64.f64 "
       "%rd7, %d3; "
       "cvt.u32.u64 %r5, %rd7;",
       [](U x, U, U) { return u(static_cast<std::int64_t>(1.5 * s(x) + s(x))); }},
  };
}

TEST(Operations, AgreeWithTheHostLaneByLane) {
  std::mt19937 random(11);
  const Words corner = {0,          1,          2,          31,         32,         0x7fffffff,
                        0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000,
                        0x00000001, 0x00800000, 0x40490fdb, 0xc0000000};
  for (const unsigned threads : {64U, 45U}) {
    Words in(threads * 3);
    for (std::size_t k = 0; k < in.size(); ++k) {
      in[k] = k % 3 == 0 ? corner[random() % corner.size()] : static_cast<std::uint32_t>(random());
    }
    for (const Operation& operation : operations()) {
      for (const unsigned variant : {0U, 1U, 2U, 3U}) {
        const Words out = run_words(operation.body, in, threads, variant % 2 == 1, variant >= 2);
        for (unsigned t = 0; t < threads; ++t) {
          const std::uint32_t want = operation.reference(in[t], in[threads + t], in[2 * threads + t]);
          const bool both_nan = operation.body.find(".f32") != std::string::npos && std::isnan(f(want)) &&
                                std::isnan(f(out[t]));
          ASSERT_TRUE(out[t] == want || both_nan)
              << operation.body << " lane " << t << ": " << std::hex << in[t] << ' ' << in[threads + t] << ' '
              << in[2 * threads + t] << " gave " << out[t] << ", wanted " << want;
        }
      }
    }
  }
}

TEST(Operations, HalvesGoThroughTheirConversions) {
  Words in(3 * 32, 0);
  for (unsigned t = 0; t < 32; ++t) in[t] = 0x3c00 + t * 37;
  const Words out = run_words(
      "cvt.u16.u32 %h1, %r2; add.f16 %h2, %h1, %h1; cvt.f32.f16 %f1, %h2; cvt.rn.f16.f32 %h3, %f1; "
      "cvt.u32.u16 %r5, %h3;",
      in, 32, true, true);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(out[t], in[t] + 0x400) << t;
}

TEST(Operations, NarrowAndVectorAccesses) {
  Kernel k(kernel(R"(
    ld.global.s8 %r2, [%rd1+1];
    ld.global.u8 %r3, [%rd1+1];
    ld.global.s16 %h1, [%rd1+2];
    cvt.s32.s16 %r4, %h1;
    ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];
    ld.global.v2.u64 {%rd7, %rd8}, [%rd1+16];
    cvt.u32.u64 %r9, %rd8;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r8};
    @%p1 st.global.v2.u32 [%rd2+16], {%r9, %r5};
    @%p1 st.global.u8 [%rd2+24], %r8;
  )"),
           "k");
  const std::size_t in = k.buffer(Words{0x8001f080U, 0, 0, 0, 11, 12, 13, 14});
  const std::size_t out = k.buffer(Words(7, 0));
  k.pointer(in).pointer(out);
  k.launch.block = {32, 1, 1};
  EXPECT_TRUE(k.run().clean());
  EXPECT_EQ(k.contents<std::uint32_t>(out), (Words{0xfffffff0U, 0xf0U, 0xffff8001U, 14, 13, 11, 14}));
}

TEST(Operations, LocalSharedAndConstantMemoryByGenericAddress) {
  Kernel k(kernel(R"(
    .local .align 4 .b8 mine[16];
    mov.u64 %rd7, mine;
    cvta.local.u64 %rd8, %rd7;
    st.local.u32 [mine+4], %r1;
    ld.u32 %r2, [%rd8+4];
    mov.u32 %r3, buffer;
    shl.b32 %r4, %r1, 2;
    add.s32 %r5, %r3, %r4;
    cvt.u64.u32 %rd9, %r5;
    cvta.shared.u64 %rd10, %rd9;
    st.u32 [%rd10], %r2;
    ld.shared.u32 %r6, [%r5];
    ld.const.u32 %r7, [table+4];
    add.s32 %r8, %r6, %r7;
    isspacep.shared %p1, %rd10;
    isspacep.shared %p2, %rd8;
    selp.b32 %r9, 100, 0, %p1;
    selp.b32 %r10, 1000, 0, %p2;
    add.s32 %r8, %r8, %r9;
    add.s32 %r8, %r8, %r10;
    st.global.u32 [%rd6], %r8;
  )",
                  ".const .align 4 .u32 table[2] = {5, 7};\n.shared .align 4 .b8 buffer[256];\n"),
           "k");
  const std::size_t out = k.blank(64 * 4);
  k.pointer(out).pointer(out);
  k.launch.block = {64, 1, 1};
  k.options.races = vd::warp::RaceFilter::precise;
  const auto run = k.run();
  EXPECT_TRUE(run.clean());
  const auto got = k.contents<std::uint32_t>(out);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(got[t], t + 107);
}

}  // namespace
}  // namespace evo::tests::warp
