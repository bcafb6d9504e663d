// Flags between blocks on the exact machine: what a block publishes, and what another learns by it. One block
// stores at %rd1 and sets a flag; the other waits for it and reads.
#include <gtest/gtest.h>

#include <string>

#include "evaluators/devices/virtual/exact/race.hpp"
#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace flags {
namespace {

using namespace evaluators::virtual_device;

/// Reason of the failure of a launch of `blocks` blocks of one thread; empty: it passes.
std::string reason_of(const std::string& text, std::uint32_t blocks) {
  Rig rig(warp::kernel(text), "k");
  const auto data = rig.buffer("data", std::vector<std::uint32_t>(64, 0));
  const auto done = rig.launch({{blocks, 1, 1}, {1, 1, 1}, 0}, {pointer(data), pointer(data)});
  return done ? "" : done.error().reason;
}

/// Block 0 runs `tell`; block 1 waits until the word at byte 128 is set, and then runs `hear`.
std::string told(const std::string& tell, const std::string& hear,
                 const std::string& poll = "ld.relaxed.gpu.global.u32") {
  return reason_of("    mov.u32 %r2, %ctaid.x;\n    setp.ne.u32 %p1, %r2, 0;\n    @%p1 bra WAIT;\n" + tell +
                       "    bra END;\n  WAIT:\n    " + poll +
                       " %r5, [%rd1+128];\n    setp.eq.u32 %p2, %r5, 0;\n    @%p2 bra WAIT;\n" + hear +
                       "  END:\n",
                   2);
}

const std::string store = "    st.global.u32 [%rd1], 7;\n";
const std::string read = "    ld.global.u32 %r6, [%rd1];\n";
const std::string fence = "    fence.acq_rel.gpu;\n";
const std::string flag = "    st.relaxed.gpu.global.u32 [%rd1+128], 1;\n";
const std::string race = "race_global";

TEST(Flags, FencesOnBothSidesPutDataInOrder) {
  EXPECT_EQ(told(store + fence + flag, fence + read), "");
  EXPECT_EQ(told(store + "    st.release.gpu.global.u32 [%rd1+128], 1;\n", read, "ld.acquire.gpu.global.u32"),
            "");
}

TEST(Flags, ARelaxedWritePublishesWhatWasFencedOnly) {
  EXPECT_EQ(told(store + flag, fence + read), race);
  EXPECT_EQ(told(store + flag, read, "ld.acquire.gpu.global.u32"), race);
}

TEST(Flags, ARelaxedReadLearnsAtAFenceOnly) {
  EXPECT_EQ(told(store + fence + flag, read), race);
  EXPECT_EQ(told(store + "    st.release.gpu.global.u32 [%rd1+128], 1;\n", read), race);
}

TEST(Flags, AFenceOfTheBlockDoesNotReachAnother) {
  EXPECT_EQ(told(store + "    fence.acq_rel.cta;\n" + flag, fence + read), race);
}

TEST(Flags, AFencePublishesWhatCameBeforeIt) {
  EXPECT_EQ(told(fence + store + flag, fence + read), race);
  EXPECT_EQ(told(store + fence + "    st.global.u32 [%rd1+4], 7;\n" + flag, fence + read), "");
}

TEST(Flags, AtomicsOfTheBlocksScopeDoNotReachAnother) {
  const auto adds = [](const std::string& scope) {
    const std::string add = "    red.relaxed." + scope + ".global.add.u32 [%rd1], 1;\n";
    return told(add + fence + flag, add);
  };
  EXPECT_EQ(adds("gpu"), "");
  EXPECT_EQ(adds("cta"), race);
}

// The last block that counts sets the counter back: its own count says that all others have counted.
TEST(Flags, ManyBlocksMayCountAndTheLastOneResets) {
  constexpr std::uint32_t blocks = 4200;
  const std::string count =
      "    membar.gl;\n    atom.global.add.u32 %r3, [%rd1], 1;\n    setp.ne.u32 %p1, %r3, " +
      std::to_string(blocks - 1) + ";\n    @%p1 bra END;\n    st.global.u32 [%rd1], 0;\n  END:\n";
  EXPECT_EQ(reason_of(count, blocks), "");
}

// Whoever reads volatile data without waiting for it gets what comes first.
TEST(Flags, VolatileDataInSharedMemoryIsNoFlag) {
  exact::Clocks clocks;
  clocks.start(64, false);
  exact::RaceChecker races(clocks);
  const auto access = [&](std::uint16_t thread, AccessKind kind, bool polls) {
    exact::Access a;
    a.epoch = clocks.epoch();
    a.clock = clocks.clock(thread);
    a.thread = thread;
    a.kind = kind;
    a.is_volatile = true;
    a.polls = polls;
    return a;
  };
  for (const bool polls : {false, true}) {
    exact::Granule granule;
    EXPECT_EQ(races.write(granule, access(0, AccessKind::write, false), false), nullptr);
    EXPECT_EQ(races.read(granule, access(40, AccessKind::read, polls)) == nullptr, polls);
  }
}

}  // namespace
}  // namespace flags
}  // namespace evo::tests
