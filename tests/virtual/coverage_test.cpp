// Which instructions must have run for a launch to have checked them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using testing::HasSubstr;

// What is only computed, or read from constants, is not among it.
TEST(Coverage, WhateverChecksHaveToSeeIsMissedWhereNoThreadCame) {
  const std::vector<std::string> worth{"ld.global.u32 %r9, [%rd5];",
                                       "st.shared.u32 [tile], %r1;",
                                       "atom.global.add.u32 %r10, [%rd1], 1;",
                                       "red.global.add.u32 [%rd1], 1;",
                                       "cp.async.ca.shared.global [%r8], [%rd5], 4;",
                                       "cp.async.wait_group 0;",
                                       "bar.sync 0;",
                                       "bar.red.popc.u32 %r11, 0, %p1;",
                                       "bar.warp.sync -1;",
                                       "shfl.sync.bfly.b32 %r12|%p2, %r1, 1, 31, -1;",
                                       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r13}, [%r8];",
                                       "tcgen05.fence::before_thread_sync;"};
  std::string body = "mov.u32 %r8, tile;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra END;\n";
  for (const std::string& text : worth) body += text + "\n";
  body += "ld.const.u32 %r14, [table];\nadd.u32 %r14, %r14, 1;\nEND:\n";
  for (const CheckLevel checks : {CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig(
        warp::kernel(body, ".shared .align 16 .b8 tile[1024];\n.const .align 4 .u32 table[2] = {5, 7};\n"),
        "k");
    rig.options.checks = checks;
    rig.options.coverage = true;
    const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 5));
    const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(in)});
    ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
    for (const std::string& text : worth) {
      const std::string name = text.substr(0, text.find_first_of(" ;"));
      EXPECT_THAT(outcome->unexecuted,
                  testing::Contains(testing::Field(&model::Evidence::message, HasSubstr("(" + name))));
    }
    EXPECT_EQ(outcome->unexecuted.size(), worth.size());
  }
}

// nvcc puts it into every caller of sin and cos; arguments beyond 10^5 take it.
TEST(Coverage, TheTableOfTheSlowWayOfSinesNeedNotBeRead) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 1000;\n@%p1 bra END;\n"
      "mov.u64 %rd8, __cudart_i2opi_f;\nadd.s64 %rd9, %rd8, 4;\n"
      "ld.global.nc.u32 %r9, [%rd9];\n"
      "ld.global.u32 %r10, [%rd5];\nEND:\n";
  Rig rig(warp::kernel(body, ".global .align 4 .u32 __cudart_i2opi_f[2] = {5, 7};\n"), "k");
  rig.options.coverage = true;
  const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 5));
  const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(in)});
  ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
  std::vector<std::string> told;
  for (const model::Evidence& missed : outcome->unexecuted) told.push_back(missed.message);
  EXPECT_THAT(told, testing::Contains(HasSubstr("(ld.global.u32)"))) << "the caller's own";
  EXPECT_THAT(told, testing::Not(testing::Contains(HasSubstr("(ld.global.nc.u32)"))));
}

// sincosf with both results in variables: the table's address stands at the place of one of them, what walks
// along it, and the local memory that takes the digits, at that of the call.
TEST(Coverage, TheSlowWayOfSinesIsKnownByEachOfItsPlaces) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 1000;\n@%p1 bra END;\n.loc 1 3 3\n"
      "mov.u64 %rd8, __cudart_i2opi_f;\n.loc 1 6 5\nadd.s64 %rd8, %rd8, 4;\n"
      "st.local.u32 [digits], %r1;\n.loc 1 7 5\nld.global.nc.u32 %r9, [%rd8];\nld.local.u32 %r9, [digits];\n"
      ".loc 1 8 1\nld.local.u32 %r9, [digits+4];\nEND:\n";
  Rig rig(warp::kernel(".local .align 4 .b8 digits[8];\n" + body,
                       ".file 1 \"k.cu\"\n.global .align 4 .u32 __cudart_i2opi_f[2] = {5, 7};\n"),
          "k");
  rig.options.coverage = true;
  const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 5));
  const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(in)});
  ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
  std::vector<int> lines;
  for (const model::Evidence& missed : outcome->unexecuted) lines.push_back(missed.line);
  EXPECT_THAT(lines, testing::ElementsAre(8)) << "the caller's own";
}

// Both arms of a conditional expression stand in one line.
TEST(Coverage, ColumnsOfOneLineAreToldApart) {
  Rig rig(warp::kernel(".loc 1 5 3\nst.global.u32 [%rd5], %r1;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra END;\n"
                       ".loc 1 5 20\nst.global.u32 [%rd5], %r1;\nEND:\n",
                       ".file 1 \"k.cu\"\n"),
          "k");
  rig.options.coverage = true;
  const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 5));
  const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(in)});
  ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
  EXPECT_EQ(outcome->unexecuted.size(), 1U);
}

TEST(Coverage, WhatNoArgumentLeadsToIsNotAskedFor) {
  // in is an array, and so no null pointer; the low half of out is read as an integer that has a range.
  const auto missed = [](const std::string& condition, std::int64_t least, std::int64_t most) {
    Rig rig(warp::kernel("ld.param.u64 %rd7, [out];\n" + condition +
                         "@%p1 bra END;\nst.global.u32 [%rd5], %r1;\nEND:\n"),
            "k");
    rig.options.coverage = true;
    rig.options.ranges = {std::nullopt, evaluators::devices::ArgumentRange{least, most}};
    const auto in = rig.buffer("in", std::vector<std::uint32_t>(32, 5));
    const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), scalar(std::uint64_t{4})});
    EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
    return outcome ? outcome->unexecuted.size() : 99;
  };
  EXPECT_EQ(missed("setp.ne.s64 %p1, %rd1, 0;\n", 1, 8), 0U) << "in is never null";
  EXPECT_EQ(missed("setp.gt.s64 %p1, %rd7, 0;\n", 1, 8), 0U) << "out is never below 1";
  EXPECT_EQ(missed("setp.gt.s64 %p1, %rd7, 0;\n", 0, 8), 1U) << "it may be 0";
  EXPECT_EQ(missed("setp.lt.s64 %p1, %rd7, 8;\n", 1, 8), 1U) << "it may be 8, but is 4";
  // out is 4, which the range denies: END is where it goes, against what the range says.
  EXPECT_EQ(missed("setp.gt.s64 %p1, %rd7, 100;\n@%p1 bra LATE;\nsetp.lt.s64 %p1, %rd7, 9;\n@%p1 bra END;\n"
                   "LATE:\nsetp.gt.s64 %p1, %rd7, 0;\n",
                   101, 200),
            1U)
      << "a range that what ran belies leaves nothing out";
}

}  // namespace
}  // namespace evo::tests
