// Blocks that wait for each other are launched in no greater number than the device has at work at once, but
// where somebody asks for that.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/devices/schedules.hpp"
#include "evaluators/gates/between_blocks.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

constexpr auto polls = "  ld.volatile.global.u32 %r1, [%rd1];\n";

/// Two hundred blocks in the last case, which is there for `use`.
DeviceJob job_with(const std::string& ptx, CaseUse use) {
  DeviceJob job = tests::vector_add_job();
  job.artifact.ptx = ptx;
  job.uses = {CaseUse::workload, CaseUse::odd, use};
  job.cases[2].launch.grid = {20, 10, 1};
  job.timed_cases.clear();
  return job;
}

/// Notes of the kind co_residency, of a correct kernel on a device that has so many blocks at work.
std::vector<model::Evidence> notes_of(const DeviceJob& job, std::optional<std::uint64_t> resident,
                                      const std::string& kind = "cuda") {
  tests::FakeDeviceSettings settings;
  settings.kernel = tests::correct_kernel();
  settings.info.kind = kind;
  settings.resident_blocks = resident;
  tests::FakeDevice device(settings);
  DeviceResult result = run_device_job(device, job, evo::tests::known());
  EXPECT_TRUE(result.gates.back().pass());
  std::erase_if(result.notes, [](const model::Evidence& note) { return note.kind != "co_residency"; });
  return result.notes;
}

TEST(CoResidency, LaunchesThatNobodyAskedForAreLeftOutAndNoted) {
  const auto notes = notes_of(job_with(polls, CaseUse::drawn), 199);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].details[0], (std::pair<std::string, std::string>("blocks", "199")));
  EXPECT_TRUE(notes_of(job_with(polls, CaseUse::drawn), 200).empty());
  EXPECT_TRUE(notes_of(job_with(polls, CaseUse::drawn), std::nullopt).empty());
}

TEST(CoResidency, WhatIsAskedForIsLaunched) {
  EXPECT_TRUE(notes_of(job_with(polls, CaseUse::workload), 199).empty());
  EXPECT_TRUE(notes_of(job_with(polls, CaseUse::odd), 199).empty());
}

TEST(CoResidency, BlocksThatDoNotWaitMayBeAnyNumber) {
  EXPECT_TRUE(notes_of(job_with("  ld.global.u32 %r1, [%rd1];\n", CaseUse::drawn), 199).empty());
  EXPECT_TRUE(notes_of(job_with(polls, CaseUse::drawn), 199, "virtual").empty());
}

TEST(BetweenBlocks, PollsAreSeen) {
  EXPECT_TRUE(may_wait_for_blocks(polls));
  EXPECT_TRUE(may_wait_for_blocks("  ld.acquire.gpu.global.u32 %r1, [%rd1];\n"));
  EXPECT_TRUE(may_wait_for_blocks("  atom.global.cas.b32 %r1, [%rd1], 0, 1;\n"));
  EXPECT_FALSE(may_wait_for_blocks("  atom.global.add.u32 %r1, [%rd1], 1;\n"));
  EXPECT_FALSE(may_wait_for_blocks("  ld.volatile.shared.u32 %r1, [%rd1];\n"));
}

TEST(BetweenBlocks, AllStopWhereAWarpDoesNotSeeAll) {
  model::Case bound;
  const auto schedules = [&](std::uint32_t blocks, const std::string& ptx) {
    bound.launch.grid = {blocks, 1, 1};
    std::set<std::uint64_t> seen;
    for (std::uint32_t draw = 0; draw < 24; ++draw) seen.insert(schedule_of_check(bound, ptx, draw));
    return seen;
  };
  const auto stop = [](std::uint32_t access) { return devices::schedule_where_all_stop(access); };
  EXPECT_EQ(schedules(33, polls), (std::set<std::uint64_t>{0, stop(2), stop(3), stop(4)}));
  EXPECT_EQ(schedules(32, polls), std::set<std::uint64_t>{0});
  EXPECT_EQ(schedules(513, polls), std::set<std::uint64_t>{0}) << "too many of them";
  EXPECT_EQ(schedules(33, "  ld.global.u32 %r1, [%rd1];\n"), std::set<std::uint64_t>{0});
  EXPECT_EQ(devices::all_stop_at(stop(3)), 3U);
  EXPECT_EQ(devices::all_stop_at(24), 0U);
}

TEST(BetweenBlocks, TheJobHasLightCasesOfSeveralBlocksAndIsNotTimed) {
  DeviceJob job = job_with(polls, CaseUse::changed);
  job.cases[0].launch.grid = job.cases[1].launch.grid = {1, 1, 1};
  EXPECT_FALSE(job_between_blocks(job, {})) << "one block each, and a case that is changed";
  job.uses[2] = CaseUse::drawn;
  job.timed_cases = job.cases;
  job.cases[0].launch.grid = {2, 1, 1};
  model::Artifact other;
  other.entry = "other";
  const auto some = job_between_blocks(job, other);
  ASSERT_TRUE(some);
  ASSERT_EQ(some->cases.size(), 2U);
  EXPECT_EQ(some->cases[0].name, job.cases[2].name) << "most blocks first";
  EXPECT_EQ(some->uses, (std::vector<CaseUse>{CaseUse::drawn, CaseUse::workload}));
  EXPECT_TRUE(some->timed_cases.empty());
  EXPECT_TRUE(some->whole_launches);
  EXPECT_EQ(some->artifact.entry, "other");
  job.cases[2].flops = 1e9;
  job.cases[0].launch.grid = {300, 1, 1};
  EXPECT_FALSE(job_between_blocks(job, other)) << "too heavy, or too many";
}

}  // namespace
}  // namespace evo::evaluators::gates
