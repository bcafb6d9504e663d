// A model of latency orders a slot's proposals before the device sees one of them.
#include "engine/screen.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/lineage.hpp"
#include "engine/replay.hpp"
#include "evaluators/latency_model.hpp"
#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using evo::testing::FakeEvaluator;
using evo::testing::small_experiment;

class FakeModel final : public evaluators::LatencyModel {
 public:
  [[nodiscard]] std::string name() const override { return called; }
  [[nodiscard]] evaluators::Modelled latency_of(const evaluators::Prepared& prepared) override {
    ++asked;
    return says(prepared.variant);
  }
  std::string called = "fake model 1";
  std::function<evaluators::Modelled(const model::Variant&)> says = [](const model::Variant& variant) {
    return evaluators::Modelled{FakeEvaluator::surface(variant), {}};
  };
  std::atomic<int> asked = 0;
};

model::Experiment screened_experiment(double explore = 0.25) {
  auto experiment = small_experiment();
  experiment.search.screen = {4, explore};
  return experiment;
}

CampaignOptions options_of(FakeModel& model, int threads = 1) {
  CampaignOptions options;
  options.latency_model = &model;
  options.threads = options.device_threads = threads;
  return options;
}

std::map<std::int64_t, ScreenedSlot> slots_of(const Ledger& ledger) {
  std::map<std::int64_t, ScreenedSlot> slots;
  for (const EventRecord& event : ledger.events())
    if (auto slot = screened_slot(event)) slots.emplace(slot->trial, std::move(*slot));
  return slots;
}

TEST(Screened, WhatWentIsTheModelsBestOfDistinctGenomesOfOneTemplate) {
  FakeEvaluator evaluator;
  FakeModel model;
  const Outcome run = run_small(screened_experiment(), evaluator, options_of(model));
  int best = 0, explored = 0, several = 0;
  for (const auto& [index, slot] : slots_of(*run.ledger)) {
    const TrialRecord& trial = run.trials[static_cast<std::size_t>(index)];
    EXPECT_EQ(slot.pool[slot.chosen.position].variant, trial.variant);
    EXPECT_EQ(slot.pool[slot.chosen.position].operator_name, trial.operator_name);
    std::set<std::string> variants;
    for (const ScreenedCandidate& one : slot.pool) {
      EXPECT_TRUE(variants.insert(one.variant).second);
      EXPECT_EQ(one.template_name, trial.template_name);
      if (slot.chosen.choice == ScreenChoice::best) {
        EXPECT_LE(*slot.pool[slot.chosen.position].modelled_us, *one.modelled_us);
      }
    }
    several += slot.pool.size() == 4 ? 1 : 0;
    best += slot.chosen.choice == ScreenChoice::best ? 1 : 0;
    explored += slot.chosen.choice == ScreenChoice::explored ? 1 : 0;
  }
  EXPECT_GT(best, 20);
  EXPECT_GT(explored, 3);
  EXPECT_GT(several, 20);
  EXPECT_EQ(run.trials.size(), 48u) << "what is left out is no trial";
  EXPECT_TRUE(run.ledger->verify().empty());
}

TEST(Screened, TheLineageDoesNotDependOnThreads) {
  std::string lineage;
  for (const int threads : {1, 2, 5}) {
    FakeEvaluator evaluator;
    evaluator.most_delay_us = 300;
    FakeModel model;
    const Outcome run = run_small(screened_experiment(), evaluator, options_of(model, threads));
    if (lineage.empty()) lineage = run.result.lineage_sha256;
    EXPECT_EQ(run.result.lineage_sha256, lineage) << threads;
  }
}

TEST(Screened, AfterACrashAtEveryCommitTheLineageIsTheUndisturbedOne) {
  auto experiment = screened_experiment();
  experiment.search.generations = 4;
  FakeEvaluator evaluator;
  FakeModel model;
  const Outcome undisturbed = run_small(experiment, evaluator, options_of(model, 2));
  for (int commits = 0; commits <= 32; ++commits) {
    for (const bool after : {false, true}) {
      const auto ledger = make_memory_ledger();
      CrashingLedger crashing(*ledger, commits, after);
      EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options_of(model, 2)),
                   CrashingLedger::Crash);
      const auto result = run_campaign(experiment, evaluator, *ledger, 1, options_of(model, 2));
      ASSERT_EQ(result.lineage_sha256, undisturbed.result.lineage_sha256) << commits << after;
      EXPECT_EQ(slots_of(*ledger).size(), slots_of(*undisturbed.ledger).size());
    }
  }
}

TEST(Screened, WhatWasLeftOutMayComeAgain) {
  FakeEvaluator evaluator;
  FakeModel model;
  auto experiment = screened_experiment(0);
  experiment.search.generations = 12;
  const Outcome run = run_small(experiment, evaluator, options_of(model));
  std::map<std::string, std::int64_t> left_out;
  std::int64_t again = 0, soonest = 1000;
  for (const auto& [index, slot] : slots_of(*run.ledger)) {
    for (const ScreenedCandidate& one : slot.pool) {
      const auto before = left_out.find(one.variant);
      if (before != left_out.end()) {
        ++again;
        soonest = std::min(soonest, index - before->second);
      }
    }
    for (std::size_t i = 0; i < slot.pool.size(); ++i)
      if (i != slot.chosen.position) left_out[slot.pool[i].variant] = index;
  }
  EXPECT_GT(again, 0);
  EXPECT_GE(soonest, experiment.search.max_in_flight)
      << "among those in flight a draw does not know what was chosen";
}

TEST(Screened, ATemplateThatTheModelDoesNotKnowGoesAsWithoutScreening) {
  FakeEvaluator evaluator;
  FakeModel model;
  model.says = [](const model::Variant& variant) {
    if (variant.template_name == "simple") return evaluators::Modelled{std::nullopt, "no such instruction"};
    return evaluators::Modelled{FakeEvaluator::surface(variant), {}};
  };
  const Outcome run = run_small(screened_experiment(), evaluator, options_of(model));
  int unknown_ones = 0;
  for (const auto& [index, slot] : slots_of(*run.ledger)) {
    if (slot.pool.front().template_name != "simple") continue;
    ++unknown_ones;
    EXPECT_EQ(slot.chosen.choice, ScreenChoice::not_modelled);
    EXPECT_EQ(slot.chosen.position, 0u);
    EXPECT_EQ(slot.pool.front().not_modelled, "no such instruction");
  }
  EXPECT_GT(unknown_ones, 0);
}

TEST(Screened, WhatFailsBeforeTheDeviceIsNotChosenWhereAnythingElseIs) {
  FakeEvaluator evaluator;
  evaluator.fails_resources = [](const model::Variant& variant) -> std::optional<model::Failure> {
    if (FakeEvaluator::missing_barrier(variant) || variant.template_name != "tiled" ||
        FakeEvaluator::integer(variant, "WARPS") != 8)
      return std::nullopt;
    return model::Failure{model::Status::over_budget, "spills", {}};
  };
  FakeModel model;
  const Outcome run = run_small(screened_experiment(0), evaluator, options_of(model));
  int refused = 0;
  for (const auto& [index, slot] : slots_of(*run.ledger)) {
    bool any = false;
    for (const ScreenedCandidate& one : slot.pool) any = any || one.modelled_us.has_value();
    const ScreenedCandidate& went = slot.pool[slot.chosen.position];
    EXPECT_EQ(went.failed.empty(), any);
    for (const ScreenedCandidate& one : slot.pool) refused += one.failed == "over_budget (spills)" ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(Screened, DesignsThatSomebodyNamedAreTried) {
  FakeEvaluator evaluator;
  FakeModel model;
  model.says = [](const model::Variant&) { return evaluators::Modelled{1e6, {}}; };
  auto experiment = screened_experiment(0);
  model::Genome start = experiment.baseline;
  start.set("BLOCK_M", std::int64_t{64});
  start.set("BLOCK_N", std::int64_t{64});
  experiment.initial_designs = {{"tiled", start, "a test"}};
  const Outcome run = run_small(experiment, evaluator, options_of(model));
  EXPECT_EQ(run.trials[1].operator_name, "experiment_start");
  EXPECT_EQ(run.trials[1].genome, start);
  EXPECT_EQ(run.trials[2].operator_name, "template_initial");
  EXPECT_FALSE(slots_of(*run.ledger).contains(0));
  EXPECT_FALSE(slots_of(*run.ledger).contains(1));
  EXPECT_FALSE(slots_of(*run.ledger).contains(2));
  EXPECT_TRUE(slots_of(*run.ledger).contains(3));
}

int count_of(const Ledger& ledger, ScreenChoice choice) {
  int count = 0;
  for (const auto& [index, slot] : slots_of(ledger)) count += slot.chosen.choice == choice ? 1 : 0;
  return count;
}

TEST(Screened, AModelThatRanksNothingRests) {
  FakeEvaluator evaluator;
  FakeModel inverse;
  inverse.says = [](const model::Variant& variant) {
    return evaluators::Modelled{1 / FakeEvaluator::surface(variant), {}};
  };
  auto experiment = screened_experiment(0);
  experiment.search.generations = 12;
  const Outcome run = run_small(experiment, evaluator, options_of(inverse));
  EXPECT_GT(count_of(*run.ledger, ScreenChoice::rested), 40);
  EXPECT_GE(count_of(*run.ledger, ScreenChoice::best), 10) << "it is believed at first";
  for (const auto& [index, slot] : slots_of(*run.ledger)) {
    if (slot.chosen.choice != ScreenChoice::rested) continue;
    EXPECT_EQ(slot.pool.size(), 1u);
    EXPECT_TRUE(slot.pool.front().modelled_us) << "it is asked on, and may be believed again";
  }
  EXPECT_TRUE(replay_run(experiment, evaluator, *run.ledger, {2, {}, &inverse}).match());
  FakeModel correct;
  EXPECT_EQ(count_of(*run_small(experiment, evaluator, options_of(correct)).ledger, ScreenChoice::rested), 0);
}

TEST(Screened, WhatRestsRestsAfterEveryCrash) {
  auto experiment = screened_experiment();
  FakeEvaluator evaluator;
  FakeModel inverse;
  inverse.says = [](const model::Variant& variant) {
    return evaluators::Modelled{1 / FakeEvaluator::surface(variant), {}};
  };
  const Outcome undisturbed = run_small(experiment, evaluator, options_of(inverse, 2));
  ASSERT_GT(count_of(*undisturbed.ledger, ScreenChoice::rested), 0);
  for (int commits = 1; commits <= 48; commits += 3) {
    const auto ledger = make_memory_ledger();
    CrashingLedger crashing(*ledger, commits, true);
    EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options_of(inverse, 2)),
                 CrashingLedger::Crash);
    const auto result = run_campaign(experiment, evaluator, *ledger, 1, options_of(inverse, 2));
    ASSERT_EQ(result.lineage_sha256, undisturbed.result.lineage_sha256) << commits;
  }
}

TEST(Screened, OffNothingIsAskedAndTheLineageIsThatOfBefore) {
  FakeEvaluator evaluator;
  FakeModel model;
  const Outcome plain = run_small(small_experiment(), evaluator);
  const Outcome off = run_small(small_experiment(), evaluator, options_of(model));
  EXPECT_EQ(model.asked, 0);
  EXPECT_EQ(off.result.lineage_sha256, plain.result.lineage_sha256);
  EXPECT_TRUE(slots_of(*off.ledger).empty());
  EXPECT_THROW((void)run_small(screened_experiment(), evaluator), model::Exception);
}

TEST(Screened, AModelThatKnowsFindsMore) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    double best[2]{};
    for (const bool screens : {false, true}) {
      auto experiment = screens ? screened_experiment(0.1) : small_experiment();
      experiment.search.seed = seed;
      experiment.search.generations = 3;
      FakeEvaluator evaluator;
      FakeModel model;
      best[screens ? 1 : 0] = run_small(experiment, evaluator, options_of(model))
                                  .result.progress.champion->latency()
                                  ->microseconds;
    }
    better += best[1] < best[0] ? 1 : best[1] > best[0] ? -1 : 0;
  }
  EXPECT_GT(better, 3);
}

ReplayReport replayed(const model::Experiment& experiment, const Outcome& run, FakeModel& model,
                      int threads = 2) {
  FakeEvaluator evaluator;
  ReplayOptions options;
  options.threads = threads;
  options.latency_model = &model;
  return replay_run(experiment, evaluator, *run.ledger, options);
}

TEST(Screened, ReplayMakesEveryChoiceAgain) {
  FakeEvaluator evaluator;
  FakeModel model;
  const auto experiment = screened_experiment();
  const Outcome run = run_small(experiment, evaluator, options_of(model, 3));
  for (const int threads : {1, 3}) EXPECT_TRUE(replayed(experiment, run, model, threads).match());
  ReplayOptions options;
  options.latency_model = &model;
  for (const std::size_t at : {5U, 20U, 47U}) {
    FakeEvaluator again;
    EXPECT_TRUE(replay_variant(experiment, again, *run.ledger, run.trials[at].variant, options).match())
        << at;
  }
}

TEST(Screened, ReplayFindsAModelThatSaysSomethingElse) {
  FakeEvaluator evaluator;
  FakeModel model;
  const auto experiment = screened_experiment();
  const Outcome run = run_small(experiment, evaluator, options_of(model));
  FakeModel other;
  other.says = [](const model::Variant& variant) {
    return evaluators::Modelled{100 - FakeEvaluator::surface(variant), {}};
  };
  const ReplayReport report = replayed(experiment, run, other);
  EXPECT_TRUE(std::any_of(report.mismatches.begin(), report.mismatches.end(), [](const Mismatch& mismatch) {
    return mismatch.table == "events" && mismatch.field == "screened";
  }));
  EXPECT_FALSE(report.match());
}

TEST(Screened, ARunIsNotContinuedWithAnotherModel) {
  FakeEvaluator evaluator;
  FakeModel model;
  const auto experiment = screened_experiment();
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 20, true);
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, options_of(model)),
               CrashingLedger::Crash);
  model.called = "fake model 2";
  try {
    (void)run_campaign(experiment, evaluator, *ledger, 1, options_of(model));
    FAIL() << "another model went on";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
  }
}

TEST(Screened, AnExceptionOfTheModelEndsTheRun) {
  FakeEvaluator evaluator;
  FakeModel model;
  model.says = [](const model::Variant&) -> evaluators::Modelled {
    throw model::Exception(model::ExitCode::environment, "no memory");
  };
  EXPECT_THROW((void)run_small(screened_experiment(), evaluator, options_of(model, 3)), model::Exception);
}

}  // namespace
}  // namespace evo::engine
