// One run tells all: the machine goes on behind a finding, tells each pair of places once, in a fixed order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using testing::ElementsAre;

constexpr unsigned findings_threads = 64;
const char* const tile = ".shared .align 16 .b8 tile[1024];\n";

class AllFindings : public testing::TestWithParam<CheckLevel> {
 protected:
  evaluators::devices::Outcome<evaluators::devices::LaunchReport> run(const std::string& body,
                                                                      unsigned blocks = 1) {
    rig_.emplace(warp::kernel(body, tile), "k");
    rig_->options.checks = GetParam();
    if (budget_ != 0) rig_->options.instruction_budget = budget_;
    in_ = rig_->buffer("in", std::vector<std::uint32_t>(findings_threads, 5));
    out_ = rig_->empty<std::uint32_t>("out", findings_threads);
    return rig_->launch({{blocks, 1, 1}, {findings_threads, 1, 1}, 0}, {pointer(in_), pointer(out_)});
  }
  Failure fail(const std::string& body, unsigned blocks = 1) {
    const auto outcome = run(body, blocks);
    EXPECT_FALSE(outcome);
    return outcome ? Failure{model::Status::proven, "", {Evidence{}}} : outcome.error();
  }
  static std::vector<std::string> kinds(const Failure& failure) {
    std::vector<std::string> result;
    for (const Evidence& evidence : failure.evidence) result.push_back(evidence.kind);
    return result;
  }

  std::optional<Rig> rig_;
  std::uint64_t budget_ = 0;  ///< 0: the default
  evaluators::devices::BufferId in_ = 0, out_ = 0;
};

const char* const addresses = R"(
  mov.u32 %r8, tile;
  shl.b32 %r6, %r1, 2;
  add.s32 %r9, %r8, %r6;
  xor.b32 %r7, %r6, 132;
  add.s32 %r10, %r8, %r7;
)";

TEST_P(AllFindings, OfEveryKindCausesFirst) {
  const Failure failure = fail(std::string(addresses) + R"(
    st.shared.u32 [%r9], %r1;
    ld.shared.u32 %r11, [%r10];          // races with the store
    ld.shared.u32 %r12, [%r9+512];       // nothing wrote it
    st.global.u32 [%rd6], %r12;
    ld.global.u32 %r13, [%rd5+256];      // behind the end
    ld.global.u32 %r14, [%rd5+-2];       // between two words, and before the start
    st.shared.u16 [%r9+1], 7;            // between two halves
)");
  EXPECT_EQ(failure.status, model::Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "misaligned");
  EXPECT_THAT(kinds(failure), ElementsAre("misaligned", "misaligned", "out_of_bounds", "out_of_bounds",
                                          "race_shared", "uninitialized"));
  EXPECT_EQ(detail(failure.evidence[0], "lane_stride"), "4");
  EXPECT_EQ(detail(failure.evidence[0], "count"), std::to_string(findings_threads));
  EXPECT_EQ(detail(failure.evidence[2], "count"), std::to_string(findings_threads));
  EXPECT_EQ(detail(failure.evidence[3], "count"), "1") << "only thread 0 reads before the start";
}

TEST_P(AllFindings, AreTheSameEachTime) {
  const std::string body = std::string(addresses) + R"(
    st.shared.u32 [%r9], %r1;
    ld.shared.u32 %r11, [%r10];
    st.global.u32 [%rd6], %r11;
    ld.global.u32 %r13, [%rd5+256];
)";
  const Failure first = fail(body, 7);
  const Failure second = fail(body, 7);
  EXPECT_EQ(first.evidence, second.evidence);
  EXPECT_THAT(kinds(first), ElementsAre("out_of_bounds", "race_shared", "race_global", "uninitialized"));
}

TEST_P(AllFindings, MisalignedAccessesThatDoNotMeetAreNoRace) {
  // Rows of 20 bytes, read and written in pieces of 16: each thread touches its own row only.
  const Failure failure = fail(R"(
    mov.u32 %r8, tile;
    setp.ge.u32 %p1, %r1, 48;
    @%p1 bra END;
    mad.lo.u32 %r9, %r1, 20, %r8;
    st.shared.v4.u32 [%r9], {%r1, %r1, %r1, %r1};
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r9];
    st.global.u32 [%rd6], %r13;
  END:
)");
  EXPECT_THAT(kinds(failure), ElementsAre("misaligned", "misaligned"));
  EXPECT_EQ(detail(failure.evidence[0], "lane_stride"), "20");
}

TEST_P(AllFindings, AMisalignedAccessGoesByteByByte) {
  EXPECT_THAT(kinds(fail(R"(
    mov.u32 %r8, tile;
    mad.lo.u32 %r9, %r1, 12, %r8;
    add.u32 %r10, %r1, 0x01020304;
    st.shared.u32 [%r9+6], %r10;
    ld.shared.u32 %r11, [%r9+6];
    sub.u32 %r12, %r10, %r11;
    st.global.u32 [%rd6], %r12;
)")),
              ElementsAre("misaligned", "misaligned"));
  if (GetParam() == CheckLevel::exact) {
    EXPECT_EQ(rig_->contents<std::uint32_t>(out_, findings_threads),
              std::vector<std::uint32_t>(findings_threads, 0));
  }
}

TEST_P(AllFindings, OutsideThereIsZeroAndNothingIsWritten) {
  const Failure failure = fail(R"(
    ld.global.u32 %r9, [%rd5+4096];
    add.u32 %r9, %r9, 3;
    st.global.u32 [%rd6], %r9;
    st.global.u32 [%rd6+4096], %r9;
)");
  EXPECT_THAT(kinds(failure), ElementsAre("out_of_bounds", "out_of_bounds"))
      << "the value counts as one that something wrote";
  EXPECT_EQ(rig_->contents<std::uint32_t>(out_, findings_threads),
            std::vector<std::uint32_t>(findings_threads, 3));
}

TEST_P(AllFindings, ThereIsABoundToWhatIsTold) {
  std::string body = addresses;
  for (int k = 0; k < 40; ++k) body += fmt::format("st.global.u32 [%rd6+{}], %r1;\n", 4096 + 256 * k);
  const Failure failure = fail(body);
  EXPECT_EQ(failure.evidence.size(), 32U);
  EXPECT_EQ(detail(failure.evidence.front(), "more_findings"), "8");
}

TEST_P(AllFindings, ALoopThatAWrongAddressMadeEndlessIsNoHangOfItsOwn) {
  budget_ = 40'000'000;
  const Failure failure = fail(R"(
    ld.global.u32 %r9, [%rd5+4096];   // the step of the loop
    mov.u32 %r10, 0;
  LOOP:
    add.u32 %r10, %r10, %r9;
    setp.lt.u32 %p1, %r10, 8;
    @%p1 bra LOOP;
    st.global.u32 [%rd6], %r10;
)");
  EXPECT_THAT(kinds(failure), ElementsAre("out_of_bounds"));
}

TEST_P(AllFindings, WhatWasFoundBeforeADeadlockIsTold) {
  const Failure failure = fail(std::string(addresses) + R"(
    st.shared.u32 [%r9], %r1;
    ld.shared.u32 %r11, [%r10];
    st.global.u32 [%rd6], %r11;
    ld.global.u32 %r13, [%rd5+256];
    bar.sync 1, 96;
    ld.global.u32 %r13, [%rd5+512];
)");
  EXPECT_EQ(failure.reason, "out_of_bounds");
  EXPECT_THAT(kinds(failure), testing::Contains("race_shared"));
  EXPECT_EQ(failure.evidence.back().kind, "hang");
}

INSTANTIATE_TEST_SUITE_P(Levels, AllFindings, testing::Values(CheckLevel::exact, CheckLevel::filtered),
                         [](const auto& parameter) {
                           return parameter.param == CheckLevel::exact ? "Exact" : "Filtered";
                         });

}  // namespace
}  // namespace evo::tests
