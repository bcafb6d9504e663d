// The scalar template on the virtual device: legal genomes are correct, and each barrier is needed in one
// part of the space and can be weakened in another.
#include <gtest/gtest.h>

#include <random>

#include "tests/kernels/ladder_checks.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class ScalarOnLadder : public NeedsNvrtc {};

TEST_F(ScalarOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  std::mt19937 random(11);
  for (const std::int64_t head_dim : {32, 64, 128}) {
    OnLadder ladder(small_attention(head_dim));
    const model::Space space = ladder.space();
    for (int proven = 0; proven < 2;) {
      const auto genome = random_full_strength_genome(space, random);
      ASSERT_TRUE(genome);
      // Short sequences: the tiles of 128 turn in the sanitize shapes only.
      if (genome->at("BLOCK_N") == model::Value{I{128}}) continue;
      const auto report = ladder.prove(*genome);
      if (!report.valid() && report.failure()->status == model::Status::over_budget) continue;
      EXPECT_TRUE(report.valid()) << genome->text() << "\n" << verdict(report);
      ++proven;
    }
  }
}

TEST_F(ScalarOnLadder, PredictedDynamicSharedMemoryIsTouchedToItsLastRow) {
  const model::Experiment experiment = small_attention();
  const std::vector<Genes> samples{{},
                                   {{"S_DTYPE", "half"}, {"S_PAD", I{1}}},
                                   {{"KV_BUFFERS", I{2}}, {"BLOCK_N", I{16}}, {"S_PAD", I{4}}},
                                   {{"SMEM_PAD", I{0}}, {"S_PAD", I{0}}, {"LANE_ORDER", "rows"}}};
  for (const Genes& sample : samples) {
    const model::Genome genome = with_genes(experiment.baseline, sample);
    const I columns = std::get<I>(genome.at("BLOCK_N")) + std::get<I>(genome.at("S_PAD"));
    const I row_bytes = columns * (genome.at("S_DTYPE") == model::Value{"half"} ? 2 : 4);
    const std::vector<SharedMemoryUse> uses = shared_memory_use(experiment, sample);
    ASSERT_FALSE(uses.empty());
    for (const SharedMemoryUse& use : uses) {
      EXPECT_LE(use.touched, use.predicted) << use.message;
      EXPECT_LT(use.predicted - use.touched, row_bytes) << use.message;
    }
  }
}

class ScalarBarriers : public ScalarOnLadder, public testing::WithParamInterface<BarrierCase> {};

// The initial genome has 4 warps and COL_THREADS 8; tiles of 16 keys keep the shapes small.
std::vector<BarrierCase> scalar_barrier_cases() {
  const Genes same_threads{{"THREADS_PER_ROW", I{8}}};  // COL_THREADS == THREADS_PER_ROW
  const Genes one_thread{
      {"BLOCK_M", I{64}}, {"NUM_WARPS", I{2}}, {"ROWS_PER_THREAD", I{1}}, {"THREADS_PER_ROW", I{1}}};
  const Genes two_buffers{{"KV_BUFFERS", I{2}}};
  const Genes one_warp{{"NUM_WARPS", I{1}}};
  return {
      {"q_none_covered_by_the_first_tile", true, {{"SYNC_Q_LOADED", "none"}}},
      {"q_none_with_two_buffers_is_covered_too", true, also(two_buffers, {{"SYNC_Q_LOADED", "none"}})},
      {"q_and_tile_none", false, also(two_buffers, {{"SYNC_Q_LOADED", "none"}, {"SYNC_KV_LOADED", "none"}})},
      {"tile_none", false, {{"SYNC_KV_LOADED", "none"}}},
      {"tile_none_with_two_buffers", true, also(two_buffers, {{"SYNC_KV_LOADED", "none"}})},
      {"scores_none", false, {{"SYNC_S_READY", "none"}}},
      {"scores_none_in_own_threads", true, also(same_threads, {{"SYNC_S_READY", "none"}})},
      {"scores_warp", false, {{"SYNC_S_READY", "warp"}}},
      {"weights_none", false, also(same_threads, {{"SYNC_P_READY", "none"}})},
      {"weights_warp_in_own_warp", true, also(same_threads, {{"SYNC_P_READY", "warp"}})},
      {"weights_warp", false, {{"SYNC_P_READY", "warp"}}},
      {"weights_none_in_own_thread", true, also(one_thread, {{"SYNC_P_READY", "none"}})},
      {"overwrite_none", false, {{"SYNC_BEFORE_OVERWRITE", "none"}}},
      {"overwrite_warp", false, {{"SYNC_BEFORE_OVERWRITE", "warp"}}},
      {"overwrite_none_with_two_buffers", true, also(two_buffers, {{"SYNC_BEFORE_OVERWRITE", "none"}})},
      {"all_warp_in_one_warp", true,
       also(one_warp, {{"SYNC_Q_LOADED", "warp"},
                       {"SYNC_KV_LOADED", "warp"},
                       {"SYNC_S_READY", "warp"},
                       {"SYNC_P_READY", "warp"},
                       {"SYNC_BEFORE_OVERWRITE", "warp"}})},
      // Lanes in lockstep would hide this one; nothing promises it.
      {"scores_none_in_one_warp", false, also(one_warp, {{"SYNC_S_READY", "none"}})},
  };
}

TEST_P(ScalarBarriers, AreNeededOrNot) {
  BarrierCase site = GetParam();
  site.genes = also({{"BLOCK_N", I{16}}}, site.genes);
  site.file = "scalar.cu";
  expect_needed_or_not(small_attention(), site, {"race_shared"});
}

INSTANTIATE_TEST_SUITE_P(Sites, ScalarBarriers, testing::ValuesIn(scalar_barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
