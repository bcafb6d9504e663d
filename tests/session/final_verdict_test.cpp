// The last word of a run on its champion: what it is measured on, what it says, and that it is kept.
#include "session/final_verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "engine/ledger.hpp"
#include "model/random.hpp"
#include "session/run.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using model::LatencyKind;

/// As many loads as a verdict has, 56 of two pairs. `load`, `turn`: standard deviations of the logarithms.
FinalVerdict drawn(double ratio, double load, double turn, std::uint64_t seed) {
  model::RandomStream draws({.seed = seed, .generation = 0, .slot = 0, .purpose = "final verdict test"});
  FinalVerdict verdict;
  verdict.variant = "b";
  verdict.baseline = "a";
  verdict.kind = LatencyKind::measured;
  verdict.rounds_a_load = 2;
  verdict.series.push_back({"w", 1, {}, {}});
  for (int i = 0; i < 56; ++i) {
    const double candidate = load * draws.normal(), opponent = load * draws.normal();
    for (int k = 0; k < 2; ++k) {
      const double both = 10 * std::exp(0.01 * draws.normal());
      verdict.series[0].candidate_us.push_back(ratio * both * std::exp(candidate + turn * draws.normal()));
      verdict.series[0].opponent_us.push_back(both * std::exp(opponent + turn * draws.normal()));
    }
  }
  return verdict;
}

int count(Decision decision, double ratio, int times, double load = 0.003) {
  int found = 0;
  for (int i = 0; i < times; ++i)
    found += drawn(ratio, load, 0.003, static_cast<std::uint64_t>(i)).decision() == decision ? 1 : 0;
  return found;
}

TEST(FinalVerdictRates, CopiesAreNeverPromotedNorSlower) {
  EXPECT_EQ(count(Decision::tie, 1, 2000), 2000);
}

TEST(FinalVerdictRates, AGainOfTheMarginIsPromotedAtMostAsOftenAsTheErrorAllows) {
  // The boundary: one in two thousand to each side.
  EXPECT_LE(count(Decision::promoted, 1 - model::GateSettings{}.final_margin, 2000), 6);
  EXPECT_LE(count(Decision::correct_slower, 1 + model::GateSettings{}.final_margin, 2000), 6);
}

TEST(FinalVerdictRates, AddedWorkIsDecidedRightly) {
  EXPECT_EQ(count(Decision::correct_slower, 1.02, 200, 0.0005), 200);
  EXPECT_EQ(count(Decision::correct_slower, 1.05, 200), 200);
  EXPECT_EQ(count(Decision::promoted, 0.95, 200), 200);
  EXPECT_GE(count(Decision::correct_slower, 1.02, 200), 190);
}

TEST(FinalVerdict, ComesBackFromItsEvent) {
  FinalVerdict verdict = drawn(0.9, 0.001, 0.003, 3);
  verdict.input_seeds = {1, 1ULL << 61};
  for (auto* samples : {&verdict.series[0].candidate_us, &verdict.series[0].opponent_us}) {
    for (double& us : *samples) us = std::round(us * 1e6) / 1e6;
  }
  const auto again = find_verdict({event_of(verdict, 7)}, 7);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->series[0].candidate_us, verdict.series[0].candidate_us);
  EXPECT_EQ(boost::json::serialize(to_json(*again)), boost::json::serialize(to_json(verdict)));
  EXPECT_FALSE(find_verdict({event_of(verdict, 7)}, 8));
  EXPECT_FALSE(find_verdict({{final_verdict_event, 7, {{"verdict", "{\"torn"}}}}, 7));
}

TEST(FinalVerdict, SaysEachCriterionAndStatistic) {
  const boost::json::object document = to_json(drawn(0.9, 0.001, 0.003, 3));
  EXPECT_EQ(document.at("decision").as_string(), "promoted");
  EXPECT_EQ(document.at("pairs").to_number<int>(), 112);
  for (const boost::json::value& one : document.at("criteria").as_array())
    EXPECT_TRUE(one.at("met").as_bool()) << one.at("name");
  const boost::json::value& statistics = document.at("workloads").at(0).at("statistics");
  EXPECT_LT(statistics.at("hedges_g").to_number<double>(), -2);
  EXPECT_LT(statistics.at("cliffs_delta").to_number<double>(), -0.9);
  EXPECT_LT(statistics.at("mann_whitney").at("p").to_number<double>(), 1e-6);
}

TEST(FinalVerdict, CriteriaThatDecideAreToldFromThoseBeside) {
  const FinalVerdict slower = drawn(1.1, 0.001, 0.003, 3);
  const boost::json::object document = to_json(slower);
  std::map<std::string, std::pair<bool, bool>> found;  // decides, met
  for (const boost::json::value& one : document.at("criteria").as_array())
    found[std::string(one.at("name").as_string())] = {one.at("decides").as_bool(), one.at("met").as_bool()};
  EXPECT_EQ(found.at("timed_and_right"), std::pair(true, true));
  EXPECT_EQ(found.at("pairs"), std::pair(true, true));
  EXPECT_EQ(found.at("interval_below_margin"), std::pair(true, false));
  EXPECT_EQ(found.at("hedges_g"), std::pair(false, false));
  EXPECT_EQ(found.at("cliffs_delta"), std::pair(false, false));
  EXPECT_EQ(found.at("mann_whitney_p").first, false);
  EXPECT_EQ(found.count("accuracy_class"), 1U);
  const std::string text = text_of(slower);
  for (const auto& [name, what] : found) EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(FinalVerdict, OfAFailureIsNotValid) {
  FinalVerdict verdict = drawn(0.9, 0.001, 0.003, 3);
  verdict.failure = "wrong outputs";
  EXPECT_EQ(verdict.decision(), Decision::not_valid);
  EXPECT_FALSE(to_json(verdict).at("criteria").at(0).at("met").as_bool());
}

TEST(FinalVerdict, OfFewerThanAHundredPairsIsNotValid) {
  FinalVerdict verdict = drawn(0.9, 0.001, 0.003, 3);
  for (auto* samples : {&verdict.series[0].candidate_us, &verdict.series[0].opponent_us}) samples->resize(98);
  EXPECT_EQ(verdict.decision(), Decision::not_valid);
  verdict.kind = LatencyKind::modelled;  // one exact ratio needs no hundred
  EXPECT_EQ(verdict.decision(), Decision::promoted);
}

struct VerdictOfARun : ::testing::Test, testing::FakeRun {
  VerdictOfARun() {
    experiment.templates = {"plain"};
    experiment.search.population = 4;
    experiment.search.generations = 2;
    experiment.budget.trials = 6;
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
  [[nodiscard]] std::vector<const evaluators::gates::DeviceJob*> verdict_jobs_seen() const {
    std::vector<const evaluators::gates::DeviceJob*> found;
    for (const testing::SeenJob& seen : script->jobs) {
      if (seen.fresh && seen.job.opponent && seen.job.settings.cache == experiment.gates.cache)
        found.push_back(&seen.job);
    }
    return found;
  }
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
};

TEST_F(VerdictOfARun, IsMeasuredInAFreshProcessOnInputsOfItsOwn) {
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  EXPECT_EQ(outcome.verdict->baseline, outcome.trials.front().variant);
  EXPECT_NEAR(outcome.verdict->ratio().ratio, 0.5, 1e-6);
  EXPECT_GE(outcome.verdict->comparisons, 1U);
  EXPECT_GE(outcome.verdict->decided, 1U);
  EXPECT_EQ(outcome.verdict->false_promotion_at_most, 0.01) << "however many were compared";
  EXPECT_GT(outcome.verdict->spent_error, 0);
  EXPECT_LE(outcome.verdict->spent_error, 0.01);
  const auto kept = find_verdict(ledger->events(), outcome.proven_champion()->index);
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_json(*kept).at("search"), to_json(*outcome.verdict).at("search"));
  const auto jobs = verdict_jobs_seen();
  ASSERT_EQ(jobs.size(), static_cast<std::size_t>(verdict_jobs));
  std::set<std::uint64_t> seeds;
  for (const auto* job : jobs) {
    EXPECT_EQ(job->settings.paired_rounds, verdict_rounds);
    seeds.insert(job->input_seed);
  }
  EXPECT_EQ(seeds.size(), jobs.size());
  EXPECT_EQ(seeds.count(input_seed), 0U);
}

TEST_F(VerdictOfARun, HasTheMarginThatTheExperimentSays) {
  script->paired_ratio = 0.95;
  experiment.gates.final_margin = 0.1;
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->margin, 0.1);
  EXPECT_EQ(outcome.verdict->decision(), Decision::tie);
  EXPECT_EQ(to_json(*outcome.verdict).at("margin").to_number<double>(), 0.1);
}

TEST_F(VerdictOfARun, JobsInWhichTheGpuSlowedDownAreDiscardedCountedAndTakenAgain) {
  // What is seen while a job runs is asked before it ends and behind it: the first job is hot.
  script->throttle = [](std::size_t ended) { return ended <= 1 ? "thermal slowdown" : ""; };
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  // The second one begins while the first one's heat is still told.
  EXPECT_EQ(outcome.verdict->clocks.discarded, 2U);
  EXPECT_EQ(outcome.verdict->clocks.kept, 0U);
  EXPECT_EQ(verdict_jobs_seen().size(), static_cast<std::size_t>(verdict_jobs) + 2);
  EXPECT_EQ(outcome.verdict->input_seeds.size(), static_cast<std::size_t>(verdict_jobs));
  EXPECT_EQ(outcome.verdict->pairs(), static_cast<std::size_t>(verdict_jobs * verdict_rounds));
  EXPECT_EQ(outcome.verdict->clocks.reasons, std::vector<std::string>{"thermal slowdown"});
  const auto kept = find_verdict(ledger->events(), outcome.proven_champion()->index);
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_json(*kept), to_json(*outcome.verdict));
}

TEST_F(VerdictOfARun, AGpuThatStaysHotGetsAVerdictThatSaysSo) {
  script->throttle = [](std::size_t) { return "hardware slowdown"; };
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->clocks.discarded, most_discarded_jobs);
  EXPECT_EQ(outcome.verdict->clocks.kept, static_cast<std::size_t>(verdict_jobs));
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  EXPECT_NE(text_of(*outcome.verdict).find("clocks_not_held_down"), std::string::npos);
}

TEST_F(VerdictOfARun, APowerCapIsSaidAndDiscardsNothing) {
  script->throttle = [](std::size_t) { return "power cap"; };
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->clocks.discarded, 0U);
  EXPECT_EQ(outcome.verdict->clocks.kept, static_cast<std::size_t>(verdict_jobs));
}

TEST_F(VerdictOfARun, NothingIsSaidOfClocksThatNobodyTellsOf) {
  script->throttle = [](std::size_t) { return ""; };
  script->tells_throttle = false;
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_FALSE(outcome.verdict->clocks.watched);
  EXPECT_EQ(text_of(*outcome.verdict).find("clocks_not_held_down"), std::string::npos);
}

TEST_F(VerdictOfARun, RecordsAColdL2BesideAHotOneThatDecides) {
  script->cold_ratio = 1.5;
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict && outcome.verdict->other_cache);
  EXPECT_EQ(outcome.verdict->cache, "hot");
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  const TimedPairs& other = *outcome.verdict->other_cache;
  EXPECT_EQ(other.cache, "cold");
  EXPECT_NEAR(other.ratio().ratio, 1.5, 1e-6);
  EXPECT_EQ(other.decision_at(outcome.verdict->margin), Decision::correct_slower);
  EXPECT_EQ(other.pairs(), static_cast<std::size_t>(verdict_jobs * other_cache_rounds));
  EXPECT_EQ(other.decision_at(outcome.verdict->margin, fewest_pairs), Decision::not_valid)
      << "too few to decide";
  for (const std::uint64_t seed : other.input_seeds)
    EXPECT_EQ(std::ranges::count(outcome.verdict->input_seeds, seed), 0) << "inputs of its own";
  const auto kept = find_verdict(ledger->events(), outcome.proven_champion()->index);
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_json(*kept), to_json(*outcome.verdict));
  EXPECT_EQ(to_json(*kept).at("other_cache").at("decision"), "correct_slower");
}

TEST_F(VerdictOfARun, WhereTheExperimentSaysSoAColdL2Decides) {
  experiment.gates.cache = "cold";
  script->cold_ratio = 0.8;
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict && outcome.verdict->other_cache);
  EXPECT_EQ(outcome.verdict->cache, "cold");
  EXPECT_NEAR(outcome.verdict->ratio().ratio, 0.8, 1e-6);
  EXPECT_EQ(outcome.verdict->other_cache->cache, "hot");
  EXPECT_NEAR(outcome.verdict->other_cache->ratio().ratio, 0.5, 1e-6);
  // The whole run is timed so, not its end alone.
  std::size_t trials = 0;
  for (const testing::SeenJob& seen : script->jobs) {
    if (seen.fresh) continue;
    ++trials;
    EXPECT_EQ(seen.job.settings.cache, "cold");
  }
  EXPECT_GT(trials, 0U);
}

TEST_F(VerdictOfARun, WhatIsRecordedBesideFailsNothing) {
  script->cold_failure = "no memory for so many sets";
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict && outcome.verdict->other_cache);
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  EXPECT_EQ(outcome.verdict->other_cache->failure, "no memory for so many sets");
  EXPECT_TRUE(to_json(*outcome.verdict).at("other_cache").at("speedup").is_null());
}

TEST_F(VerdictOfARun, ABrokenEnvironmentBesideLeavesTheDecision) {
  script->cold_failure = "no memory";
  script->cold_breaks = true;
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict && outcome.verdict->other_cache);
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  EXPECT_EQ(outcome.verdict->other_cache->failure, "no memory");
}

TEST_F(VerdictOfARun, AModelThatDoesNotTellThemApartRecordsOne) {
  script->kind = "virtual";
  experiment.gates.cache = "cold";
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->cache, "cold");
  EXPECT_FALSE(outcome.verdict->other_cache);
  EXPECT_TRUE(to_json(*outcome.verdict).at("other_cache").is_null());
}

TEST_F(VerdictOfARun, TimesTheOtherL2OnlyWhereTheExperimentAsks) {
  for (const std::string beside : {"none", "comparators"}) {
    experiment.gates.final_beside = beside;
    ledger = engine::make_memory_ledger();
    const RunOutcome outcome = run();
    ASSERT_TRUE(outcome.verdict) << beside;
    EXPECT_FALSE(outcome.verdict->other_cache) << beside;
  }
  for (const testing::SeenJob& seen : script->jobs) EXPECT_EQ(seen.job.settings.cache, "hot");
}

TEST(FinalVerdict, OfAnEvoThatTimedHotAloneIsRead) {
  const FinalVerdict verdict = drawn(0.9, 0.001, 0.003, 3);
  boost::json::object older = to_json(verdict);
  for (const char* key : {"cache", "other_cache"}) older.erase(key);
  engine::EventRecord event = event_of(verdict, 7);
  event.details["verdict"] = boost::json::serialize(older);
  const auto again = find_verdict({event}, 7);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cache, "hot");
  EXPECT_FALSE(again->other_cache);
  const auto today = find_verdict({event_of(verdict, 7)}, 7);
  ASSERT_TRUE(today);
  EXPECT_EQ(again->ratio().ratio, today->ratio().ratio) << "to the bit: the keys decide nothing";
}

TEST(FinalVerdict, SaysWhichBoundsOnCountersItsChampionKeeps) {
  FinalVerdict verdict = drawn(0.9, 0.001, 0.003, 3);
  verdict.counter_bounds = {"dram_percent < 60"};
  EXPECT_NE(text_of(verdict).find("counter_bounds"), std::string::npos);
  const auto again = find_verdict({event_of(verdict, 7)}, 7);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->counter_bounds, verdict.counter_bounds);
}

TEST_F(VerdictOfARun, IsNotTakenAgainWhileTheLedgerHasIt) {
  const RunOutcome first = run();
  const std::size_t jobs = verdict_jobs_seen().size();
  const RunOutcome again = run();
  EXPECT_EQ(verdict_jobs_seen().size(), jobs);
  ASSERT_TRUE(first.verdict && again.verdict);
  EXPECT_EQ(to_json(*again.verdict), to_json(*first.verdict));
}

TEST_F(VerdictOfARun, OnTheVirtualDeviceIsModelledAndExact) {
  script->kind = "virtual";
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->kind, LatencyKind::modelled);
  EXPECT_EQ(outcome.verdict->pairs(), 1U);
  EXPECT_EQ(outcome.verdict->decision(), Decision::promoted);
  EXPECT_TRUE(verdict_jobs_seen().empty());
  EXPECT_EQ(text_of(*outcome.verdict),
            "final verdict: promoted: 2.000x against the baseline (modelled, exact; margin 1 %)\n");
}

}  // namespace
}  // namespace evo::session
