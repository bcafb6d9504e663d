// Which of a champion's genes matter: what is tried, what that says, and that it is kept.
#include "session/insight_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/ledger.hpp"
#include "engine/lineage.hpp"
#include "model/random.hpp"
#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::session {
namespace {

using model::LatencyKind;

/// Eight loads of seven pairs.
InsightCheck drawn_check(double ratio, std::uint64_t seed) {
  model::RandomStream draws({.seed = seed, .generation = 0, .slot = 0, .purpose = "insight checks test"});
  InsightCheck check;
  check.kind = LatencyKind::measured;
  check.rounds_a_load = 7;
  check.series.push_back({"w", 1, {}, {}});
  for (int load = 0; load < 8; ++load) {
    const double shift = 0.003 * draws.normal();
    for (int k = 0; k < 7; ++k) {
      check.series[0].candidate_us.push_back(10 * ratio * std::exp(shift + 0.003 * draws.normal()));
      check.series[0].opponent_us.push_back(10 * std::exp(0.003 * draws.normal()));
    }
  }
  return check;
}

InsightCheck exact_check(const model::Environment& to, double ratio) {
  InsightCheck check;
  check.to = to;
  check.series.push_back({"w", 1, {10 * ratio}, {10}});
  return check;
}

int count_of(CheckStatus status, double ratio, int times, std::size_t checks) {
  int found = 0;
  for (int i = 0; i < times; ++i)
    found += status_of(drawn_check(ratio, static_cast<std::uint64_t>(i)), checks) == status ? 1 : 0;
  return found;
}

TEST(InsightCheckRates, NothingThatIsNoGainIsConfirmed) {
  EXPECT_EQ(count_of(CheckStatus::confirmed, 1, 2000, 12), 0);
  // At the boundary one in two thousand may be.
  EXPECT_LE(count_of(CheckStatus::confirmed, 1.01, 2000, 12), 6);
}

TEST(InsightCheckRates, AGainOfFivePerCentIs) {
  EXPECT_GE(count_of(CheckStatus::confirmed, 1.05, 200, 12), 198);
}

TEST(InsightChecks, MoreThanFiftyShareTheError) {
  EXPECT_DOUBLE_EQ(confidence_of(1), check_confidence);
  EXPECT_DOUBLE_EQ(confidence_of(50), check_confidence);
  EXPECT_DOUBLE_EQ(confidence_of(500), 1 - checks_error / 500);
  const InsightCheck check = drawn_check(1.05, 1);
  EXPECT_LT(check.ratio(confidence_of(500)).interval[0], check.ratio().interval[0]);
}

TEST(InsightChecks, OfARefusedFlipAreInconclusive) {
  InsightCheck check = exact_check({{"A", std::int64_t{1}}}, 2);
  EXPECT_EQ(status_of(check, 1), CheckStatus::confirmed);
  check.refused = "illegal: too large";
  EXPECT_EQ(status_of(check, 1), CheckStatus::inconclusive);
  EXPECT_EQ(status_of(InsightCheck{}, 1), CheckStatus::inconclusive);
}

TEST(InsightChecks, ComeBackFromTheirEvents) {
  InsightCheck check = drawn_check(1.05, 3);
  check.template_name = "tiled";
  check.from = {{"A", std::int64_t{8}}, {"S", std::string("half")}};
  check.to = {{"A", std::int64_t{1}}, {"S", std::string("float")}};
  check.champion = "b";
  check.flipped = "c";
  const auto again = find_checks({event_of(check, 7)}, 7);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].to, check.to);
  EXPECT_EQ(again[0].from, check.from);
  EXPECT_EQ(again[0].series[0].candidate_us, check.series[0].candidate_us);
  EXPECT_EQ(again[0].ratio().interval, check.ratio().interval);
  EXPECT_TRUE(find_checks({event_of(check, 7)}, 8).empty());
  EXPECT_TRUE(find_checks({{insight_checked_event, 7, {{"check", "{\"torn"}}}}, 7).empty());
}

/// Goes through the plan; `ratio` says what each flip gives.
template <class Ratio>
std::vector<InsightCheck> all_checks(const engine::TrialRecord& champion, std::int64_t most, Ratio ratio) {
  const engine::SearchSpace space = engine::make_search_space(evo::testing::small_experiment());
  std::vector<InsightCheck> made;
  while (const auto next = next_check(space, champion, made, most))
    made.push_back(exact_check(*next, ratio(*next)));
  return made;
}

engine::TrialRecord tiled_champion() {
  engine::TrialRecord champion;
  champion.template_name = "tiled";
  champion.genome = evo::testing::small_experiment().baseline;
  champion.genome.set("BLOCK_M", std::int64_t{64});
  champion.genome.set("PAD", std::int64_t{8});
  champion.genome.set("S_DTYPE", std::string("half"));
  return champion;
}

TEST(InsightCheckPlan, FlipsWhatDiffersAndThenWhatDoesNotMatterTogether) {
  const auto made = all_checks(tiled_champion(), 100, [](const model::Environment& to) {
    return to.contains("BLOCK_M") ? 1.5 : 1.001;
  });
  ASSERT_EQ(made.size(), 4U);
  EXPECT_EQ(made[0].to, (model::Environment{{"BLOCK_M", std::int64_t{32}}}));
  EXPECT_EQ(made[3].to, (model::Environment{{"PAD", std::int64_t{0}}, {"S_DTYPE", std::string("float")}}));
  EXPECT_EQ(reducible(made, evo::testing::small_experiment().baseline), made[3].to);
}

TEST(InsightCheckPlan, WhatIsSlowTogetherGoesBackOneByOne) {
  const auto made = all_checks(tiled_champion(), 100, [](const model::Environment& to) {
    return to.size() > 2 || (to.contains("PAD") && to.contains("S_DTYPE")) ? 1.2 : 1.0;
  });
  const model::Environment tie{{"BLOCK_M", std::int64_t{32}}, {"PAD", std::int64_t{0}}};
  EXPECT_EQ(reducible(made, evo::testing::small_experiment().baseline), tie);
}

// The checks of a small budget end before all go back together: the champion is not left where it is known to
// lose.
TEST(InsightCheckPlan, WhatIsFasterWithoutGoesBackBeforeWhatDoesNothing) {
  const model::Genome first = evo::testing::small_experiment().baseline;
  const model::Environment rows{{"BLOCK_M", std::int64_t{32}}}, pad{{"PAD", std::int64_t{0}}};
  model::Environment both = rows;
  both.insert(pad.begin(), pad.end());
  EXPECT_EQ(reducible({exact_check(rows, 1.0), exact_check(pad, 0.92)}, first), pad);
  EXPECT_EQ(reducible({exact_check(pad, 0.92), exact_check(rows, 1.0)}, first), pad);
  EXPECT_EQ(reducible({exact_check(pad, 0.92), exact_check(both, 1.0)}, first), pad)
      << "the gain, not the number";
  EXPECT_EQ(reducible({exact_check(pad, 0.92), exact_check(both, 0.9)}, first), both);
  EXPECT_EQ(reducible({exact_check(pad, 0.995), exact_check(both, 1.0)}, first), both) << "within the margin";
  EXPECT_EQ(reducible({exact_check(pad, 1.2)}, first), model::Environment{});
}

TEST(InsightCheckPlan, EndsWithItsBudget) {
  const auto tie = [](const model::Environment&) { return 1.0; };
  EXPECT_EQ(all_checks(tiled_champion(), 2, tie).size(), 2U);
  EXPECT_TRUE(all_checks(tiled_champion(), 0, tie).empty());
}

TEST(InsightCheckPlan, AnotherTemplateIsHeldAgainstItsInitialValues) {
  engine::TrialRecord champion;
  champion.template_name = "simple";
  champion.genome = evo::testing::simple_space().initial();
  champion.genome.set("UNROLL", std::int64_t{4});
  const auto made = all_checks(champion, 100, [](const model::Environment&) { return 1.5; });
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].to, (model::Environment{{"UNROLL", std::int64_t{1}}}));
}

struct ChecksOfARun : ::testing::Test, testing::FakeRun {
  ChecksOfARun() {
    experiment.templates = {"plain"};
    experiment.search.population = 4;
    experiment.search.generations = 2;
    experiment.budget.trials = 6;
    experiment.budget.insight_checks = 12;
    experiment.resolved_yaml = "name: add\n";
    script->microseconds = [](const evaluators::gates::DeviceJob& job) {
      return job.artifact.ptx.find("#define THREADS 64") != std::string::npos &&
                     job.artifact.ptx.find("#define EXTRA_SMEM 0") != std::string::npos
                 ? 20.0
                 : 10.0;
    };
    script->paired_ratio = 0.5;
  }
  RunOutcome run() { return run_to_the_end(experiment, stack(), *ledger, input_seed, {}); }
  [[nodiscard]] std::size_t kept() const {
    const auto all = ledger->events();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& event) { return event.kind == insight_checked_event; }));
  }
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
};

TEST_F(ChecksOfARun, AreTimedBothWaysAndKept) {
  const RunOutcome outcome = run();
  ASSERT_FALSE(outcome.checks.empty());
  EXPECT_EQ(kept(), outcome.checks.size());
  const auto timed = std::find_if(outcome.checks.begin(), outcome.checks.end(),
                                  [](const InsightCheck& check) { return check.refused.empty(); });
  ASSERT_NE(timed, outcome.checks.end());
  EXPECT_EQ(timed->pairs(), static_cast<std::size_t>(check_jobs * check_rounds));
  // Whoever is the candidate takes half of the other's time here: both ways together it is none.
  EXPECT_NEAR(timed->ratio().ratio, 1, 1e-9);
}

TEST_F(ChecksOfARun, AreNotMadeAgain) {
  const RunOutcome first = run();
  const std::size_t jobs = script->jobs.size(), checks = kept();
  const RunOutcome again = run();
  EXPECT_EQ(kept(), checks);
  EXPECT_EQ(again.checks.size(), first.checks.size());
  const auto timed_again =
      std::count_if(script->jobs.begin() + static_cast<std::ptrdiff_t>(jobs), script->jobs.end(),
                    [](const testing::SeenJob& seen) { return seen.job.opponent.has_value(); });
  EXPECT_EQ(timed_again, 0);
}

TEST_F(ChecksOfARun, ChangeNoLineageAndCanBeSwitchedOff) {
  experiment.budget.insight_checks = 0;
  const RunOutcome without = run();
  EXPECT_EQ(kept(), 0U);
  ledger = engine::make_memory_ledger();
  experiment.budget.insight_checks = 1;
  const RunOutcome with = run();
  EXPECT_EQ(kept(), 1U);
  EXPECT_EQ(engine::lineage_sha256(with.trials), engine::lineage_sha256(without.trials));
}

}  // namespace
}  // namespace evo::session
