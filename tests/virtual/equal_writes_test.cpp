// Threads that write the same number to one place: a race, unless somebody says that it is meant.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "evaluators/devices/virtual/exact/race.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferId;
using evaluators::devices::CheckLevel;
using evaluators::devices::LaunchReport;
using evaluators::devices::Outcome;

/// Threads beyond 31 take the element of thread 31 again: %r2 is its number, %r3 the element, %r4 its place
/// in shared memory, %rd5 its place in the output.
std::string clamped(const std::string& body) {
  return ".version 8.3\n.target sm_89\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s[128];\n"
         "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\n"
         "min.u32 %r2, %r1, 31;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd1, %rd3;\n"
         "add.u64 %rd5, %rd2, %rd3;\nld.global.u32 %r3, [%rd4];\nmov.u32 %r6, s;\n"
         "mad.lo.u32 %r4, %r2, 4, %r6;\n" +
         body + "ret;\n}\n";
}

const std::string to_shared =
    "st.shared.u32 [%r4], %r3;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd5], %r5;\n";

class EqualWrites : public testing::TestWithParam<CheckLevel> {
 protected:
  Outcome<LaunchReport> run(const std::string& body, bool meant, unsigned blocks = 1) {
    Rig rig(clamped(body), "k");
    rig.options.checks = GetParam();
    rig.options.equal_writes = meant;
    std::vector<std::uint32_t> values(32);
    std::iota(values.begin(), values.end(), 7U);
    const BufferId in = rig.buffer("in", values), out = rig.empty<std::uint32_t>("out", 32);
    auto report = rig.launch({{blocks, 1, 1}, {48, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (report) {
      EXPECT_EQ(rig.contents<std::uint32_t>(out, 32), values);
    }
    return report;
  }
  static bool told(const Outcome<LaunchReport>& outcome) {
    return std::ranges::all_of(outcome.error().evidence, [](const model::Evidence& evidence) {
      return detail(evidence, "equal_writes") == "yes";
    });
  }
};

TEST_P(EqualWrites, AreARaceThatSaysSoUnlessTheyAreMeant) {
  const auto refused = run(to_shared, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_shared");
  EXPECT_TRUE(told(refused));
  EXPECT_TRUE(run(to_shared, true)) << "all are";
}

TEST_P(EqualWrites, OfSeveralBlocks) {
  const std::string body = "st.global.u32 [%rd5], %r3;\n";
  const auto refused = run(body, false, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_global");
  EXPECT_TRUE(told(refused));
  EXPECT_TRUE(run(body, true, 3));
}

TEST_P(EqualWrites, OtherNumbersAreARaceWhateverIsMeant) {
  const auto refused = run("add.u32 %r3, %r3, %r1;\n" + to_shared, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_shared");
  EXPECT_FALSE(told(refused));
  const auto blocks =
      run("mov.u32 %r7, %ctaid.x;\nadd.u32 %r3, %r3, %r7;\nst.global.u32 [%rd5], %r3;\n", true, 3);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().reason, "race_global");
}

// Which of the equal ones a reader sees is all one; whether it comes behind one is not.
TEST_P(EqualWrites, WhoReadsThemHasToComeBehindThem) {
  const auto refused =
      run("st.shared.u32 [%r4], %r3;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd5], %r5;\n", true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_shared");
  EXPECT_FALSE(told(refused));
}

// Lane 31 reads and then writes; thread 32 writes the same, perhaps before that read.
TEST_P(EqualWrites, AReaderBeforeOneOfThemIsNotBeforeTheOther) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 32;\n@%p1 st.shared.u32 [%r4], %r1;\nbar.sync 0;\n@%p1 ld.shared.u32 %r5, "
      "[%r4];\n"
      "bar.warp.sync 0xffffffff;\nst.shared.u32 [%r4], %r3;\nbar.sync 0;\nst.global.u32 [%rd5], %r3;\n";
  const auto refused = run(body, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_shared");
}

// Lane 31 writes 0 and then its number; thread 32 writes that number and reads, perhaps the 0.
TEST_P(EqualWrites, AReaderBehindOneOfThemIsNotBehindTheOther) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 32;\nsetp.eq.u32 %p2, %r1, 32;\nmov.u32 %r7, 0;\n"
      "@%p1 st.shared.u32 [%r4], %r7;\n@%p1 st.shared.u32 [%r4], %r3;\n@%p2 st.shared.u32 [%r4], %r3;\n"
      "@%p2 ld.shared.u32 %r5, [%r4];\nbar.sync 0;\nst.global.u32 [%rd5], %r3;\n";
  const auto refused = run(body, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "race_shared");
}

// The reader's own write, which comes behind its read, does not hide that another's may come before it.
TEST(EqualWritesOfAGranule, WhoReadsBeforeOneOfThemIsNotBeforeTheOther) {
  namespace exact = evaluators::virtual_device::exact;
  exact::Clocks clocks;
  clocks.start(64, false);
  exact::RaceChecker races(clocks);
  exact::Granule granule;
  const auto access = [&](std::uint16_t thread, evaluators::virtual_device::AccessKind kind,
                          std::uint32_t instruction) {
    exact::Access a;
    a.epoch = clocks.epoch();
    a.clock = clocks.clock(thread);
    a.instruction = instruction;
    a.thread = thread;
    a.kind = kind;
    a.repeatable = kind == evaluators::virtual_device::AccessKind::write;
    return a;
  };
  EXPECT_EQ(races.read(granule, access(0, evaluators::virtual_device::AccessKind::read, 1)), nullptr);
  EXPECT_EQ(races.write(granule, access(0, evaluators::virtual_device::AccessKind::write, 2), true), nullptr);
  const exact::Access* found =
      races.write(granule, access(40, evaluators::virtual_device::AccessKind::write, 3), true);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, evaluators::virtual_device::AccessKind::read);
}

INSTANTIATE_TEST_SUITE_P(Both, EqualWrites, testing::Values(CheckLevel::filtered, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
