// Injected faults: each is found, with its kind, its source lines, its threads and its address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using model::Status;
using testing::HasSubstr;

class Faults : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  Failure fail(Rig& rig, const model::LaunchPlan& plan, const Rig::Arguments& arguments) const {
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    const auto outcome = rig.launch(plan, arguments);
    EXPECT_FALSE(outcome) << "the fault was not found";
    if (outcome) return {Status::proven, "", {Evidence{}}};
    for (const Evidence& evidence : outcome.error().evidence) {
      SCOPED_TRACE(evidence.message);
      EXPECT_FALSE(evidence.message.empty());
      EXPECT_THAT(evidence.message, testing::EndsWith("."));
    }
    return outcome.error();
  }
};

int line(const std::string& mark) {
  return marked_line("faults.cu", mark);
}

int number(const std::string& text) {
  return text.empty() ? -1 : std::stoi(text);
}

/// A race between the two lines, in either order.
void expect_race(const Failure& failure, const std::string& kind, int first, int second) {
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, kind);
  ASSERT_FALSE(failure.evidence.empty());
  const Evidence& race = failure.evidence.front();
  SCOPED_TRACE(race.message);
  EXPECT_EQ(race.kind, kind);
  EXPECT_EQ(race.file, "faults.cu");
  EXPECT_EQ(detail(race, "other_file"), "faults.cu");
  const std::pair<int, int> lines = std::minmax(race.line, number(detail(race, "other_line")));
  EXPECT_EQ(lines, (std::pair<int, int>(std::minmax(first, second))));
  EXPECT_NE(detail(race, "thread"), detail(race, "other_thread"));
}

/// x of "block (b,0,0) thread (x,0,0)".
int thread_x(const std::string& place) {
  return place.empty() ? -1 : std::stoi(place.substr(place.find("thread (") + 8));
}
int block_x(const std::string& place) {
  return place.empty() ? -1 : std::stoi(place.substr(place.find("block (") + 7));
}

const Evidence* find(const Failure& failure, const std::string& kind) {
  for (const Evidence& evidence : failure.evidence) {
    if (evidence.kind == kind) return &evidence;
  }
  return nullptr;
}

TEST_P(Faults, MissingBarrierIsARaceToldBeforeWhatItCauses) {
  Rig rig("faults.ptx", "missing_barrier");
  const auto failure =
      fail(rig, {{1, 1, 1}, {128, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(128, 1))), pointer(rig.empty<float>("out", 128))});
  expect_race(failure, "race_shared", line("missing_barrier:write"), line("missing_barrier:read"));
  const Evidence& race = failure.evidence.front();
  EXPECT_EQ(thread_x(detail(race, "thread")) + thread_x(detail(race, "other_thread")), 127);
  EXPECT_EQ(detail(race, "width"), "4");
  const Evidence* uninitialized = find(failure, "uninitialized");
  ASSERT_NE(uninitialized, nullptr) << "threads run one after another, so that some read too early";
  EXPECT_EQ(uninitialized->line, line("missing_barrier:read"));
}

TEST_P(Faults, WriteAfterReadInALoop) {
  Rig rig("faults.ptx", "loop_war");
  const auto failure = fail(rig, {{1, 1, 1}, {128, 1, 1}, 0},
                            {pointer(rig.buffer("in", std::vector<float>(512, 1))),
                             pointer(rig.empty<float>("out", 128)), scalar(4)});
  expect_race(failure, "race_shared", line("loop_war:write"), line("loop_war:read"));
}

TEST_P(Faults, OneThreadBehindTheEndOfABuffer) {
  Rig rig("faults.ptx", "off_by_one");
  const auto failure = fail(rig, {{2, 1, 1}, {64, 1, 1}, 0},
                            {pointer(rig.buffer("in", std::vector<float>(100, 1))),
                             pointer(rig.empty<float>("out", 100)), scalar(100)});
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "out_of_bounds");
  ASSERT_EQ(failure.evidence.size(), 1U) << "load and store of one line are one finding";
  const Evidence& evidence = failure.evidence.front();
  EXPECT_EQ(evidence.line, line("off_by_one"));
  EXPECT_EQ(detail(evidence, "thread"), "block (1,0,0) thread (36,0,0)");
  EXPECT_THAT(detail(evidence, "address"), HasSubstr("in byte offset 400"));
  EXPECT_THAT(evidence.message, HasSubstr("4 bytes past its 400 bytes"));
}

TEST_P(Faults, MisalignedVectorLoadTellsTheLaneStride) {
  Rig rig("faults.ptx", "misaligned_float4");
  const auto failure =
      fail(rig, {{1, 1, 1}, {64, 1, 1}, 64 * 20},
           {pointer(rig.buffer("in", std::vector<float>(64, 1))), pointer(rig.empty<float>("out", 64))});
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "misaligned");
  const Evidence& evidence = failure.evidence.front();
  EXPECT_EQ(evidence.line, line("misaligned_float4"));
  EXPECT_EQ(detail(evidence, "width"), "16");
  EXPECT_EQ(detail(evidence, "lane_stride"), "20");
  EXPECT_THAT(evidence.message, HasSubstr("neighbouring lanes are 20 bytes apart"));
}

TEST_P(Faults, UninitializedSharedRead) {
  Rig rig("faults.ptx", "uninitialized_shared");
  const auto failure =
      fail(rig, {{1, 1, 1}, {64, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(64, 1))), pointer(rig.empty<float>("out", 64))});
  EXPECT_EQ(failure.reason, "uninitialized");
  ASSERT_EQ(failure.evidence.size(), 1U);
  const Evidence& evidence = failure.evidence.front();
  EXPECT_EQ(evidence.line, line("uninitialized_shared:read"));
  EXPECT_EQ(detail(evidence, "other_line"), std::to_string(line("uninitialized_shared:store")));
  EXPECT_EQ(detail(evidence, "thread"), "block (0,0,0) thread (63,0,0)");
  EXPECT_THAT(detail(evidence, "address"), HasSubstr("shared byte offset 256"));
}

TEST_P(Faults, BarrierInADivergentBranch) {
  Rig rig("faults.ptx", "divergent_barrier");
  const auto failure =
      fail(rig, {{1, 1, 1}, {64, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(64, 1))), pointer(rig.empty<float>("out", 64))});
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "barrier_divergence");
  const Evidence& evidence = failure.evidence.front();
  const std::pair<int, int> lines = std::minmax(evidence.line, number(detail(evidence, "other_line")));
  EXPECT_EQ(lines, std::pair(line("divergent_barrier:inner"), line("divergent_barrier:outer")));
}

TEST_P(Faults, ShuffleWithAbsentLanes) {
  Rig rig("faults.ptx", "absent_lanes");
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[static_cast<std::size_t>(i)] = i;
  const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0},
                            {pointer(rig.buffer("in", in)), pointer(rig.empty<int>("out", 32))});
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "shuffle_mask");
  EXPECT_EQ(failure.evidence.front().line, line("absent_lanes"));
  EXPECT_EQ(thread_x(detail(failure.evidence.front(), "thread")) % 2, 0);
}

TEST_P(Faults, SharedMemoryOverrun) {
  Rig rig("faults.ptx", "shared_overrun");
  const auto failure =
      fail(rig, {{1, 1, 1}, {64, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(64, 1))), pointer(rig.empty<float>("out", 64))});
  EXPECT_EQ(failure.reason, "out_of_bounds");
  const Evidence& evidence = failure.evidence.front();
  EXPECT_EQ(evidence.line, line("shared_overrun"));
  EXPECT_EQ(detail(evidence, "space"), "shared");
  EXPECT_THAT(evidence.message, HasSubstr("shared memory has 256 bytes"));
}

TEST_P(Faults, MatrixProductWithoutItsSecondBarrier) {
  Rig rig("faults.ptx", "sgemm_one_barrier");
  const std::vector<float> a(32 * 48, 0.5F), b(48 * 32, 2.0F);
  const auto failure = fail(rig, {{2, 2, 1}, {16, 16, 1}, 0},
                            {pointer(rig.buffer("a", a)), pointer(rig.buffer("b", b)),
                             pointer(rig.empty<float>("c", 32 * 32)), scalar(32), scalar(32), scalar(48)});
  EXPECT_EQ(failure.reason, "race_shared");
  std::set<int> written;
  for (const Evidence& evidence : failure.evidence) {
    EXPECT_EQ(evidence.kind, "race_shared") << evidence.message;
    const int other = number(detail(evidence, "other_line"));
    EXPECT_TRUE(evidence.line == line("sgemm_one_barrier:use") || other == line("sgemm_one_barrier:use"));
    written.insert(evidence.line == line("sgemm_one_barrier:use") ? other : evidence.line);
  }
  EXPECT_EQ(written, (std::set{line("sgemm_one_barrier:as"), line("sgemm_one_barrier:bs")}))
      << "both tiles are told";
}

TEST_P(Faults, MissingSyncwarpThoughTheNumbersAreRightInLockstep) {
  Rig rig("faults.ptx", "missing_syncwarp");
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<int>(32, 4))), pointer(rig.empty<int>("out", 32))});
  expect_race(failure, "race_shared", line("missing_syncwarp:write"), line("missing_syncwarp:read"));
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("__syncwarp"));
  const int sum = thread_x(detail(failure.evidence.front(), "thread")) ^
                  thread_x(detail(failure.evidence.front(), "other_thread"));
  EXPECT_EQ(sum, 1) << "neighbouring lanes";
}

TEST_P(Faults, NamedBarriersOfTwoHalvesDoNotOrderTheHalves) {
  Rig rig("faults.ptx", "barrier_subset");
  const auto failure =
      fail(rig, {{1, 1, 1}, {128, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<int>(128, 4))), pointer(rig.empty<int>("out", 128))});
  expect_race(failure, "race_shared", line("barrier_subset:write"), line("barrier_subset:read"));
  const int a = thread_x(detail(failure.evidence.front(), "thread"));
  const int b = thread_x(detail(failure.evidence.front(), "other_thread"));
  EXPECT_NE(a < 64, b < 64);
}

TEST_P(Faults, TwoBlocksWriteTheSameElement) {
  Rig rig("faults.ptx", "block_race");
  const auto failure = fail(rig, {{3, 1, 1}, {64, 1, 1}, 0},
                            {pointer(rig.empty<int>("data", 64)), pointer(rig.empty<int>("out", 192))});
  expect_race(failure, "race_global", line("block_race:write"), line("block_race:write"));
  const Evidence& race = failure.evidence.front();
  EXPECT_NE(block_x(detail(race, "thread")), block_x(detail(race, "other_thread")));
  EXPECT_THAT(detail(race, "address"), HasSubstr("data byte offset"));
}

TEST_P(Faults, BlocksExchangeDataInsideOneLaunch) {
  Rig rig("faults.ptx", "block_exchange");
  const auto failure = fail(rig, {{2, 1, 1}, {64, 1, 1}, 0},
                            {pointer(rig.buffer("in", std::vector<int>(128, 3))),
                             pointer(rig.empty<int>("data", 128)), pointer(rig.empty<int>("out", 128))});
  expect_race(failure, "race_global", line("block_exchange:write"), line("block_exchange:read"));
  const Evidence& race = failure.evidence.front();
  EXPECT_EQ(block_x(detail(race, "thread")) + block_x(detail(race, "other_thread")), 1);
  EXPECT_EQ(thread_x(detail(race, "thread")) + thread_x(detail(race, "other_thread")), 63);
}

TEST_P(Faults, ThreadsThatLeaveBeforeABarrierAreNoFault) {
  Rig rig("faults.ptx", "early_exit");
  std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
  std::vector<float> in(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const auto out = rig.buffer("out", std::vector<float>(128, -1));
  const auto outcome =
      rig.launch({{1, 1, 1}, {128, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out), scalar(100)});
  ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
  EXPECT_EQ(rig.contents<float>(out, 128)[3], 96.0F);
}

TEST_P(Faults, EndlessLoopSpendsItsBudget) {
  Rig rig("faults.ptx", "endless");
  rig.options.instruction_budget = 200'000;
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0},
           {pointer(rig.buffer("flag", std::vector<int>(1, 0))), pointer(rig.empty<int>("out", 32))});
  EXPECT_EQ(failure.status, Status::timeout);
  EXPECT_EQ(failure.reason, "hang");
  EXPECT_EQ(failure.evidence.front().line, line("endless"));
}

TEST_P(Faults, BuffersThatWereNotPassedCannotBeReached) {
  Rig rig("faults.ptx", "outside");
  const auto in = rig.buffer("in", std::vector<float>(32, 1));
  const auto secret = rig.buffer("secret", std::vector<float>(32, 42));
  const auto out = rig.empty<float>("out", 32);
  // Exactly the distance to the other buffer, in elements.
  const long long distance = (static_cast<long long>(secret) - static_cast<long long>(in)) << 34;
  const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(out), scalar(distance)});
  EXPECT_EQ(failure.reason, "out_of_bounds");
  EXPECT_EQ(failure.evidence.front().line, line("outside"));
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("belongs to no buffer of this launch"));
  for (const float value : rig.contents<float>(out, 32)) EXPECT_NE(value, 42.0F);
}

TEST_P(Faults, AnOverrunStaysWithItsBuffer) {
  for (const long long offset : {-1LL, -40LL, 1LL << 20, 1LL << 32, -(1LL << 32)}) {
    Rig rig("faults.ptx", "outside");
    const auto before = rig.buffer("before", std::vector<float>(32, 1));
    const auto in = rig.buffer("in", std::vector<float>(32, 1));
    const auto after = rig.buffer("after", std::vector<float>(32, 1));
    (void)before;
    const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(in), pointer(after), scalar(offset)});
    EXPECT_EQ(failure.reason, "out_of_bounds");
    EXPECT_THAT(failure.evidence.front().message, HasSubstr("at in byte offset")) << offset;
  }
}

TEST_P(Faults, TheSameValueFromAllWarpsIsStillARace) {
  Rig rig("faults.ptx", "same_value");
  const auto failure =
      fail(rig, {{1, 1, 1}, {64, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<int>(1, 7))), pointer(rig.empty<int>("out", 64))});
  expect_race(failure, "race_shared", line("same_value:write"), line("same_value:write"));
  const Evidence& race = failure.evidence.front();
  EXPECT_NE(thread_x(detail(race, "thread")) / 32, thread_x(detail(race, "other_thread")) / 32)
      << "the lanes of one warp may write one value in one instruction";
}

TEST_P(Faults, SameValueFromOneWarpIsNoRace) {
  Rig rig("faults.ptx", "same_value");
  std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
  const auto outcome =
      rig.launch({{1, 1, 1}, {32, 1, 1}, 0},
                 {pointer(rig.buffer("in", std::vector<int>(1, 7))), pointer(rig.empty<int>("out", 32))});
  EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
}

TEST_P(Faults, AValueThatEveryThreadKnowsMayComeFromAllWarps) {
  for (const unsigned threads : {32U, 64U, 256U}) {
    Rig rig("faults.ptx", "known_value");
    std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
    const auto outcome =
        rig.launch({{1, 1, 1}, {threads, 1, 1}, 0}, {pointer(rig.empty<int>("out", threads)), scalar(6)});
    EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
  }
}

TEST_P(Faults, BranchOnMemoryThatNothingWrote) {
  Rig rig("faults.ptx", "uninitialized_branch");
  const auto scratch = rig.empty<int>("scratch", 32);
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(scratch), pointer(rig.empty<int>("out", 64))});
  EXPECT_EQ(failure.reason, "uninitialized");
  EXPECT_EQ(failure.evidence.front().line, line("uninitialized_branch"));
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("decides a branch"));
  EXPECT_THAT(detail(failure.evidence.front(), "address"), HasSubstr("scratch byte offset"));
}

TEST_P(Faults, MaskThatDoesNotNameTheLane) {
  Rig rig("faults.ptx", "wrong_own_mask");
  const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(rig.empty<int>("out", 32))});
  EXPECT_EQ(failure.reason, "shuffle_mask");
  EXPECT_EQ(failure.evidence.front().line, line("wrong_own_mask"));
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("does not name the lane itself"));
  EXPECT_GE(thread_x(detail(failure.evidence.front(), "thread")), 16);
}

TEST_P(Faults, AValueFromALaneThatLeft) {
  Rig rig("faults.ptx", "left_lanes");
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(rig.empty<int>("out", 32)), scalar(21)});
  EXPECT_EQ(failure.reason, "shuffle_mask");
  EXPECT_EQ(failure.evidence.front().line, line("left_lanes:shuffle"));
  EXPECT_EQ(thread_x(detail(failure.evidence.front(), "thread")), 20)
      << "its neighbour has left, and it uses the value";
  EXPECT_EQ(thread_x(detail(failure.evidence.front(), "other_thread")), 21);
}

TEST_P(Faults, UnknownInstructionIsUnsupportedAndNamed) {
  Rig rig("faults.ptx", "unsupported_instruction");
  const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(rig.empty<float>("out", 32))});
  EXPECT_EQ(failure.status, Status::unsupported);
  EXPECT_EQ(failure.reason, "unsupported_instruction");
  EXPECT_THAT(detail(failure.evidence.front(), "instruction"),
              HasSubstr("tcgen05.fence::before_thread_sync"));
  ASSERT_EQ(failure.evidence.size(), 1U);
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("tcgen05.fence::before_thread_sync"));
  EXPECT_GT(std::stoi(detail(failure.evidence.front(), "ptx_line")), 0);
  EXPECT_EQ(failure.evidence.front().file, "faults.cu");
}

TEST_P(Faults, NamedBarrierThatIsNeverFull) {
  Rig rig("faults.ptx", "named_hang");
  const auto failure = fail(rig, {{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.empty<int>("out", 64))});
  EXPECT_EQ(failure.status, Status::timeout);
  EXPECT_EQ(failure.reason, "hang");
  EXPECT_EQ(failure.evidence.front().line, line("named_hang"));
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("waits for 64 threads and only 32 come"));
}

TEST_P(Faults, TrapIsADeviceFault) {
  Rig rig("faults.ptx", "trapped");
  const auto failure = fail(rig, {{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.empty<int>("out", 64))});
  EXPECT_EQ(failure.status, Status::device_fault);
  EXPECT_EQ(failure.reason, "trap");
  EXPECT_EQ(failure.evidence.front().line, line("trapped"));
  EXPECT_EQ(detail(failure.evidence.front(), "thread"), "block (0,0,0) thread (3,0,0)");
}

TEST_P(Faults, PublishingThroughAFlagIsToldAsARace) {
  Rig rig("faults.ptx", "last_block");
  const auto failure =
      fail(rig, {{3, 1, 1}, {1, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(3, 1))), pointer(rig.empty<float>("partial", 3)),
            pointer(rig.buffer("ticket", std::vector<unsigned>(1, 0))), pointer(rig.empty<float>("out", 1))});
  expect_race(failure, "race_global", line("last_block:write"), line("last_block:read"));
}

TEST_P(Faults, VolatileDoesNotOrderLanes) {
  Rig rig("faults.ptx", "volatile_is_no_barrier");
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<int>(32, 4))), pointer(rig.empty<int>("out", 32))});
  expect_race(failure, "race_shared", line("volatile_is_no_barrier:write"),
              line("volatile_is_no_barrier:read"));
}

TEST_P(Faults, AnUninitializedValueIsFollowedThroughShufflesAndMemory) {
  Rig rig("faults.ptx", "uninitialized_detour");
  const auto failure =
      fail(rig, {{1, 1, 1}, {32, 1, 1}, 0},
           {pointer(rig.buffer("in", std::vector<float>(32, 1))), pointer(rig.empty<float>("out", 32))});
  EXPECT_EQ(failure.reason, "uninitialized");
  ASSERT_EQ(failure.evidence.size(), 1U);
  EXPECT_EQ(failure.evidence.front().line, line("uninitialized_detour:read"));
  EXPECT_EQ(detail(failure.evidence.front(), "other_line"),
            std::to_string(line("uninitialized_detour:store")));
}

TEST_P(Faults, AnUninitializedValueThatNothingUsesIsNoFault) {
  Rig rig("faults.ptx", "uninitialized_unused");
  std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam();
  const auto outcome =
      rig.launch({{1, 1, 1}, {32, 1, 1}, 0},
                 {pointer(rig.empty<float>("scratch", 32)), pointer(rig.empty<float>("out", 32)), scalar(1)});
  EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
}

TEST_P(Faults, OneBarrierWithTwoCounts) {
  Rig rig("faults.ptx", "two_counts");
  const auto failure = fail(rig, {{1, 1, 1}, {96, 1, 1}, 0}, {pointer(rig.empty<int>("out", 96))});
  EXPECT_EQ(failure.reason, "barrier_divergence");
  EXPECT_THAT(failure.evidence.front().message, HasSubstr("barrier 3"));
}

TEST_P(Faults, SyncwarpThatHalfOfTheWarpDoesNotReach) {
  Rig rig("faults.ptx", "syncwarp_in_branch");
  const auto failure = fail(rig, {{1, 1, 1}, {32, 1, 1}, 0}, {pointer(rig.empty<int>("out", 32))});
  EXPECT_EQ(failure.reason, "barrier_divergence");
  const Evidence& evidence = failure.evidence.front();
  const std::pair<int, int> lines = std::minmax(evidence.line, number(detail(evidence, "other_line")));
  EXPECT_EQ(lines, std::pair(line("syncwarp_in_branch:syncwarp"), line("syncwarp_in_branch:barrier")));
}

std::string fault_parameter_name(const testing::TestParamInfo<std::tuple<CheckLevel, std::uint64_t>>& info) {
  const char* levels[] = {"None", "Filtered", "Exact"};
  return std::string(levels[static_cast<int>(std::get<0>(info.param))]) + "Seed" +
         std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Levels, Faults,
                         testing::Combine(testing::Values(CheckLevel::filtered, CheckLevel::exact),
                                          testing::Values(0, 1, 99)),
                         fault_parameter_name);

}  // namespace
}  // namespace evo::tests
