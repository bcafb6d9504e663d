// What a run advises to try next: nothing that it has tried, that is illegal, or that its nearest trials
// speak against.
#include "session/insight_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "session/nearby_pairs.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::session {
namespace {

using evo::testing::integer_gene;
using model::Environment;
using model::Status;

/// 0 microseconds: it is wrong.
engine::TrialRecord abc(std::int64_t a, std::int64_t b, std::int64_t c, double us) {
  engine::TrialRecord trial;
  trial.template_name = "abc";
  trial.genome = model::Genome({{"A", a}, {"B", b}, {"C", c}});
  trial.variant = trial.genome.text();
  trial.status = us > 0 ? Status::correct_slower : Status::wrong;
  if (us > 0)
    trial.latencies = {{"w", 1, {model::LatencyKind::measured, us, std::nullopt, 60, "fake"}}};
  else
    trial.reason = "mismatch";
  return trial;
}

engine::SearchSpace space_of(std::vector<model::Constraint> constraints = {}) {
  const model::Space bound(
      {integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2, 3}, 1), integer_gene("C", {1, 2}, 1)},
      std::move(constraints));
  engine::SearchSpace space;
  space.templates.push_back({evo::testing::small_template("abc", bound), bound});
  space.baseline = bound.initial();
  return space;
}

/// Of a summary whose champion is A = B = C = 1 at 10 us, and of which a fit says that A = 2 gains 20 %.
struct Advice {
  InsightSummary summary;
  engine::JointFit fit;
  std::vector<engine::TrialRecord> trials;

  Advice() {
    trials = {abc(1, 1, 1, 10), abc(2, 3, 2, 16), abc(2, 2, 2, 12)};
    summary.champion = trials[0];
    fit.effects.push_back({{{"A", std::int64_t{2}}}, -0.2, {-0.3, -0.1}, 2});
  }
  [[nodiscard]] std::vector<Suggestion> made(const engine::SearchSpace* space = nullptr) const {
    const std::span<const engine::TrialRecord> history = trials;
    return advice_of(summary, space, fit, std::span(&history, 1));
  }
  [[nodiscard]] bool tries(const engine::SearchSpace* space = nullptr) const {
    return std::ranges::any_of(
        made(space), [](const Suggestion& one) { return one.text.find("A=2") != std::string::npos; });
  }
};

TEST(Advice, IsOfWhatNobodyTried) {
  EXPECT_TRUE(Advice().tries());
}

TEST(Advice, IsNotOfWhatTheChampionWasTriedWith) {
  // Faster alone, and yet not the champion.
  for (const double us : {9.97, 10.4, 0.0, 8.0}) {
    Advice advice;
    advice.trials.push_back(abc(2, 1, 1, us));
    EXPECT_FALSE(advice.tries()) << us;
  }
}

TEST(Advice, IsNotOfWhatTheRulesForbid) {
  const engine::SearchSpace free = space_of(),
                            bound = space_of({{evo::testing::expression("A == 1 or B > 1"), "too large"}});
  EXPECT_TRUE(Advice().tries(&free));
  EXPECT_FALSE(Advice().tries(&bound));
}

TEST(Advice, IsHeldAgainstTheNearestPairs) {
  Advice advice;
  advice.trials.push_back(abc(1, 2, 1, 11));
  advice.trials.push_back(abc(2, 2, 1, 10));
  EXPECT_TRUE(advice.tries()) << "faster, one gene away";
  advice.trials.back() = abc(2, 2, 1, 11);
  EXPECT_FALSE(advice.tries()) << "as fast";
  advice.trials.back() = abc(2, 2, 1, 0);
  EXPECT_FALSE(advice.tries()) << "wrong";
  // Further away it is another matter.
  advice.trials.back() = abc(2, 2, 1, 10);
  advice.trials.push_back(abc(1, 2, 2, 8));
  EXPECT_TRUE(advice.tries()) << "two genes away it is slower";
}

TEST(Advice, TakesWhatAComparisonHasShown) {
  Advice advice;
  ClaimTested claim{{ClaimKind::gene, {{"A", std::int64_t{2}}}, -0.2, {-0.3, -0.1}, 2, {}}, {}};
  claim.tested.status = CheckStatus::confirmed;
  claim.tested.ratio = {0.9, {0.89, 0.91}};
  advice.summary.claims = {claim};
  EXPECT_TRUE(advice.tries());
  advice.summary.claims[0].tested.ratio = {0.995, {0.99, 1.0}};
  EXPECT_FALSE(advice.tries()) << "a tie";
}

TEST(NearbyPairs, AreOfOneRunAndOfTheNearestPlace) {
  const engine::TrialRecord champion = abc(1, 1, 1, 10);
  const std::vector<engine::TrialRecord> one{champion,         abc(1, 2, 1, 20), abc(2, 2, 1, 10),
                                             abc(1, 1, 2, 10), abc(2, 1, 2, 20), abc(1, 2, 2, 10),
                                             abc(2, 2, 2, 90)};
  const std::vector<engine::TrialRecord> other{abc(2, 1, 1, 5)};
  const std::vector<std::span<const engine::TrialRecord>> histories{one, other};
  const auto nearest = TriedGenomes(histories, champion).nearest({{"A", std::int64_t{2}}});
  ASSERT_TRUE(nearest) << "the champion is of another run than the trial that differs from it alone";
  EXPECT_EQ(nearest->changes, 1U);
  EXPECT_EQ(nearest->pairs, 2U);
  EXPECT_EQ(nearest->failed, 0U);
  EXPECT_NEAR(nearest->ratio, 1, 1e-12) << "half as fast and twice as fast";
  EXPECT_FALSE(TriedGenomes(histories, champion).nearest({{"B", std::int64_t{3}}}));
}

}  // namespace
}  // namespace evo::session
