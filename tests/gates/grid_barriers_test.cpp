// %envreg1 and %envreg2 as grid.sync() uses them, and what else could be made of them: any other use is
// refused.
#include "evaluators/gates/module_contents.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

/// What grid.sync() is in PTX, with places for what is to be tried.
struct Meeting {
  std::string high = "mov.u32 %r1, %envreg1;", together = "bfi.b64 %rd3, %rd2, %rd1, 32, 32;";
  std::string word = "add.s64 %rd4, %rd3, 4;";
  std::string arrive = "atom.add.release.gpu.u32 %r3, [%rd4], %r4;";
  std::string ask = "ld.acquire.gpu.u32 %r5, [%rd4];";
  std::string in_spin, behind;
};

std::string reason_of(const Meeting& meeting) {
  model::Artifact made;
  made.entry = "add";
  made.source_file = "add.cu";
  made.ptx = R"(.version 9.0
.target sm_89
.address_size 64
.visible .entry add(.param .u64 add_param_0)
{
	.reg .pred 	%p<9>;
	.reg .b32 	%r<12>;
	.reg .b64 	%rd<12>;
	ld.param.u64 	%rd9, [add_param_0];
	mov.u32 	%r4, 1;
	mov.u32 	%r7, 0;
	mov.u32 	%r2, %envreg2;
	cvt.u64.u32 	%rd1, %r2;
	)" + meeting.high +
             R"(
	cvt.u64.u32 	%rd2, %r1;
	)" + meeting.together +
             R"(
	setp.ne.s64 	%p1, %rd3, 0;
	@%p1 bra 	$L_there;
	trap;
$L_there:
	)" + meeting.word +
             "\n\t" + meeting.arrive + R"(
$L_ask:
	)" + meeting.ask +
             R"(
	xor.b32 	%r6, %r5, %r3;
	setp.gt.s32 	%p2, %r6, -1;
	)" + meeting.in_spin +
             R"(
	@%p2 bra 	$L_ask;
	barrier.sync 	0;
	)" + meeting.behind +
             R"(
	st.global.u32 	[%rd9], %r7;
	ret;
}
)";
  const auto failure = check_module(made);
  return failure ? failure->reason : "";
}

TEST(GridBarriers, BlocksMayMeet) {
  EXPECT_EQ(reason_of(Meeting{}), "");
  Meeting packed;
  packed.together = "mov.b64 %rd3, {%r2, %r1};";
  EXPECT_EQ(reason_of(packed), "");
  Meeting valid;  // grid.is_valid()
  valid.behind = "setp.ne.s64 %p3, %rd3, 0; selp.u32 %r7, 1, 0, %p3;";
  EXPECT_EQ(reason_of(valid), "");
  Meeting twice;
  twice.behind = "atom.add.release.gpu.u32 %r8, [%rd4], %r4;";
  EXPECT_EQ(reason_of(twice), "");
}

TEST(GridBarriers, TheWordServesForNothingElse) {
  for (const char* behind : {"st.global.u32 [%rd9+4], %r3;",
                             "mov.u32 %r7, %r5;",
                             "and.b32 %r7, %r3, 1;",
                             "st.u32 [%rd4], %r7;",
                             "ld.u32 %r7, [%rd4];",
                             "ld.acquire.gpu.u32 %r8, [%rd4+8];",
                             "ld.acquire.gpu.u32 %r8, [%rd3];",
                             "atom.add.release.gpu.u32 %r8, [%rd4+4], %r4;",
                             "atom.exch.release.gpu.b32 %r8, [%rd4], %r4;",
                             "atom.add.release.gpu.u32 %r8, [%rd4], %r3;",
                             "red.add.u32 [%rd4], 1;",
                             "cvt.u32.u64 %r7, %rd3;",
                             "st.global.u64 [%rd9], %rd4;",
                             "setp.ne.s64 %p3, %rd4, 0; selp.u32 %r7, 1, 0, %p3;",
                             "setp.ne.s64 %p3, %rd3, 4096; selp.u32 %r7, 1, 0, %p3;",
                             "shl.b64 %rd5, %rd3, 40;",
                             "setp.eq.s32 %p3, %r2, 0;",
                             "add.s64 %rd5, %rd3, 8;",
                             "@%p2 st.global.u32 [%rd9], %r7;",
                             "@%p2 bra $L_way; mov.u32 %r7, 1; $L_way:",
                             "@%p2 bra $L_way; st.global.u32 [%rd9], 2; $L_way:",
                             "vote.sync.any.pred %p4, %p2, -1;",
                             "@%p2 exit;",
                             "add.s64 %rd9, %rd9, %rd3;"}) {
    Meeting meeting;
    meeting.behind = behind;
    EXPECT_EQ(reason_of(meeting), "machine_state") << behind;
  }
  Meeting counts;
  counts.in_spin = "add.u32 %r7, %r7, 1;";
  EXPECT_EQ(reason_of(counts), "machine_state") << "how long it spins";
  Meeting works;
  works.in_spin = "st.global.u32 [%rd9+4], %r7;";
  EXPECT_EQ(reason_of(works), "machine_state");
}

TEST(GridBarriers, TheAddressIsTheDriversOwn) {
  Meeting other;
  other.high = "mov.u32 %r1, %envreg3;";
  EXPECT_EQ(reason_of(other), "machine_state");
  Meeting guarded;
  guarded.high = "@%p5 mov.u32 %r1, %envreg1;";
  EXPECT_EQ(reason_of(guarded), "machine_state");
  Meeting shifted;
  shifted.together = "bfi.b64 %rd3, %rd2, %rd1, 16, 32;";
  EXPECT_EQ(reason_of(shifted), "machine_state");
  Meeting elsewhere;
  elsewhere.word = "add.s64 %rd4, %rd3, 64;";
  EXPECT_EQ(reason_of(elsewhere), "machine_state");
  Meeting relaxed;
  relaxed.arrive = "atom.add.relaxed.gpu.u32 %r3, [%rd4], %r4;";
  EXPECT_EQ(reason_of(relaxed), "machine_state");
}

}  // namespace
}  // namespace evo::evaluators::gates
