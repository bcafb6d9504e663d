// A champion whose genes do nothing goes back to the first values, proven and judged as a champion is.
#include "session/reduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/lineage.hpp"
#include "engine/replay.hpp"
#include "model/edits.hpp"
#include "mutators/source_mutator.hpp"
#include "session/run.hpp"
#include "session/variants.hpp"
#include "tests/session/fake_stack.hpp"

namespace evo::session {
namespace {

using evaluators::gates::DeviceJob;
using testing::SeenJob;

bool has(const DeviceJob& job, const std::string& text) {
  return job.artifact.ptx.find(text) != std::string::npos;
}

/// On the virtual device, where 128 threads are twice as fast as others, and EXTRA_SMEM costs `per_extra` us.
struct ReductionTest : ::testing::Test, testing::FakeRun {
  ReductionTest() {
    experiment.templates = {"plain"};
    experiment.search.population = 4;
    experiment.search.generations = 6;
    experiment.search.max_in_flight = 1;
    experiment.budget.trials = 16;
    experiment.budget.insight_checks = 12;
    experiment.input_seed = 4;
    experiment.resolved_yaml = "name: add\n";
    script->kind = "virtual";
    script->microseconds = [this](const DeviceJob& job) {
      const double extra = has(job, "#define EXTRA_SMEM 0") ? 0 : per_extra;
      return (has(job, "#define THREADS 64") ? 20.0 : 10.0) + extra;
    };
  }
  RunOutcome run() { return run_to_the_end(experiment, stack(), *ledger, input_seed, {}); }
  [[nodiscard]] std::int64_t events(const std::string& kind) const {
    const auto all = ledger->events();
    return std::count_if(all.begin(), all.end(), [&](const auto& event) { return event.kind == kind; });
  }
  double per_extra = -0.05;  // half a percent that the search takes, and that is none
  std::unique_ptr<engine::Ledger> ledger = engine::make_memory_ledger();
};

TEST_F(ReductionTest, AGeneThatDoesNothingGoesBackAndTheReducedOneIsTheChampion) {
  const RunOutcome outcome = run();
  ASSERT_NE(outcome.searched_champion(), nullptr);
  const engine::TrialRecord& searched = *outcome.searched_champion();
  ASSERT_NE(searched.genome.at("EXTRA_SMEM"), experiment.baseline.at("EXTRA_SMEM"));
  ASSERT_TRUE(outcome.reduction);
  ASSERT_TRUE(outcome.reduction->stands()) << outcome.reduction->refused;
  EXPECT_TRUE(outcome.reduction->back.contains("EXTRA_SMEM"));
  EXPECT_FALSE(outcome.reduction->back.contains("THREADS")) << "that gene matters";
  const engine::TrialRecord& champion = *outcome.proven_champion();
  EXPECT_EQ(champion.genome.at("EXTRA_SMEM"), experiment.baseline.at("EXTRA_SMEM"));
  EXPECT_EQ(champion.genome.at("THREADS"), searched.genome.at("THREADS"));
  EXPECT_EQ(champion.parents, std::vector<std::string>{searched.variant});
  EXPECT_EQ(outcome.result.progress.champion->variant, champion.variant);
  ASSERT_TRUE(outcome.reduction->against_champion);
  EXPECT_EQ(outcome.reduction->against_champion->decision(), Decision::tie);
  ASSERT_TRUE(outcome.verdict);
  EXPECT_EQ(outcome.verdict->variant, champion.variant);
  EXPECT_NEAR(outcome.verdict->ratio().ratio, 0.5, 1e-9);
}

TEST_F(ReductionTest, TheLedgerSaysTheSameAndTheLineageIsThatWithoutIt) {
  const RunOutcome outcome = run();
  const std::vector<engine::TrialRecord> trials = ledger->trials();
  const auto kept = final_champion(trials, ledger->events());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->variant, outcome.proven_champion()->variant);
  EXPECT_EQ(kept->genome, outcome.proven_champion()->genome);
  EXPECT_NEAR(kept->latency()->microseconds, 10, 1e-9);
  EXPECT_EQ(find_variant(trials, "", ledger->events()).variant, kept->variant);
  EXPECT_EQ(find_variant(trials, kept->variant.substr(0, 12), ledger->events()).variant, kept->variant);
  EXPECT_EQ(variant_of_trial(*kept), outcome.searched_champion()->variant);
  EXPECT_EQ(proven_variant(experiment, *kept, "exported").variant.id, kept->variant);
  EXPECT_EQ(find_verdict(ledger->events(), kept->index, kept->variant)->variant, kept->variant);
  EXPECT_EQ(find_verdict(ledger->events(), kept->index, variant_of_trial(*kept))->variant,
            variant_of_trial(*kept));
  const std::string with = engine::lineage_sha256(trials);
  ledger = engine::make_memory_ledger();
  experiment.budget.insight_checks = 0;
  const RunOutcome without = run();
  EXPECT_FALSE(without.reduction);
  EXPECT_EQ(engine::lineage_sha256(without.trials), with);
}

/// What an operator does first to the template's text.
source::Edits first_change(const model::Template& kernel, std::string_view operation) {
  const auto text = mutators::edited_source(kernel.source, {kernel.entry}, 64);
  for (const auto& mutator : mutators::source_mutators()) {
    if (mutator->name() != operation) continue;
    const auto changes = mutator->changes(text);
    if (!changes.empty()) return changes.front();
  }
  throw std::logic_error("no such edit");
}

TEST_F(ReductionTest, AnEditThatDoesNothingIsLeftOut) {
  const model::Template& kernel = experiment.problem.templates.front();
  source::Edits useful = first_change(kernel, "restrict");
  source::Edits all = first_change(kernel, "launch_bounds");
  ASSERT_EQ(all.size(), 1U);
  all.insert(all.end(), useful.begin(), useful.end());
  script->microseconds = [](const DeviceJob& job) { return has(job, "__restrict__") ? 8.0 : 10.0; };
  engine::TrialRecord baseline = trial(0, 10), champion = trial(1, 8);
  champion.genome = model::with_edits(baseline.genome, all);
  const engine::SearchSpace space = engine::make_search_space(experiment);
  const model::Genome first = first_values(space, champion);
  std::vector<InsightCheck> checks;
  for (const model::Environment& step : steps_back(&space, champion, first)) {
    ASSERT_EQ(step.size(), 1U);
    EXPECT_TRUE(model::names_an_edit(step.begin()->first));
    checks.push_back(make_check(experiment, space, stack(), champion, step));
    const bool matters = checks.back().from.begin()->second != model::Value(source::text_of(all.front()));
    EXPECT_EQ(status_of(checks.back(), 1), matters ? CheckStatus::confirmed : CheckStatus::refuted);
  }
  EXPECT_EQ(checks.size(), all.size());
  const model::Environment back = reducible(checks, first);
  EXPECT_EQ(back, (model::Environment{{"~00", std::string(model::no_edit)}}));
  std::optional<FinalVerdict> own;
  const auto reduction =
      reduce_champion(experiment, stack(), baseline, champion, back, std::nullopt, own, {});
  ASSERT_TRUE(reduction);
  EXPECT_TRUE(reduction->stands()) << reduction->refused;
  EXPECT_EQ(model::edits_of(reduction->trial.genome), useful);
  EXPECT_EQ(reduction->trial.genome, model::with_edits(baseline.genome, useful)) << "they are numbered anew";
  EXPECT_EQ(model::change_text(reduction->was, back), "without " + source::text_of(all.front()));
  const auto read = find_reduction({event_of(*reduction, champion.index)}, champion);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->trial.genome, reduction->trial.genome) << "what is exported is what was proven";
}

TEST_F(ReductionTest, ItIsMadeOnce) {
  const RunOutcome first = run();
  const RunOutcome again = run();
  EXPECT_EQ(events(champion_reduced_event), 1);
  EXPECT_EQ(events(final_verdict_event), 2) << "the champion's and the reduced one's";
  EXPECT_EQ(again.proven_champion()->variant, first.proven_champion()->variant);
  EXPECT_EQ(again.verdict->variant, first.verdict->variant);
}

TEST_F(ReductionTest, ARunThatHasEndedIsTestedLaterAndStaysReduced) {
  experiment.budget.insight_checks = 0;
  const RunOutcome untested = run();
  EXPECT_FALSE(untested.reduction);
  experiment.budget.insight_checks = 12;
  const RunOutcome tested = run();
  ASSERT_TRUE(tested.reduction && tested.reduction->stands());
  EXPECT_EQ(tested.searched_champion()->variant, untested.searched_champion()->variant);
  experiment.budget.insight_checks = 0;
  const RunOutcome again = run();
  ASSERT_NE(again.proven_champion(), nullptr);
  EXPECT_EQ(again.proven_champion()->variant, tested.proven_champion()->variant);
  EXPECT_EQ(again.verdict->variant, tested.verdict->variant);
  EXPECT_EQ(events(champion_reduced_event), 1);
}

TEST_F(ReductionTest, ReplayAgrees) {
  static_cast<void>(run());
  const engine::ReplayReport report = engine::replay_run(experiment, stack().ladder(), *ledger);
  EXPECT_TRUE(report.match());
}

TEST_F(ReductionTest, WhatMattersDoesNotGoBack) {
  per_extra = -2;
  const RunOutcome outcome = run();
  ASSERT_NE(outcome.searched_champion(), nullptr);
  ASSERT_NE(outcome.searched_champion()->genome.at("EXTRA_SMEM"), experiment.baseline.at("EXTRA_SMEM"));
  EXPECT_TRUE(!outcome.reduction || !outcome.reduction->back.contains("EXTRA_SMEM"));
}

TEST_F(ReductionTest, OneThatIsNotProvenLeavesTheChampion) {
  // Right in trials and checks, wrong in the fresh process of the proof.
  script->verdict = [](const SeenJob& seen) -> std::optional<model::Failure> {
    if (seen.fresh && has(seen.job, "#define EXTRA_SMEM 0"))
      return testing::failure_of(model::Status::wrong, "mismatch");
    return std::nullopt;
  };
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.reduction);
  EXPECT_FALSE(outcome.reduction->stands());
  EXPECT_EQ(outcome.proven_champion()->variant, outcome.searched_champion()->variant);
  EXPECT_EQ(outcome.verdict->variant, outcome.searched_champion()->variant);
  EXPECT_EQ(final_champion(ledger->trials(), ledger->events())->variant,
            outcome.searched_champion()->variant);
  const RunOutcome again = run();
  EXPECT_EQ(events(champion_reduced_event), 1) << "a refusal is kept, too";
  EXPECT_FALSE(again.reduction->stands());
}

TEST_F(ReductionTest, OneThatIsSlowerInTheVerdictLeavesTheChampion) {
  const RunOutcome first = run();
  ASSERT_TRUE(first.reduction && first.reduction->stands());
  const engine::TrialRecord champion = *first.searched_champion();
  // The same change, two percent slower by now.
  per_extra = -0.5;
  std::optional<FinalVerdict> own;
  const auto made =
      reduce_champion(experiment, stack(), first.trials.front(), champion, first.reduction->back,
                      find_verdict(ledger->events(), champion.index, champion.variant), own, {});
  ASSERT_TRUE(made);
  // The record of the champion says 9.95, the reduced one is 10: a tie; against one of 9.5 it is not.
  engine::TrialRecord faster = champion;
  for (model::WorkloadLatency& one : faster.latencies) one.latency.microseconds = 9.5;
  const auto refused = reduce_champion(experiment, stack(), first.trials.front(), faster,
                                       first.reduction->back, first.verdict, own, {});
  ASSERT_TRUE(refused);
  EXPECT_TRUE(made->stands());
  EXPECT_FALSE(refused->stands());
}

TEST_F(ReductionTest, OneThatIsWrongOnTheLadderLeavesTheChampion) {
  const RunOutcome first = run();
  ASSERT_TRUE(first.reduction && first.reduction->stands());
  script->verdict = [](const SeenJob& seen) -> std::optional<model::Failure> {
    if (!seen.fresh && has(seen.job, "#define EXTRA_SMEM 0"))
      return testing::failure_of(model::Status::wrong, "mismatch");
    return std::nullopt;
  };
  std::optional<FinalVerdict> own;
  const auto made = reduce_champion(experiment, stack(), first.trials.front(), *first.searched_champion(),
                                    first.reduction->back, first.verdict, own, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->stands());
  EXPECT_NE(made->refused.find("mismatch"), std::string::npos) << made->refused;
  EXPECT_FALSE(own);
}

TEST_F(ReductionTest, OneThatIsNoGainOnTheBaselineAnyMoreLeavesTheChampion) {
  const RunOutcome first = run();
  ASSERT_TRUE(first.reduction && first.reduction->stands());
  const engine::TrialRecord champion = *first.searched_champion();
  // 1.2 percent above the champion, 0.7 above the reduced one.
  engine::TrialRecord baseline = first.trials.front();
  for (model::WorkloadLatency& one : baseline.latencies) one.latency.microseconds = 10.075;
  const auto verdict = judge_champion(experiment, stack(), baseline, champion, 1, {});
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->decision(), Decision::promoted);
  std::optional<FinalVerdict> own;
  const auto made =
      reduce_champion(experiment, stack(), baseline, champion, first.reduction->back, verdict, own, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->stands());
  EXPECT_FALSE(own);
}

TEST_F(ReductionTest, AnEventReadsBack) {
  const RunOutcome outcome = run();
  ASSERT_TRUE(outcome.reduction);
  const auto again = find_reduction({event_of(*outcome.reduction, outcome.searched_champion()->index)},
                                    *outcome.searched_champion());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->trial.genome, outcome.reduction->trial.genome);
  EXPECT_EQ(again->trial.source_hash, outcome.reduction->trial.source_hash);
  EXPECT_EQ(again->was, outcome.reduction->was);
  EXPECT_EQ(again->back, outcome.reduction->back);
  EXPECT_EQ(again->against_champion->decision(), Decision::tie);
  engine::TrialRecord other = *outcome.searched_champion();
  other.variant = "another";
  EXPECT_FALSE(find_reduction(ledger->events(), other));
}

}  // namespace
}  // namespace evo::session
