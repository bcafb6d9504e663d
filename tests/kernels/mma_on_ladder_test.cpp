// The mma template on the virtual device: sampled legal genomes are right, and each barrier is needed in one
// part of the space and can be weakened in another.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>

#include "evaluators/gates/sanitize.hpp"
#include "tests/kernels/mma_genomes.hpp"
#include "tests/kernels/on_ladder.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class MmaOnLadder : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  static model::Experiment small(std::int64_t head_dim = 64) {
    model::Experiment experiment = small_attention(head_dim);
    experiment.target = *model::find_target("h200");
    experiment.accuracy_class = "fp32-softmax";
    experiment.baseline_template = "mma";
    experiment.baseline = experiment.problem.find_template("mma")->space.initial();
    return experiment;
  }
};

// EVO_MMA_SAMPLES=200 takes a large sample over all genes (about a minute each on two cores for the largest
// tiles); the default keeps tiles small. EVO_MMA_SEED draws another one.
TEST_F(MmaOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  const char* wanted = std::getenv("EVO_MMA_SAMPLES");
  const char* seed = std::getenv("EVO_MMA_SEED");
  const int samples = wanted != nullptr ? std::atoi(wanted) : 4;
  std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 11u);
  for (int proven = 0; proven < samples;) {
    const std::int64_t head_dim = std::array<std::int64_t, 4>{64, 64, 32, 128}[random() % 4];
    OnLadder ladder(small(head_dim));
    Genes fixed;
    if (wanted == nullptr) fixed = {{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}, {"KEY_STEPS", I{1}}};
    const auto genome = random_mma_genome(ladder.space(), random, fixed);
    ASSERT_TRUE(genome);
    const auto start = std::chrono::steady_clock::now();
    const auto report = ladder.prove(*genome);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool over_budget = !report.valid() && report.failure()->status == model::Status::over_budget;
    if (wanted != nullptr) {
      fmt::print("{:3} head_dim {} {:.1f} s: {}\n", proven, head_dim, took.count(),
                 report.valid() ? "right" : report.failure()->reason);
      std::fflush(stdout);
    }
    if (over_budget) continue;
    EXPECT_TRUE(report.valid()) << genome->text() << "\n" << verdict(report);
    ++proven;
  }
}

TEST_F(MmaOnLadder, EachConstraintForbidsWhatFails) {
  const std::vector<MmaBreaker> breakers = mma_constraint_breakers();
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    model::Experiment experiment = small(breakers[i].head_dim);
    experiment.target = *model::find_target("l4");
    model::Template& kernel =
        *std::find_if(experiment.problem.templates.begin(), experiment.problem.templates.end(),
                      [](const model::Template& one) { return one.name == "mma"; });
    std::vector<model::Constraint> others = kernel.space.constraints();
    const std::string reason = others[i].reason;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    kernel.space = model::Space(kernel.space.genes(), others, kernel.space.fixed());
    OnLadder ladder(experiment);
    const auto report = ladder.prove(with_genes(ladder.space().initial(), breakers[i].genes));
    ASSERT_FALSE(report.valid()) << "the constraint '" << reason << "' forbids what works";
    EXPECT_NE(report.failure()->reason, "constraint") << verdict(report);
    fmt::print("{}: {} at {}\n", reason, report.failure()->reason, report.failed_gate());
  }
}

// What the formula of the launch plan says is what the kernel uses, to the padding of the last row.
TEST_F(MmaOnLadder, PredictedDynamicSharedMemoryIsTouchedToItsLastRow) {
  const model::Experiment experiment = small();
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  const auto context = evaluators::gates::make_context(experiment, ladder.kernel());
  const Genes groups{{"NUM_WARPS", I{4}}, {"KV_WARPS", I{4}}, {"BLOCK_M", I{16}}, {"BLOCK_N", I{64}}};
  std::vector<Genes> samples{{{"BLOCK_N", I{16}}},
                             {{"BLOCK_N", I{16}}, {"SMEM_LAYOUT", "pad"}, {"STAGES", I{3}}},
                             {{"BLOCK_N", I{32}}, {"Q_SOURCE", "direct"}},
                             groups,
                             groups,
                             groups};
  samples[4].emplace_back("MERGE_SPACE", "own");
  samples[5].insert(samples[5].end(), {{"STAGES", I{1}}, {"PREFETCH", "bottom"}, {"BLOCK_M", I{48}}});
  for (const Genes& sample : samples) {
    const model::Genome genome = with_genes(space.initial(), sample);
    ASSERT_EQ(space.violation(genome), std::nullopt);
    const auto artifact = compile_genome(ladder.kernel(), space, genome);
    ASSERT_TRUE(artifact) << words(artifact.error());
    const auto bound = evaluators::gates::bind_variant(context, genome);
    ASSERT_TRUE(bound) << bound.error().text();
    evaluators::devices::VirtualDevice device(experiment.target);
    const auto report = evaluators::gates::sanitize(device, *artifact, bound->sanitize_shapes,
                                                    experiment.problem.input_sets.front(), experiment.gates);
    ASSERT_FALSE(report.failure) << genome.text() << words(*report.failure);
    ASSERT_EQ(report.notes.size(), bound->sanitize_shapes.size());
    I most = 0, predicted = 0;
    for (const model::Evidence& note : report.notes) {
      std::map<std::string, std::string> details(note.details.begin(), note.details.end());
      predicted = std::stoll(details["predicted"]);
      most = std::max<I>(most, std::stoll(details["touched"]));
    }
    EXPECT_LE(most, predicted) << genome.text();
    EXPECT_LE(predicted - most, genome.at("SMEM_LAYOUT") == model::Value{"pad"} ? 16 : 0) << genome.text();
  }
}

struct BarrierCase {
  std::string name;
  bool enough;
  Genes genes;
  std::string file = "mma.cu";  ///< where the race is, if the barrier is not enough
};
void PrintTo(const BarrierCase& site, std::ostream* out) {
  *out << site.name;
}

class MmaBarriers : public MmaOnLadder, public testing::WithParamInterface<BarrierCase> {};

std::vector<BarrierCase> barrier_cases() {
  const auto also = [](Genes genes, const Genes& more) {
    genes.insert(genes.end(), more.begin(), more.end());
    return genes;
  };
  const Genes groups{{"NUM_WARPS", I{4}}, {"KV_WARPS", I{2}}, {"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}};
  const Genes own_copies = also(groups, {{"COPY_WARPS", "group"}});
  const Genes bottom = also(own_copies, {{"PREFETCH", "bottom"}});
  const Genes split = also(own_copies, {{"KV_COMMITS", "split"}});
  const Genes own_space = also(groups, {{"MERGE_SPACE", "own"}});
  const Genes one_warp{{"NUM_WARPS", I{1}}, {"BLOCK_M", I{16}}, {"BLOCK_N", I{16}}};
  return {
      {"tile_named_where_each_group_copies_its_own", true, also(own_copies, {{"SYNC_K_READY", "named"}})},
      {"tile_named_where_all_copy", false, also(groups, {{"SYNC_K_READY", "named"}})},
      {"tile_none", false, also(own_copies, {{"SYNC_K_READY", "none"}})},
      {"values_named", true, also(split, {{"SYNC_V_READY", "named"}})},
      {"values_none", false, also(split, {{"SYNC_V_READY", "none"}})},
      {"stage_free_named", true, also(bottom, {{"SYNC_STAGE_FREE", "named"}})},
      {"stage_free_none", false, also(bottom, {{"SYNC_STAGE_FREE", "none"}})},
      {"merge_named", true, also(own_space, {{"SYNC_MERGE", "named"}})},
      {"merge_warp", false, also(own_space, {{"SYNC_MERGE", "warp"}}), "evo_merge.cuh"},
      {"tiles_read_none", false, also(groups, {{"SYNC_TILES_READ", "none"}})},
      {"prologue_named_where_q_is_shared_by_all", false, also(own_copies, {{"SYNC_PROLOGUE", "named"}})},
      {"prologue_named_where_q_comes_directly", true,
       also(own_copies, {{"Q_SOURCE", "direct"}, {"SYNC_PROLOGUE", "named"}})},
      {"all_warp_in_one_warp", true, also(one_warp, {{"SYNC_PROLOGUE", "warp"}, {"SYNC_K_READY", "warp"}})},
      {"tile_none_in_one_warp", false, also(one_warp, {{"SYNC_K_READY", "none"}})},
  };
}

TEST_P(MmaBarriers, AreNeededOrNot) {
  OnLadder ladder(small());
  const model::Space space = ladder.space();
  const model::Genome genome = with_genes(space.initial(), GetParam().genes);
  ASSERT_EQ(space.violation(genome), std::nullopt);
  const auto report = ladder.prove(genome);
  if (GetParam().enough) {
    EXPECT_TRUE(report.valid()) << verdict(report);
    return;
  }
  ASSERT_FALSE(report.valid()) << "a race that nobody saw";
  EXPECT_EQ(report.failed_gate(), "sanitize") << verdict(report);
  const std::string& reason = report.failure()->reason;
  EXPECT_TRUE(reason == "race_shared" || reason == "async_not_waited") << verdict(report);
  EXPECT_EQ(report.failure()->evidence.front().file, GetParam().file);
  EXPECT_GT(report.failure()->evidence.front().line, 0);
}

INSTANTIATE_TEST_SUITE_P(Sites, MmaBarriers, testing::ValuesIn(barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
