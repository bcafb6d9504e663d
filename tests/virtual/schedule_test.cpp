// What a schedule's seed decides: the order of blocks, of warps and of lanes. Where a kernel's answer depends
// on it, the machines show it.
#include <gtest/gtest.h>

#include <set>

#include "evaluators/devices/virtual/give_way.hpp"
#include "evaluators/devices/virtual/stall.hpp"
#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

/// Who came first, second, ... to draw a ticket: all of a grid with `blocks` blocks of `threads` threads that
/// are the first of each `apart`.
std::vector<std::uint32_t> order_of_arrival(std::uint64_t seed, unsigned blocks, unsigned threads,
                                            unsigned apart) {
  Rig rig(warp::kernel(R"(
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    rem.u32 %r5, %r1, )" +
                       std::to_string(apart) + R"(;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra END;
    atom.global.add.u32 %r6, [%rd1], 1;
    mul.wide.u32 %rd7, %r6, 4;
    add.s64 %rd8, %rd2, %rd7;
    st.global.u32 [%rd8], %r4;
  END:
)"),
          "k");
  rig.options.schedule_seed = seed;
  const std::size_t drawn = std::size_t{blocks} * threads / apart;
  const auto order = rig.empty<std::uint32_t>("order", drawn);
  const auto outcome =
      rig.launch({{blocks, 1, 1}, {threads, 1, 1}, 0},
                 {pointer(rig.buffer("ticket", std::vector<std::uint32_t>(1, 0))), pointer(order)});
  EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
  return rig.contents<std::uint32_t>(order, drawn);
}

std::size_t orders(unsigned blocks, unsigned threads, unsigned apart) {
  std::set<std::vector<std::uint32_t>> different;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    different.insert(order_of_arrival(seed, blocks, threads, apart));
    EXPECT_EQ(order_of_arrival(seed, blocks, threads, apart), order_of_arrival(seed, blocks, threads, apart));
  }
  return different.size();
}

TEST(Schedule, BlocksComeInAnotherOrder) {
  EXPECT_EQ(orders(16, 1, 1), 6U);
}
TEST(Schedule, WarpsComeInAnotherOrder) {
  EXPECT_EQ(orders(1, 1024, 32), 6U);
}
TEST(Schedule, LanesComeInAnotherOrder) {
  EXPECT_EQ(orders(1, 32, 1), 6U);
}

/// How often somebody comes before one who was there earlier in natural order. Whoever gives way in front of
/// an atomic access alone does so once: those who did, and those who did not, are still in order.
std::size_t descents(std::uint64_t seed, unsigned threads, unsigned apart) {
  const std::vector<std::uint32_t> order = order_of_arrival(seed, 1, threads, apart);
  std::size_t found = 0;
  for (std::size_t i = 1; i < order.size(); ++i) found += order[i] < order[i - 1] ? 1 : 0;
  return found;
}
TEST(Schedule, WarpsArePermuted) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) EXPECT_GT(descents(seed, 1024, 32), 6U) << seed;
}
TEST(Schedule, LanesArePermuted) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) EXPECT_GT(descents(seed, 32, 1), 6U) << seed;
}
TEST(Schedule, InNaturalOrderNoBlockGivesWay) {
  for (std::uint64_t block = 0; block < 8; ++block) {
    evaluators::virtual_device::GiveWay natural, permuted;
    natural.start(0, block);
    permuted.start(1, block);
    bool any = false;
    for (int access = 0; access < 100; ++access) {
      EXPECT_FALSE(natural.now());
      EXPECT_FALSE(natural.late());
      any |= permuted.now();
    }
    EXPECT_TRUE(any);
  }
}

// Two threads draw a ticket, and the one whose is the second leaves the buffer if it is `who`. Where the
// exact machine sees the other order, what the warp machine saw is a fault all the same.
TEST(Schedule, AFaultInOneMachinesOrderIsAFault) {
  int seen_by_one = 0;
  for (const int who : {0, 40}) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      const auto passes = [&](CheckLevel level) {
        Rig rig(warp::kernel(R"(
          rem.u32 %r2, %r1, 40;
          setp.ne.u32 %p1, %r2, 0;
          @%p1 bra END;
          atom.global.add.u32 %r3, [%rd1], 1;
          setp.ne.u32 %p2, %r3, 1;
          setp.ne.or.u32 %p3, %r1, )" +
                             std::to_string(who) + R"(, %p2;
          @%p3 bra END;
          st.global.u32 [%rd6+4096], %r1;
        END:
)"),
                "k");
        rig.options.checks = level;
        rig.options.schedule_seed = seed;
        const auto outcome = rig.launch({{1, 1, 1}, {64, 1, 1}, 0},
                                        {pointer(rig.buffer("ticket", std::vector<std::uint32_t>(1, 0))),
                                         pointer(rig.empty<std::uint32_t>("out", 64))});
        EXPECT_EQ(outcome ? "out_of_bounds" : outcome.error().reason, "out_of_bounds");
        return outcome.has_value();
      };
      const bool warps_order = passes(CheckLevel::none), exact_order = passes(CheckLevel::exact);
      EXPECT_EQ(passes(CheckLevel::filtered), warps_order) << "schedule " << seed;
      seen_by_one += !warps_order && exact_order;
    }
  }
  EXPECT_GT(seen_by_one, 0);
}

TEST(StallWatch, ABlockStandsStillWhileOthersComeOn) {
  evaluators::virtual_device::StallWatch watch;
  EXPECT_FALSE(watch.over(false));
  EXPECT_FALSE(watch.over(true)) << "one round may pass in vain";
  EXPECT_FALSE(watch.over(false));
  EXPECT_FALSE(watch.over(true));
  EXPECT_TRUE(watch.over(true));
  evaluators::virtual_device::StallWatch busy;
  int rounds = 1;
  while (!busy.over(false) && rounds < 10000) ++rounds;
  EXPECT_GT(rounds, 100);
  EXPECT_LT(rounds, 1000) << "not for ever: not every way to wait is seen to be one";
}

}  // namespace
}  // namespace evo::tests
