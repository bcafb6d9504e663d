// Faults that one check alone sees: each kernel does one wrong thing, and nothing that another check would
// tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using testing::ElementsAre;
using testing::HasSubstr;

class EdgeFaults : public testing::TestWithParam<CheckLevel> {
 protected:
  /// What 64 threads find that run `body` with a buffer `in` of 64 words, which are 5, and one `out`, which
  /// nothing has written.
  Failure fail(const std::string& body, const std::string& declarations = {}, std::uint64_t seed = 0) const {
    Rig rig(warp::kernel(body, ".shared .align 16 .b8 tile[1024];\n" + declarations), "k");
    rig.options.checks = GetParam();
    rig.options.schedule_seed = seed;
    rig.options.instruction_budget = 200'000;
    const auto outcome =
        rig.launch({{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.buffer("in", std::vector<std::uint32_t>(64, 5))),
                                                pointer(rig.empty<std::uint32_t>("out", 64))});
    EXPECT_FALSE(outcome) << "the fault was not found";
    return outcome ? Failure{model::Status::proven, "", {Evidence{}}} : outcome.error();
  }
  static std::vector<std::string> kinds(const Failure& failure) {
    std::vector<std::string> result;
    for (const Evidence& evidence : failure.evidence) result.push_back(evidence.kind);
    return result;
  }
};

// By a generic address; there is no st.const.
TEST_P(EdgeFaults, ConstantsAreNotWritten) {
  const Failure failure = fail(R"(
    mov.u64 %rd7, table;
    cvta.const.u64 %rd8, %rd7;
    ld.u32 %r9, [%rd8+4];
    st.global.u32 [%rd6], %r9;
    setp.ne.u32 %p1, %r1, 3;
    @%p1 bra END;
    st.u32 [%rd8+4], %r9;
  END:
)",
                               ".const .align 4 .u32 table[2] = {5, 7};\n");
  EXPECT_THAT(kinds(failure), ElementsAre("out_of_bounds"));
}

// It begins inside and is aligned.
TEST_P(EdgeFaults, AnAccessMustEndInsideToo) {
  const std::string table = ".const .align 8 .u32 table[3] = {5, 7, 9};\n";
  EXPECT_THAT(kinds(fail("ld.const.u64 %rd7, [table+8]; st.global.u32 [%rd6], %r1;\n", table)),
              ElementsAre("out_of_bounds"));
  EXPECT_THAT(kinds(fail(".local .align 8 .b8 mine[12];\nst.local.u64 [mine+8], %rd3;\n")),
              ElementsAre("out_of_bounds"));
}

TEST_P(EdgeFaults, AnAddressThatNothingHasWritten) {
  const Failure failure = fail(R"(
    ld.shared.u64 %rd7, [tile+8];
    ld.global.u32 %r9, [%rd7];
    st.global.u32 [%rd6], %r9;
)");
  ASSERT_THAT(kinds(failure), ElementsAre("uninitialized"));
  EXPECT_THAT(failure.evidence[0].message, HasSubstr("forms an address"));
}

TEST_P(EdgeFaults, LocalMemoryThatNothingHasWritten) {
  const Failure failure = fail(R"(
    .local .align 4 .b8 mine[16];
    st.local.u32 [mine], %r1;
    ld.local.u32 %r9, [mine+4];
    st.global.u32 [%rd6], %r9;
)");
  EXPECT_THAT(kinds(failure), ElementsAre("uninitialized"));
}

TEST_P(EdgeFaults, AFailedAssertionIsToldWithItsText) {
  const Failure failure = fail(R"(
    setp.ne.u32 %p1, %r1, 3;
    @%p1 bra END;
    mov.u64 %rd7, text;
    cvta.global.u64 %rd8, %rd7;
    mov.u64 %rd9, place;
    cvta.global.u64 %rd10, %rd9;
    {
    .param .b64 param0;
    st.param.b64 [param0+0], %rd8;
    .param .b64 param1;
    st.param.b64 [param1+0], %rd10;
    .param .b32 param2;
    st.param.b32 [param2+0], 45;
    .param .b64 param3;
    st.param.b64 [param3+0], %rd10;
    .param .b64 param4;
    st.param.b64 [param4+0], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
    }
  END:
)",
                               R"(
.extern .func __assertfail
(
  .param .b64 __assertfail_param_0,
  .param .b64 __assertfail_param_1,
  .param .b32 __assertfail_param_2,
  .param .b64 __assertfail_param_3,
  .param .b64 __assertfail_param_4
)
;
.global .align 1 .b8 text[6] = {110, 32, 62, 32, 48};
.global .align 1 .b8 place[5] = {97, 46, 99, 117};
)");
  ASSERT_THAT(kinds(failure), ElementsAre("assertion"));
  if (GetParam() == CheckLevel::exact) {
    EXPECT_THAT(failure.evidence[0].message, HasSubstr("`n > 0` failed (a.cu:45)"));
  }
}

// Lanes that have met in a shuffle know nothing of each other's memory.
TEST_P(EdgeFaults, AShuffleOrdersNoMemory) {
  const Failure failure = fail(R"(
    mov.u32 %r8, tile;
    shl.b32 %r6, %r1, 2;
    add.s32 %r9, %r8, %r6;
    xor.b32 %r7, %r6, 4;
    add.s32 %r10, %r8, %r7;
    st.shared.u32 [%r9], %r1;
    shfl.sync.bfly.b32 %r11|%p2, %r1, 1, 31, -1;
    ld.shared.u32 %r12, [%r10];
    add.s32 %r12, %r12, %r11;
    st.global.u32 [%rd6], %r12;
)");
  EXPECT_THAT(kinds(failure), ElementsAre("race_shared"));
}

TEST_P(EdgeFaults, AtomicsRaceWithPlainStores) {
  const std::string plain_and = R"(
    setp.eq.u32 %p1, %r1, 3;
    setp.eq.u32 %p2, %r1, 40;
)";
  EXPECT_THAT(kinds(fail(plain_and + R"(
    @%p1 st.global.u32 [%rd1], %r1;
    @%p2 red.global.add.u32 [%rd1], 1;
)")),
              ElementsAre("race_global"));
  EXPECT_THAT(kinds(fail(plain_and + R"(
    @%p1 st.shared.u32 [tile], %r1;
    @%p2 atom.shared.exch.b32 %r9, [tile], 1;
)")),
              ElementsAre("race_shared"));
}

TEST_P(EdgeFaults, ACopyMayNotReadMoreThanItWrites) {
  const Failure failure = fail(R"(
    mov.u32 %r8, tile;
    shl.b32 %r6, %r1, 2;
    add.s32 %r9, %r8, %r6;
    mov.u32 %r12, 8;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra END;
    cp.async.ca.shared.global [%r9], [%rd5], 4, %r12;
    cp.async.commit_group;
    cp.async.wait_group 0;
  END:
)");
  ASSERT_THAT(kinds(failure), ElementsAre("out_of_bounds"));
  EXPECT_EQ(detail(failure.evidence[0], "count"), "32");
}

// The copy is never waited for: its issue alone tells that it reads.
TEST_P(EdgeFaults, ACopyReadsItsSourceWhenItIsIssued) {
  const Failure failure = fail(R"(
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r1, 40;
    @%p1 st.global.u32 [%rd1], %r1;
    mov.u32 %r9, tile;
    @%p2 cp.async.ca.shared.global [%r9], [%rd1], 4;
)");
  EXPECT_THAT(kinds(failure), ElementsAre("race_global"));
}

// The barrier orders the store behind the issue, nothing behind the wait. In half of the schedules the copy
// has landed when the store comes.
TEST_P(EdgeFaults, ACopyReadsItsSourceUntilTheWait) {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    const Failure failure = fail(R"(
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %p2, %r1, 40;
    mov.u32 %r9, tile;
    @%p2 cp.async.ca.shared.global [%r9], [%rd1], 4;
    bar.sync 0;
    @%p2 cp.async.wait_all;
    @%p1 st.global.u32 [%rd1], %r1;
)",
                                 {}, seed);
    EXPECT_THAT(kinds(failure), ElementsAre("race_global")) << "schedule " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, EdgeFaults, testing::Values(CheckLevel::exact, CheckLevel::filtered),
                         [](const auto& parameter) {
                           return parameter.param == CheckLevel::exact ? "Exact" : "Filtered";
                         });

}  // namespace
}  // namespace evo::tests
