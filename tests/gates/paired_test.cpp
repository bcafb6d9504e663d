// Two variants timed in turn on a device whose clock is a script.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "evaluators/gates/paired.hpp"
#include "evaluators/measure/statistics.hpp"
#include "model/random.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

/// vector_add against an opponent that is vector_add too.
DeviceJob paired_job() {
  DeviceJob job = tests::vector_add_job();
  job.artifact.cubin = "candidate";
  job.opponent = Opponent{job.artifact, job.timed_cases, 0.0005};
  job.opponent->artifact.cubin = "opponent";
  job.settings.paired_rounds = 8;
  return job;
}

/// A clock that gives `candidate_us` to launches of the candidate, else `opponent_us`, both slowed down by
/// `drift` more each turn.
FakeDeviceSettings with_clock(double candidate_us, double drift, double opponent_us = 10) {
  FakeDeviceSettings settings;
  auto last = std::make_shared<std::string>();
  auto turns = std::make_shared<int>(0);
  for (const std::string name : {"candidate", "opponent"}) {
    settings.kernel_of_cubin[name] = tests::add_then([last, name](FakeLaunch&) { *last = name; });
  }
  settings.clock = [=] {
    const double slower = 1 + drift * (*turns)++;
    return std::vector<double>(3, (*last == "candidate" ? candidate_us : opponent_us) * slower);
  };
  return settings;
}

model::PairedComparison compared(FakeDeviceSettings settings, const DeviceJob& job = paired_job()) {
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  EXPECT_EQ(result.gates.size(), 1U);
  EXPECT_EQ(result.gates.at(0).gate, model::Gate::latency);
  EXPECT_TRUE(result.gates.at(0).pass());
  const auto comparison = compare_series(result.paired, "opponent", job.opponent->error);
  EXPECT_TRUE(comparison.has_value());
  return comparison.value_or(model::PairedComparison{});
}

TEST(Paired, AFasterCandidateIsFasterByWhatTheClockSays) {
  const model::PairedComparison comparison = compared(with_clock(9, 0));
  EXPECT_NEAR(comparison.ratio, 0.9, 1e-9);
  EXPECT_EQ(comparison.incumbent, "opponent");
  EXPECT_EQ(comparison.rounds, 12U) << "four of them screen";
}

// A sample of a slow kernel has fewer launches than there are sets of buffers, if nobody looks after it.
TEST(Paired, ASlowKernelWritesAllThatIsVerified) {
  EXPECT_NEAR(compared(with_clock(900, 0, 1000)).ratio, 0.9, 1e-9);
  DeviceJob job = paired_job();
  job.settings.timing_launches = 1;
  EXPECT_NEAR(compared(with_clock(9, 0), job).ratio, 0.9, 1e-9);
}

// Over the rounds the clock slows down by a sixth, which is far more than the two differ.
TEST(Paired, ADriftOfTheClockCancels) {
  const model::PairedComparison comparison = compared(with_clock(9.8, 0.01));
  EXPECT_NEAR(comparison.ratio, 0.98, 0.002);
  const model::PairedComparison same = compared(with_clock(10, 0.01));
  EXPECT_LE(same.interval[0], 1);
  EXPECT_GE(same.interval[1], 1);
}

TEST(Paired, BothSidesBeginEquallyOften) {
  for (const int rounds : {4, 7, 8, 12, 16}) {
    FakeDeviceSettings settings = with_clock(9, 0);
    const auto log = settings.log;
    settings.clock = [log, last = settings.clock] {
      const bool begins = log->timings % 2 == 1;
      return std::vector<double>(3, last()[0] * (begins ? 1.05 : 1));
    };
    DeviceJob job = paired_job();
    job.settings.paired_rounds = rounds;
    EXPECT_NEAR(compared(std::move(settings), job).ratio, 0.9, 1e-9) << rounds << " rounds";
  }
}

/// The sides in the order of their turns, a letter each.
std::string turns_of(std::uint64_t seed) {
  FakeDeviceSettings settings = with_clock(9, 0);
  auto turns = std::make_shared<std::string>();
  settings.clock = [turns, last = settings.clock] {
    const std::vector<double> samples = last();
    turns->push_back(samples[0] == 9 ? 'c' : 'o');
    return samples;
  };
  DeviceJob job = paired_job();
  job.input_seed = seed;
  job.settings.paired_rounds = 16;
  compared(std::move(settings), job);
  return *turns;
}

TEST(Paired, WhoBeginsARoundIsDrawnFromTheRunsEntropy) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string turns = turns_of(seed);
    EXPECT_EQ(turns, turns_of(seed)) << "the same again";
    orders.insert(turns);
    ASSERT_EQ(turns.size(), 2U * (4 + 16));
    for (std::size_t i = 0; i < turns.size(); i += 4) {
      EXPECT_NE(turns[i], turns[i + 1]) << "each has a turn in a round";
      EXPECT_NE(turns[i], turns[i + 2]) << "each begins one of two rounds";
    }
  }
  EXPECT_GT(orders.size(), 6U) << "nobody can know who begins";
}

// A GPU that stood idle, while its buffers were read or filled, is faster for a while than one at work.
TEST(Paired, ADeviceThatStoodIdleIsAsGoodForBothSides) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    FakeDeviceSettings settings = with_clock(9, 0);
    const auto log = settings.log;
    auto idle = std::make_shared<std::vector<bool>>();
    settings.clock = [log, idle, before = std::make_shared<int>(0), last = settings.clock] {
      const int transfers = log->reads + static_cast<int>(log->poisons.size());
      idle->push_back(transfers != std::exchange(*before, transfers));
      return last();
    };
    DeviceJob job = paired_job();
    job.input_seed = seed;
    job.settings.paired_rounds = 16;
    compared(std::move(settings), job);
    ASSERT_EQ(idle->size(), 40U) << "four rounds that screen, and sixteen";
    for (std::size_t turn = 1; turn < idle->size(); turn += 2)
      EXPECT_TRUE(!(*idle)[turn] || (*idle)[turn - 1]) << "seed " << seed << ", turn " << turn;
  }
}

TEST(Paired, BothSidesAreLoadedFirstEquallyOften) {
  FakeDeviceSettings settings = with_clock(9, 0);
  const auto log = settings.log;
  settings.clock = [log, last = settings.clock] {
    const double us = last()[0];
    const bool first = log->loaded.at(log->loaded.size() - 2) == (us == 9 ? "candidate" : "opponent");
    return std::vector<double>(3, us * (first ? 1.05 : 1));
  };
  EXPECT_NEAR(compared(std::move(settings)).ratio, 0.9, 1e-9);
}

/// The job's c as a sum of so many slices.
void with_slices(std::vector<model::Case>& cases, std::int64_t slices) {
  for (model::Case& bound : cases) {
    bound.arguments.at(2).reduce = model::Reduction::sum;
    bound.arguments.at(2).slices = slices;
  }
}

/// a + b in the first slice, so much in each of the others, and the negative of all that in the last.
tests::FakeKernel in_slices(std::int64_t slices, float each, std::function<void()> told) {
  return tests::add_then([=](FakeLaunch& launch) {
    const int n = launch.scalar<std::int32_t>(3);
    float* c = launch.pointer<float>(2);
    for (std::int64_t s = 1; s < slices; ++s) {
      const float value = s + 1 < slices ? each : -each * static_cast<float>(slices - 2);
      std::fill_n(c + s * n, n, value);
    }
    told();
  });
}

// What the one leaves in slices that the other does not have is not the other's mistake.
TEST(Paired, EachSideIsJudgedByItsOwnSlices) {
  for (const auto& [mine, theirs] : {std::pair<std::int64_t, std::int64_t>{2, 5}, {5, 2}, {4, 4}}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {  // who begins is drawn
      FakeDeviceSettings settings = with_clock(9, 0);
      const auto last = std::make_shared<std::string>();
      settings.kernel_of_cubin["candidate"] = in_slices(mine, 3, [last] { *last = "candidate"; });
      settings.kernel_of_cubin["opponent"] = in_slices(theirs, 7, [last] { *last = "opponent"; });
      settings.clock = [last] { return std::vector<double>(3, *last == "candidate" ? 9 : 10); };
      DeviceJob job = paired_job();
      with_slices(job.timed_cases, mine);
      with_slices(job.opponent->timed_cases, theirs);
      job.input_seed = seed;
      EXPECT_NEAR(compared(std::move(settings), job).ratio, 0.9, 1e-9) << mine << " against " << theirs;
    }
  }
}

TEST(Paired, ASliceThatTheCandidateLeavesWrongIsSeen) {
  FakeDeviceSettings settings = with_clock(9, 0);
  settings.kernel_of_cubin["candidate"] = in_slices(2, 3, [] {});
  settings.kernel_of_cubin["opponent"] = in_slices(5, 7, [] {});
  settings.clock = [] { return std::vector<double>(3, 9); };
  DeviceJob job = paired_job();
  with_slices(job.timed_cases, 3);  // it writes two of its three
  with_slices(job.opponent->timed_cases, 5);
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, job, evo::tests::known());
  ASSERT_EQ(result.gates.size(), 1U);
  EXPECT_FALSE(result.gates.at(0).pass());
}

TEST(Paired, ACandidateWithoutAnAdvantageIsNotTimedToTheEnd) {
  for (const int rounds : {4, 8, 16}) {
    DeviceJob job = paired_job();
    job.settings.paired_rounds = rounds;
    const model::PairedComparison screened = compared(with_clock(10, 0), job);
    EXPECT_EQ(screened.rounds, 4U) << "two loads, the fewest that have an interval";
    EXPECT_EQ(screened.error, 0) << "it could promote nobody";
    EXPECT_EQ(compared(with_clock(11, 0), job).rounds, 4U);
  }
}

/// A clock in which the opponent takes 10 us and the candidate 9 or 11 less `gain`, in pairs of rounds.
FakeDeviceSettings with_noise(double gain) {
  FakeDeviceSettings settings = with_clock(9, 0);
  auto turns = std::make_shared<int>(0);
  settings.clock = [turns, gain, last = settings.clock] {
    const double us = last()[0];
    return std::vector<double>(3, us == 9 ? ((*turns)++ / 2 % 2 == 0 ? 9 : 11) - gain : us);
  };
  return settings;
}

// 0.05 % over all looks: the interval of the first 8 rounds holds 1, that of 16 does not.
TEST(Paired, WhatCannotBeToldYetIsTimedOn) {
  EXPECT_EQ(compared(with_clock(9, 0)).rounds, 4U + 8U) << "clear at the first look";
  const model::PairedComparison later = compared(with_noise(4));
  EXPECT_EQ(later.rounds, 4U + 16U);
  EXPECT_LT(later.interval[1], 1);
  EXPECT_EQ(compared(with_noise(0.3)).rounds, 4U + 64U) << "never clear; eight times the rounds, and no more";
  EXPECT_DOUBLE_EQ(later.confidence, 1 - 0.001 / 4);
  EXPECT_EQ(later.error, 0.0005);
}

TEST(Paired, ASmallerErrorTakesLonger) {
  DeviceJob job = paired_job();
  job.opponent->error = 1e-8;
  EXPECT_GT(compared(with_noise(4), job).rounds, 4U + 16U);
}

TEST(Paired, WithoutAnErrorNothingIsDecidedOnTheWay) {
  DeviceJob job = paired_job();
  job.opponent->error = 0;
  for (const double candidate_us : {9.0, 10.0, 11.0}) {
    const model::PairedComparison whole = compared(with_clock(candidate_us, 0), job);
    EXPECT_EQ(whole.rounds, 8U) << candidate_us;
    EXPECT_FALSE(whole.error.has_value());
  }
}

TEST(Paired, BothModulesAreLoadedAfreshEverySecondRound) {
  for (const int rounds : {8, 12, 16, 28}) {
    FakeDeviceSettings settings = with_clock(9, 0);
    const auto log = settings.log;
    DeviceJob job = paired_job();
    job.settings.paired_rounds = rounds;
    EXPECT_EQ(compared(std::move(settings), job).rounds, static_cast<unsigned>(4 + rounds));
    EXPECT_EQ(log->loads, 4 + rounds) << "two modules a load";
    EXPECT_EQ(log->unloads, 4 + rounds);
    EXPECT_EQ(log->live_buffers, 0);
  }
}

TEST(Paired, ACandidateThatIsWrongWhenItIsTimedInTurnFails) {
  FakeDeviceSettings settings = with_clock(5, 0);
  settings.kernel_of_cubin["candidate"] =
      tests::add_then([](FakeLaunch& launch) { launch.pointer<float>(2)[0] += 1; });
  settings.kernel_of_cubin["opponent"] = settings.kernel_of_cubin["candidate"];
  FakeDevice device(std::move(settings));
  const DeviceResult result = run_device_job(device, paired_job(), evo::tests::known());
  ASSERT_FALSE(result.gates.empty());
  EXPECT_FALSE(result.gates.back().pass());
  EXPECT_TRUE(result.paired.empty());
}

// Where it writes nothing the opponent's outputs stand, and they are correct.
TEST(Paired, ACandidateThatDoesNothingWhenItIsTimedInTurnFails) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    FakeDeviceSettings settings;
    const auto log = settings.log;
    settings.kernel_of_cubin["opponent"] = tests::correct_kernel();
    settings.kernel_of_cubin["candidate"] = tests::only([log](FakeLaunch& launch) {
      if (!log->being_timed) tests::vector_add(launch);
    });
    DeviceJob job = paired_job();
    job.input_seed = seed;
    FakeDevice device(std::move(settings));
    const DeviceResult result = run_device_job(device, job, evo::tests::known());
    ASSERT_EQ(result.gates.size(), 1U);
    ASSERT_FALSE(result.gates[0].pass());
    EXPECT_EQ(result.gates[0].failure->reason, "unwritten");
  }
}

// In the round that is watched nobody else has written since the poison; in most rounds, and most often in
// the last of a load, somebody has.
TEST(Paired, ACandidateThatIsRightOnlyWhereItFindsPoisonFails) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    FakeDeviceSettings settings;
    auto us = std::make_shared<double>();
    settings.clock = [us] { return std::vector<double>(3, *us); };
    // Outputs that the opponent has written since they were poisoned.
    auto others = std::make_shared<std::set<devices::BufferId>>();
    settings.kernel_of_cubin["opponent"] = tests::add_then([us, others](FakeLaunch& launch) {
      *us = 10;
      others->insert(launch.buffer(2));
    });
    settings.kernel_of_cubin["candidate"] = tests::only([us, others](FakeLaunch& launch) {
      *us = 9;
      if (std::isnan(launch.pointer<float>(2)[0])) others->erase(launch.buffer(2));
      tests::vector_add(launch);
      if (others->contains(launch.buffer(2))) launch.pointer<float>(2)[0] += 1;
    });
    DeviceJob job = paired_job();
    job.settings.paired_rounds = 16;
    job.input_seed = seed;
    FakeDevice device(std::move(settings));
    const DeviceResult result = run_device_job(device, job, evo::tests::known());
    ASSERT_EQ(result.gates.size(), 1U);
    ASSERT_FALSE(result.gates[0].pass());
    EXPECT_EQ(result.gates[0].failure->reason, "mismatch");
  }
}

// Behind its last turn the opponent's begins, which would leave correct outputs in the place of its own.
TEST(Paired, ACandidateThatIsWrongOnlyInTheLastRoundFails) {
  int begun_by_the_candidate = 0, ended_by_it = 0;
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    DeviceJob job = paired_job();
    job.input_seed = seed;
    // The side of each turn; in a second run the candidate is wrong in its last one.
    const auto run = [&](int wrong_turn, std::vector<std::string>& sides) {
      FakeDeviceSettings settings = with_clock(9, 0);
      const auto log = settings.log;
      for (const std::string side : {"candidate", "opponent"}) {
        settings.kernel_of_cubin[side] = tests::add_then([log, side, wrong_turn, &sides](FakeLaunch& launch) {
          if (!log->being_timed) return;
          const int turn = log->timings;
          sides.resize(static_cast<std::size_t>(turn), side);
          if (side == "candidate" && turn == wrong_turn) launch.pointer<float>(2)[0] += 1;
        });
      }
      settings.clock = [&sides] { return std::vector<double>(3, sides.back() == "candidate" ? 9 : 10); };
      FakeDevice device(std::move(settings));
      return run_device_job(device, job, evo::tests::known());
    };
    std::vector<std::string> sides, again;
    ASSERT_TRUE(run(-1, sides).gates.back().pass());
    const bool ends = sides.back() == "candidate";
    ++(ends ? ended_by_it : begun_by_the_candidate);
    ASSERT_EQ(sides[sides.size() - 2], ends ? "opponent" : "candidate");
    const DeviceResult result = run(static_cast<int>(sides.size()) - (ends ? 0 : 1), again);
    ASSERT_FALSE(result.gates.back().pass()) << seed;
    EXPECT_EQ(result.gates.back().failure->reason, "mismatch");
  }
  EXPECT_GT(begun_by_the_candidate, 0);
  EXPECT_GT(ended_by_it, 1) << "of one the last round may be watched";
}

TEST(Paired, ATimeThatIsNoneFails) {
  FakeDevice device(with_clock(std::nan(""), 0));
  const DeviceResult result = run_device_job(device, paired_job(), evo::tests::known());
  ASSERT_FALSE(result.gates.empty());
  ASSERT_FALSE(result.gates.back().pass());
  EXPECT_EQ(result.gates.back().failure->reason, "no_samples");
}

// Each would leave fewer times than rounds, and nothing to tell why.
TEST(Paired, WhatTheDeviceSaysIsTheReason) {
  const model::Failure fault{model::Status::device_fault, "illegal_address", {}};
  FakeDeviceSettings not_timed = with_clock(9, 0);
  not_timed.time_failure = fault;
  FakeDeviceSettings not_loaded = with_clock(9, 0);
  not_loaded.load_failure = fault;
  FakeDeviceSettings late = with_clock(9, 0);
  late.says_when_awaited = [fault](const tests::FakeLog& log) {
    return log.timings > 0 ? std::optional(fault) : std::nullopt;
  };
  for (FakeDeviceSettings& settings : std::vector{not_timed, not_loaded, late}) {
    FakeDevice device(std::move(settings));
    const DeviceResult result = run_device_job(device, paired_job(), evo::tests::known());
    ASSERT_EQ(result.gates.size(), 1U);
    ASSERT_FALSE(result.gates[0].pass());
    EXPECT_EQ(result.gates[0].failure->reason, "illegal_address");
    EXPECT_TRUE(result.paired.empty());
  }
}

TEST(Paired, SidesThatCannotBePairedAreTheCallersMistake) {
  DeviceJob fewer = paired_job();
  fewer.opponent->timed_cases.clear();
  DeviceJob none = paired_job();
  none.timed_cases.clear();
  none.opponent->timed_cases.clear();
  DeviceJob more = paired_job();
  more.opponent->timed_cases.push_back(more.timed_cases[0]);
  for (const DeviceJob& job : {fewer, none, more}) {
    FakeDevice device(with_clock(9, 0));
    EXPECT_THROW((void)run_device_job(device, job, evo::tests::known()), std::logic_error);
  }
}

TEST(Paired, SurvivesJson) {
  const DeviceJob job = device_job_from_json(to_json(paired_job()));
  ASSERT_TRUE(job.opponent.has_value());
  EXPECT_EQ(job.opponent->artifact.cubin, "opponent");
  EXPECT_EQ(job.opponent->timed_cases.size(), 1U);
  EXPECT_EQ(job.settings.paired_rounds, 8);
  DeviceResult result;
  result.paired = {{"w", 2, {1.5, 2.5}, {3, 4}}};
  const DeviceResult back = device_result_from_json(to_json(result));
  ASSERT_EQ(back.paired.size(), 1U);
  EXPECT_EQ(back.paired[0].candidate_us, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(back.paired[0].weight, 2);
}

}  // namespace
}  // namespace evo::evaluators::gates
