// Claims and what decides them: comparisons that were made, and trials that are comparisons already.
#include "session/insight_claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "session/insight_summary.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::session {
namespace {

using evo::testing::integer_gene;
using model::Environment;
using model::LatencyKind;
using model::Status;

model::Value number(std::int64_t value) {
  return value;
}

engine::TrialRecord abc(std::int64_t index, std::int64_t a, std::int64_t b, std::int64_t c, double us,
                        LatencyKind kind = LatencyKind::modelled) {
  engine::TrialRecord trial;
  trial.index = index;
  trial.variant = "v" + std::to_string(index);
  trial.template_name = "abc";
  trial.genome = model::Genome({{"A", a}, {"B", b}, {"C", c}});
  trial.status = us > 0 ? Status::correct_slower : Status::wrong;
  if (us > 0)
    trial.latencies = {{"w", 1, {kind, us, std::nullopt, 0, "fake"}}};
  else
    trial.reason = "mismatch";
  return trial;
}

InsightCheck flip_of(const Environment& to, double ratio, const std::string& refused = {}) {
  InsightCheck check;
  check.to = to;
  check.flipped = "f";
  check.refused = refused;
  if (refused.empty()) check.series.push_back({"w", 1, {10 * ratio}, {10}});
  return check;
}

Claim rule(Environment values) {
  Claim claim;
  claim.kind = ClaimKind::failure;
  claim.values = std::move(values);
  claim.failure.template_name = "abc";
  claim.failure.status = Status::wrong;
  claim.failure.reason = "mismatch";
  return claim;
}

const engine::TrialRecord incumbent = abc(0, 1, 1, 1, 10);

TEST(KnownChecks, AModelledTrialIsOneAndAMeasuredOneIsNot) {
  const std::vector modelled{incumbent, abc(1, 2, 1, 1, 12)};
  const auto known = known_check(modelled, incumbent, {{"A", number(2)}});
  ASSERT_TRUE(known);
  EXPECT_DOUBLE_EQ(known->ratio().ratio, 1.2);
  EXPECT_EQ(known->trial, 1);
  EXPECT_FALSE(known_check(modelled, incumbent, {{"A", number(3)}}));
  const std::vector measured{incumbent, abc(1, 2, 1, 1, 12, LatencyKind::measured)};
  EXPECT_FALSE(known_check(measured, incumbent, {{"A", number(2)}}));
}

TEST(KnownChecks, AFailureIsOneOnAnyDevice) {
  const auto known = known_check(std::vector{incumbent, abc(1, 2, 1, 1, 0)}, incumbent, {{"A", number(2)}});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->refused, "wrong (mismatch)");
}

CheckStatus gene_status(double effect, double ratio) {
  const Claim claim{ClaimKind::gene, {{"A", number(2)}}, effect};
  return test_of(claim, incumbent, std::vector{incumbent}, {flip_of(claim.values, ratio)}).status;
}

/// A champion with an edit, a trial with another text at its place, and what a fit says of that.
TEST(Claims, OfThePlaceOfAnEditAreNone) {
  const auto edited = [](std::int64_t index, const std::string& edit, double us) {
    engine::TrialRecord trial = abc(index, 1, 1, 1, us);
    Environment values = trial.genome.values();
    values["~00"] = edit;
    trial.genome = model::Genome(values);
    return trial;
  };
  const engine::TrialRecord champion = edited(0, "barrier_delete f/1#a", 10);
  const std::vector trials{champion, edited(1, "barrier_delete f/2#b", 0),
                           edited(2, "barrier_delete f/2#b", 0)};
  engine::JointFit fit;
  fit.effects.push_back({{{"~00", std::string("loop_unroll f/3#c 2")}}, 0.2, {0.1, 0.3}, 5});
  fit.effects.push_back({{{"A", number(2)}}, 0.2, {0.1, 0.3}, 5});
  model::FailurePattern pattern;
  pattern.template_name = "abc";
  pattern.status = Status::wrong;
  pattern.reason = "mismatch";
  pattern.when = {{"~00", std::string("barrier_delete f/2#b")}};
  pattern.count = pattern.of = 2;
  const auto claims = claims_of(champion, fit, std::vector{pattern}, trials);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims.front().values, (Environment{{"A", number(2)}}));
}

TEST(GeneClaims, AreHeldAgainstTheirOwnSide) {
  EXPECT_EQ(gene_status(0.2, 1.2), CheckStatus::confirmed);
  EXPECT_EQ(gene_status(0.2, 1.005), CheckStatus::refuted);
  EXPECT_EQ(gene_status(0.2, 0.8), CheckStatus::refuted);
  EXPECT_EQ(gene_status(-0.2, 0.8), CheckStatus::confirmed);
  EXPECT_EQ(gene_status(-0.2, 0.995), CheckStatus::refuted);
  EXPECT_EQ(gene_status(-0.2, 1.2), CheckStatus::refuted);
}

TEST(PairClaims, AreWhatIsBeyondEachAlone) {
  const Environment a{{"A", number(2)}}, b{{"B", number(2)}}, both{{"A", number(2)}, {"B", number(2)}};
  const Claim claim{ClaimKind::pair, both, -0.1};
  const auto tested = [&](double together) {
    return test_of(claim, incumbent, std::vector{incumbent},
                   {flip_of(a, 1.1), flip_of(b, 1.2), flip_of(both, together)});
  };
  EXPECT_NEAR(tested(1.2).ratio.ratio, 1.2 / 1.32, 1e-12);
  EXPECT_EQ(tested(1.2).status, CheckStatus::confirmed);
  EXPECT_EQ(tested(1.32).status, CheckStatus::refuted);
  EXPECT_EQ(test_of(claim, incumbent, std::vector{incumbent}, {flip_of(a, 1.1)}).status,
            CheckStatus::untested);
}

TEST(FailureClaims, NeedAllTheirValues) {
  const Environment a{{"A", number(2)}}, b{{"B", number(2)}}, both{{"A", number(2)}, {"B", number(2)}};
  const std::string wrong = "wrong (mismatch)";
  const auto status = [&](const InsightCheck& first, const InsightCheck& second, const InsightCheck& whole) {
    return test_of(rule(both), incumbent, std::vector{incumbent}, {first, second, whole}).status;
  };
  EXPECT_EQ(status(flip_of(a, 1), flip_of(b, 1), flip_of(both, 1, wrong)), CheckStatus::confirmed);
  EXPECT_EQ(status(flip_of(a, 1, wrong), flip_of(b, 1), flip_of(both, 1, wrong)), CheckStatus::refuted);
  EXPECT_EQ(status(flip_of(a, 1), flip_of(b, 1), flip_of(both, 1)), CheckStatus::refuted);
  EXPECT_EQ(status(flip_of(a, 1), flip_of(b, 1), flip_of(both, 1, "illegal: x")), CheckStatus::inconclusive);
}

TEST(FailureClaims, OneRightTrialRefutesThem) {
  const std::vector trials{incumbent, abc(1, 2, 1, 3, 11)};
  const Tested tested = test_of(rule({{"A", number(2)}}), incumbent, trials,
                                {flip_of({{"A", number(2)}}, 1, "wrong (mismatch)")});
  EXPECT_EQ(tested.status, CheckStatus::refuted);
}

TEST(FailureClaims, BecomeWhatTheFailureNeeds) {
  const std::vector trials{incumbent, abc(1, 2, 2, 2, 0)};
  const auto claims = claims_of(incumbent, {}, {}, trials);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].values.size(), 3U);
  // B=2 alone is what fails.
  std::vector<InsightCheck> made;
  while (const auto next =
             next_claim_check(settled(claims, incumbent, trials, made), incumbent, trials, made))
    made.push_back(flip_of(*next, 1, next->contains("B") ? "wrong (mismatch)" : ""));
  const auto left = settled(claims, incumbent, trials, made);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].values, (Environment{{"B", number(2)}}));
  EXPECT_EQ(test_of(left[0], incumbent, trials, made).status, CheckStatus::confirmed);
}

TEST(PairClaims, AreMadeOfChangesThatCostTheSame) {
  const Environment a{{"A", number(2)}}, b{{"B", number(2)}}, c{{"C", number(2)}};
  const std::vector trials{incumbent};
  std::vector made{flip_of(a, 1.2), flip_of(b, 1.2), flip_of(c, 1.1)};
  const auto claims = settled({}, incumbent, trials, made);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].kind, ClaimKind::pair);
  EXPECT_EQ(claims[0].values, (Environment{{"A", number(2)}, {"B", number(2)}}));
  EXPECT_EQ(settled(claims, incumbent, trials, made).size(), 1U) << "not twice";
  EXPECT_EQ(next_claim_check(claims, incumbent, trials, made), claims[0].values);
  made.push_back(flip_of(claims[0].values, 1.2));
  EXPECT_EQ(test_of(claims[0], incumbent, trials, made).status, CheckStatus::confirmed);
  made.back() = flip_of(claims[0].values, 1.44);
  EXPECT_EQ(test_of(claims[0], incumbent, trials, made).status, CheckStatus::refuted);
  std::vector<Claim> more = claims;
  more.push_back({ClaimKind::pair, {{"B", number(2)}, {"C", number(2)}}, 0.1, {0.05, 0.15}, 5});
  EXPECT_EQ(next_claim_check(more, incumbent, trials, {flip_of(a, 1.2), flip_of(b, 1.2), flip_of(c, 1.1)}),
            more.back().values)
      << "what was estimated comes first";
  EXPECT_TRUE(settled({}, incumbent, trials, {flip_of(a, 1), flip_of(b, 1)}).empty()) << "what costs nothing";
}

TEST(FailureClaims, TakeInWhatTheChampionShares) {
  // A=1 (the incumbent's) with B=2 fails; B=2 with A=2 is correct.
  const std::vector trials{incumbent, abc(1, 1, 2, 1, 0), abc(2, 2, 2, 1, 11)};
  const auto claims = claims_of(incumbent, {}, {}, trials);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].values, (Environment{{"A", number(1)}, {"B", number(2)}}));
}

TEST(StepsBack, TakeAlongWhatMakesThemLegal) {
  engine::SearchSpace space;
  model::Space genes(
      {integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1), integer_gene("C", {1, 2}, 1)},
      {{evo::testing::expression("A == B"), "as many of each"}});
  space.templates.push_back({evo::testing::small_template("abc", genes), genes});
  space.baseline = genes.initial();
  const auto steps = steps_back(&space, abc(0, 2, 2, 2, 10), genes.initial());
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0], (Environment{{"A", number(1)}, {"B", number(1)}}));
  EXPECT_EQ(steps[1], (Environment{{"C", number(1)}}));
}

TEST(InsightSummary, NamesWhatTheTrialsShowAndWhatIsLeft) {
  RunRecords run;
  run.trials = {abc(0, 1, 1, 1, 20), abc(1, 2, 1, 1, 10), abc(2, 2, 2, 1, 10.01)};
  run.trials[0].status = Status::proven;
  run.trials[1].status = Status::better;
  const InsightSummary summary = summarize(run, nullptr);
  ASSERT_TRUE(summary.champion);
  EXPECT_EQ(summary.champion->variant, "v1");
  ASSERT_EQ(summary.genes.size(), 1U);
  EXPECT_EQ(summary.genes[0].was, (Environment{{"A", number(1)}}));
  EXPECT_EQ(summary.genes[0].tested.status, CheckStatus::confirmed);
  EXPECT_NEAR(summary.genes[0].share.value(), 1, 1e-12);
  EXPECT_TRUE(summary.goes_back.empty());
}

TEST(InsightSummary, OfAnEarlierGenerationKnowsNoLaterTrial) {
  RunRecords run;
  run.trials = {abc(0, 1, 1, 1, 20), abc(1, 2, 1, 1, 10), abc(2, 2, 2, 1, 5)};
  run.trials[0].status = Status::proven;
  run.trials[1].status = run.trials[2].status = Status::better;
  run.trials[2].generation = 1;
  EXPECT_EQ(summarize(run, nullptr, 0).champion->variant, "v1");
  EXPECT_EQ(summarize(run, nullptr, 0).trials, 2);
  EXPECT_EQ(summarize(run, nullptr).champion->variant, "v2");
}

/// A = 2 reads twice as much from DRAM; as many trials of each.
RunRecords counted_run(model::CounterBasis basis, std::int64_t trials) {
  RunRecords run;
  for (std::int64_t i = 0; i < trials; ++i) {
    run.trials.push_back(abc(i, 1 + i % 2, 1 + i / 2 % 2, 1 + i / 4 % 2, 20));
    run.trials.back().generation = i < trials / 2 ? 0 : 1;
    model::CounterReading reading;
    reading.basis = basis;
    reading.kernels.emplace_back();
    reading.kernels[0].workload = "w";
    const double noise = 1 + 0.001 * static_cast<double>(i % 3);
    reading.kernels[0].values = {{"dram_bytes", (1.0 + static_cast<double>(i % 2)) * 1e6 * noise},
                                 {"registers", 40 + 4 * static_cast<double>(i / 2 % 2)}};
    run.events.push_back(engine::counted_event_of(i, reading));
  }
  run.trials[0].status = Status::proven;
  return run;
}

TEST(InsightSummary, SaysWhatGenesDoToTheCountersThatAreAskedFor) {
  const RunRecords run = counted_run(model::CounterBasis::measured, 32);
  InsightSummary summary = summarize(run, nullptr);
  EXPECT_TRUE(summary.counters.empty());
  model::Experiment experiment;
  experiment.gates.counters = {{"dram_bytes", "<", 3e6}, {"dram_bytes", ">", 0}};
  add_counter_effects(summary, run, {}, bounded_counters(experiment));
  ASSERT_EQ(summary.counters.size(), 1U);
  const engine::CounterEffects& found = summary.counters[0];
  EXPECT_EQ(found.basis, model::CounterBasis::measured);
  EXPECT_EQ(found.fit.trials, 32);
  const auto of_a = std::ranges::find_if(found.fit.effects, [](const engine::JointEffect& effect) {
    return effect.values.size() == 1 && effect.values.contains("A");
  });
  ASSERT_NE(of_a, found.fit.effects.end());
  EXPECT_NEAR(std::abs(of_a->effect), std::log(2), 0.02);
  EXPECT_TRUE(of_a->significant());
  EXPECT_EQ(of_a->trials, 16);
  add_counter_effects(summary, run, {}, std::nullopt);
  EXPECT_EQ(summary.counters.size(), 2U) << "all that was counted";
}

TEST(InsightSummary, CountersOfFurtherRunsCountAndThoseOfLaterGenerationsDoNot) {
  const RunRecords run = counted_run(model::CounterBasis::measured, 32);
  const std::vector<RunRecords> others{counted_run(model::CounterBasis::measured, 16),
                                       counted_run(model::CounterBasis::modelled, 24)};
  const std::vector<std::string> asked{"dram_bytes"};
  InsightSummary early = summarize(run, nullptr, 0);
  add_counter_effects(early, run, {}, asked);
  EXPECT_EQ(early.counters.at(0).fit.trials, 16);
  InsightSummary merged = summarize(run, nullptr, std::nullopt, others);
  add_counter_effects(merged, run, others, asked);
  ASSERT_EQ(merged.counters.size(), 2U);
  EXPECT_EQ(merged.counters[0].fit.trials, 48);
  EXPECT_EQ(merged.counters[1].basis, model::CounterBasis::modelled);
  EXPECT_EQ(merged.counters[1].fit.trials, 24);
}

TEST(InsightSummary, OfARunWithoutTrialsIsEmpty) {
  EXPECT_FALSE(summarize({}, nullptr).champion);
}

}  // namespace
}  // namespace evo::session
