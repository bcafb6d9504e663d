// Faults put into small kernels: each must be told, and the sound twin must not. Suspicions are asked of both
// race filters; what only the coarse one may raise by mistake is said where it happens.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using vd::warp::FaultKind;
using vd::warp::RaceFilter;
using vd::warp::SuspicionKind;
using Words = std::vector<std::uint32_t>;

const char* const tile = ".shared .align 16 .b8 tile[1024];\n";
/// %r9: own word of the tile; %r10: the word of thread t xor 32 (another warp); %r11: of t xor 1 (same warp).
const char* const words = R"(
  mov.u32 %r8, tile;
  shl.b32 %r6, %r1, 2;
  add.s32 %r9, %r8, %r6;
  xor.b32 %r7, %r6, 128;
  add.s32 %r10, %r8, %r7;
  xor.b32 %r7, %r6, 4;
  add.s32 %r11, %r8, %r7;
)";

struct Shape {
  unsigned threads = 64;
  unsigned blocks = 1;
  RaceFilter races = RaceFilter::precise;
  std::uint64_t seed = 0;
};
vd::warp::WarpRun run(const std::string& body, const Shape& setup = {}) {
  Kernel k(kernel(words + body, tile), "k");
  const std::size_t in = k.buffer(Words(256, 1));
  const std::size_t out = k.blank(256 * 4);
  k.pointer(in).pointer(out);
  k.launch.grid = {setup.blocks, 1, 1};
  k.launch.block = {setup.threads, 1, 1};
  k.launch.schedule_seed = setup.seed;
  k.options.races = setup.races;
  // Blocks that race on purpose would race on the host too.
  k.options.threads = 1;
  // Blocks that race on purpose would race on the host too.
  k.options.threads = 1;
  return k.run();
}
bool suspects(const vd::warp::WarpRun& result, SuspicionKind kind) {
  return std::any_of(result.suspicions.begin(), result.suspicions.end(),
                     [&](const auto& s) { return s.kind == kind; });
}
const vd::warp::Fault* fault(const vd::warp::WarpRun& result, FaultKind kind) {
  const auto found =
      std::find_if(result.faults.begin(), result.faults.end(), [&](const auto& f) { return f.kind == kind; });
  return found == result.faults.end() ? nullptr : &*found;
}

class BothFilters : public testing::TestWithParam<std::tuple<RaceFilter, std::uint64_t>> {
 protected:
  static Shape shape() {
    Shape result;
    result.races = std::get<0>(GetParam());
    result.seed = std::get<1>(GetParam());
    return result;
  }
};

TEST_P(BothFilters, MissingBarrierBetweenWriteAndRead) {
  const auto racy =
      run("st.shared.u32 [%r9], %r1; ld.shared.u32 %r5, [%r10]; st.global.u32 [%rd6], %r5;", shape());
  EXPECT_TRUE(suspects(racy, SuspicionKind::race_shared));
  const auto sound = run(
      "st.shared.u32 [%r9], %r1; bar.sync 0; ld.shared.u32 %r5, [%r10]; st.global.u32 [%rd6], %r5;", shape());
  EXPECT_TRUE(sound.clean());
}

TEST_P(BothFilters, MissingBarrierBeforeOverwriting) {
  const std::string head =
      "mov.u32 %r12, 0;\nLOOP:\n st.shared.u32 [%r9], %r12; bar.sync 0; ld.shared.u32 %r5, [%r10];\n";
  const std::string foot =
      "add.s32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 3; @%p1 bra LOOP;\n st.global.u32 [%rd6], %r5;\n";
  EXPECT_TRUE(suspects(run(head + foot, shape()), SuspicionKind::race_shared));
  EXPECT_TRUE(run(head + "bar.sync 0;\n" + foot, shape()).clean());
}

TEST_P(BothFilters, TwoWarpsWriteTheSameWord) {
  EXPECT_TRUE(suspects(run("st.shared.u32 [%r8+512], %r1;", shape()), SuspicionKind::race_shared));
}

TEST_P(BothFilters, LanesOfAWarpNeedAWarpBarrier) {
  Shape one = shape();
  one.threads = 32;
  const std::string write = "st.shared.u32 [%r9], %r1;\n";
  const std::string read = "ld.shared.u32 %r5, [%r11]; st.global.u32 [%rd6], %r5;\n";
  EXPECT_TRUE(suspects(run(write + read, one), SuspicionKind::race_shared));
  EXPECT_TRUE(run(write + "bar.warp.sync -1;\n" + read, one).clean());
  // A shuffle does not order memory.
  EXPECT_TRUE(suspects(run(write + "shfl.sync.idx.b32 %r13, %r1, 0, 31, -1;\n" + read, one),
                       SuspicionKind::race_shared));
  // Read first, then overwritten by another lane.
  EXPECT_TRUE(suspects(run(write + "bar.warp.sync -1; ld.shared.u32 %r5, [%r11];\n st.shared.u32 [%r9], %r5; "
                                   "st.global.u32 [%rd6], %r5;\n",
                           one),
                       SuspicionKind::race_shared));
}

TEST_P(BothFilters, AtomicsDoNotRaceWithEachOther) {
  const std::string clear = "st.shared.u32 [%r9], 0; bar.sync 0;\n";
  const std::string add = "atom.shared.add.u32 %r12, [%r8+128], 1;\n";
  const std::string read = "ld.shared.u32 %r5, [%r8+128]; st.global.u32 [%rd6], %r5;\n";
  EXPECT_TRUE(run(clear + add + "bar.sync 0;\n" + read, shape()).clean());
  EXPECT_TRUE(suspects(run(clear + add + read, shape()), SuspicionKind::race_shared));
}

TEST_P(BothFilters, ABarrierOfSomeWarpsDoesNotOrderOthers) {
  // Warps 0 and 1 meet at barrier 1, warp 2 reads without.
  Shape three = shape();
  three.threads = 96;
  EXPECT_TRUE(suspects(run(R"(
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra READ;
    st.shared.u32 [%r9], %r1;
    bar.sync 1, 64;
    bra END;
  READ:
    ld.shared.u32 %r5, [%r9+-256];
    st.global.u32 [%rd6], %r5;
  END:
  )",
                           three),
                       SuspicionKind::race_shared));
}

INSTANTIATE_TEST_SUITE_P(Filters, BothFilters,
                         testing::Combine(testing::Values(RaceFilter::coarse, RaceFilter::precise),
                                          testing::Values(0U, 4U)));

TEST(PreciseFilter, KnowsThatALaneIsOrderedWithItself) {
  // The coarse filter suspects this; it does not look at lanes.
  const std::string own =
      "st.shared.u32 [%r9], %r1; ld.shared.u32 %r5, [%r9]; st.shared.u32 [%r9], %r5; st.global.u32 [%rd6], "
      "%r5;";
  EXPECT_TRUE(run(own).clean());
  Shape coarse;
  coarse.races = RaceFilter::coarse;
  EXPECT_TRUE(suspects(run(own, coarse), SuspicionKind::race_shared));
}

// One store stands for those of all lanes, and is none of theirs: each has to meet the others before it
// reads.
TEST(PreciseFilter, OneValueOfManyLanesIsNobodysOwn) {
  Shape one;
  one.threads = 32;
  for (const char* lane : {"0", "13", "31"}) {
    const std::string read = std::string("setp.eq.u32 %p1, %r1, ") + lane +
                             ";\n@%p1 ld.shared.u32 %r5, [%r8];\n@%p1 st.global.u32 [%rd6], %r5;\n";
    EXPECT_TRUE(suspects(run("st.shared.u32 [%r8], 7;\n" + read, one), SuspicionKind::race_shared)) << lane;
    EXPECT_TRUE(run("st.shared.u32 [%r8], 7;\nbar.warp.sync -1;\n" + read, one).clean()) << lane;
  }
}

TEST(PreciseFilter, KnowsWhichWarpsMetAtABarrier) {
  Shape three;
  three.threads = 96;
  // Warps 0 and 1 meet at barrier 1, warps 1 and 2 at barrier 2; then warp 2 reads what warp 0 has written.
  const std::string write =
      "setp.lt.u32 %p1, %r1, 64; setp.ge.u32 %p2, %r1, 32; setp.ge.u32 %p3, %r1, 64;\n"
      "@%p1 st.shared.u32 [%r9], %r1;\n";
  const std::string first = "@!%p1 bra PAST1; bar.sync 1, 64;\nPAST1:\n";
  const std::string second = "@!%p2 bra PAST2; bar.sync 2, 64;\nPAST2:\n";
  const std::string read = "@!%p3 bra END; ld.shared.u32 %r5, [%r9+-256]; st.global.u32 [%rd6], %r5;\nEND:\n";
  EXPECT_TRUE(run(write + first + second + read, three).clean()) << "through warp 1";
  EXPECT_TRUE(suspects(run(write + second + first + read, three), SuspicionKind::race_shared))
      << "warp 1 met warp 2 before it met warp 0";
  EXPECT_TRUE(suspects(run(write + first + read, three), SuspicionKind::race_shared));
  // What is written behind the barrier is ordered by no barrier before it.
  const std::string again = "setp.lt.u32 %p4, %r1, 32; @%p4 st.shared.u32 [%r9], %r1;\n";
  EXPECT_TRUE(suspects(run(write + first + again + second + read, three), SuspicionKind::race_shared));
  // What the block before has met at says nothing of this one.
  const std::string not_in_block_1 = "mov.u32 %r14, %ctaid.x; setp.ne.u32 %p5, %r14, 0; @%p5 bra SKIP;\n";
  Shape two = three;
  two.blocks = 2;
  EXPECT_TRUE(suspects(run(write + not_in_block_1 + first + second + "SKIP:\n" + read, two),
                       SuspicionKind::race_shared));
  // Read by both, and overwritten by the third.
  const std::string overwrite = "@%p3 st.shared.u32 [%r9+-256], %r1;\n";
  const std::string both = "@%p1 ld.shared.u32 %r5, [%r9];\n";
  EXPECT_TRUE(run(write + both + first + second + overwrite, three).clean());
  EXPECT_TRUE(suspects(run(write + both + second + first + overwrite, three), SuspicionKind::race_shared));
}

// Whose elements are whose in a fragment: each lane loads, adds to and stores its own.
TEST(PreciseFilter, KnowsTheLanesOfAFragment) {
  Shape one;
  one.threads = 32;
  const std::string fragment = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
  const std::string load =
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + fragment + ", [tile], 16;\n";
  const std::string store =
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], " + fragment + ", 16;\n";
  const std::string clear =
      "mov.u32 %r12, 0;\nCLEAR:\n shl.b32 %r13, %r12, 7; add.u32 %r13, %r13, %r9; st.shared.u32 [%r13], 0;\n"
      "add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r12, 8; @%p1 bra CLEAR;\n";
  EXPECT_TRUE(run(clear + "bar.warp.sync -1;\n" + load + store + load + store, one).clean());
  EXPECT_TRUE(suspects(run(clear + load, one), SuspicionKind::race_shared));
  EXPECT_TRUE(suspects(run(clear + "bar.warp.sync -1;\n" + load + store +
                               "ld.shared.u32 %r5, [%r9]; st.global.u32 [%rd6], %r5;",
                           one),
                       SuspicionKind::race_shared));
  EXPECT_TRUE(suspects(run(clear + "bar.warp.sync -1;\n" + load + "st.shared.u32 [%r11], %r1;", one),
                       SuspicionKind::race_shared));
  // In another layout the elements are other lanes'.
  const std::string turned =
      "wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [tile], " + fragment + ", 16;\n";
  EXPECT_TRUE(suspects(run(clear + "bar.warp.sync -1;\n" + load + turned, one), SuspicionKind::race_shared));
}

TEST(CoarseFilter, LearnsFromItsFalseAlarms) {
  const auto launch = [](Kernel& k) {
    k.launch.block = {64, 1, 1};
    return k.run();
  };
  // Own word written, read, and written again; then another warp's, behind a barrier.
  const std::string sound =
      "st.shared.u32 [%r9], %r1; ld.shared.u32 %r5, [%r9]; st.shared.u32 [%r9], %r5; bar.sync 0;\n"
      "ld.shared.u32 %r5, [%r10]; st.global.u32 [%rd6], %r5;";
  Kernel k(kernel(words + sound, tile), "k");
  const std::size_t out = k.blank(256);
  k.pointer(out).pointer(out);
  EXPECT_TRUE(suspects(launch(k), SuspicionKind::race_shared));
  EXPECT_TRUE(launch(k).clean()) << "the second time it looks closer";

  const std::string racy =
      "st.shared.u32 [%r9], %r1; ld.shared.u32 %r5, [%r9]; ld.shared.u32 %r5, [%r10]; st.global.u32 [%rd6], "
      "%r5;";
  Kernel bad(kernel(words + racy, tile), "k");
  const std::size_t other = bad.blank(256);
  bad.pointer(other).pointer(other);
  for (int round = 0; round < 3; ++round)
    EXPECT_TRUE(suspects(launch(bad), SuspicionKind::race_shared)) << round;
}

TEST(Bounds, GlobalOverrunNamesThreadAddressAndWidth) {
  const auto result = run("ld.global.u32 %r5, [%rd5+900]; st.global.u32 [%rd6], %r5;");
  const auto* found = fault(result, FaultKind::out_of_bounds);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->thread, 31U);  // 4 * 31 + 900 = 1024
  EXPECT_EQ(found->count, 33U);
  EXPECT_EQ(found->width, 4U);
  EXPECT_EQ(found->lane_stride, 0) << "lane 31 is the last of its warp";
  EXPECT_FALSE(found->write);
}

TEST(Bounds, SharedAndLocalOverruns) {
  const auto shared = run("st.shared.u32 [%r9+1000], %r1;");
  ASSERT_NE(fault(shared, FaultKind::out_of_bounds), nullptr);
  EXPECT_EQ(fault(shared, FaultKind::out_of_bounds)->space, vd::Space::shared);
  EXPECT_TRUE(fault(shared, FaultKind::out_of_bounds)->write);
  EXPECT_NE(fault(run("mov.u64 %rd7, 0; ld.global.u32 %r5, [%rd7]; st.global.u32 [%rd6], %r5;"),
                  FaultKind::out_of_bounds),
            nullptr);
}

TEST(Bounds, MisalignedVectorAccess) {
  const auto result = run("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5]; st.global.f32 [%rd6], %f1;", {32});
  const auto* found = fault(result, FaultKind::misaligned);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->thread, 1U);
  EXPECT_EQ(found->width, 16U);
  EXPECT_EQ(found->lane_stride, 4);
  EXPECT_EQ(found->count, 24U);
}

TEST(Uninitialised, ReachesAStoreABranchOrAnAddressOnly) {
  EXPECT_TRUE(
      suspects(run("ld.shared.u32 %r5, [%r9]; st.global.u32 [%rd6], %r5;"), SuspicionKind::uninitialized));
  EXPECT_TRUE(suspects(
      run("ld.shared.u32 %r5, [%r9]; setp.eq.u32 %p1, %r5, 3; @%p1 bra L; st.global.u32 [%rd6], %r1;\nL:\n"),
      SuspicionKind::uninitialized));
  EXPECT_TRUE(suspects(run("add.s32 %r5, %r30, 1; st.global.u32 [%rd6], %r5;"), SuspicionKind::uninitialized))
      << "a register";
  EXPECT_TRUE(suspects(run("ld.global.u32 %r5, [%rd6]; add.s32 %r5, %r5, 1; st.shared.u32 [%r9], %r5; "
                           "ld.shared.u32 %r12, [%r9]; st.global.u32 [%rd5], %r12;"),
                       SuspicionKind::uninitialized))
      << "through shared memory";
  const auto unused = run("ld.shared.u32 %r5, [%r9]; st.global.u32 [%rd6], %r1;");
  EXPECT_TRUE(unused.clean()) << "loaded, never used";
}

TEST(BarrierDivergence, InsideADivergentBranch) {
  const auto result =
      run("setp.lt.u32 %p1, %r1, 40; @!%p1 bra L; bar.sync 0;\nL:\n st.global.u32 [%rd6], %r1;");
  EXPECT_TRUE(suspects(result, SuspicionKind::barrier_divergence) ||
              fault(result, FaultKind::hang) != nullptr);
  EXPECT_TRUE(
      suspects(run("setp.lt.u32 %p1, %r1, 40; @%p1 bra A; bar.sync 0; bra B;\nA:\n bar.sync 0;\nB:\n"),
               SuspicionKind::barrier_divergence))
      << "half at one barrier, half at another";
  EXPECT_TRUE(run("setp.lt.u32 %p1, %r1, 40; @!%p1 exit; bar.sync 0; st.global.u32 [%rd6], %r1;").clean())
      << "exit before a barrier";
  EXPECT_TRUE(
      suspects(run("setp.lt.u32 %p1, %r1, 32; @!%p1 bra L; bar.sync 0;\nL:\n st.global.u32 [%rd6], %r1;"),
               SuspicionKind::barrier_divergence))
      << "past a barrier, and then exit";
}

TEST(ShuffleMask, NamesAbsentLanesOrMissesTheCaller) {
  EXPECT_TRUE(suspects(run("setp.lt.u32 %p1, %r1, 16; @!%p1 bra L; shfl.sync.idx.b32 %r5, %r1, 0, 31, -1;\n"
                           "L:\n st.global.u32 [%rd6], %r1;",
                           {32}),
                       SuspicionKind::shuffle_mask))
      << "half of the lanes go past";
  EXPECT_TRUE(run("setp.lt.u32 %p1, %r1, 16; @!%p1 exit; shfl.sync.idx.b32 %r5, %r1, 0, 31, -1; "
                  "st.global.u32 [%rd6], %r5;",
                  {32})
                  .clean())
      << "half of the lanes have left";
  EXPECT_TRUE(suspects(run("setp.lt.u32 %p1, %r1, 16; selp.b32 %r5, -1, 0xffff0000, %p1; "
                           "shfl.sync.bfly.b32 %r5, %r1, 1, 31, %r5; st.global.u32 [%rd6], %r5;",
                           {32}),
                       SuspicionKind::shuffle_mask))
      << "two masks";
  EXPECT_TRUE(suspects(run("shfl.sync.idx.b32 %r5, %r1, 0, 31, 65535; st.global.u32 [%rd6], %r5;", {32}),
                       SuspicionKind::shuffle_mask));
  EXPECT_TRUE(run("setp.lt.u32 %p1, %r1, 16; @!%p1 bra L; shfl.sync.idx.b32 %r5, %r1, 0, 31, 65535; "
                  "st.global.u32 [%rd6], %r5;\nL:\n",
                  {32})
                  .clean());
}

TEST(GlobalRaces, BetweenBlocks) {
  Shape two;
  two.blocks = 2;
  EXPECT_TRUE(suspects(run("st.global.u32 [%rd6], %r1;", two), SuspicionKind::race_global))
      << "both write the same";
  EXPECT_TRUE(run(R"(
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd7, %r2, 256;
    add.s64 %rd8, %rd6, %rd7;
    st.global.u32 [%rd8], %r1;
  )",
                  two)
                  .clean());
  EXPECT_TRUE(suspects(run(R"(
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.global.u32 [%rd5], %r1;
    @!%p1 ld.global.u32 %r5, [%rd5];
    @!%p1 st.global.u32 [%rd6], %r5;
  )",
                           two),
                       SuspicionKind::race_global))
      << "one reads what the other writes";
}

TEST(BlocksAlone, EndWhereOneLoadsWhatItHasNotStored) {
  Shape two;
  two.blocks = 2;
  const std::string own = "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd7, %r2, 256;\nadd.s64 %rd8, %rd6, %rd7;\n";
  const std::string store = "st.global.u32 [%rd8], %r1;\n", load = "ld.global.u32 %r5, [%rd8];\n";
  EXPECT_TRUE(run(own + store + load, two).independent);
  EXPECT_FALSE(run(own + load + store, two).independent) << "another may have";
}

TEST(Coverage, TellsWhichBlocksNeverRan) {
  Kernel k(kernel("setp.gt.u32 %p1, %r1, 1000;\n @!%p1 bra END;\n st.global.u32 [%rd6], %r1;\nEND:\n"), "k");
  const std::size_t out = k.blank(256);
  k.pointer(out).pointer(out);
  k.launch.block = {64, 1, 1};
  const auto result = k.run();
  ASSERT_EQ(result.executed_blocks.size(), k.program().block_starts.size());
  EXPECT_EQ(result.executed_blocks[0], 1);
  EXPECT_EQ(result.executed_blocks[1], 0) << "the store";
  EXPECT_EQ(result.executed_blocks[2], 1);
}

}  // namespace
}  // namespace evo::tests::warp
