// Runs that edit the text: a kernel with barriers that nothing needs and one that is needed, judged by a
// fake.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "engine/barrier_claims.hpp"
#include "engine/operator_counts.hpp"
#include "engine/replay.hpp"
#include "engine/tally.hpp"
#include "model/edits.hpp"
#include "source/text_gene.hpp"
#include "tests/engine/edited_kernel.hpp"

namespace evo::engine {
namespace {

TEST(SourceRun, FindsTheBarriersThatNothingNeedsAndKeepsTheOneThatIs) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const Outcome outcome = run_small(edits_experiment(), evaluator);
  const TrialRecord& champion = *outcome.result.progress.champion;
  EXPECT_EQ(champion.latency()->microseconds, 11);
  // Three barriers are gone, and what did nothing was taken away again: without any one edit it is slower or
  // wrong.
  const source::Edits edits = model::edits_of(champion.genome);
  EXPECT_GE(edits.size(), 3U);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    source::Edits without = edits;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    const model::Variant less = model::make_variant(edits_experiment().problem.templates.front(),
                                                    edits_experiment().problem.templates.front().space,
                                                    model::with_edits(champion.genome, without));
    EXPECT_TRUE(race(less) || evaluator.latency(less) > 11) << source::text_of(edits[i]);
  }
  for (const EditShare& share : edit_shares(outcome.trials, champion)) {
    if (!share.factor) continue;
    EXPECT_GT(*share.factor, 1);
  }
  // The genes stood still.
  EXPECT_EQ(model::with_edits(champion.genome, {}), edits_experiment().baseline);
  EXPECT_EQ(outcome.result.status, CampaignStatus::done);
}

// The last slots try the champion without each of its edits; one that is found in the very last ones is not
// tried.
TEST(SourceRun, EndsWithAChampionWhoseEditsWereEachTried) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    testing::FakeEvaluator evaluator;
    judge_barriers(evaluator);
    model::Experiment experiment = edits_experiment();
    experiment.search.generations = 8;
    experiment.search.seed = seed;
    const Outcome outcome = run_small(experiment, evaluator);
    const TrialRecord& champion = *outcome.result.progress.champion;
    const source::Edits edits = model::edits_of(champion.genome);
    EXPECT_FALSE(edits.empty()) << seed;
    for (std::size_t i = 0; i < edits.size(); ++i) {
      source::Edits without = edits;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const model::Genome genome = model::with_edits(champion.genome, without);
      EXPECT_TRUE(std::ranges::any_of(outcome.trials,
                                      [&](const TrialRecord& trial) { return trial.genome == genome; }))
          << "seed " << seed << ", edit " << i;
    }
  }
}

// The fake compiler takes no notice of __restrict__: after a few trials that is known.
TEST(SourceRun, AChangeThatLeavesTheCodeAsItWasIsRarelyMadeAgain) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  evaluator.identity = [](const model::Variant& variant) {
    std::string text = variant.source;
    const std::string word = "__restrict__";
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.erase(at, word.size());
    std::erase(text, ' ');
    return text;
  };
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators["restrict"] = 1;
  const Outcome outcome = run_small(experiment, evaluator);
  const auto idle = std::ranges::count_if(outcome.trials, [](const TrialRecord& trial) {
    return trial.operator_name == "restrict" && trial.status == model::Status::duplicate;
  });
  EXPECT_GE(idle, 1);
  EXPECT_LT(idle * 4, static_cast<std::ptrdiff_t>(outcome.trials.size()));
}

// Two halves of one barrier stand at two places; a second split of it would leave parts of the first.
TEST(SourceRun, ABarrierIsSplitOnce) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators.erase("source_edits");
  experiment.search.mutators["barrier_split"] = 1;
  experiment.search.generations = 4;
  std::size_t split = 0;
  for (const TrialRecord& trial : run_small(experiment, evaluator).trials) {
    std::size_t made = 0, come = 0, waited = 0;
    for (const source::Edit& edit : model::edits_of(trial.genome)) {
      made += edit.payload.find("mbarrier.init") != std::string::npos ? 1 : 0;
      come += edit.payload.find("mbarrier.arrive") != std::string::npos ? 1 : 0;
      waited += edit.payload.find("mbarrier.test_wait") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(made, come) << trial.variant;
    EXPECT_EQ(waited, come) << trial.variant;
    split += come;
  }
  EXPECT_GT(split, 0U);
}

TEST(SourceRun, SaysWhichBarriersItDidWithout) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators.erase("source_edits");
  experiment.search.mutators["barrier_delete"] = 1;
  const Outcome outcome = run_small(experiment, evaluator);
  const SearchSpace space = make_search_space(experiment);
  std::set<int> needed, not_needed;
  for (const BarrierClaim& claim : barrier_claims(outcome.trials, &space)) {
    (claim.needed ? needed : not_needed).insert(claim.line);
    EXPECT_EQ(claim.text, "__syncthreads();");
    EXPECT_EQ(claim.reason, claim.needed ? "race_shared" : "");
    EXPECT_TRUE(claim.needed || claim.without >= 1);
  }
  EXPECT_EQ(needed, std::set<int>{5});
  EXPECT_EQ(not_needed, (std::set<int>{3, 7, 9}));
  for (const BarrierClaim& claim : barrier_claims(outcome.trials, nullptr)) EXPECT_EQ(claim.line, 0);
}

// An edit that makes no difference goes, also where the variant without it has the code of another one and
// was therefore not run itself.
TEST(SourceRun, AnEditWithoutEffectOnTheCodeLeavesTheChampion) {
  const model::Genome genes = edits_experiment().baseline;
  const source::Edit useful{"barrier_delete", "simple/1#0", "delete"},
      idle{"load_hint", "simple/2#0", "delete"};
  const auto trial = [&](const source::Edits& edits, model::Status status, double microseconds) {
    TrialRecord record;
    record.template_name = "simple";
    record.genome = model::with_edits(genes, edits);
    record.status = status;
    record.latencies = {{"w", 1, {model::LatencyKind::modelled, microseconds, {}, 1, ""}}};
    return record;
  };
  std::vector<TrialRecord> trials{trial({}, model::Status::proven, 10),
                                  trial({useful, idle}, model::Status::better, 8),
                                  trial({useful}, model::Status::duplicate, 8)};
  EXPECT_EQ(champion_of(trials), &trials[2]);
  trials[2].latencies.front().latency.microseconds = 9;
  EXPECT_EQ(champion_of(trials), &trials[1]);
  trials[2] = trial({idle, {"restrict", "simple#0", "head"}}, model::Status::duplicate, 8);  // no part of it
  EXPECT_EQ(champion_of(trials), &trials[1]);
  trials[2] = trial({useful}, model::Status::wrong, 8);
  EXPECT_EQ(champion_of(trials), &trials[1]);
}

TEST(SourceRun, ARaceIsMendedWhereItsLinesSay) {
  const auto repairs = [](const char* preset) {
    testing::FakeEvaluator evaluator;
    judge_barriers(evaluator);
    model::Experiment experiment = edits_experiment();
    experiment.search.preset = preset;
    std::pair<int, int> tried_and_correct;
    for (const TrialRecord& trial : run_small(experiment, evaluator).trials) {
      if (trial.operator_name != "race_repair") continue;
      ++tried_and_correct.first;
      tried_and_correct.second += trial.correct() ? 1 : 0;
    }
    return tried_and_correct;
  };
  EXPECT_GE(repairs("full").second, 1);
  EXPECT_EQ(repairs("insight").first, 0);  // it does not know how trials ended
  EXPECT_EQ(repairs("free").first, 0);
}

// What made a correct variant wrong is rarely made again, beside other edits either.
TEST(SourceRun, WhatWasInVainIsRarelyTriedAgain) {
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators.erase("source_edits");
  experiment.search.mutators["barrier_delete"] = 1;
  experiment.search.generations = 1000;
  const SearchSpace space = make_search_space(experiment);
  const auto changes = mutators::BarrierDelete().changes(
      mutators::edited_source(experiment.problem.templates.front().source, {"simple"}, 0));
  ASSERT_EQ(changes.size(), 4U);
  std::vector<TrialRecord> trials(3);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].index = static_cast<std::int64_t>(i);
    trials[i].variant = "v" + std::to_string(i);
    trials[i].template_name = "simple";
    trials[i].genome = experiment.baseline;
    trials[i].status = model::Status::better;
    trials[i].latencies = {
        {"w", 1, {model::LatencyKind::modelled, 10.0 - static_cast<double>(i), {}, 1, ""}}};
    if (i > 0) trials[i].parents = {"v0"};
    if (i > 0) trials[i].operator_name = "barrier_delete";
  }
  const source::Edit vain = changes[1].front();
  trials[1].genome = model::with_edits(experiment.baseline, changes[0]);
  trials[2].genome = model::with_edits(experiment.baseline, changes[1]);
  trials[2].status = model::Status::sanitizer_fail;
  trials[2].latencies.clear();
  const auto again = [&](const char* preset) {
    experiment.search.preset = preset;
    const auto strategy = make_strategy(experiment.search, space);
    int count = 0;
    for (int index = 10; index < 310; ++index) {
      const Proposal proposal =
          strategy->ask({trials, nullptr}, {index / 10, index % 10, std::int64_t{index}}, nullptr);
      const source::Edits edits = model::edits_of(proposal.genome);
      count += std::ranges::find(edits, vain) != edits.end() ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(again("full"), 0);
  EXPECT_LT(again("full"), 30);
  EXPECT_GT(again("insight"), 40);  // it does not know how trials ended
}

// What other searches are measured against: it looks at nothing that came before.
TEST(SourceRun, RandomEditsLearnNothing) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  model::Experiment experiment = edits_experiment();
  experiment.search.strategy = "random";
  const Outcome outcome = run_small(experiment, evaluator);
  const std::string baseline = outcome.trials.front().variant;
  std::size_t edited = 0;
  for (const TrialRecord& trial : outcome.trials) {
    if (trial.operator_name != "random_edits") continue;
    ++edited;
    EXPECT_EQ(trial.parents, std::vector<std::string>{baseline});
    EXPECT_LE(model::edits_of(trial.genome).size(), 12U);
  }
  EXPECT_GT(edited, outcome.trials.size() / 2);
}

TEST(SourceRun, TheLineageDependsOnNoThread) {
  std::set<std::string> lineages;
  for (const int threads : {1, 4}) {
    testing::FakeEvaluator evaluator;
    judge_barriers(evaluator);
    evaluator.most_delay_us = threads == 1 ? 0 : 500;
    CampaignOptions options;
    options.threads = threads;
    options.device_threads = threads;
    lineages.insert(run_small(edits_experiment(), evaluator, options).result.lineage_sha256);
  }
  EXPECT_EQ(lineages.size(), 1U);
}

TEST(SourceRun, GoesOnAfterACrashAndIsReplayed) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const model::Experiment experiment = edits_experiment();
  const std::string undisturbed = run_small(experiment, evaluator).result.lineage_sha256;
  const auto ledger = make_memory_ledger();
  CrashingLedger crashing(*ledger, 40, true);
  EXPECT_THROW((void)run_campaign(experiment, evaluator, crashing, 1, {}), CrashingLedger::Crash);
  EXPECT_EQ(run_campaign(experiment, evaluator, *ledger, 1, {}).lineage_sha256, undisturbed);
  const ReplayReport report = replay_run(experiment, evaluator, *ledger, {});
  EXPECT_TRUE(report.mismatches.empty());
}

TEST(SourceRun, ItsCountsShrinkFromLeftToRight) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const Outcome outcome = run_small(edits_experiment(), evaluator);
  EXPECT_TRUE(has_edits(outcome.trials));
  std::int64_t all = 0;
  for (const OperatorCounts& row : operator_counts(outcome.trials)) {
    EXPECT_GE(row.proposed, row.parsed);
    EXPECT_GE(row.parsed, row.compiled);
    EXPECT_GE(row.compiled, row.changed);
    EXPECT_GE(row.changed, row.sanitized);
    EXPECT_GE(row.sanitized, row.correct);
    EXPECT_GE(row.correct, row.faster);
    all += row.proposed;
  }
  EXPECT_EQ(all, static_cast<std::int64_t>(outcome.trials.size()));
}

const std::string kernel_with_a_number =
    "#define TILE 8\n"
    "extern \"C\" __global__ void simple(float* x) {\n"
    "  for (int i = 0; i < TILE; ++i) x[i] = i;\n"
    "}\n";

/// What the text's gene of this name stands for; 0 without one.
std::int64_t number_of(const model::Variant& variant, const std::string& name) {
  const std::string line = "#define " + name + " ";
  const std::size_t at = variant.source.find(line);
  return at == std::string::npos ? 0 : std::stoll(variant.source.substr(at + line.size()));
}

model::Experiment numbers_experiment() {
  model::Experiment experiment = edits_experiment();
  experiment.problem.templates.front().source = kernel_with_a_number;
  experiment.search.mutators.erase("source_edits");
  experiment.search.mutators["constant_gene"] = 1;
  experiment.search.mutators["gene_value"] = 1;
  experiment.search.generations = 4;
  return experiment;
}

void judge_numbers(testing::FakeEvaluator& evaluator) {
  evaluator.identity = [](const model::Variant& variant) { return variant.source; };
  evaluator.latency = [](const model::Variant& variant) {
    const std::int64_t tile = number_of(variant, "GENE_TILE");
    return 10.0 - static_cast<double>(tile == 0 ? 8 : tile) / 8;
  };
}

// The constant becomes a gene, and the best of its values is found; whoever repeats the run finds the same.
TEST(SourceRun, ANumberOfTheTextBecomesAGene) {
  testing::FakeEvaluator evaluator;
  judge_numbers(evaluator);
  const Outcome outcome = run_small(numbers_experiment(), evaluator);
  const TrialRecord& champion = *outcome.result.progress.champion;
  EXPECT_EQ(champion.latency()->microseconds, 6);
  ASSERT_EQ(model::edits_of(champion.genome).size(), 1U);
  EXPECT_TRUE(std::ranges::any_of(outcome.trials, [](const TrialRecord& trial) {
    return trial.operator_name == "gene_value" && trial.correct();
  }));
  EXPECT_TRUE(replay_run(numbers_experiment(), evaluator, *outcome.ledger, {}).mismatches.empty());
}

// A gene of the text obeys its own condition over the template's genes, whoever changes either.
TEST(SourceRun, AGeneOfTheTextKeepsItsCondition) {
  const model::Experiment experiment = edits_experiment();
  const model::Template& kernel = experiment.problem.templates.front();
  const auto with = [&](std::int64_t value, const std::string& condition,
                        const std::string& name = "ROUNDS") {
    return kernel.space.violation(model::with_edits(
        experiment.baseline, {{"llm:m", source::gene_anchor(name),
                               source::payload_of({name, value, {1, 2, 4096}, condition, {}})}}));
  };
  EXPECT_FALSE(with(2, ""));
  EXPECT_FALSE(with(2, "ROUNDS <= THREADS"));
  EXPECT_TRUE(with(4096, "ROUNDS <= THREADS"));
  EXPECT_TRUE(with(2, "ROUNDS <= NOBODY"));
  EXPECT_TRUE(with(2, "ROUNDS <="));
  EXPECT_TRUE(with(2, "", "THREADS"));
}

TEST(SourceRun, GenesAndEditsAreBredTogether) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  evaluator.latency = [](const model::Variant& variant) {
    const double threads = static_cast<double>(testing::FakeEvaluator::integer(variant, "THREADS"));
    return 10.0 + static_cast<double>(barriers_in(variant.source)) + 64 / threads;
  };
  model::Experiment experiment = edits_experiment();
  experiment.search.mutators.clear();
  experiment.search.mutators["source_edits"] = 1;
  const Outcome outcome = run_small(experiment, evaluator);
  const TrialRecord& champion = *outcome.result.progress.champion;
  EXPECT_EQ(champion.latency()->microseconds, 10 + 1 + 0.25);
}

}  // namespace
}  // namespace evo::engine
