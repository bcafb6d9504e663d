// The race checker against a plain oracle: full vector clocks and a list of all accesses.
#include <array>
#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/devices/virtual/exact/global_shadow.hpp"
#include "evaluators/devices/virtual/exact/race.hpp"

namespace evo::tests {
namespace {

using namespace evaluators::virtual_device;
using exact::Access;
using exact::Clocks;
using exact::Granule;
using exact::RaceChecker;

constexpr std::uint32_t threads = 96;
constexpr std::uint32_t granules = 3;

/// Vector clocks as in the textbook, all accesses kept.
class Oracle {
 public:
  Oracle() {
    for (std::uint32_t t = 0; t < threads; ++t) clocks_[t][t] = 1;
  }
  void synchronise(const std::vector<std::uint32_t>& members) {
    std::array<std::uint32_t, threads> joined{};
    for (const auto m : members) {
      for (std::uint32_t t = 0; t < threads; ++t) joined[t] = std::max(joined[t], clocks_[m][t]);
    }
    for (const auto m : members) {
      clocks_[m] = joined;
      ++clocks_[m][m];
    }
  }
  /// Does the access race with an earlier one?
  bool access(std::uint32_t granule, std::uint32_t thread, bool write, bool strong) {
    bool race = false;
    for (const Past& past : past_[granule]) {
      const bool conflict = (write || past.write) && past.thread != thread && !(strong && past.strong);
      race |= conflict && clocks_[thread][past.thread] < past.clock;
    }
    past_[granule].push_back({thread, clocks_[thread][thread], write, strong});
    return race;
  }

 private:
  struct Past {
    std::uint32_t thread, clock;
    bool write, strong;
  };
  std::array<std::array<std::uint32_t, threads>, threads> clocks_{};
  std::array<std::vector<Past>, granules> past_;
};

struct Step {
  int kind;  ///< 0-7 access, 8 full barrier, 9 warp sync, 10 partial barrier
  std::uint32_t thread, granule, mask;
  bool write;
};

rc::Gen<std::vector<Step>> steps() {
  return rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
      rc::gen::set(&Step::kind, rc::gen::inRange(0, 11)),
      rc::gen::set(&Step::thread, rc::gen::inRange<std::uint32_t>(0, threads)),
      rc::gen::set(&Step::granule, rc::gen::inRange<std::uint32_t>(0, granules)),
      rc::gen::set(&Step::mask, rc::gen::arbitrary<std::uint32_t>()),
      rc::gen::set(&Step::write, rc::gen::weightedElement<bool>({{3, false}, {1, true}}))));
}

/// Both must agree on each granule until it has raced; what comes after a race is not specified.
void compare(const std::vector<Step>& program, bool whole_block) {
  Clocks clocks;
  clocks.start(threads, whole_block);
  RaceChecker checker(clocks);
  std::array<Granule, granules> state{};
  std::array<bool, granules> raced{};
  Oracle oracle;
  std::vector<std::uint32_t> all(threads);
  std::iota(all.begin(), all.end(), 0U);
  for (const Step& step : program) {
    if (step.kind == 8) {
      clocks.new_epoch();
      oracle.synchronise(all);
    } else if (step.kind == 9 || (step.kind == 10 && !whole_block)) {
      std::vector<std::uint32_t> lanes;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        // Full warps often, as in programs.
        if (step.kind == 9 || (step.mask >> lane & 1) != 0) lanes.push_back(step.thread / 32 * 32 + lane);
      }
      clocks.meet(lanes);
      oracle.synchronise(lanes);
    } else if (step.kind == 10) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t t = 0; t < threads; ++t) {
        if ((step.mask >> t / 4 & 1) != 0) members.push_back(t);
      }
      clocks.meet(members);
      oracle.synchronise(members);
    } else {
      const Access access{clocks.epoch(),
                          clocks.clock(step.thread),
                          7,
                          static_cast<std::uint16_t>(step.thread),
                          false,
                          step.write ? AccessKind::write : AccessKind::read};
      Granule& granule = state[step.granule];
      const bool found =
          (step.write ? checker.write(granule, access, false) : checker.read(granule, access)) != nullptr;
      const bool expected = oracle.access(step.granule, step.thread, step.write, false);
      if (!raced[step.granule]) RC_ASSERT(found == expected);
      raced[step.granule] = raced[step.granule] || expected;
    }
  }
}

RC_GTEST_PROP(RaceChecker, AgreesWithVectorClocksUnderWarpSyncs, ()) {
  compare(*steps(), false);
}
RC_GTEST_PROP(RaceChecker, AgreesWithVectorClocksUnderNamedBarriers, ()) {
  compare(*steps(), true);
}

TEST(RaceChecker, AtomicsRaceWithPlainAccessesOnly) {
  Clocks clocks;
  clocks.start(64, false);
  RaceChecker checker(clocks);
  Granule granule;
  const auto access = [&](std::uint16_t thread, bool strong, AccessKind kind) {
    return Access{clocks.epoch(), clocks.clock(thread), 1, thread, strong, kind};
  };
  EXPECT_EQ(checker.write(granule, access(0, true, AccessKind::atomic), false), nullptr);
  EXPECT_EQ(checker.write(granule, access(40, true, AccessKind::atomic), false), nullptr);
  const Access* conflict = checker.read(granule, access(3, false, AccessKind::read));
  ASSERT_NE(conflict, nullptr);
  EXPECT_EQ(conflict->thread, 40);
}

/// One thread sets a counter and adds to it, and so do others: they must know that it was set.
TEST(RaceChecker, APlainStoreStaysInFrontOfItsThreadsAtomics) {
  for (const bool knows : {false, true}) {
    Clocks clocks;
    clocks.start(64, true);
    RaceChecker checker(clocks);
    Granule granule;
    const auto access = [&](std::uint16_t thread, bool strong, AccessKind kind) {
      return Access{clocks.epoch(), clocks.clock(thread), 1, thread, strong, kind};
    };
    EXPECT_EQ(checker.write(granule, access(0, false, AccessKind::write), false), nullptr);
    const std::vector<std::uint32_t> both{0, 40};
    if (knows) clocks.meet(both);
    EXPECT_EQ(checker.write(granule, access(0, true, AccessKind::atomic), false), nullptr);
    EXPECT_EQ(checker.write(granule, access(40, true, AccessKind::atomic), false) == nullptr, knows);
  }
}

/// A granule that these threads read, one after another; then some of them meet, and one of those writes.
const Access* reader_that_races(RaceChecker& checker, Clocks& clocks, Granule& granule,
                                const std::vector<std::uint16_t>& readers,
                                const std::vector<std::uint32_t>& meet, std::uint16_t writer) {
  const auto access = [&](std::uint16_t thread, AccessKind kind) {
    return Access{clocks.epoch(), clocks.clock(thread), 1, thread, false, kind};
  };
  for (const std::uint16_t reader : readers)
    EXPECT_EQ(checker.read(granule, access(reader, AccessKind::read)), nullptr);
  clocks.meet(meet);
  return checker.write(granule, access(writer, AccessKind::write), false);
}

TEST(RaceChecker, EveryReaderOfAWarpIsRemembered) {
  for (const std::uint16_t other : std::vector<std::uint16_t>{1, 2, 4, 31}) {
    Clocks clocks;
    clocks.start(64, false);
    RaceChecker checker(clocks);
    Granule granule;
    const Access* conflict = reader_that_races(checker, clocks, granule, {0, 5, other, 6}, {0, 5, 6, 7}, 7);
    ASSERT_NE(conflict, nullptr) << "thread " << other;
    EXPECT_EQ(conflict->thread, other);
  }
}

TEST(RaceChecker, AReaderOfAnotherWarpIsRemembered) {
  Clocks clocks;
  clocks.start(64, false);
  RaceChecker checker(clocks);
  Granule granule;
  const Access* conflict = reader_that_races(checker, clocks, granule, {0, 1, 40}, {0, 1}, 0);
  ASSERT_NE(conflict, nullptr) << "the writer knows of all others";
  EXPECT_EQ(conflict->thread, 40);
}

/// Stores of one value by threads 0 and 40, which nothing orders.
struct OneValue : testing::Test {
  OneValue() : checker(clocks) {
    clocks.start(96, false);
    EXPECT_EQ(checker.write(granule, access(0), false), nullptr);
    EXPECT_EQ(checker.write(granule, access(40), true), nullptr) << "whichever lands";
  }
  Access access(std::uint16_t thread, AccessKind kind = AccessKind::write) {
    Access made{clocks.epoch(), clocks.clock(thread), 1, thread, false, kind};
    made.repeatable = kind == AccessKind::write;
    return made;
  }
  Clocks clocks;
  RaceChecker checker;
  Granule granule;
};

TEST_F(OneValue, MayBeStoredByMoreThreads) {
  for (const std::uint16_t thread : std::vector<std::uint16_t>{70, 3, 41, 0})
    EXPECT_EQ(checker.write(granule, access(thread), true), nullptr);
}

TEST_F(OneValue, ReadersBehindABarrierAreNoRace) {
  clocks.new_epoch();
  EXPECT_EQ(checker.read(granule, access(70, AccessKind::read)), nullptr);
}

TEST_F(OneValue, AnUnorderedReaderIsARace) {
  EXPECT_NE(checker.read(granule, access(70, AccessKind::read)), nullptr);
}

TEST_F(OneValue, AnotherValueIsARaceWithEachWriter) {
  clocks.meet(std::vector<std::uint32_t>{40, 41});
  const Access* conflict = checker.write(granule, access(41), false);
  ASSERT_NE(conflict, nullptr) << "it is ordered behind the last writer only";
  EXPECT_EQ(conflict->thread, 0);
}

TEST_F(OneValue, IsARaceWhereEitherStoreHasComputedIt) {
  Access computed = access(70);
  computed.repeatable = false;
  EXPECT_NE(checker.write(granule, computed, true), nullptr);
  clocks.new_epoch();
  EXPECT_EQ(checker.write(granule, computed = {clocks.epoch(), 1, 1, 70, false, AccessKind::write}, false),
            nullptr);
  EXPECT_NE(checker.write(granule, access(3), true), nullptr);
}

TEST_F(OneValue, LanesOfOneInstructionMayHaveComputedIt) {
  clocks.new_epoch();
  const auto store = [&](std::uint16_t thread, std::uint32_t instruction) {
    return checker.write(
        granule, {clocks.epoch(), clocks.clock(thread), instruction, thread, false, AccessKind::write}, true);
  };
  EXPECT_EQ(store(0, 1), nullptr);
  EXPECT_EQ(store(31, 1), nullptr);
  EXPECT_NE(store(31 + 1, 1), nullptr) << "another warp";
  clocks.new_epoch();
  EXPECT_EQ(store(0, 1), nullptr);
  EXPECT_NE(store(1, 2), nullptr) << "another instruction";
}

TEST_F(OneValue, AnAtomicIsARace) {
  EXPECT_NE(checker.write(granule, access(70, AccessKind::atomic), false), nullptr);
}

TEST(RaceChecker, EpochsOfEarlierBlocksAreForgotten) {
  Clocks clocks;
  clocks.start(64, false);
  RaceChecker checker(clocks);
  Granule granule;
  EXPECT_EQ(checker.write(granule, {clocks.epoch(), 1, 1, 0, false, AccessKind::write}, false), nullptr);
  clocks.start(64, false);
  EXPECT_EQ(checker.write(granule, {clocks.epoch(), 1, 1, 63, false, AccessKind::write}, false), nullptr);
}

class BlockRacesTest : public testing::Test {
 protected:
  BlockRacesTest() { memory_.map(buffer_.region(), "data"); }
  static std::uint64_t mark(std::uint64_t block, AccessKind kind, bool strong = false) {
    return exact::Mark::pack({block, 5, 77}, strong, kind);
  }
  static constexpr std::uint32_t region = 0;  ///< the only one
  Buffer buffer_{first_buffer_slot, "data", 64, 0};
  GlobalMap memory_;
};

TEST_F(BlockRacesTest, AnyTwoBlocksConflictIfOneWrites) {
  exact::BlockRaces races(memory_, 4);
  const auto at = [&](std::uint64_t granule, std::uint64_t m) { return races.access(region, granule, m); };
  EXPECT_EQ(at(0, mark(3, AccessKind::read)), 0U);
  EXPECT_EQ(at(0, mark(4, AccessKind::read)), 0U);
  // A reader that writes later must not hide behind its own read.
  const std::uint64_t other = at(0, mark(3, AccessKind::write));
  ASSERT_NE(other, 0U);
  EXPECT_EQ(exact::Mark::site(other), (Site{4, 5, 77}));
  EXPECT_EQ(at(1, mark(3, AccessKind::write)), 0U);
  EXPECT_EQ(at(1, mark(3, AccessKind::read)), 0U);
  EXPECT_NE(at(1, mark(9, AccessKind::read)), 0U);
  EXPECT_EQ(at(2, mark(1, AccessKind::atomic, true)), 0U);
  EXPECT_EQ(at(2, mark(2, AccessKind::atomic, true)), 0U);
  EXPECT_NE(at(2, mark(3, AccessKind::write)), 0U);
}

TEST_F(BlockRacesTest, BlocksMayStoreOneValue) {
  exact::BlockRaces races(memory_, 4);
  const std::uint64_t one = exact::BlockRaces::value_of(1 << 8), two = exact::BlockRaces::value_of(2 << 8);
  const auto store = [&](std::uint64_t granule, std::uint64_t block, std::uint64_t value) {
    return races.access(region, granule, mark(block, AccessKind::write), value);
  };
  for (const std::uint64_t block : {1, 2, 3, 2}) EXPECT_EQ(store(0, block, one), 0U);
  EXPECT_NE(store(0, 4, two), 0U) << "another value";
  // Of the block's own, behind others' stores.
  EXPECT_EQ(store(1, 1, one), 0U);
  EXPECT_EQ(store(1, 2, one), 0U);
  const std::uint64_t other = store(1, 2, two);
  ASSERT_NE(other, 0U);
  EXPECT_EQ(exact::Mark::block(other), 1U);
  // Whoever reads does not know whether all have stored.
  EXPECT_EQ(store(2, 1, one), 0U);
  EXPECT_EQ(store(2, 2, one), 0U);
  for (const std::uint64_t block : {1, 2, 3})
    EXPECT_NE(races.access(region, 2, mark(block, AccessKind::read)), 0U) << block;
  EXPECT_EQ(store(3, 1, one), 0U);
  EXPECT_NE(races.access(region, 3, mark(2, AccessKind::atomic, true)), 0U);
  EXPECT_EQ(store(4, 1, one), 0U);
  EXPECT_NE(races.access(region, 4, mark(2, AccessKind::write)), 0U) << "of no known value";
}

}  // namespace
}  // namespace evo::tests
