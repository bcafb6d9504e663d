// Integer semantics, words of several lanes included, against wider arithmetic and the worked examples of the
// manuals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

#include "evaluators/devices/virtual/semantics/integer.hpp"
#include "evaluators/devices/virtual/semantics/video.hpp"

namespace evo::tests::warp {
namespace {

using namespace evo::evaluators::virtual_device;
using namespace evo::evaluators::virtual_device::semantics;

TEST(Integer, DivisionByZeroAndOverflow) {
  EXPECT_EQ(div<std::uint32_t>(7, 0), 0xffffffffU);
  EXPECT_EQ(rem<std::uint32_t>(7, 0), 0xffffffffU);
  EXPECT_EQ(div<std::int32_t>(std::numeric_limits<std::int32_t>::min(), -1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(rem<std::int32_t>(std::numeric_limits<std::int32_t>::min(), -1), 0);
  EXPECT_EQ(div<std::int32_t>(-7, 2), -3);
  EXPECT_EQ(rem<std::int32_t>(-7, 2), -1);
}

TEST(Integer, ShiftsClamp) {
  EXPECT_EQ(shl<std::uint32_t>(1, 31), 0x80000000U);
  EXPECT_EQ(shl<std::uint32_t>(1, 32), 0U);
  EXPECT_EQ(shl<std::uint32_t>(1, 0xffffffffU), 0U);
  EXPECT_EQ(shr<std::uint32_t>(0x80000000U, 32), 0U);
  EXPECT_EQ(shr<std::int32_t>(-5, 99), -1);
  EXPECT_EQ(shr<std::int16_t>(-5, 1), -3);
  EXPECT_EQ(shl<std::uint64_t>(1, 64), 0U);
  EXPECT_EQ(shf_l(0x80000001U, 0x2, 1, true), 0x5U);
  EXPECT_EQ(shf_l(0x12345678U, 0x9abcdef0U, 32, false), 0x12345678U);
  EXPECT_EQ(shf_l(0x12345678U, 0x9abcdef0U, 32, true), 0x9abcdef0U);
  EXPECT_EQ(shf_r(0x12345678U, 0x9abcdef0U, 32, false), 0x9abcdef0U);
}

TEST(Integer, BitFields) {
  // Bit by bit, as PTX defines them.
  std::mt19937 random(8);
  for (int k = 0; k < 20'000; ++k) {
    const auto a = static_cast<std::uint32_t>(random());
    const auto b = static_cast<std::uint32_t>(random());
    const auto position = static_cast<std::uint32_t>(random()) % 40;
    const auto length = static_cast<std::uint32_t>(random()) % 40;
    const auto bit = [](std::uint32_t value, std::uint32_t at) { return at < 32 ? value >> at & 1U : 0U; };
    std::uint32_t plain = 0;
    std::uint32_t sign = length == 0 ? 0 : bit(a, std::min(position + length - 1, 31U));
    std::uint32_t extended = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const bool in_field = i < length && position + i < 32;
      plain |= (in_field ? bit(a, position + i) : 0U) << i;
      extended |= (in_field ? bit(a, position + i) : sign) << i;
    }
    ASSERT_EQ(bfe<std::uint32_t>(a, position, length), plain);
    ASSERT_EQ(static_cast<std::uint32_t>(bfe<std::int32_t>(static_cast<std::int32_t>(a), position, length)),
              extended)
        << a << ' ' << position << ' ' << length;
    std::uint32_t inserted = b;
    for (std::uint32_t i = 0; i < length && position + i < 32; ++i) {
      inserted = (inserted & ~(1U << (position + i))) | bit(a, i) << (position + i);
    }
    ASSERT_EQ(bfi<std::uint32_t>(a, b, position, length), inserted);
  }
}

TEST(Integer, PermuteAndLogic) {
  EXPECT_EQ(prmt(0x33221100U, 0x77665544U, 0x3210), 0x33221100U);
  EXPECT_EQ(prmt(0x33221100U, 0x77665544U, 0x7654), 0x77665544U);
  EXPECT_EQ(prmt(0x33228000U, 0, 0x9999), 0xffffffffU);
  EXPECT_EQ(lop3(0xf0f0f0f0U, 0xccccccccU, 0xaaaaaaaaU, 0x96), 0xf0f0f0f0U ^ 0xccccccccU ^ 0xaaaaaaaaU);
  EXPECT_EQ(lop3(0xf0f0f0f0U, 0xccccccccU, 0xaaaaaaaaU, 0xca), 0xcaU * 0x01010101U);
  EXPECT_EQ(bfind<std::uint32_t>(0x10, false), 4U);
  EXPECT_EQ(bfind<std::uint32_t>(0x10, true), 27U);
  EXPECT_EQ(bfind<std::int32_t>(-1, false), 0xffffffffU);
  EXPECT_EQ(bfind<std::int32_t>(-16, false), 3U);
  EXPECT_EQ(dp4a(0x01ff0203U, 0x01010101U, 10, true, true), 10U + 1 - 1 + 2 + 3);
  EXPECT_EQ(fns(0b101100, 2, 2), 3U);
  EXPECT_EQ(fns(0b101100, 5, -2), 3U);
}

// The worked examples of the CUDA Math API and PTX ISA, lane by lane against another way of computing them.
TEST(Integer, LanesOfAWord) {
  const auto run = [](VideoForm form, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0, bool sat = false,
                      Compare compare = Compare::none) {
    EXPECT_EQ(video_bits(video_form(video_bits(form))), video_bits(form));
    return video(video_form(video_bits(form)), compare, sat, a, b, c);
  };
  using Op = VideoOp;
  // __vsadu4: |1 - 4| + |255 - 0| + |0 - 128| + |16 - 16|, onto c.
  EXPECT_EQ(
      run({Op::absolute_difference, true, false, false, false, true}, 0x10'00'ff'01U, 0x10'80'00'04U, 7),
      7U + 3 + 255 + 128);
  // The same bytes signed: -1 and 0 are 1 apart, 0 and -128 are 128.
  EXPECT_EQ(run({Op::absolute_difference, true, true, true, true, true}, 0x10'00'ff'01U, 0x10'80'00'04U),
            0U + 3 + 1 + 128);
  EXPECT_EQ(run({Op::add, true}, 0xff'80'01'7fU, 0x02'80'01'01U), 0x01'00'02'80U);
  EXPECT_EQ(run({Op::add, true}, 0xff'80'01'7fU, 0x02'80'01'01U, 0, true), 0xff'ff'02'80U);
  EXPECT_EQ(run({Op::add, true, true, true, true}, 0xff'80'01'7fU, 0x02'80'01'01U, 0, true), 0x01'80'02'7fU);
  EXPECT_EQ(run({Op::sub, false}, 0x0001'8000U, 0x0002'0001U), 0xffff'7fffU);
  EXPECT_EQ(run({Op::sub, false}, 0x0001'8000U, 0x0002'0001U, 0, true), 0x0000'7fffU);
  EXPECT_EQ(run({Op::sub, false, true, true, true}, 0x0001'8000U, 0x0002'0001U, 0, true), 0xffff'8000U);
  // Halves go away from zero.
  EXPECT_EQ(run({Op::average, true}, 0x01'ff'00'04U, 0x02'ff'01'04U), 0x02'ff'01'04U);
  EXPECT_EQ(run({Op::average, false, true, true, true}, 0xffff'0003U, 0xfffe'0000U), 0xfffe'0002U);
  EXPECT_EQ(run({Op::min, true, true, true, true, true}, 0x80'7f'01'02U, 0x00'00'05'01U),
            static_cast<std::uint32_t>(-128 + 0 + 1 + 1));
  EXPECT_EQ(run({Op::max, false}, 0x8000'0001U, 0x7fff'0002U), 0x8000'0002U);
  EXPECT_EQ(run({Op::max, false, true, true, true}, 0x8000'0001U, 0x7fff'0002U), 0x7fff'0002U);
  EXPECT_EQ(run({Op::set, true}, 0x01'02'ff'04U, 0x02'02'01'03U, 0, false, Compare::lt), 0x01'00'00'00U);
  EXPECT_EQ(
      run({Op::set, true, false, true, true, true}, 0x01'02'ff'04U, 0x02'02'01'03U, 5, false, Compare::le),
      5U + 3);
}

}  // namespace
}  // namespace evo::tests::warp
