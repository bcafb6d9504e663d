// Barriers of some lanes of a warp, and of warps that do not wait: what they order raises no suspicion at the
// precise level of the filter, what they do not does, and the exact machine says the same of each.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/virtual/rig.hpp"
#include "tests/warp/harness.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests::warp {
namespace {

using evaluators::devices::CheckLevel;
using vd::warp::RaceFilter;

/// `own`: each thread's word; `next`, `across`, `diagonal`, `other`: those of the threads t ^ 1, t ^ 16, t ^
/// 17 and t ^ 32. %r12 names the half of the warp, %r14 the lanes t and t ^ 16; %p2: the first of two warps.
struct OrderCase {
  const char* name;
  const char* body;
  bool clean;
};
void PrintTo(const OrderCase& what, std::ostream* out) {
  *out << what.name;
}

const char* const group_words = R"(
  mov.u32 %r8, tile;
  shl.b32 %r6, %r1, 2;
  add.s32 %r9, %r8, %r6;
  xor.b32 %r20, %r6, 4;
  add.s32 %r20, %r8, %r20;
  xor.b32 %r21, %r6, 64;
  add.s32 %r21, %r8, %r21;
  xor.b32 %r22, %r6, 68;
  add.s32 %r22, %r8, %r22;
  xor.b32 %r23, %r6, 128;
  add.s32 %r23, %r8, %r23;
  and.b32 %r11, %r1, 16;
  setp.eq.u32 %p1, %r11, 0;
  selp.b32 %r12, 65535, 4294901760, %p1;
  and.b32 %r13, %r1, 15;
  mov.u32 %r14, 65537;
  shl.b32 %r14, %r14, %r13;
  setp.lt.u32 %p2, %r1, 32;
)";
#define OWN "[%r9]"
#define NEXT "[%r20]"
#define ACROSS "[%r21]"
#define DIAGONAL "[%r22]"
#define OTHER "[%r23]"
#define HALF "bar.warp.sync %r12;"
#define PAIR "bar.warp.sync %r14;"
#define STORE "st.shared.u32 " OWN ", %r1;"

std::vector<OrderCase> cases() {
  return {
      {"no_barrier", STORE "ld.shared.u32 %r5, " NEXT ";", false},
      {"of_the_half", STORE HALF "ld.shared.u32 %r5, " NEXT ";", true},
      {"of_the_other_half", STORE HALF "ld.shared.u32 %r5, " ACROSS ";", false},
      {"of_the_pair", STORE PAIR "ld.shared.u32 %r5, " ACROSS ";", true},
      {"of_another_pair", STORE PAIR "ld.shared.u32 %r5, " NEXT ";", false},
      {"by_way_of_the_half", STORE HALF PAIR "ld.shared.u32 %r5, " DIAGONAL ";", true},
      {"by_way_of_the_pair", STORE PAIR HALF "ld.shared.u32 %r5, " DIAGONAL ";", true},
      {"stored_between_the_two",
       STORE HALF PAIR "ld.shared.u32 %r5, " NEXT ";" PAIR STORE HALF "ld.shared.u32 %r5, " ACROSS ";",
       false},
      {"stored_behind_it", HALF STORE "ld.shared.u32 %r5, " NEXT ";", false},
      {"stored_again", STORE HALF STORE "ld.shared.u32 %r5, " NEXT ";", false},
      {"read_and_then_stored", "ld.shared.u32 %r5, " NEXT ";" STORE, false},
      {"read_and_behind_it_stored", STORE HALF "ld.shared.u32 %r5, " NEXT ";" HALF STORE, true},
      {"read_across_and_behind_it_stored",
       STORE "bar.warp.sync -1; ld.shared.u32 %r5, " ACROSS ";" HALF STORE, false},
      {"behind_one_of_all", STORE HALF "bar.warp.sync -1; ld.shared.u32 %r5, " ACROSS ";", true},
      {"one_of_all_and_then_stored", "bar.warp.sync -1;" STORE HALF "ld.shared.u32 %r5, " ACROSS ";", false},
      {"of_another_warp", STORE HALF "ld.shared.u32 %r5, " OTHER ";", false},
      {"own_behind_half", STORE HALF "ld.shared.u32 %r5, " OWN ";" HALF STORE, true},
      {"handed_over",
       "@%p2 " STORE "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64; @!%p2 ld.shared.u32 %r5, " OTHER ";",
       true},
      {"stored_behind_the_arrival",
       "@%p2 bar.arrive 1, 64; @%p2 " STORE "@!%p2 bar.sync 1, 64; @!%p2 ld.shared.u32 %r5, " OTHER ";",
       false},
      {"who_arrives_knows_nobody",
       "@!%p2 " STORE "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64; @%p2 ld.shared.u32 %r5, " OTHER ";",
       false},
      {"lanes_that_arrive_have_not_met",
       "@%p2 " STORE "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64; @%p2 ld.shared.u32 %r5, " NEXT ";", false},
      {"who_has_exited_has_not_come",
       "@%p1 " STORE "@%p1 exit; bar.warp.sync 4294901760; ld.shared.u32 %r5, " ACROSS ";", false},
      {"who_is_left_has_met",
       "@%p1 exit;" STORE "bar.warp.sync 4294901760; xor.b32 %r20, %r20, 0; ld.shared.u32 %r5, " NEXT ";",
       true},
      {"the_round_before",
       "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64; @%p2 " STORE
       "@%p2 bar.arrive 2, 64; @!%p2 bar.sync 2, 64; @!%p2 ld.shared.u32 %r5, " OTHER ";",
       true},
  };
}

class GroupBarriers : public testing::TestWithParam<OrderCase> {};

TEST_P(GroupBarriers, OrderWhoMeetsThere) {
  const std::string text =
      kernel(group_words + std::string(GetParam().body), ".shared .align 16 .b8 tile[256];\n");
  for (const RaceFilter level : {RaceFilter::precise, RaceFilter::coarse}) {
    Kernel k(text, "k");
    const std::size_t in = k.buffer(std::vector<std::uint32_t>(64, 1));
    const std::size_t out = k.buffer(std::vector<std::uint32_t>(64, 1));
    k.pointer(in).pointer(out);
    k.launch.grid = {3, 1, 1};
    k.launch.block = {64, 1, 1};
    k.options.races = level;
    const auto first = k.run();
    EXPECT_TRUE(first.faults.empty());
    if (level == RaceFilter::precise || !GetParam().clean) {
      EXPECT_EQ(first.clean(), GetParam().clean);
    }
    // Lines that were once suspected are watched by lane from then on.
    EXPECT_EQ(k.run().clean(), GetParam().clean);
  }
  for (const CheckLevel level : {CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig(text, "k");
    rig.options.checks = level;
    const auto in = rig.buffer("in", std::vector<std::uint32_t>(64, 1));
    const auto out = rig.empty<std::uint32_t>("out", 64);
    const auto done = rig.launch({{3, 1, 1}, {64, 1, 1}, 0}, {pointer(in), pointer(out)});
    EXPECT_EQ(done ? "passed" : done.error().reason, GetParam().clean ? "passed" : "race_shared");
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GroupBarriers, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace evo::tests::warp
