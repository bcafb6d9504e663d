// The wmma template on the virtual device: sampled legal genomes and the seeds' configurations are correct,
// and each barrier is needed in one part of the space and can be weakened in another.
#include <gtest/gtest.h>

#include "tests/kernels/attention_genomes.hpp"
#include "tests/kernels/ladder_checks.hpp"
#include "tests/kernels/wmma_genomes.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class WmmaOnLadder : public NeedsNvrtc {};

TEST_F(WmmaOnLadder, RandomLegalGenomesWithAllBarriersAreRight) {
  expect_random_genomes_correct("EVO_WMMA", {{"BLOCK_M", I{32}}, {"BLOCK_N", I{32}}},
                                [](I head_dim) { return small_attention_of("wmma", head_dim); });
}

TEST_F(WmmaOnLadder, SeedsConfigurationsAreProvenWithin48KiB) {
  for (const NamedGenome& seed : wmma_seeds()) {
    SCOPED_TRACE(seed.name);
    model::Experiment experiment = small_attention_of("wmma");
    experiment.smem_limit = 49152;
    experiment.accuracy_class = accuracy_class_of(with_genes(experiment.baseline, seed.genes));
    OnLadder ladder(experiment);
    const auto report = ladder.prove(with_genes(ladder.space().initial(), seed.genes));
    EXPECT_TRUE(report.valid()) << verdict(report);
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
    // A row's padding: 16 floats at most.
    expect_touched_to_the_end(small_attention_of("wmma"), sample, 64);
  }
}

class WmmaBarriers : public WmmaOnLadder, public testing::WithParamInterface<BarrierCase> {};

// Tiles of 32 x 32. `rows`: two warps that have their rows for themselves; `pairs`: two groups of two warps;
// `group`: four warps that share all rows.
std::vector<BarrierCase> wmma_barrier_cases() {
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
  expect_needed_or_not(small_attention_of("wmma"), GetParam(), {"race_shared", "async_not_waited"});
}

INSTANTIATE_TEST_SUITE_P(Sites, WmmaBarriers, testing::ValuesIn(wmma_barrier_cases()),
                         [](const auto& site) { return site.param.name; });

}  // namespace
}  // namespace evo::tests
