// The wmma template on the virtual device: sampled legal genomes and the seeds' configurations are right,
// each constraint forbids what fails, and each barrier is needed in one part of the space and can be weakened
// in another.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>
#include <set>

#include "evaluators/gates/sanitize.hpp"
#include "tests/kernels/on_ladder.hpp"
#include "tests/kernels/wmma_genomes.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class WmmaOnLadder : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  static model::Experiment small(std::int64_t head_dim = 64, const std::string& accuracy = "fp32-softmax") {
    model::Experiment experiment = small_attention(head_dim);
    experiment.accuracy_class = accuracy;
    experiment.baseline_template = "wmma";
    experiment.baseline = experiment.problem.find_template("wmma")->space.initial();
    return experiment;
  }
};

// EVO_WMMA_SAMPLES=200 takes a large sample over all genes; the default keeps tiles small. EVO_WMMA_SEED
// draws another one.
TEST_F(WmmaOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  const char* wanted = std::getenv("EVO_WMMA_SAMPLES");
  const char* seed = std::getenv("EVO_WMMA_SEED");
  const int samples = wanted != nullptr ? std::atoi(wanted) : 4;
  std::mt19937 random(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 11u);
  for (int proven = 0; proven < samples;) {
    const std::int64_t head_dim = std::array<std::int64_t, 4>{64, 64, 32, 128}[random() % 4];
    const model::Space space = bound_space(shipped_problem("attention_forward"), "wmma", head_dim);
    Genes fixed;
    if (wanted == nullptr) fixed = {{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}};
    const auto genome = random_full_strength_genome(space, random, fixed);
    ASSERT_TRUE(genome);
    OnLadder ladder(small(head_dim, wmma_class(*genome)));
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

TEST_F(WmmaOnLadder, EveryGeneValueOccursInAProvenVariant) {
  std::set<std::string> missing;
  const model::Space space = bound_space(shipped_problem("attention_forward"), "wmma", 64);
  const auto word = [](const std::string& gene, const model::Value& value) {
    return gene + "=" + model::to_string(value);
  };
  for (const model::Gene& gene : space.genes()) {
    if (gene.role == model::GeneRole::sync) continue;  // see WmmaBarriers
    for (const model::Value& value : gene.values) missing.insert(word(gene.name, value));
  }
  const auto news = [&](const model::Genome& genome) {
    return std::count_if(genome.values().begin(), genome.values().end(), [&](const auto& value) {
      return missing.contains(word(value.first, value.second));
    });
  };
  OnLadder exact(small()), coarse(small(64, "fp16-softmax"));
  std::mt19937 random(5);
  for (int trial = 0; trial < 40 && !missing.empty(); ++trial) {
    // Of a hundred genomes that one with most values that were not seen yet.
    std::optional<model::Genome> best;
    for (int i = 0; i < 100; ++i) {
      const auto genome = random_full_strength_genome(space, random);
      ASSERT_TRUE(genome);
      if (!best || news(*genome) > news(*best)) best = genome;
    }
    if (news(*best) == 0) continue;
    const auto report = (wmma_class(*best) == "fp16-softmax" ? coarse : exact).prove(*best);
    if (!report.valid() && report.failure()->status == model::Status::over_budget) continue;
    ASSERT_TRUE(report.valid()) << best->text() << "\n" << verdict(report);
    for (const auto& [name, value] : best->values()) missing.erase(word(name, value));
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

TEST_F(WmmaOnLadder, SeedsConfigurationsAreProvenWithin48KiB) {
  for (const NamedGenome& seed : wmma_seeds()) {
    SCOPED_TRACE(seed.name);
    model::Experiment experiment = small();
    experiment.smem_limit = 49152;
    experiment.accuracy_class = wmma_class(with_genes(experiment.baseline, seed.genes));
    OnLadder ladder(experiment);
    const auto report = ladder.prove(with_genes(ladder.space().initial(), seed.genes));
    EXPECT_TRUE(report.valid()) << verdict(report);
  }
}

TEST_F(WmmaOnLadder, EachConstraintForbidsWhatFails) {
  const std::vector<Genes> breakers = wmma_constraint_breakers();
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    model::Experiment experiment = small();
    model::Template& kernel =
        *std::find_if(experiment.problem.templates.begin(), experiment.problem.templates.end(),
                      [](const model::Template& one) { return one.name == "wmma"; });
    std::vector<model::Constraint> others = kernel.space.constraints();
    const std::string reason = others[i].reason;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    kernel.space = model::Space(kernel.space.genes(), others, kernel.space.fixed());
    const model::Genome genome = with_genes(kernel.space.initial(), breakers[i]);
    experiment.accuracy_class = wmma_class(genome);
    OnLadder ladder(experiment);
    const auto report = ladder.prove(genome);
    ASSERT_FALSE(report.valid()) << "the constraint '" << reason << "' forbids what works";
    EXPECT_NE(report.failure()->reason, "constraint") << verdict(report);
    fmt::print("{}: {} at {}\n", reason, report.failure()->reason, report.failed_gate());
  }
}

// What the formula of the launch plan says is what the kernel uses, to the padding of the last row.
TEST_F(WmmaOnLadder, PredictedDynamicSharedMemoryIsTouchedToItsLastRow) {
  const std::vector<Genes> samples{
      {{"BLOCK_N", I{16}}},
      {{"BLOCK_N", I{16}}, {"S_PAD", I{0}}, {"STAGES", I{2}}, {"EPILOGUE", "direct"}},
      {{"BLOCK_M", I{16}},
       {"BLOCK_N", I{16}},
       {"S_DTYPE", "half"},
       {"NUM_WARPS", I{1}},
       {"EPILOGUE", "direct"}},
      {{"P_PLACE", "apart"}, {"KV_BUFFER", "shared"}, {"ROW_FACTORS", "tile"}, {"SMEM_PAD", I{16}}},
      {{"OUTPUT_PLACE", "shared"}, {"P_PAD", I{0}}, {"P_PLACE", "apart"}, {"ROW_FACTORS", "shuffle"}},
      {{"BLOCK_M", I{128}},
       {"BLOCK_N", I{16}},
       {"SMEM_PAD", I{0}},
       {"S_DTYPE", "half"},
       {"KV_BUFFER", "shared"}},
      wmma_seeds().back().genes};
  for (const Genes& sample : samples) {
    const model::Experiment experiment = small();
    OnLadder ladder(experiment);
    const model::Space space = ladder.space();
    const auto context = evaluators::gates::make_context(experiment, ladder.kernel());
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
    I most = 0, predicted = 0;
    for (const model::Evidence& note : report.notes) {
      std::map<std::string, std::string> details(note.details.begin(), note.details.end());
      if (!details.contains("predicted")) continue;
      predicted = std::stoll(details["predicted"]);
      most = std::max<I>(most, std::stoll(details["touched"]));
    }
    fmt::print("predicted {}, touched {}\n", predicted, most);
    EXPECT_LE(most, predicted) << genome.text();
    EXPECT_LE(predicted - most, 64) << genome.text();  // a row's padding: 16 floats at most
  }
}

struct BarrierCase {
  std::string name;
  bool enough;
  Genes genes;
};
void PrintTo(const BarrierCase& site, std::ostream* out) {
  *out << site.name;
}

class WmmaBarriers : public WmmaOnLadder, public testing::WithParamInterface<BarrierCase> {};

// Tiles of 32 x 32. `rows`: two warps that have their rows for themselves; `pairs`: two groups of two warps;
// `group`: four warps that share all rows.
std::vector<BarrierCase> barrier_cases() {
  const auto also = [](Genes genes, const Genes& more) {
    genes.insert(genes.end(), more.begin(), more.end());
    return genes;
  };
  const Genes tile{{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}};
  const Genes rows = also(tile, {{"NUM_WARPS", I{2}}});
  const Genes pairs = also(tile, {{"COL_WARPS", I{2}}});
  const Genes group = also(tile, {{"COL_WARPS", I{4}}});
  const Genes one_warp = also(tile, {{"NUM_WARPS", I{1}}});
  const Genes direct{{"EPILOGUE", "direct"}};
  const Genes one_place{{"KV_BUFFER", "shared"}};
  return {
      {"map_none", false, also(rows, {{"SYNC_MAP", "none"}})},
      {"map_warp_where_two_warps_write", false, also(rows, {{"SYNC_MAP", "warp"}})},
      {"map_warp_in_one_warp", true, also(one_warp, {{"SYNC_MAP", "warp"}})},
      {"map_named_where_all_share_rows", true, also(group, {{"SYNC_MAP", "named"}})},
      {"prologue_none", false, also(rows, {{"SYNC_PROLOGUE", "none"}})},
      {"prologue_named", false, also(pairs, {{"SYNC_PROLOGUE", "named"}})},
      {"prologue_named_where_all_share_rows", true, also(group, {{"SYNC_PROLOGUE", "named"}})},
      {"scores_none", false, also(rows, {{"SYNC_S_READY", "none"}, {"THREADS_PER_ROW", I{8}}})},
      // Four lanes a row and two columns a lane: as it happens what a lane has stored of a fragment.
      {"scores_none_where_a_lane_reads_what_it_stored", true, also(rows, {{"SYNC_S_READY", "none"}})},
      {"scores_warp_in_own_rows", true, also(rows, {{"SYNC_S_READY", "warp"}})},
      {"scores_warp_where_two_warps_share_rows", false, also(pairs, {{"SYNC_S_READY", "warp"}})},
      {"scores_named_where_two_warps_share_rows", true, also(pairs, {{"SYNC_S_READY", "named"}})},
      {"k_free_none_behind_a_barrier", true, also(also(rows, one_place), {{"SYNC_K_FREE", "none"}})},
      {"k_free_none_behind_a_warp_barrier", false,
       also(also(rows, one_place), {{"SYNC_S_READY", "warp"}, {"SYNC_K_FREE", "none"}})},
      {"k_free_named_where_all_share_rows", true,
       also(also(group, one_place), {{"SYNC_S_READY", "warp"}, {"SYNC_K_FREE", "named"}})},
      {"row_read_none", false, also(rows, {{"SYNC_ROW_READ", "none"}})},
      {"row_read_none_in_own_thread", true,
       also(rows, {{"SYNC_ROW_READ", "none"}, {"THREADS_PER_ROW", I{1}}})},
      {"weights_none", false, also(rows, {{"SYNC_P_READY", "none"}})},
      {"weights_warp_in_own_rows", true, also(rows, {{"SYNC_P_READY", "warp"}})},
      {"weights_warp_where_v_is_awaited_apart", false,
       also(rows, {{"SYNC_P_READY", "warp"}, {"KV_COMMITS", "split"}})},
      {"weights_named_where_two_warps_share_rows", true, also(pairs, {{"SYNC_P_READY", "named"}})},
      {"tile_free_none", false, also(rows, {{"SYNC_TILE_FREE", "none"}})},
      {"tile_free_named", false, also(pairs, {{"SYNC_TILE_FREE", "named"}})},
      {"tile_free_named_where_all_share_rows", true, also(group, {{"SYNC_TILE_FREE", "named"}})},
      {"tile_free_warp_in_one_warp", true, also(one_warp, {{"SYNC_TILE_FREE", "warp"}})},
      {"tile_none", false, also(rows, {{"SYNC_K_READY", "none"}})},
      {"tile_named", false, also(pairs, {{"SYNC_K_READY", "named"}})},
      {"tile_named_where_all_share_rows", true, also(group, {{"SYNC_K_READY", "named"}})},
      {"tiles_read_none", false, also(rows, {{"SYNC_TILES_READ", "none"}})},
      {"tiles_read_warp_where_only_factors_are_replaced", true,
       also(also(rows, direct), {{"SYNC_TILES_READ", "warp"}})},
      {"tiles_read_none_where_only_factors_are_replaced", false,
       also(also(rows, direct), {{"SYNC_TILES_READ", "none"}})},
      {"output_none", false, also(rows, {{"SYNC_O_READY", "none"}})},
      {"output_warp_in_own_rows", true, also(rows, {{"SYNC_O_READY", "warp"}})},
      {"output_named_where_two_warps_share_rows", true, also(pairs, {{"SYNC_O_READY", "named"}})},
  };
}

TEST_P(WmmaBarriers, AreNeededOrNot) {
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
  EXPECT_TRUE(report.failure()->evidence.front().file.ends_with(".cu") ||
              report.failure()->evidence.front().file.ends_with(".cuh"))
      << report.failure()->evidence.front().file;
  EXPECT_GT(report.failure()->evidence.front().line, 0);
}

INSTANTIATE_TEST_SUITE_P(Sites, WmmaBarriers, testing::ValuesIn(barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
