// Comparisons that begin before their trial is committed: whose they are, and which of them count.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/early_pairings.hpp"
#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using model::Status;
using testing::FakeEvaluator;
using testing::small_experiment;

/// A trial that is proven and was measured to take so long.
TrialRecord trial(std::int64_t index, double us) {
  TrialRecord made;
  made.index = index;
  made.variant = "v" + std::to_string(index);
  made.status = Status::proven;
  made.latencies.push_back({"w", 1, {model::LatencyKind::measured, us, {{us, us}}, 60, "clock"}});
  return made;
}

/// Who was compared with whom; each takes two seconds of the device, and the candidate is `ratio` times as
/// slow.
struct Comparisons {
  explicit Comparisons(int at_a_time, double ratio = 1) : early(evaluator, at_a_time) {
    evaluator.interval = 0.001;
    evaluator.on_paired = [this, ratio](const model::Variant& candidate, const model::Variant& incumbent) {
      const std::scoped_lock lock(mutex);
      pairs.insert(candidate.id + " " + incumbent.id);
      return evaluators::Paired{
          model::PairedComparison{incumbent.id, ratio, {ratio - 0.001, ratio + 0.001}, 0.999, 16}, {}, 2};
    };
  }
  void look(const TrialRecord& champion, const std::vector<TrialRecord>& waiting) {
    std::vector<EarlyPairings::Waiting> all;
    for (const TrialRecord& one : waiting) {
      auto prepared = std::make_shared<evaluators::Prepared>();
      prepared->variant.id = one.variant;
      all.push_back({&one, prepared});
    }
    early.look_ahead(
        champion, all, 0.003, [](std::int64_t open) { return 0.01 / static_cast<double>(1 + open); },
        [](const TrialRecord& of) {
          model::Variant variant;
          variant.id = of.variant;
          return variant;
        });
  }
  std::set<std::string> begun() {
    const std::scoped_lock lock(mutex);
    return pairs;
  }
  FakeEvaluator evaluator;
  std::mutex mutex;
  std::set<std::string> pairs;
  EarlyPairings early;
};

TEST(EarlyPairings, WhatHasBegunIsNotBegunAgain) {
  Comparisons compared(4);
  for (int i = 0; i < 3; ++i) compared.look(trial(0, 10), {trial(3, 9.9), trial(5, 11)});
  const auto taken = compared.early.take(3, "v0", 0.01);
  ASSERT_TRUE(taken && taken->comparison);
  EXPECT_EQ(taken->comparison->incumbent, "v0");
  EXPECT_EQ(compared.begun(), (std::set<std::string>{"v3 v0"})) << "5 seems slower";
  EXPECT_EQ(compared.evaluator.compared, 1);
  EXPECT_EQ(compared.early.wasted(5), 0);
  EXPECT_FALSE(compared.early.take(3, "v0", 0.01)) << "it has been taken";
}

TEST(EarlyPairings, WhoIsMuchFasterIsWhomTheNextWillMeet) {
  Comparisons compared(4);
  compared.look(trial(0, 10), {trial(1, 5), trial(2, 6), trial(3, 4.95)});
  EXPECT_TRUE(compared.early.take(1, "v0", 1));
  EXPECT_FALSE(compared.early.take(2, "v0", 1));
  EXPECT_TRUE(compared.early.take(3, "v1", 1));
  EXPECT_EQ(compared.begun(), (std::set<std::string>{"v1 v0", "v3 v1"}));
}

// GPUs of a farm come and go.
TEST(EarlyPairings, AsManyBeginAsAreAllowedNow) {
  Comparisons compared(1);
  std::atomic<bool> go{false};
  const auto paired = compared.evaluator.on_paired;
  compared.evaluator.on_paired = [&, paired](const model::Variant& candidate,
                                             const model::Variant& incumbent) {
    auto result = paired(candidate, incumbent);
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return result;
  };
  const auto begun = [&](std::size_t many) {
    for (int i = 0; i < 2000 && compared.begun().size() < many; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return compared.begun().size();
  };
  const std::vector<TrialRecord> waiting{trial(1, 9.9), trial(2, 9.9), trial(3, 9.9), trial(4, 9.9)};
  compared.look(trial(0, 10), waiting);
  EXPECT_EQ(begun(1), 1u);
  compared.early.allow(3);
  compared.look(trial(0, 10), waiting);
  EXPECT_EQ(begun(3), 3u);
  compared.early.allow(0);
  compared.look(trial(0, 10), waiting);
  EXPECT_EQ(begun(3), 3u) << "what has begun goes on, and nothing more begins";
  go = true;
  for (const std::int64_t index : {1, 2, 3}) EXPECT_TRUE(compared.early.take(index, "v0", 1)) << index;
  EXPECT_FALSE(compared.early.take(4, "v0", 1)) << "nobody began it";
  compared.look(trial(0, 10), {waiting.back()});
  EXPECT_TRUE(compared.early.take(4, "v0", 1)) << "one at least";
}

TEST(EarlyPairings, WhatItsComparisonSaysCountsMoreThanTheGuess) {
  Comparisons compared(1, 1.0);  // a tie, though it was measured to take half the time
  const std::vector<TrialRecord> waiting{trial(1, 5), trial(2, 5.5)};
  compared.look(trial(0, 10), waiting);
  while (!compared.begun().contains("v2 v0")) compared.look(trial(0, 10), waiting);
  EXPECT_TRUE(compared.early.take(2, "v0", 1));
}

TEST(EarlyPairings, WhoWonIsWhomTheNextMeetsThoughTheGuessSaidOtherwise) {
  Comparisons compared(1, 0.5);  // it wins, though it was measured to be hardly faster
  const std::vector<TrialRecord> waiting{trial(1, 9.9), trial(2, 9.8)};
  for (int i = 0; i < 2000 && !compared.begun().contains("v2 v1"); ++i) {
    compared.look(trial(0, 10), waiting);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(compared.begun().contains("v2 v1"));
}

TEST(EarlyPairings, AnotherChampionNeedsAnotherComparison) {
  Comparisons compared(4);
  compared.look(trial(0, 10), {trial(3, 9.9)});
  EXPECT_FALSE(compared.early.take(3, "v2", 1)) << "the champion is another by now";
  compared.early.drain();
  EXPECT_EQ(compared.early.wasted(3), 2) << "the device has worked for it all the same";
  EXPECT_EQ(compared.early.wasted(3), 0) << "once";
}

// What is screened out spends nothing, so that what began before it is not taken again.
TEST(EarlyPairings, OneAheadThatIsEvaluatedLaterAndScreenedOutChangesNothing) {
  Comparisons compared(4);
  auto inner = compared.evaluator.on_paired;
  compared.evaluator.on_paired = [inner](const model::Variant& candidate, const model::Variant& incumbent) {
    evaluators::Paired told = inner(candidate, incumbent);
    if (candidate.id == "v5") told.comparison->error = 0.0;
    return told;
  };
  const auto until = [&](std::int64_t index, const std::vector<TrialRecord>& waiting) {
    while (!compared.early.has_ended(index, "v0", 0.01)) compared.look(trial(0, 10), waiting);
  };
  until(6, {trial(6, 9.9)});
  until(5, {trial(5, 9.9), trial(6, 9.9)});
  for (int i = 0; i < 3; ++i) compared.look(trial(0, 10), {trial(5, 9.9), trial(6, 9.9)});
  EXPECT_TRUE(compared.early.take(5, "v0", 0.01));
  EXPECT_TRUE(compared.early.take(6, "v0", 0.01));
  EXPECT_EQ(compared.evaluator.compared, 2);
}

// The one ahead seemed to win: whom 6 meets is another, and then again the first.
TEST(EarlyPairings, WhatHasEndedIsKeptWhereTheGuessChanges) {
  Comparisons compared(4);
  const auto until = [&](std::int64_t index, const std::vector<TrialRecord>& waiting) {
    while (!compared.early.has_ended(index, "v0", 1)) compared.look(trial(0, 10), waiting);
  };
  until(6, {trial(6, 4)});
  until(5, {trial(5, 5), trial(6, 4)});
  EXPECT_TRUE(compared.early.take(6, "v0", 0.01));
  EXPECT_EQ(compared.begun(), (std::set<std::string>{"v5 v0", "v6 v0"}));
}

// Those before it have come to nothing, so that it may spend less than was thought.
TEST(EarlyPairings, WhatSpendsTooMuchDoesNotCount) {
  Comparisons compared(4);
  compared.look(trial(0, 10), {trial(3, 9.9), trial(4, 9.9)});
  EXPECT_FALSE(compared.early.take(3, "v0", 0.009));
  EXPECT_TRUE(compared.early.take(4, "v0", 0.005)) << "half, behind one that is open";
}

TEST(EarlyPairings, NoMoreAtATimeThanGiven) {
  Comparisons compared(2);
  std::atomic<int> now = 0, most = 0;
  auto inner = compared.evaluator.on_paired;
  compared.evaluator.on_paired = [&](const model::Variant& candidate, const model::Variant& incumbent) {
    const int running = ++now;
    int seen = most;
    while (running > seen && !most.compare_exchange_weak(seen, running)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --now;
    return inner(candidate, incumbent);
  };
  const std::vector<TrialRecord> waiting{trial(1, 9.9), trial(2, 9.9), trial(3, 9.9), trial(4, 9.9)};
  while (compared.begun().size() < 4) compared.look(trial(0, 10), waiting);
  EXPECT_LE(most, 2);
}

TEST(EarlyPairings, WhatTheEvaluatorThrowsIsThrownWhereItIsTaken) {
  Comparisons compared(1);
  compared.evaluator.on_paired = [](const model::Variant&, const model::Variant&) -> evaluators::Paired {
    throw model::Exception(model::ExitCode::environment, "the device is gone");
  };
  compared.look(trial(0, 10), {trial(1, 9.9)});
  EXPECT_THROW((void)compared.early.take(1, "v0", 1), model::Exception);
}

TEST(EarlyPairings, OthersAreSentOnToTheDeviceWhileAComparisonRuns) {
  FakeEvaluator evaluator;
  evaluator.interval = 0.02;
  std::mutex mutex;
  std::set<std::string> prepared_meanwhile;
  bool comparing = false;
  std::atomic<bool> evaluated_meanwhile = false;
  evaluator.on_prepare = [&](const model::Variant& variant) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::scoped_lock lock(mutex);
    if (comparing) prepared_meanwhile.insert(variant.id);
  };
  evaluator.on_evaluate = [&](const model::Variant& variant) {
    const std::scoped_lock lock(mutex);
    if (comparing && prepared_meanwhile.contains(variant.id)) evaluated_meanwhile = true;
  };
  evaluator.on_paired = [&](const model::Variant& candidate, const model::Variant& incumbent) {
    const auto set = [&](bool value) {
      const std::scoped_lock lock(mutex);
      comparing = value;
    };
    set(true);
    for (int i = 0; i < 200 && !evaluated_meanwhile; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    set(false);
    const double ratio = evaluator.latency(candidate) / evaluator.latency(incumbent);
    return evaluators::Paired{
        model::PairedComparison{incumbent.id, ratio, {ratio * 0.999, ratio * 1.001}, 0.999, 20}, {}, 0};
  };
  CampaignOptions options;
  options.threads = options.device_threads = 2;
  (void)run_small(small_experiment(), evaluator, options);
  EXPECT_GT(evaluator.compared, 0);
  EXPECT_TRUE(evaluated_meanwhile);
}

// The whole way: with many trials in flight and many comparisons at a time the champions are those of one by
// one.
TEST(EarlyPairings, ACampaignEndsAtTheSameChampion) {
  const auto champions = [](int threads, int pairings) {
    FakeEvaluator evaluator;
    evaluator.interval = 0.02;
    evaluator.device_seconds = 0.5;
    CampaignOptions options;
    options.threads = options.device_threads = threads;
    options.pairings = pairings;
    const Outcome done = run_small(small_experiment(), evaluator, options);
    std::vector<std::string> better;
    double device = 0;
    for (const TrialRecord& one : done.trials) {
      device += one.device_seconds;
      if (one.status != Status::better) continue;
      EXPECT_TRUE(one.paired &&
                  one.paired->incumbent == (better.empty() ? done.trials[0].variant : better.back()))
          << one.index;
      better.push_back(one.variant);
    }
    EXPECT_GT(device, 0);
    return better;
  };
  const auto alone = champions(1, 1);
  EXPECT_FALSE(alone.empty());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(champions(8, 4), alone);
}

}  // namespace
}  // namespace evo::engine
