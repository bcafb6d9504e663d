// The mma template on the virtual device: sampled legal genomes are correct, and each barrier is needed in
// one part of the space and can be weakened in another.
#include <gtest/gtest.h>

#include "tests/kernels/ladder_checks.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class MmaOnLadder : public NeedsNvrtc {
 protected:
  static model::Experiment small(I head_dim = 64) {
    model::Experiment experiment = small_attention_of("mma", head_dim);
    tests::set_shipped_target(experiment, "h200");
    return experiment;
  }
};

// A large sample takes about a minute for each of its largest tiles, on two cores.
TEST_F(MmaOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  expect_random_genomes_correct("EVO_MMA", {{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}, {"KEY_STEPS", I{1}}},
                                small);
}

// What the formula of the launch plan says is what the kernel uses, to the padding of the last row.
TEST_F(MmaOnLadder, PredictedDynamicSharedMemoryIsTouchedToItsLastRow) {
  const model::Experiment experiment = small();
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
    const bool padded = with_genes(experiment.baseline, sample).at("SMEM_LAYOUT") == model::Value{"pad"};
    expect_touched_to_the_end(experiment, sample, padded ? 16 : 0);
  }
}

class MmaBarriers : public MmaOnLadder, public testing::WithParamInterface<BarrierCase> {};

std::vector<BarrierCase> mma_barrier_cases() {
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
  BarrierCase site = GetParam();
  if (site.file.empty()) site.file = "mma.cu";
  expect_needed_or_not(small(), site, {"race_shared", "async_not_waited"});
}

INSTANTIATE_TEST_SUITE_P(Sites, MmaBarriers, testing::ValuesIn(mma_barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
