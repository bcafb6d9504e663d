// What a kernel's arguments lead to at all: code behind a flag that is never set, a size that is never zero.
#include "evaluators/devices/virtual/ptx/reachable_blocks.hpp"

#include "evaluators/devices/virtual/ptx/integer_interval.hpp"

#include <array>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// k_param_0 is an array, k_param_1 an integer of 32 bits within the range.
bool last_store_reached(const std::string& body, std::int64_t least, std::int64_t most, unsigned twos = 0,
                        std::optional<std::array<std::uint32_t, 3>> block = {}) {
  const Program program = load(kernel(body));
  std::vector<ParameterRange> ranges;
  ranges.push_back({program.parameters.at(0).offset, 8, 1, largest});
  ranges.push_back({program.parameters.at(1).offset, 4, least, most, twos});
  const std::vector<bool> code = reachable_code(program, ranges, block);
  for (std::size_t at = program.code.size(); at-- > 0;) {
    if (program.code[at].op == Opcode::st) return code[at];
  }
  ADD_FAILURE() << "no store";
  return false;
}

const std::string size = "ld.param.u32 %r1, [k_param_1];\n";
const std::string behind = "ret;\nBEHIND:\nst.shared.u32 [%r9], 1;\n";

// An interval that has come down to one number may be of more twos, or of fewer, than is known of it.
TEST(PtxReachableCode, OfOneNumberItsOwnTwosCount) {
  const Interval six{6, 6, 0}, even{4, 8, 1}, fours{4, 8, 2};
  EXPECT_EQ(compared(Compare::eq, Type::s32, six, even), std::nullopt);
  EXPECT_EQ(compared(Compare::eq, Type::s32, even, six), std::nullopt);
  EXPECT_EQ(compared(Compare::eq, Type::s32, six, fours), false);
  EXPECT_EQ(compared(Compare::eq, Type::s32, six, number_of(6)), true);
}

TEST(PtxReachableCode, ASizeThatIsNeverZero) {
  const std::string body = size + "setp.lt.s32 %p1, %r1, 1;\n@%p1 bra BEHIND;\n" + behind;
  EXPECT_FALSE(last_store_reached(body, 1, 1000));
  EXPECT_TRUE(last_store_reached(body, 0, 1000));
  const std::string turned = size + "setp.gt.s32 %p1, %r1, 0;\n@!%p1 bra BEHIND;\n" + behind;
  EXPECT_FALSE(last_store_reached(turned, 1, 1000));
  EXPECT_TRUE(last_store_reached(turned, -1, 1000));
}

TEST(PtxReachableCode, MemoryHoldsAnything) {
  // At the distance that the parameter of that range has.
  for (const char* load : {"ld.global.u32 %r1, [%rd1+8];\n", "ld.shared.u32 %r1, [8];\n"}) {
    const std::string body = std::string("ld.param.u64 %rd1, [k_param_0];\n") + load +
                             "setp.lt.s32 %p1, %r1, 1;\n@%p1 bra BEHIND;\n" + behind;
    EXPECT_TRUE(last_store_reached(body, 1, 1000)) << load;
  }
}

TEST(PtxReachableCode, AFlagThatIsANumber) {
  const std::string body = size + "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra BEHIND;\n" + behind;
  EXPECT_FALSE(last_store_reached(body, 1, 1));
  EXPECT_TRUE(last_store_reached(body, 0, 1)) << "a size nobody drew is still one";
}

TEST(PtxReachableCode, ABlockThatAllLaunchesHave) {
  const auto reached = [](const std::string& test, std::optional<std::array<std::uint32_t, 3>> block) {
    const Program program = load(kernel(test + "@%p1 bra BEHIND;\n" + behind));
    const std::vector<bool> code = reachable_code(program, {}, block);
    for (std::size_t at = program.code.size(); at-- > 0;)
      if (program.code[at].op == Opcode::st) return static_cast<bool>(code[at]);
    return false;
  };
  const std::string several =
      "mov.u32 %r1, %ntid.x;\nmov.u32 %r2, %ntid.y;\nmul.lo.s32 %r3, %r1, %r2;\n"
      "setp.gt.s32 %p1, %r3, 32;\n";
  EXPECT_FALSE(reached(several, std::array<std::uint32_t, 3>{32, 1, 1}));
  EXPECT_TRUE(reached(several, std::array<std::uint32_t, 3>{32, 2, 1}));
  EXPECT_TRUE(reached(several, std::nullopt));
  const std::string far = "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 63;\n";
  EXPECT_FALSE(reached(far, std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_TRUE(reached(far, std::array<std::uint32_t, 3>{65, 1, 1}));
}

TEST(PtxReachableCode, AnArrayIsNoNullPointer) {
  const std::string body =
      "ld.param.u64 %rd1, [k_param_0];\nsetp.eq.s64 %p1, %rd1, 0;\n@%p1 bra BEHIND;\n" + behind;
  EXPECT_FALSE(last_store_reached(body, 0, 1));
  EXPECT_TRUE(last_store_reached(
      "ld.param.u64 %rd1, [k_param_0];\nsetp.ne.s64 %p1, %rd1, 0;\n@%p1 bra BEHIND;\n" + behind, 0, 1));
}

TEST(PtxReachableCode, ArithmeticIsFollowed) {
  const auto reached = [&](const std::string& steps, const std::string& condition) {
    return last_store_reached(size + steps + condition + "@%p1 bra BEHIND;\n" + behind, 8, 64);
  };
  EXPECT_FALSE(reached("add.s32 %r2, %r1, -8;\n", "setp.lt.s32 %p1, %r2, 0;\n"));
  EXPECT_TRUE(reached("add.s32 %r2, %r1, -9;\n", "setp.lt.s32 %p1, %r2, 0;\n"));
  EXPECT_FALSE(reached("shr.u32 %r2, %r1, 31;\n", "setp.ne.s32 %p1, %r2, 0;\n"));
  EXPECT_FALSE(reached("mad.lo.s32 %r2, %r1, 2, 1;\n", "setp.gt.s32 %p1, %r2, 129;\n"));
  EXPECT_TRUE(reached("mad.lo.s32 %r2, %r1, 2, 1;\n", "setp.gt.s32 %p1, %r2, 128;\n"));
  EXPECT_TRUE(reached("mul.lo.s32 %r2, %r1, 100000000;\n", "setp.lt.s32 %p1, %r2, 0;\n")) << "it may wrap";
  EXPECT_FALSE(reached("and.b32 %r2, %r1, 7;\n", "setp.gt.s32 %p1, %r2, 7;\n"));
  EXPECT_TRUE(reached("ld.shared.u32 %r2, [%r1];\n", "setp.eq.s32 %p1, %r2, 7;\n"))
      << "memory holds anything";
  EXPECT_TRUE(reached("mov.u32 %r2, %tid.x;\n", "setp.eq.s32 %p1, %r2, 1023;\n"));
}

// Rows of whole fours: bytes are taken four at a time, and a rest that a compiler adds is never there.
TEST(PtxReachableCode, ARestOfMultiplesIsNone) {
  const auto reached = [&](const std::string& steps, const std::string& condition, unsigned twos) {
    return last_store_reached(size + steps + condition + "@%p1 bra BEHIND;\n" + behind, 4, 64, twos);
  };
  const std::string rest = "and.b32 %r2, %r1, 3;\n", some = "setp.ne.s32 %p1, %r2, 0;\n";
  EXPECT_FALSE(reached(rest, some, 2));
  EXPECT_TRUE(reached(rest, some, 1));
  EXPECT_FALSE(reached("rem.u32 %r2, %r1, 4;\n", some, 2));
  EXPECT_TRUE(reached("rem.u32 %r2, %r1, 8;\n", some, 2));
  EXPECT_TRUE(reached("rem.u32 %r2, %r1, 3;\n", some, 2));
  EXPECT_FALSE(reached("mul.lo.s32 %r3, %r1, 100000002;\nand.b32 %r2, %r3, 7;\n", some, 2))
      << "low bits stay where a product wraps";
  EXPECT_FALSE(reached("shl.b32 %r3, %r1, 3;\nadd.s32 %r4, %r3, -32;\nand.b32 %r2, %r4, 31;\n", some, 2));
  EXPECT_TRUE(reached("shl.b32 %r3, %r1, 3;\nadd.s32 %r4, %r3, -16;\nand.b32 %r2, %r4, 31;\n", some, 2));
  EXPECT_FALSE(reached("shr.u32 %r3, %r1, 1;\nand.b32 %r2, %r3, 1;\n", some, 2));
  EXPECT_TRUE(reached("shr.u32 %r3, %r1, 1;\nand.b32 %r2, %r3, 1;\n", some, 1));
  EXPECT_FALSE(reached("", "setp.eq.s32 %p1, %r1, 6;\n", 2));
  EXPECT_TRUE(reached("", "setp.eq.s32 %p1, %r1, 8;\n", 2));
  const std::string below = "setp.lt.s32 %p1, %r1, 8;\n";
  EXPECT_FALSE(reached("", below, 3)) << "of 4 to 64 the least is 8";
  EXPECT_TRUE(reached("", below, 2));
}

TEST(PtxReachableCode, AZeroIsAZeroHoweverItCameAbout) {
  for (const char* move : {"mov.u32 %r2, %tid.y;\n", "cvt.u32.u32 %r2, %tid.y;\n"}) {
    const std::string body = move + std::string("setp.eq.s32 %p1, %r2, 0;\n@%p1 bra BEHIND;\n") + behind;
    EXPECT_TRUE(last_store_reached(body, 0, 1, 0, std::array<std::uint32_t, 3>{64, 1, 1})) << move;
  }
}

// Also where the rest is counted down, in a register that the loop changes.
TEST(PtxReachableCode, ALoopOverARestThatIsNoneDoesNotBegin) {
  const std::string body = size +
                           "and.b32 %r2, %r1, 3;\nsetp.eq.s32 %p2, %r2, 0;\n@%p2 bra DONE;\n"
                           "LOOP:\nst.shared.u32 [%r9], 1;\nadd.s32 %r2, %r2, -1;\nsetp.ne.s32 %p3, %r2, 0;\n"
                           "@%p3 bra LOOP;\nDONE:\nret;\n";
  EXPECT_FALSE(last_store_reached(body, 4, 64, 2));
  EXPECT_TRUE(last_store_reached(body, 4, 64, 1));
}

TEST(PtxReachableCode, UnsignedComparisonsKnowNegativeNumbers) {
  const std::string body = size + "setp.gt.u32 %p1, %r1, 1000;\n@%p1 bra BEHIND;\n" + behind;
  EXPECT_FALSE(last_store_reached(body, 0, 1000));
  EXPECT_TRUE(last_store_reached(body, -1, 1000)) << "-1 is the largest there";
}

TEST(PtxReachableCode, LoopsGrowUntilTheirEnd) {
  const std::string body =
      size +
      "mov.u32 %r2, 0;\nLOOP:\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, %r1;\n@%p2 bra LOOP;\n"
      "setp.gt.s32 %p1, %r2, 100;\n@%p1 bra BEHIND;\n" +
      behind;
  EXPECT_TRUE(last_store_reached(body, 1, 1000)) << "a counter is not cut off";
}

TEST(PtxReachableCode, ConditionsTogether) {
  const std::string both = size +
                           "setp.lt.s32 %p2, %r1, 1;\nmov.u32 %r3, %tid.x;\nsetp.eq.s32 %p3, %r3, 0;\n"
                           "and.pred %p1, %p2, %p3;\n@%p1 bra BEHIND;\n" +
                           behind;
  EXPECT_FALSE(last_store_reached(both, 1, 10));
  const std::string one = size +
                          "setp.lt.s32 %p2, %r1, 1;\nmov.u32 %r3, %tid.x;\nsetp.eq.s32 %p3, %r3, 0;\n"
                          "or.pred %p1, %p2, %p3;\n@%p1 bra BEHIND;\n" +
                          behind;
  EXPECT_TRUE(last_store_reached(one, 1, 10));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
