// Runs that edit the text: a kernel with barriers that nothing needs and one that is needed, judged by a
// fake.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "engine/operator_counts.hpp"
#include "engine/replay.hpp"
#include "model/edits.hpp"
#include "model/variant.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

const std::string edited_kernel =
    "extern \"C\" __global__ void simple(float* x) {\n"
    "  __shared__ float s[64];\n"
    "  __syncthreads();\n"
    "  s[threadIdx.x] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  float y = s[63 - threadIdx.x];\n"
    "  __syncthreads();\n"
    "  x[threadIdx.x] = y;\n"
    "  __syncthreads();\n"
    "}\n";

model::Experiment edits_experiment() {
  model::Experiment experiment = testing::small_experiment();
  model::Template kernel = testing::small_template("simple", testing::simple_space());
  kernel.source = edited_kernel;
  experiment.problem.templates = {kernel};
  experiment.baseline_template = "simple";
  experiment.baseline = kernel.space.initial();
  experiment.search.population = 10;
  experiment.search.generations = 16;
  for (const char* gene : {"gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation",
                           "neighbour", "random_immigrant"})
    experiment.search.mutators[gene] = 0;
  experiment.search.mutators["source_edits"] = 1;
  return experiment;
}

std::size_t barriers_in(const std::string& source) {
  std::size_t count = 0;
  for (std::size_t at = source.find("__syncthreads"); at != std::string::npos;
       at = source.find("__syncthreads", at + 1))
    ++count;
  return count;
}

/// A race unless a barrier stands between the write (line 4) and the read (line 6).
std::optional<model::Failure> race(const model::Variant& variant) {
  const std::size_t write = variant.source.find("s[threadIdx.x] = "), read = variant.source.find("s[63 - ");
  if (write == std::string::npos || read == std::string::npos)
    return model::Failure{model::Status::wrong, "mismatch", {}};
  const std::size_t barrier = variant.source.find("__syncthreads", write);
  if (write < read && barrier < read) return std::nullopt;
  model::Evidence evidence{"race_shared", "two accesses", "simple.cu", 4, {}};
  evidence.details = {{"thread", "block (0,0,0) thread (0,0,0)"},
                      {"other_thread", "block (0,0,0) thread (63,0,0)"},
                      {"other_file", "simple.cu"},
                      {"other_line", "6"}};
  return model::Failure{model::Status::sanitizer_fail, "race_shared", {evidence}};
}

void judge_barriers(testing::FakeEvaluator& evaluator) {
  evaluator.latency = [](const model::Variant& variant) {
    return 10.0 + static_cast<double>(barriers_in(variant.source));
  };
  evaluator.identity = [](const model::Variant& variant) { return variant.source; };
  evaluator.fails_correctness = race;
}

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

TEST(SourceRun, ARaceIsMendedWhereItsLinesSay) {
  testing::FakeEvaluator evaluator;
  judge_barriers(evaluator);
  const Outcome outcome = run_small(edits_experiment(), evaluator);
  const auto mended = std::count_if(
      outcome.trials.begin(), outcome.trials.end(),
      [](const TrialRecord& trial) { return trial.operator_name == "race_repair" && trial.right(); });
  EXPECT_GE(mended, 1);
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
