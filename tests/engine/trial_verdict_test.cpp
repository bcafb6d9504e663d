// What a trial's record says of the gates, of latencies that cannot be, and of the champion.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/verdicts.hpp"

namespace evo::engine {
namespace {

using model::Gate;
using model::Status;

std::vector<model::WorkloadLatency> took(double microseconds, model::LatencyKind kind) {
  model::WorkloadLatency entry{"w", 1, {}};
  entry.latency.kind = kind;
  entry.latency.microseconds = microseconds;
  return {entry};
}

evaluators::Evaluation passed_in(double microseconds,
                                 model::LatencyKind kind = model::LatencyKind::modelled) {
  evaluators::Evaluation evaluation;
  evaluation.gates = {{Gate::sanitize, std::nullopt, 1}, {Gate::correctness, std::nullopt, 1}};
  evaluation.latencies = took(microseconds, kind);
  return evaluation;
}

TrialRecord recorded(const evaluators::Evaluation& evaluation) {
  TrialRecord trial;
  record_evaluation(trial, evaluation);
  return trial;
}

TEST(TrialVerdict, APredictionOfNoEffectHasNoSign) {
  Proposal proposal;
  proposal.predicted_effect = -0.0;
  EXPECT_FALSE(std::signbit(*trial_of(proposal, {}, {}).predicted_effect));
}

TEST(TrialVerdict, WhatPassesEveryGateIsProven) {
  const TrialRecord trial = recorded(passed_in(5));
  EXPECT_EQ(trial.status, Status::proven);
  EXPECT_FALSE(trial.gate);
  EXPECT_EQ(trial.latencies.size(), 1U);
}

TEST(TrialVerdict, AFailedGateDecidesWithReasonAndEvidenceAndLeavesNoLatency) {
  evaluators::Evaluation evaluation = passed_in(5);
  evaluation.gates.back().failure = model::Failure{Status::wrong, "mismatch", {{"mismatch", "O", {}, 0, {}}}};
  const TrialRecord trial = recorded(evaluation);
  EXPECT_EQ(trial.status, Status::wrong);
  EXPECT_EQ(trial.gate, Gate::correctness);
  EXPECT_EQ(trial.reason, "mismatch");
  EXPECT_EQ(trial.evidence.size(), 1U);
  EXPECT_TRUE(trial.latencies.empty());
}

TEST(TrialVerdict, LatenciesThatCannotBeAreQuarantined) {
  for (const double none : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const TrialRecord trial = recorded(passed_in(none));
    EXPECT_EQ(trial.status, Status::quarantined) << none;
    EXPECT_EQ(trial.reason, "latency_unusable");
    EXPECT_TRUE(trial.latencies.empty());
  }
  evaluators::Evaluation silent = passed_in(5);
  silent.latencies.clear();
  EXPECT_EQ(recorded(silent).status, Status::quarantined);
  EXPECT_EQ(recorded(silent).reason, "no_latency");
}

TEST(TrialVerdict, OnlyWhatIsProvenIsComparedWithTheChampion) {
  TrialRecord champion = recorded(passed_in(5));
  TrialRecord duplicate;
  record_duplicate(duplicate, recorded(passed_in(4)), "same_code");
  compare_with_champion(duplicate, champion, 0);
  EXPECT_EQ(duplicate.status, Status::duplicate);
  TrialRecord wrong = recorded(passed_in(4));
  wrong.status = Status::wrong;
  compare_with_champion(wrong, champion, 0);
  EXPECT_EQ(wrong.status, Status::wrong);
}

TEST(TrialVerdict, OnlyWhatIsProvenIsTimedInTurn) {
  const auto measured = [](double microseconds) {
    return recorded(passed_in(microseconds, model::LatencyKind::measured));
  };
  const TrialRecord champion = measured(5);
  TrialRecord trial = measured(4);
  EXPECT_TRUE(needs_pairing(trial, champion));
  trial.status = Status::wrong;
  EXPECT_FALSE(needs_pairing(trial, champion));
  TrialRecord duplicate;
  record_duplicate(duplicate, measured(4), "same_code");
  EXPECT_FALSE(needs_pairing(duplicate, champion)) << "its original was";
}

TEST(TrialVerdict, ModelledLatenciesAreComparedAsTheyAre) {
  const TrialRecord champion = recorded(passed_in(5));
  for (const auto& [microseconds, status] :
       {std::pair{4.0, Status::better}, {5.0, Status::tie}, {6.0, Status::correct_slower}}) {
    TrialRecord trial = recorded(passed_in(microseconds));
    compare_with_champion(trial, champion, 0);
    EXPECT_EQ(trial.status, status) << microseconds;
  }
}

// An evaluator without a clock refuses by itself; the engine does not even ask.
TEST(TrialVerdict, OnlyMeasuredTimesAreSettledInTurn) {
  const TrialRecord champion = recorded(passed_in(5));
  EXPECT_TRUE(needs_pairing(recorded(passed_in(4, model::LatencyKind::measured)), champion));
  EXPECT_FALSE(needs_pairing(recorded(passed_in(4, model::LatencyKind::modelled)), champion));
  EXPECT_FALSE(needs_pairing(recorded(passed_in(4, model::LatencyKind::recorded)), champion));
}

TEST(TrialVerdict, WhatAClockDecidedIsAnEvent) {
  TrialRecord trial;
  trial.status = Status::compile_timeout;
  EXPECT_TRUE(clock_event(trial, "virtual"));
  trial.status = Status::timeout;
  EXPECT_TRUE(clock_event(trial, "cuda"));
  EXPECT_FALSE(clock_event(trial, "virtual")) << "a budget of instructions is no clock";
}

}  // namespace
}  // namespace evo::engine
