// What a ledger says of screening: counts, the regret that the explored show, and ranks.
#include "session/screen_report.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/screen.hpp"

namespace evo::session {
namespace {

using engine::ScreenChoice;
using model::Status;

/// A run of which each trial was screened out of a pool of two.
struct Screened {
  std::vector<engine::TrialRecord> trials;
  std::vector<engine::EventRecord> events;

  void add(ScreenChoice choice, Status status, double microseconds, double modelled, int generation = 1) {
    engine::TrialRecord trial;
    trial.index = static_cast<std::int64_t>(trials.size());
    trial.generation = generation;
    trial.variant = "v" + std::to_string(trial.index);
    trial.template_name = "t";
    trial.status = status;
    model::Latency latency;
    latency.kind = model::LatencyKind::measured;
    latency.microseconds = microseconds;
    if (trial.correct()) trial.latencies = {{"w", 1, latency}};
    engine::ScreenedSlot slot;
    slot.trial = trial.index;
    slot.model = "model 3";
    slot.model_cpu_ms = 4;
    slot.prepare_ms = 10;
    slot.chosen = {0, choice};
    slot.pool.resize(2);
    slot.pool[0].variant = trial.variant;
    slot.pool[1].variant = "other";
    if (choice == ScreenChoice::not_modelled) {
      slot.pool[0].not_modelled = "wgmma";
    } else {
      slot.pool[0].modelled_us = modelled;
      slot.pool[1].modelled_us = 2 * modelled;
    }
    events.push_back(event_of(slot));
    trials.push_back(std::move(trial));
  }
  void baseline(double microseconds) {
    add(ScreenChoice::best, Status::proven, microseconds, 1);
    events.clear();
  }
  [[nodiscard]] ScreenReport report() const { return *screen_report(trials, events); }
};

TEST(ScreenReport, ThereIsNoneOfARunWithoutScreening) {
  Screened run;
  run.baseline(10);
  EXPECT_FALSE(screen_report(run.trials, run.events));
}

TEST(ScreenReport, CountsWhatWentAndWhatDidNot) {
  Screened run;
  run.baseline(10);
  run.add(ScreenChoice::best, Status::better, 9, 1);
  run.add(ScreenChoice::best, Status::correct_slower, 11, 2);
  run.add(ScreenChoice::explored, Status::correct_slower, 12, 3);
  run.add(ScreenChoice::not_modelled, Status::correct_slower, 12, 0);
  const ScreenReport report = run.report();
  EXPECT_EQ(report.model, "model 3");
  EXPECT_EQ(report.candidates, 8);
  EXPECT_EQ(report.modelled, 6);
  EXPECT_EQ(report.left_out, 3);
  EXPECT_EQ(report.best, 2);
  EXPECT_EQ(report.explored, 1);
  EXPECT_EQ(report.not_modelled, 1);
  EXPECT_EQ(report.why_not_modelled, "wgmma");
  EXPECT_DOUBLE_EQ(report.model_cpu_ms, 16.0 / 7);
  EXPECT_DOUBLE_EQ(report.prepare_ms, 40.0 / 7);
}

TEST(ScreenReport, TheRegretIsThatOfTheExplored) {
  Screened run;
  run.baseline(10);
  run.add(ScreenChoice::best, Status::better, 9, 1);
  run.add(ScreenChoice::best, Status::correct_slower, 12, 2);
  run.add(ScreenChoice::explored, Status::better, 8.1, 4);
  run.add(ScreenChoice::explored, Status::correct_slower, 12, 4);
  run.add(ScreenChoice::explored, Status::wrong, 0, 4);
  run.add(ScreenChoice::explored, Status::duplicate, 0, 4);
  const ScreenReport report = run.report();
  EXPECT_EQ(report.explored_better.count, 1);
  EXPECT_EQ(report.explored_better.of, 3) << "what was known already says nothing";
  EXPECT_GT(report.explored_better.interval[0], 0);
  EXPECT_LT(report.explored_better.interval[1], 1);
  EXPECT_LT(report.explored_better.interval[0], 1.0 / 3);
  EXPECT_GT(report.explored_better.interval[1], 1.0 / 3);
  EXPECT_EQ(report.best_better.count, 1);
  EXPECT_EQ(report.best_better.of, 2);
  ASSERT_TRUE(report.explored_gain);
  EXPECT_NEAR(*report.explored_gain, 0.1, 1e-9) << "on the champion of that moment, which took 9";
  ASSERT_TRUE(report.beats && report.ratio);
  EXPECT_EQ(report.beats->n, 2);
  EXPECT_NEAR(report.beats->mean, (1 + 0.25) / 2, 1e-9) << "a tie counts half";
  const double middle = std::sqrt(9.0 * 12);
  EXPECT_NEAR(report.ratio->mean, std::sqrt(8.1 / middle * (12 / middle)), 1e-9);
}

TEST(ScreenReport, AMeasuredGainIsThatOfTimingInTurn) {
  Screened run;
  run.baseline(10);
  run.add(ScreenChoice::explored, Status::better, 8, 4);
  run.trials.back().paired = model::PairedComparison{"v0", 0.95, {0.94, 0.96}, 0.999, 16};
  EXPECT_NEAR(*run.report().explored_gain, 0.05, 1e-9);
}

TEST(ScreenReport, OthersOfAnotherGenerationAreNoMeasure) {
  Screened run;
  run.baseline(10);
  run.add(ScreenChoice::best, Status::correct_slower, 100, 1, 1);
  run.add(ScreenChoice::explored, Status::correct_slower, 12, 4, 2);
  EXPECT_FALSE(run.report().beats);
}

TEST(ScreenReport, RanksAreThoseOfRightVariants) {
  Screened run;
  run.baseline(10);
  for (int i = 0; i < 8; ++i) run.add(ScreenChoice::best, Status::correct_slower, 11 + i, 1 + i);
  run.add(ScreenChoice::best, Status::correct_slower, 5, 100);
  run.add(ScreenChoice::best, Status::wrong, 1, 200);
  const ScreenReport report = run.report();
  ASSERT_EQ(report.correlations.size(), 1U);
  const ScreenCorrelation& ranks = report.correlations.front();
  EXPECT_EQ(ranks.n, 9);
  EXPECT_NEAR(ranks.rho, 1 - 6.0 * (8 * 8 + 8 * 1) / (9 * 80), 1e-9);
  EXPECT_LT(ranks.interval[0], ranks.rho);
  EXPECT_GT(ranks.interval[1], ranks.rho);
  EXPECT_LT(ranks.interval[0], 0) << "nine tell little";
}

}  // namespace
}  // namespace evo::session
