// Registers that nothing has written: told where such a value decides something, and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using testing::HasSubstr;

class UnsetRegisters : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  static constexpr unsigned threads = 64;
  /// What 64 threads leave in `out` that run `body`; `in` holds 0, 1, 2, ...
  evaluators::devices::Outcome<std::vector<std::uint32_t>> run(const std::string& body) const {
    Rig rig(warp::kernel(body, ".shared .align 16 .b8 tile[1024];\n"), "k");
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    std::vector<std::uint32_t> values(threads);
    for (unsigned t = 0; t < threads; ++t) values[t] = t;
    const auto in = rig.buffer("in", values);
    const auto out = rig.buffer("out", std::vector<std::uint32_t>(threads, 0));
    const auto done = rig.launch({{1, 1, 1}, {threads, 1, 1}, 0}, {pointer(in), pointer(out)});
    if (!done) return tl::unexpected(done.error());
    return rig.contents<std::uint32_t>(out, threads);
  }
  /// How the value is used, by the evidence; "passed" when nothing was found.
  std::string use(const std::string& body) const {
    const auto result = run(body);
    if (result) return "passed";
    EXPECT_EQ(result.error().reason, "uninitialized");
    const model::Evidence& evidence = result.error().evidence.front();
    EXPECT_EQ(evidence.kind, "uninitialized");
    EXPECT_FALSE(detail(evidence, "register").empty()) << evidence.message;
    return evidence.message;
  }
};

TEST_P(UnsetRegisters, AreToldWhereTheyDecideSomething) {
  EXPECT_THAT(use("st.global.u32 [%rd6], %r30;"), HasSubstr("is stored to global memory"));
  EXPECT_THAT(use("add.s32 %r5, %r30, 1; mul.lo.s32 %r5, %r5, %r1; st.global.u32 [%rd6], %r5;"),
              HasSubstr("is stored to global memory"));
  EXPECT_THAT(use("add.s64 %rd7, %rd6, %rd30; st.global.u32 [%rd7], %r1;"), HasSubstr("forms an address"));
  EXPECT_THAT(use("@%p30 bra END;\n st.global.u32 [%rd6], %r1;\nEND:\n"), HasSubstr("decides a branch"));
  EXPECT_THAT(use("@%p30 st.global.u32 [%rd6], %r1;"), HasSubstr("whether an instruction runs"));
  EXPECT_THAT(use("bar.sync %r30;"), HasSubstr("operand of a barrier"));
}

TEST_P(UnsetRegisters, NameTheInstructionThatReadsThemFirst) {
  const auto result = run(R"(
    mov.u32 %r5, 0;
  LOOP:
    add.u32 %r30, %r30, %r1;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 3;
    @%p1 bra LOOP;
    st.global.u32 [%rd6], %r30;
)");
  ASSERT_FALSE(result);
  const model::Evidence& evidence = result.error().evidence.front();
  EXPECT_EQ(detail(evidence, "register"), "%r30");
  EXPECT_EQ(detail(evidence, "instruction"), "add.u32");
  EXPECT_EQ(detail(evidence, "other_instruction"), "st.global.u32");
  EXPECT_EQ(detail(evidence, "count"), "64");
}

TEST_P(UnsetRegisters, MayBeSetOnOneOfTwoWays) {
  EXPECT_THAT(
      use("setp.lt.u32 %p1, %r1, 40; @!%p1 bra JOIN; mov.u32 %r30, 7;\nJOIN:\n st.global.u32 [%rd6], %r30;"),
      HasSubstr("seen 24 times"));
  EXPECT_THAT(use("setp.lt.u32 %p1, %r1, 40; @%p1 mov.u32 %r30, 7; st.global.u32 [%rd6], %r30;"),
              HasSubstr("seen 24 times"));
}

TEST_P(UnsetRegisters, ThroughSharedMemory) {
  const std::string own = "mov.u32 %r8, tile; shl.b32 %r6, %r1, 2; add.s32 %r9, %r8, %r6; ";
  EXPECT_THAT(use(own + "st.shared.u32 [%r9], %r30; ld.shared.u32 %r5, [%r9]; st.global.u32 [%rd6], %r5;"),
              HasSubstr("register %r30"));
  EXPECT_EQ(use(own + "st.shared.u32 [%r9], %r30; st.shared.u32 [%r9], %r1; ld.shared.u32 %r5, [%r9]; "
                      "st.global.u32 [%rd6], %r5;"),
            "passed");
}

TEST_P(UnsetRegisters, ThroughAShuffle) {
  // Lane 5 of each warp sets nothing, and lane 6 reads it.
  const std::string set = "and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 5; @%p1 mov.u32 %r30, 7;\n";
  EXPECT_THAT(use(set + "shfl.sync.up.b32 %r5, %r30, 1, 0, -1; st.global.u32 [%rd6], %r5;"),
              HasSubstr("register %r30"));
  // Nobody reads it.
  EXPECT_EQ(use(set + "shfl.sync.idx.b32 %r5, %r30, 3, 31, -1; st.global.u32 [%rd6], %r5;"), "passed");
}

TEST_P(UnsetRegisters, InAVote) {
  // Lane 5 of each warp has no opinion, lanes 0 to 2 say yes.
  const std::string say =
      "and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 5; setp.lt.u32 %p2, %r6, 3;\n"
      "@%p1 mov.u32 %r30, %r6; setp.lt.and.u32 %p3, %r30, 32, %p2; setp.lt.u32 %p4, %r30, 3;\n";
  const std::string store = "st.global.u32 [%rd6], %r5;";
  EXPECT_EQ(use(say + "vote.sync.ballot.b32 %r5, %p3, -1;" + store), "passed") << "another condition decides";
  EXPECT_NE(use(say + "vote.sync.ballot.b32 %r5, %p4, -1;" + store), "passed");
  EXPECT_EQ(use(say + "vote.sync.ballot.b32 %r5, %p4, -1; and.b32 %r5, %r5, 15;" + store), "passed")
      << "other bits";
  EXPECT_EQ(use(say + "vote.sync.any.pred %p5, %p4, -1; selp.b32 %r5, 1, 0, %p5;" + store), "passed")
      << "lane 0 does";
  EXPECT_EQ(use(say + "vote.sync.all.pred %p5, %p4, -1; selp.b32 %r5, 1, 0, %p5;" + store), "passed")
      << "lane 9 not";
  EXPECT_NE(use(say + "setp.ne.u32 %p6, %r30, 99; vote.sync.all.pred %p5, %p6, -1; selp.b32 %r5, 1, 0, %p5;" +
                store),
            "passed");
  EXPECT_NE(use(say + "setp.eq.u32 %p6, %r30, 99; vote.sync.any.pred %p5, %p6, -1; selp.b32 %r5, 1, 0, %p5;" +
                store),
            "passed");
}

TEST_P(UnsetRegisters, AreNoFaultWhereNobodyAsks) {
  EXPECT_EQ(use("add.s32 %r5, %r30, 1; st.global.u32 [%rd6], %r1;"), "passed") << "never used";
  EXPECT_EQ(use("setp.lt.u32 %p1, %r1, 40; @%p1 mov.u32 %r30, 7; @%p1 st.global.u32 [%rd6], %r30;"), "passed")
      << "used where it is set";
  EXPECT_EQ(use("setp.lt.u32 %p1, %r1, 40; @%p1 mov.u32 %r30, 7; selp.b32 %r5, %r30, 1, %p1; "
                "st.global.u32 [%rd6], %r5;"),
            "passed")
      << "not selected";
  EXPECT_EQ(use("setp.lt.u32 %p1, %r1, 40; @!%p1 exit; mov.u32 %r30, 7; st.global.u32 [%rd6], %r30;"),
            "passed")
      << "the others have left";
}

TEST_P(UnsetRegisters, DoNotDecideWhatAnotherConditionDecides) {
  // `known && value > 0`, as compilers write it.
  const std::string known = "setp.lt.u32 %p1, %r1, 40; @%p1 mov.u32 %r30, 7;\n";
  const std::string store = "@%p3 st.global.u32 [%rd6], %r1;\n";
  EXPECT_EQ(use(known + "setp.gt.u32 %p2, %r30, 0; and.pred %p3, %p1, %p2;\n" + store), "passed");
  EXPECT_EQ(use(known + "setp.gt.and.u32 %p3, %r30, 0, %p1;\n" + store), "passed");
  EXPECT_EQ(use(known + "not.pred %p4, %p1; setp.eq.or.u32 %p3, %r30, 7, %p4;\n" + store), "passed");
  EXPECT_EQ(use(known + "not.pred %p4, %p1; setp.eq.u32 %p2, %r30, 7; or.pred %p3, %p2, %p4;\n" + store),
            "passed");
  EXPECT_NE(use(known + "setp.gt.u32 %p2, %r30, 0; or.pred %p3, %p1, %p2;\n" + store), "passed");
  EXPECT_NE(use(known + "not.pred %p4, %p1; setp.gt.and.u32 %p3, %r30, 0, %p4;\n" + store), "passed");
  EXPECT_NE(use(known + "setp.gt.u32 %p2, %r30, 0; xor.pred %p3, %p1, %p2;\n" + store), "passed");
}

TEST_P(UnsetRegisters, AreFollowedBitByBit) {
  // One half of a pair has a value.
  const std::string half = "cvt.u16.u32 %h1, %r1; mov.b32 %r5, {%h1, %h30};\n";
  EXPECT_EQ(use(half + "mov.b32 {%h2, %h3}, %r5; cvt.u32.u16 %r6, %h2; st.global.u32 [%rd6], %r6;"),
            "passed");
  EXPECT_NE(use(half + "mov.b32 {%h2, %h3}, %r5; cvt.u32.u16 %r6, %h3; st.global.u32 [%rd6], %r6;"),
            "passed");
  EXPECT_EQ(use(half + "add.f16x2 %r6, %r5, %r5; and.b32 %r6, %r6, 65535; st.global.u32 [%rd6], %r6;"),
            "passed");
  EXPECT_NE(use(half + "add.f16x2 %r6, %r5, %r5; shr.u32 %r6, %r6, 8; st.global.u32 [%rd6], %r6;"), "passed");
  EXPECT_EQ(use(half + "shl.b32 %r6, %r5, 16; shr.u32 %r6, %r6, 16; st.global.u32 [%rd6], %r6;"), "passed");
  EXPECT_EQ(use(half + "prmt.b32 %r6, %r5, %r5, 4112; st.global.u32 [%rd6], %r6;"), "passed")
      << "bytes 0, 1, 0, 1";
  EXPECT_NE(use(half + "prmt.b32 %r6, %r5, %r5, 12850; st.global.u32 [%rd6], %r6;"), "passed")
      << "bytes 2, 3, 2, 3";
  EXPECT_EQ(use(half + "bfi.b32 %r6, %r1, %r5, 16, 16; st.global.u32 [%rd6], %r6;"), "passed");
  EXPECT_EQ(use(half + "lop3.b32 %r6, %r5, 65535, 0, 0xc0; st.global.u32 [%rd6], %r6;"), "passed")
      << "a and b";
  EXPECT_NE(use(half + "lop3.b32 %r6, %r5, 65535, 0, 0xfc; st.global.u32 [%rd6], %r6;"), "passed")
      << "a or b";
  EXPECT_EQ(use(half + "add.s32 %r6, %r5, 1; cvt.u16.u32 %h2, %r6; cvt.u32.u16 %r6, %h2; "
                       "st.global.u32 [%rd6], %r6;"),
            "passed")
      << "a carry goes up";
  EXPECT_EQ(use(half + "mad.lo.s32 %r6, %r5, 6, %r1; and.b32 %r6, %r6, 65535; st.global.u32 [%rd6], %r6;"),
            "passed");
  EXPECT_NE(use(half + "mul.hi.u32 %r6, %r5, 6; and.b32 %r6, %r6, 1; st.global.u32 [%rd6], %r6;"), "passed");
  EXPECT_EQ(use("mov.f32 %f1, 0f3F800000; cvt.rn.f16x2.f32 %r5, %f30, %f1; and.b32 %r5, %r5, 65535; "
                "st.global.u32 [%rd6], %r5;"),
            "passed")
      << "the lower half is the second";
  EXPECT_NE(use("mov.b32 %r5, {%h30, %h30}; add.s32 %r6, %r5, %r1; shr.u32 %r6, %r6, 31; st.global.u32 "
                "[%rd6], %r6;"),
            "passed");
  // A word of shared memory, of which one byte is set.
  EXPECT_EQ(use("mov.u32 %r8, tile; shl.b32 %r6, %r1, 2; add.s32 %r9, %r8, %r6; st.shared.u8 [%r9], %r1; "
                "ld.shared.u32 %r5, [%r9]; and.b32 %r5, %r5, 255; st.global.u32 [%rd6], %r5;"),
            "passed");
}

INSTANTIATE_TEST_SUITE_P(Schedules, UnsetRegisters,
                         testing::Combine(testing::Values(CheckLevel::exact, CheckLevel::filtered),
                                          testing::Values(0, 1)));

}  // namespace
}  // namespace evo::tests
