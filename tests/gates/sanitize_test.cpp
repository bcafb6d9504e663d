#include "evaluators/gates/sanitize.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluators/gates/search_budget.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/specials.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Evidence;
using model::Failure;
using model::Status;
using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeKernel;
using tests::FakeLaunch;

const Evidence block_a{"unexecuted", "block at line 10", "k.cu", 10, {}};
const Evidence block_b{"unexecuted", "block at line 20", "k.cu", 20, {}};

std::vector<model::Case> shapes() {
  return {tests::vector_add_case(40, false, "first"), tests::vector_add_case(9, true, "second")};
}

SanitizeReport run(FakeKernel kernel, const std::vector<model::Case>& cases = shapes(),
                   FakeDeviceSettings settings = {}) {
  settings.info.kind = "virtual";
  settings.kernel = std::move(kernel);
  FakeDevice device(settings);
  model::GateSettings gates;
  gates.instruction_budget = 12345;
  gates.launch_timeout_ms = 77;
  const SanitizeReport report =
      sanitize(device, {}, cases, {}, {evo::tests::known(), {"normal", "normal", {}}}, gates);
  EXPECT_EQ(settings.log->live_buffers, 0);
  EXPECT_EQ(settings.log->loads, settings.log->unloads);
  return report;
}

/// Answers with the reports or failures given, one a launch.
FakeKernel script(std::vector<devices::Outcome<devices::LaunchReport>> answers) {
  return [answers = std::move(answers)](FakeLaunch& launch) {
    return answers.at(static_cast<std::size_t>(launch.index));
  };
}

devices::LaunchReport unexecuted(std::vector<Evidence> blocks) {
  devices::LaunchReport report;
  report.unexecuted = std::move(blocks);
  report.blocks_independent = true;
  return report;
}

tl::unexpected<Failure> findings(std::vector<Evidence> evidence, Status status = Status::sanitizer_fail) {
  const std::string reason = evidence.empty() ? "" : evidence.front().kind;
  return tl::make_unexpected(Failure{status, reason, std::move(evidence)});
}

TEST(Sanitize, CleanAndCoveredPasses) {
  const SanitizeReport report = run(tests::correct_kernel());
  EXPECT_FALSE(report.failure.has_value());
  EXPECT_EQ(report.notes.size(), 2U);
}

Failure unknown_instruction() {
  return {Status::unsupported, "wgmma", {{"unsupported", "wgmma.mma_async is not known", "k.cu", 12, {}}}};
}

TEST(Sanitize, WhatARealDeviceRunsMayGoUnchecked) {
  SanitizeReport report;
  report.failure = unknown_instruction();
  pass_over_unsupported(report, "cuda", false);
  EXPECT_FALSE(report.failure.has_value());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].kind, "not_checked");
  EXPECT_NE(report.notes[0].message.find("wgmma.mma_async"), std::string::npos);
  EXPECT_EQ(report.notes[0].line, 12);
}

TEST(Sanitize, OnTheVirtualDeviceTheTrialEnds) {
  SanitizeReport report;
  report.failure = unknown_instruction();
  pass_over_unsupported(report, "virtual", false);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->status, Status::unsupported);
}

TEST(Sanitize, AWeakenedBarrierIsNeverPassedOver) {
  SanitizeReport report;
  report.failure = unknown_instruction();
  pass_over_unsupported(report, "cuda", true);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(Sanitize, PathsThatWereNotRunArePassedOverWhereNoCheckerRunsAllVariants) {
  for (const bool partly : {false, true}) {
    SanitizeReport report;
    report.failure = Failure{Status::sanitizer_fail,
                             "incomplete_coverage",
                             {{"never", "k.cu:12 ran in no launch", "k.cu", 12, {}}}};
    pass_over_unsupported(report, "cuda", false, partly);
    EXPECT_EQ(report.failure.has_value(), !partly);
    EXPECT_EQ(report.notes.size(), partly ? 1U : 0U);
  }
}

TEST(Sanitize, FindingsAreNeverPassedOver) {
  SanitizeReport report;
  report.failure = Failure{Status::sanitizer_fail, "race_shared", {}};
  pass_over_unsupported(report, "cuda", false, true);
  EXPECT_TRUE(report.failure.has_value());
}

TEST(Sanitize, LaunchesAreFullyCheckedAndCovered) {
  FakeDeviceSettings settings;
  run(tests::correct_kernel(), shapes(), settings);
  ASSERT_EQ(settings.log->options.size(), 2U);
  for (const devices::LaunchOptions& options : settings.log->options) {
    EXPECT_EQ(options.checks, devices::CheckLevel::filtered);
    EXPECT_TRUE(options.coverage);
    EXPECT_EQ(options.instruction_budget, 12345U);
    EXPECT_EQ(options.timeout_ms, 77);
  }
  EXPECT_EQ(settings.log->misalignments.size(), 4U);
}

TEST(Sanitize, ABlockThatRanInOneShapeIsCovered) {
  EXPECT_FALSE(run(script({unexecuted({block_a}), unexecuted({block_b})})).failure.has_value());
  EXPECT_FALSE(run(script({unexecuted({block_a, block_b}), unexecuted({})})).failure.has_value());
}

TEST(Sanitize, ABlockThatNeverRanMakesTheGateIncomplete) {
  const SanitizeReport report = run(script({unexecuted({block_a, block_b}), unexecuted({block_b})}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->status, Status::sanitizer_fail);
  EXPECT_EQ(report.failure->reason, "incomplete_coverage");
  ASSERT_EQ(report.failure->evidence.size(), 1U);
  EXPECT_EQ(report.failure->evidence[0].line, 20);
  EXPECT_EQ(report.failure->evidence[0].kind, "incomplete_coverage");
}

TEST(Sanitize, ABlockThatAnotherWorkloadReachesIsCovered) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  const std::vector<model::Case> others{tests::vector_add_case(70, false, "third")};
  const auto judged = [&](const std::vector<model::Case>& more) {
    settings.kernel = [](FakeLaunch& launch) {
      return unexecuted(launch.index < 2 ? std::vector{block_a} : std::vector<Evidence>{});
    };
    FakeDevice fresh(settings);
    return sanitize(fresh, {}, shapes(), more, {evo::tests::known(), {"normal", "normal", {}}}, {}).failure;
  };
  EXPECT_FALSE(judged(others));
  const auto failure = judged({});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "incomplete_coverage");
}

/// What a NaN decides is looked for before all other sizes: these may take the whole budget.
TEST(Sanitize, PathsForNaNsAreReachedBeforeOtherSizes) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  const std::vector<model::Case> others(50, tests::vector_add_case(70, false, "third"));
  const model::InputSet plain{"shifted", "normal", {{"mean", 1}}};
  const model::InputSet nans{"NaN in x", std::string(oracle::nans_kind), {{"argument", 0}}};
  const auto judged = [&](const std::vector<model::InputSet>& further, int runs_at,
                          std::uint64_t takes = SearchBudget::usual) {
    settings.kernel = [&](FakeLaunch& launch) {
      devices::LaunchReport report = unexecuted({block_a});
      if (launch.index == runs_at) report.unexecuted.clear();
      // The first further size takes all that the search may, mostly.
      report.thread_instructions = launch.index < 2 ? 10 : takes;
      return report;
    };
    FakeDevice fresh(settings);
    return sanitize(fresh, {}, shapes(), others, {evo::tests::known(), {"normal", "normal", {}}}, {}, {},
                    further);
  };
  const SanitizeReport of_nans = judged({plain, nans}, 2);
  EXPECT_FALSE(of_nans.failure);
  EXPECT_TRUE(std::ranges::any_of(of_nans.notes, [](const Evidence& note) {
    return note.kind == "reached_by_data" && note.details.at(0).second == "NaN in x";
  }));
  // So is what zeros decide, in their turn behind NaNs.
  for (const std::string_view kind : {oracle::zeros_kind, oracle::all_zero_kind}) {
    const model::InputSet zeros{"zeros of x", std::string(kind), {{"argument", 0}}};
    EXPECT_FALSE(judged({plain, zeros}, 2).failure) << kind;
  }
  // And at other sizes in the end, as any other data.
  const auto launches = [&](const model::InputSet& set) {
    int count = 0;
    settings.kernel = [&](FakeLaunch& launch) {
      count = launch.index + 1;
      return unexecuted({block_a});
    };
    FakeDevice fresh(settings);
    static_cast<void>(sanitize(fresh, {}, shapes(), others, {evo::tests::known(), {"normal", "normal", {}}},
                               {}, {}, std::span(&set, 1)));
    return count;
  };
  const model::InputSet all_zero{"zeros", std::string(oracle::all_zero_kind), {}};
  EXPECT_EQ(launches(all_zero), launches(plain) + static_cast<int>(shapes().size()));
  // Of others a share is left when sizes have taken all.
  EXPECT_FALSE(judged({plain}, 3).failure);
  EXPECT_TRUE(judged({plain}, 1000).failure);
  const SanitizeReport of_sizes = judged({plain}, 7, SearchBudget::usual / 8);
  EXPECT_FALSE(of_sizes.failure);
  EXPECT_TRUE(std::ranges::none_of(of_sizes.notes, [](const Evidence& note) {
    return note.kind == "reached_by_data";
  })) << "that share is all that they leave";
}

TEST(Sanitize, WhereBlocksSeeOthersOrdersAreTriedForCoverage) {
  devices::LaunchReport dependent = unexecuted({block_b});
  dependent.blocks_independent = false;
  // Two shapes in natural order, then both in the first order, then one in the second.
  EXPECT_FALSE(run(script({dependent, dependent, dependent, dependent, unexecuted({})})).failure.has_value());
}

TEST(Sanitize, AWaivedLineIsANote) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  const auto judged = [&](const std::map<std::string, std::string>& unreached) {
    settings.kernel = script({unexecuted({block_a, block_b}), unexecuted({block_a, block_b})});
    FakeDevice fresh(settings);
    return sanitize(fresh, {}, shapes(), {}, {evo::tests::known(), {"normal", "normal", {}}}, {}, unreached);
  };
  const SanitizeReport half = judged({{"k.cu:20", "odd sizes only"}});
  ASSERT_TRUE(half.failure.has_value()) << "the other line is not waived";
  ASSERT_EQ(half.failure->evidence.size(), 1U);
  EXPECT_EQ(half.failure->evidence[0].line, 10);
  const SanitizeReport whole =
      judged({{"k.cu:10", "never"}, {"k.cu:20", "odd sizes only"}, {"k.cu:30", "?"}});
  EXPECT_FALSE(whole.failure.has_value());
  std::vector<std::string> needed;
  for (const Evidence& note : whole.notes) {
    if (note.kind == "unreached")
      needed.push_back(note.details.at(0).second + " " + note.details.at(1).second);
  }
  EXPECT_EQ(needed, (std::vector<std::string>{"k.cu:10 yes", "k.cu:20 yes", "k.cu:30 no"}));
}

TEST(Sanitize, BlocksOfOneLineAreToldApart) {
  const Evidence body{"unexecuted", "the loop's body", "k.cu", 10, {}};
  const Evidence tail{"unexecuted", "its tail", "k.cu", 10, {}};
  EXPECT_FALSE(run(script({unexecuted({body}), unexecuted({tail})})).failure.has_value())
      << "each ran in one of the shapes";
}

TEST(Sanitize, WhatShowsWhenALaunchIsAwaitedEndsTheGate) {
  FakeDeviceSettings settings;
  settings.says_when_awaited = [](const tests::FakeLog&) {
    return std::optional(Failure{Status::device_fault, "illegal_address", {}});
  };
  EXPECT_EQ(run(tests::correct_kernel(), shapes(), settings).failure->reason, "illegal_address");
}

TEST(Sanitize, NoShapesProveNothing) {
  const SanitizeReport report = run(tests::correct_kernel(), {});
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->reason, "incomplete_coverage");
}

TEST(Sanitize, FindingsOfAllShapesAreReportedOnceEach) {
  const Evidence race{"race_shared", "threads 0 and 1", "k.cu", 5, {}};
  const Evidence race_again{"race_shared", "threads 8 and 9", "k.cu", 5, {}};
  const Evidence misaligned{"misaligned", "address 0x12", "k.cu", 7, {}};
  const SanitizeReport report = run(script({findings({race}), findings({race_again, misaligned})}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->status, Status::sanitizer_fail);
  EXPECT_EQ(report.failure->reason, "race_shared");
  ASSERT_EQ(report.failure->evidence.size(), 2U);
  EXPECT_EQ(report.failure->evidence[0].message, "threads 0 and 1");
  EXPECT_EQ(report.failure->evidence[1].kind, "misaligned");
  EXPECT_EQ(report.failure->evidence[1].details.at(0).second, "second");
}

TEST(Sanitize, AFindingSaysAtWhichSizeItWasSeen) {
  std::vector<model::Case> cases = shapes();
  cases[0].axes = {{"m", 3}, {"n", 1416}};
  const SanitizeReport report =
      run(script({findings({{"uninitialized", "thread 0", "k.cu", 5, {}}}), {}}), cases);
  ASSERT_TRUE(report.failure.has_value());
  const auto& details = report.failure->evidence.at(0).details;
  const auto axes = std::ranges::find(details, "axes", &std::pair<std::string, std::string>::first);
  ASSERT_NE(axes, details.end());
  EXPECT_EQ(axes->second, "m=3,n=1416");
}

TEST(Sanitize, RacesOfOneLineWithTwoOthersAreTwo) {
  const auto race = [](const char* other, const char* message) {
    return Evidence{"race_shared", message, "k.cu", 5, {{"other_file", "k.cu"}, {"other_line", other}}};
  };
  const SanitizeReport report =
      run(script({findings({race("8", "first")}), findings({race("8", "again"), race("9", "second")})}));
  ASSERT_TRUE(report.failure.has_value());
  ASSERT_EQ(report.failure->evidence.size(), 2U);
  EXPECT_EQ(report.failure->evidence[1].message, "second");
}

TEST(Sanitize, FindingsOfOnePlaceAreToldByTheirKind) {
  const Evidence race{"race_shared", "threads 0 and 1", "k.cu", 5, {}};
  const Evidence unwritten{"uninitialized", "thread 3", "k.cu", 5, {}};
  EXPECT_EQ(run(script({findings({race}), findings({unwritten})})).failure->evidence.size(), 2U);
}

// A finding is told even if a later shape is clean, and coverage is no excuse.
TEST(Sanitize, OneBadShapeIsEnough) {
  const Evidence race{"race_shared", "threads 0 and 1", "k.cu", 5, {}};
  EXPECT_EQ(run(script({unexecuted({block_a}), findings({race})})).failure->reason, "race_shared");
  EXPECT_EQ(run(script({findings({race}), unexecuted({block_a})})).failure->reason, "race_shared");
}

TEST(Sanitize, WhatEndsTheMachineEndsTheGate) {
  for (const Status status : {Status::timeout, Status::unsupported, Status::launch_error}) {
    FakeDeviceSettings settings;
    const SanitizeReport report =
        run(script({findings({{"hang", "20 instructions", "k.cu", 3, {}}}, status)}), shapes(), settings);
    EXPECT_EQ(report.failure->status, status);
    EXPECT_EQ(settings.log->launches, 1);
  }
}

TEST(Sanitize, WritesOutsideBuffersAreSeenEvenIfTheMachineMissedThem) {
  const SanitizeReport report = run(tests::add_then([](FakeLaunch& l) { l.pointer<float>(0)[-1] = 1; }));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->reason, "guard_overwritten");
}

TEST(Sanitize, OutputsArePoisoned) {
  FakeDeviceSettings settings;
  (void)run(tests::correct_kernel(), shapes(), settings);
  EXPECT_EQ(settings.log->poisons.size(), 2U) << "one output in each shape";
}

TEST(Sanitize, AModuleThatDoesNotLoadFails) {
  FakeDeviceSettings settings;
  settings.load_failure = Failure{Status::unsupported, "ptx", {}};
  EXPECT_EQ(run(tests::correct_kernel(), shapes(), settings).failure->status, Status::unsupported);
}

TEST(Sanitize, NotesTellPredictedAndTouchedSharedMemory) {
  std::vector<model::Case> cases = shapes();
  cases[0].launch.dynamic_smem = 1024;
  devices::LaunchReport first;
  first.dynamic_smem_touched = 1000;
  const SanitizeReport report = run(script({first, devices::LaunchReport{}}), cases);
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_EQ(report.notes[0].kind, "dynamic_smem");
  EXPECT_EQ(report.notes[0].details.at(1), (std::pair<std::string, std::string>{"predicted", "1024"}));
  EXPECT_EQ(report.notes[0].details.at(2), (std::pair<std::string, std::string>{"touched", "1000"}));
}

TEST(Sanitize, InputsAreTheSameInEveryRun) {
  std::vector<float> seen;
  for (int repetition = 0; repetition < 2; ++repetition) {
    (void)run(tests::add_then([&](FakeLaunch& launch) { seen.push_back(launch.pointer<float>(0)[0]); }));
  }
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_EQ(seen[1], seen[3]);
}

}  // namespace
}  // namespace evo::evaluators::gates
