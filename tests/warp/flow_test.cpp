// Divergence, barriers, warp operations, atomics, budgets, orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using Words = std::vector<std::uint32_t>;
using vd::warp::FaultKind;

/// One block of `threads` that stores %r5; returns out and the run.
std::pair<Words, vd::warp::WarpRun> run_flow(const std::string& body, unsigned threads,
                                             const std::string& declarations = "", std::uint64_t seed = 0) {
  Kernel k(kernel(body + "\n st.global.u32 [%rd6], %r5;\n", declarations), "k");
  Words in(1024);
  std::iota(in.begin(), in.end(), 0U);
  const std::size_t input = k.buffer(in);
  const std::size_t output = k.blank(threads * 4);
  k.pointer(input).pointer(output);
  k.launch.block = {threads, 1, 1};
  k.launch.schedule_seed = seed;
  auto result = k.run();
  return {k.contents<std::uint32_t>(output), result};
}
void expect_clean(const vd::warp::WarpRun& result) {
  EXPECT_EQ(result.suspicions.size(), 0U);
  EXPECT_EQ(result.faults.size(), 0U);
}

TEST(Divergence, LoopsOfDifferentLengthMeetAgain) {
  const auto [out, result] = run_flow(R"(
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
  LOOP:
    setp.ge.u32 %p1, %r6, %r1;
    @%p1 bra DONE;
    add.s32 %r5, %r5, %r6;
    add.s32 %r6, %r6, 1;
    bra LOOP;
  DONE:
    activemask.b32 %r7;
    setp.ne.b32 %p2, %r7, -1;
    @%p2 add.s32 %r5, %r5, 1000000;
  )",
                                      64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t == 0 ? 0 : t * (t - 1) / 2) << t;
  expect_clean(result);
}

TEST(Divergence, NestedBranchesTakeEveryPath) {
  const auto [out, result] = run_flow(R"(
    and.b32 %r6, %r1, 1;
    and.b32 %r7, %r1, 2;
    setp.eq.u32 %p1, %r6, 0;
    setp.eq.u32 %p2, %r7, 0;
    @%p1 bra EVEN;
    @%p2 bra ODD_LOW;
    mov.u32 %r5, 3;
    bra END;
  ODD_LOW:
    mov.u32 %r5, 1;
    bra END;
  EVEN:
    @%p2 bra EVEN_LOW;
    mov.u32 %r5, 2;
    bra END;
  EVEN_LOW:
    mov.u32 %r5, 0;
  END:
  )",
                                      96);
  for (std::uint32_t t = 0; t < 96; ++t) EXPECT_EQ(out[t], t % 4);
  expect_clean(result);
}

TEST(Divergence, ALaneMayWaitForAnotherOfItsWarp) {
  // Lane 31 spins at a low address until lane 0, at a higher one, sets the flag: min-pc order alone would
  // never end.
  const auto [out, result] = run_flow(R"(
    mov.u32 %r8, flag;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra READY;
    st.shared.u32 [%r8], 0;
  READY:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra SET;
  SPIN:
    atom.shared.add.u32 %r6, [%r8], 0;
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra SPIN;
    bra END;
  SET:
    atom.shared.exch.b32 %r7, [%r8], 1;
  END:
    mov.u32 %r5, 9;
  )",
                                      32, ".shared .align 4 .u32 flag;\n");
  EXPECT_EQ(out, Words(32, 9));
  EXPECT_TRUE(result.faults.empty());
}

TEST(Divergence, LanesBetweenTwoThatPollComeOn) {
  // Lanes 0 to 9 poll at a low address, lanes 20 to 31 at a high one; those in between work on, and set the
  // flag that both wait for.
  const auto [out, result] = run_flow(R"(
    mov.u32 %r8, flag;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra READY;
    st.shared.u32 [%r8], 0;
  READY:
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 20;
    @%p1 bra HIGH;
    setp.ge.u32 %p1, %r1, 10;
    @%p1 bra WORK;
  LOW:
    ld.volatile.shared.u32 %r6, [%r8];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra LOW;
    bra END;
  WORK:
    mov.u32 %r7, 0;
  MORE:
    add.s32 %r7, %r7, 1;
    setp.lt.u32 %p2, %r7, 1000;
    @%p2 bra MORE;
    st.volatile.shared.u32 [%r8], 1;
    bra END;
  HIGH:
    ld.volatile.shared.u32 %r6, [%r8];
    setp.eq.u32 %p2, %r6, 0;
    @%p2 bra HIGH;
  END:
    mov.u32 %r5, 9;
  )",
                                      32, ".shared .align 4 .u32 flag;\n");
  EXPECT_EQ(out, Words(32, 9));
  EXPECT_TRUE(result.faults.empty());
}

TEST(Divergence, LanesThatMeetByACounterOverAndOverComeOn) {
  // Some do a step more before they arrive. Whoever has arrived polls, and must not take the turn of those
  // that come to the end of their step.
  const auto [out, result] = run_flow(R"(
    mov.u32 %r8, arrived;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra READY;
    st.shared.u32 [%r8], 0;
  READY:
    bar.sync 0;
    mov.u32 %r7, 0;
    mov.u32 %r5, 0;
  ROUND:
    add.u32 %r7, %r7, 64;
    atom.shared.add.u32 %r6, [%r8], 1;
  WAIT:
    ld.volatile.shared.u32 %r6, [%r8];
    setp.lt.u32 %p2, %r6, %r7;
    @%p2 bra WAIT;
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra SKIP;
    add.u32 %r5, %r5, 1;
  SKIP:
    setp.lt.u32 %p2, %r7, 640;
    @%p2 bra ROUND;
  )",
                                      64, ".shared .align 4 .u32 arrived;\n");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 16 ? 10U : 0U) << t;
  EXPECT_TRUE(result.faults.empty());
}

TEST(Barriers, AllThreadsSeeWhatWasWrittenBefore) {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const auto [out, result] = run_flow(R"(
      mov.u32 %r8, tile;
      shl.b32 %r6, %r1, 2;
      add.s32 %r9, %r8, %r6;
      mul.lo.u32 %r7, %r1, 3;
      st.shared.u32 [%r9], %r7;
      bar.sync 0;
      xor.b32 %r10, %r6, 508;
      add.s32 %r10, %r8, %r10;
      ld.shared.u32 %r5, [%r10];
    )",
                                        128, ".shared .align 4 .b8 tile[512];\n", seed);
    for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], 3 * (127 - t));
    expect_clean(result);
  }
}

TEST(Barriers, NamedOnesPairProducersWithConsumers) {
  // Warp 0 arrives and goes on, warp 1 waits for it: 64 threads at barrier 1.
  const auto [out, result] = run_flow(R"(
    mov.u32 %r8, tile;
    and.b32 %r6, %r1, 31;
    shl.b32 %r6, %r6, 2;
    add.s32 %r9, %r8, %r6;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra CONSUME;
    st.shared.u32 [%r9], %r1;
    bar.arrive 1, 64;
    mov.u32 %r5, 77;
    bra END;
  CONSUME:
    bar.sync 1, 64;
    ld.shared.u32 %r5, [%r9];
  END:
  )",
                                      64, ".shared .align 4 .b8 tile[128];\n", 5);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 77 : t - 32);
  EXPECT_TRUE(result.faults.empty());
}

TEST(Barriers, ReduceOverTheBlock) {
  const auto [out, result] = run_flow(R"(
    setp.lt.u32 %p1, %r1, 40;
    bar.red.popc.u32 %r5, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, %p1;
    @%p2 add.s32 %r5, %r5, 1000;
    @%p3 add.s32 %r5, %r5, 100;
  )",
                                      96);
  EXPECT_EQ(out, Words(96, 140));
  expect_clean(result);
}

TEST(Shuffles, FollowTheDefinition) {
  const auto [out, result] = run_flow(R"(
    shfl.sync.bfly.b32 %r6, %r1, 5, 31, -1;
    shfl.sync.up.b32 %r7|%p1, %r1, 3, 0, -1;
    shfl.sync.down.b32 %r8|%p2, %r1, 4, 6175, -1;
    shfl.sync.idx.b32 %r9, %r1, 2, 6175, -1;
    @!%p1 mov.u32 %r7, 500;
    @!%p2 mov.u32 %r8, 600;
    mul.lo.u32 %r5, %r6, 1;
    mad.lo.u32 %r5, %r7, 1000, %r5;
    mad.lo.u32 %r5, %r8, 1000000, %r5;
    xor.b32 %r5, %r5, %r9;
  )",
                                      32);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t up = t < 3 ? 500 : t - 3;
    const std::uint32_t down = t % 8 + 4 > 7 ? 600 : t + 4;  // segments of 8 lanes: 6175 = 0x181f
    EXPECT_EQ(out[t], ((t ^ 5) + up * 1000 + down * 1000000) ^ (t / 8 * 8 + 2)) << t;
  }
  expect_clean(result);
}

TEST(Shuffles, WaitForLanesThatTakeALongerWay) {
  const auto [out, result] = run_flow(R"(
    mov.u32 %r6, %r1;
    setp.lt.u32 %p1, %r1, 7;
    @%p1 bra LONG;
    bra JOIN;
  LONG:
    add.s32 %r6, %r6, 100;
  JOIN:
    shfl.sync.idx.b32 %r5, %r6, 0, 31, -1;
  )",
                                      32);
  EXPECT_EQ(out, Words(32, 100));
  expect_clean(result);
}

TEST(Barriers, LanesOfAWarpMeetAtAWarpBarrierFromBothSides) {
  const auto [out, result] = run_flow(R"(
    setp.lt.u32 %p1, %r1, 7;
    @%p1 bra LOW;
    bar.warp.sync -1;
    bra JOIN;
  LOW:
    mov.u32 %r6, 5;
    bar.warp.sync -1;
  JOIN:
    bar.warp.sync -1;
    activemask.b32 %r5;
  )",
                                      32);
  EXPECT_EQ(out, Words(32, 0xffffffffU));
  EXPECT_TRUE(result.faults.empty());
}

TEST(WarpOperations, VotesMatchesAndReductions) {
  const auto [out, result] = run_flow(R"(
    setp.lt.u32 %p1, %r1, 5;
    vote.sync.ballot.b32 %r6, %p1, -1;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, %p1, -1;
    shr.u32 %r7, %r1, 3;
    match.any.sync.b32 %r8, %r7, -1;
    redux.sync.add.s32 %r9, %r1, -1;
    redux.sync.max.u32 %r10, %r1, -1;
    popc.b32 %r11, %r8;
    mov.u32 %r5, %r6;
    @%p2 add.s32 %r5, %r5, 100;
    @%p3 add.s32 %r5, %r5, 10000;
    mad.lo.u32 %r5, %r11, 1000000, %r5;
    add.s32 %r5, %r5, %r9;
    add.s32 %r5, %r5, %r10;
  )",
                                      32);
  EXPECT_EQ(out, Words(32, 31 + 100 + 8 * 1000000 + 496 + 31));
  expect_clean(result);
}

TEST(Atomics, CountAndTicket) {
  Kernel k(kernel(R"(
    atom.global.add.u32 %r2, [%rd1], 1;
    red.global.max.u32 [%rd1+4], %r1;
    atom.global.inc.u32 %r3, [%rd1+8], 9;
    atom.global.cas.b32 %r4, [%rd1+12], 0, 42;
    red.global.add.f32 [%rd1+16], 0f3F000000;
    mul.wide.u32 %rd7, %r2, 4;
    add.s64 %rd8, %rd2, %rd7;
    st.global.u32 [%rd8], %r2;
  )"),
           "k");
  const std::size_t counters = k.buffer(Words(5, 0));
  const std::size_t out = k.blank(256 * 4);
  k.pointer(counters).pointer(out);
  k.launch.grid = {2, 1, 1};
  k.launch.block = {128, 1, 1};
  EXPECT_TRUE(k.run().faults.empty());
  const auto got = k.contents<std::uint32_t>(counters);
  EXPECT_EQ(got, (Words{256, 127, 256 % 10, 42, 0x43000000U}));
  const auto tickets = k.contents<std::uint32_t>(out);
  for (std::uint32_t t = 0; t < 256; ++t) EXPECT_EQ(tickets[t], t);
}

TEST(Budget, AnEndlessLoopIsAHang) {
  Kernel k(kernel("LOOP:\n add.s32 %r2, %r2, 1;\n bra LOOP;\n"), "k");
  const std::size_t b = k.blank(64);
  k.pointer(b).pointer(b);
  k.launch.grid = {4, 1, 1};
  k.launch.block = {64, 1, 1};
  k.launch.instruction_budget = 1'000'000;
  k.options.checked = false;
  const auto result = k.run();
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::hang);
  EXPECT_EQ(result.faults[0].block, 0U);
  EXPECT_LT(result.thread_instructions, 30'000'000U);
}

TEST(Budget, WaitingForEverIsAHang) {
  // Half of the block waits at a barrier for more threads than there are.
  const auto [out, result] = run_flow("bar.sync 1, 128;\n mov.u32 %r5, 1;", 64);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults[0].kind, FaultKind::hang);
}

TEST(Unsupported, NamesTheInstructionThatWasReached) {
  Kernel k(kernel("setp.eq.u32 %p1, %r1, 5000;\n @%p1 bra NEVER;\n bra END;\nNEVER:\n frobnicate.u32 %r2, "
                  "%r3;\nEND:\n"),
           "k");
  const std::size_t b = k.blank(64);
  k.pointer(b).pointer(b);
  k.launch.block = {32, 1, 1};
  EXPECT_TRUE(k.run().faults.empty()) << "not reached, so it does not matter";

  Kernel reached(kernel("frobnicate.u32 %r2, %r3;\n"), "k");
  const std::size_t c = reached.blank(64);
  reached.pointer(c).pointer(c);
  reached.launch.block = {32, 1, 1};
  const auto result = reached.run();
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::unsupported);
}

TEST(Determinism, ThreadsAndOrdersDoNotChangeAnything) {
  const std::string text = read_file(EVO_SOURCE_DIR "/bench/virtual/kernels.ptx");
  const auto once = [&](unsigned threads, std::uint64_t seed) {
    Kernel k(text, "softmax");
    std::vector<float> in(64 * 200);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 31 % 97) / 50.0F;
    const std::size_t input = k.buffer(in);
    const std::size_t output = k.blank(in.size() * 4);
    k.pointer(input).pointer(output).scalar(200);
    k.launch.grid = {64, 1, 1};
    k.launch.block = {96, 1, 1};
    k.launch.schedule_seed = seed;
    k.launch.count = true;
    k.options.threads = threads;
    const auto result = k.run();
    EXPECT_TRUE(result.clean());
    return std::tuple{k.contents<std::uint32_t>(output),
                      result.thread_instructions,
                      result.executed_blocks,
                      result.counts.shared_wavefronts,
                      result.counts.global_sectors,
                      result.counts.unique_global_bytes,
                      result.counts.longest_warp_instructions,
                      result.counts.fp32};
  };
  const auto first = once(1, 0);
  EXPECT_EQ(once(2, 0), first);
  EXPECT_EQ(once(2, 17), first);
  EXPECT_EQ(once(1, 99), first);
}

}  // namespace
}  // namespace evo::tests::warp
