// %globaltimer in a wait as libcu++ writes it, and what else could be made of it: any other use is refused.
#include "evaluators/gates/module_contents.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

/// What cuda::barrier::wait is in PTX, with places for what is to be tried: behind the loop, in the way of
/// the short sleep, between the clock and its tests, and in front of the question.
struct Wait {
  std::string behind, in_short_sleep, timed, before_question;
  std::string question = "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;";
  std::string clock = "mov.u64 %rd5, %globaltimer;";
  std::string back = "bra.uni $L_ask;";
};

std::string module_of(const Wait& wait) {
  return R"(.version 9.0
.target sm_89
.address_size 64
.visible .entry add(.param .u64 add_param_0)
{
	.reg .pred 	%p<9>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<12>;
	.shared .align 8 .b8 bar[8];
	ld.param.u64 	%rd1, [add_param_0];
	mov.u32 	%r1, bar;
	mov.u32 	%r7, 0;
	mbarrier.arrive.shared.b64 	%rd2, [%r1];
	mov.u64 	%rd3, %globaltimer;
	mov.u32 	%r2, 0;
$L_ask:
	)" +
         wait.before_question + "\n\t" + wait.question + R"(
	@%p1 bra 	$L_done;
	setp.lt.s32 	%p2, %r2, 16;
	@%p2 bra 	$L_count;
	bra.uni 	$L_time;
$L_count:
	add.s32 	%r2, %r2, 1;
	bra.uni 	$L_ask;
$L_time:
	)" +
         wait.clock +
         R"(
	sub.s64 	%rd6, %rd5, %rd3;
	)" +
         wait.timed +
         R"(
	setp.lt.s64 	%p3, %rd6, 4000000;
	@%p3 bra 	$L_short;
	mov.u32 	%r3, 1000000;
	nanosleep.u32 	%r3;
	)" +
         wait.back +
         R"(
$L_short:
	setp.lt.s64 	%p4, %rd6, 40000;
	@%p4 bra 	$L_ask;
	shr.u64 	%rd7, %rd6, 2;
	cvt.u32.u64 	%r4, %rd7;
	)" +
         wait.in_short_sleep +
         R"(
	nanosleep.u32 	%r4;
	bra.uni 	$L_ask;
$L_done:
	)" +
         wait.behind +
         R"(
	st.global.u32 	[%rd1], %r7;
	ret;
}
)";
}

std::string reason_of(const Wait& wait) {
  model::Artifact made;
  made.entry = "add";
  made.source_file = "add.cu";
  made.ptx = module_of(wait);
  const auto failure = check_module(made);
  return failure ? failure->reason : "";
}

TEST(WaitClocks, AWaitMaySleepByTheClock) {
  EXPECT_EQ(reason_of(Wait{}), "");
  Wait parity;
  parity.question = "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;";
  EXPECT_EQ(reason_of(parity), "");
  // cuda::latch, cuda::atomic::wait and semaphores ask memory.
  Wait flag;
  flag.question = "ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, 0;";
  EXPECT_EQ(reason_of(flag), "");
  // A register that the ways write and only sleep reads.
  Wait written;
  written.in_short_sleep = "mov.u32 %r6, 5; add.u32 %r4, %r4, %r6;";
  EXPECT_EQ(reason_of(written), "");
}

TEST(WaitClocks, TheClockReachesNothingElse) {
  for (const char* behind :
       {"st.global.u64 [%rd1], %rd6;", "st.shared.u64 [bar], %rd3;", "ld.global.u32 %r7, [%rd5];",
        "cvt.u32.u64 %r7, %rd6;", "setp.gt.u64 %p5, %rd3, 5; @%p5 exit;", "@%p3 st.global.u32 [%rd1+4], %r7;",
        "selp.u32 %r7, 1, 2, %p4;", "setp.gt.u64 %p5, %rd3, 5; selp.u32 %r7, 1, 2, %p5;",
        "mov.b64 {%r7, %r8}, %rd3;", "vote.sync.any.pred %p6, %p3, -1;", "@%p3 mov.u32 %r7, 1;",
        "add.cc.u64 %rd8, %rd6, %rd6; addc.u64 %rd9, %rd2, 0;", "atom.global.max.u64 %rd8, [%rd1], %rd3;",
        "@%p3 bra $L_way; mov.u32 %r7, 1; $L_way:", "@%p3 bra $L_way; st.global.u32 [%rd1], %r7; $L_way:",
        "@%p3 bra $L_way; ret; $L_way:", "mov.u32 %r8, %r4; st.global.u32 [%rd1], %r8;",
        "$L_spin: mov.u64 %rd8, %globaltimer; setp.lt.u64 %p5, %rd8, 99; @%p5 bra $L_spin;"}) {
    Wait wait;
    wait.behind = behind;
    EXPECT_EQ(reason_of(wait), "machine_state") << behind;
  }
  for (const char* inside : {"mov.u32 %r7, 1;", "st.global.u32 [%rd1+4], %r7;", "bar.sync 0;",
                             "mbarrier.arrive.shared.b64 %rd2, [%r1];", "add.s32 %r7, %r7, 1;", "trap;",
                             "mbarrier.inval.shared.b64 [%r1];"}) {
    Wait wait;
    wait.in_short_sleep = inside;
    EXPECT_EQ(reason_of(wait), "machine_state") << inside;
  }
}

TEST(WaitClocks, TheClockDoesNotEndTheWait) {
  Wait gives_up;
  gives_up.back = "bra.uni $L_done;";
  EXPECT_EQ(reason_of(gives_up), "machine_state");
  Wait asks_less;
  asks_less.before_question = "setp.gt.u64 %p5, %rd3, 5; @%p5 bra $L_time;";
  EXPECT_EQ(reason_of(asks_less), "machine_state");
  Wait by_state;
  by_state.timed = "mov.u64 %rd2, %rd6;";
  EXPECT_EQ(reason_of(by_state), "machine_state");
  Wait for_ever;
  for_ever.timed = "$L_again: setp.lt.s64 %p5, %rd6, 9; @%p5 bra $L_again;";
  EXPECT_EQ(reason_of(for_ever), "machine_state");
}

TEST(WaitClocks, OnlyTheTimerOfTheWaitAndOnlyWhereSomethingIsAwaited) {
  for (const char* clock : {"mov.u64 %rd5, %clock64;", "cvt.u64.u32 %rd5, %globaltimer_lo;",
                            "add.u64 %rd5, %globaltimer, 1;", "@%p2 mov.u64 %rd5, %globaltimer;"}) {
    Wait wait;
    wait.clock = clock;
    EXPECT_EQ(reason_of(wait), "machine_state") << clock;
  }
  // Nothing that another thread changes is asked for.
  Wait counts;
  counts.question = "setp.gt.s32 %p1, %r2, 100;";
  EXPECT_EQ(reason_of(counts), "machine_state");
  Wait weak;
  weak.question = "ld.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, 0;";
  EXPECT_EQ(reason_of(weak), "machine_state");
}

}  // namespace
}  // namespace evo::evaluators::gates
