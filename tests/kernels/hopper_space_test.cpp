// The space of attention_forward's hopper template and its launch plans.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/shipped.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class HopperSpace : public testing::Test {
 protected:
  model::Case bind(const model::Space& space, const model::Genome& genome, I seq, I layout, I head_dim = 64) {
    const model::Workload shape{"w",
                                1,
                                {{"batch", 2},
                                 {"heads", 3},
                                 {"seq", seq},
                                 {"head_dim", head_dim},
                                 {"causal", 0},
                                 {"layout", layout}}};
    auto bound = model::bind_case(problem_, kernel_, space, genome, shape);
    if (!bound) throw std::runtime_error(bound.error().text());
    return std::move(*bound);
  }

  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template("hopper");
};

TEST_F(HopperSpace, InitialGenomeIsLegalForEveryHeadDim) {
  for (const I head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "hopper", head_dim, "h200");
    EXPECT_EQ(space.violation(space.initial()), std::nullopt) << head_dim;
  }
}

TEST_F(HopperSpace, IsWideAndHasNoWeakenedBarriers) {
  for (const I head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "hopper", head_dim, "h200");
    const auto [legal, full_sync] = space.count_legal();
    fmt::print("head_dim {}: {} legal genomes of {} combinations\n", head_dim, legal, space.count_all());
    EXPECT_GE(legal, 5000U);
    EXPECT_EQ(legal, full_sync);
  }
}

TEST_F(HopperSpace, EveryValueOfEveryGeneOccursInALegalGenome) {
  const model::Space space = bound_space(problem_, "hopper", 64, "h200");
  EXPECT_EQ(values_in_no_legal_genome(space), std::vector<std::string>{});
}

TEST_F(HopperSpace, TensorMapsViewQKAndV) {
  const model::Space space = bound_space(problem_, "hopper", 128, "h200");
  const auto genome =
      with_genes(space.initial(), {{"WARPGROUPS_M", I{2}}, {"BLOCK_N", I{96}}, {"CLUSTER", I{2}}});
  const model::Case bound = bind(space, genome, 100, 1, 128);
  ASSERT_EQ(bound.launch.tensor_maps.size(), 3U);
  const model::TensorMapPlan& q = bound.launch.tensor_maps[0];
  const model::TensorMapPlan& k = bound.launch.tensor_maps[1];
  EXPECT_EQ(q.argument, 0U);
  EXPECT_EQ(k.argument, 1U);
  EXPECT_EQ(bound.launch.tensor_maps[2].argument, 2U);
  // [B, S, H, D] seen as [B, H, S, D]: rows 3 * 128 elements apart, heads 128.
  EXPECT_EQ(k.sizes, (std::vector<std::uint64_t>{128, 100, 3, 2}));
  EXPECT_EQ(k.strides, (std::vector<std::uint64_t>{768, 256, 76800}));
  EXPECT_EQ(q.box, (std::vector<std::uint32_t>{64, 64, 1, 1}));  // of one of the two warpgroups
  EXPECT_EQ(k.box, (std::vector<std::uint32_t>{
                       64, 48, 1, 1}));  // half of a tile: the cluster's other block has the rest
  EXPECT_EQ(k.swizzle, 128U);
  EXPECT_TRUE(k.encodable);
}

TEST_F(HopperSpace, UnalignedRowsHaveNoMaps) {
  for (const I head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "hopper", head_dim, "h200");
    for (const auto& map : bind(space, space.initial(), 129, 2, head_dim).launch.tensor_maps)
      EXPECT_FALSE(map.encodable);
    for (const auto& map : bind(space, space.initial(), 129, 0, head_dim).launch.tensor_maps) {
      EXPECT_TRUE(map.encodable);
      EXPECT_EQ(map.swizzle, head_dim == 32 ? 64U : 128U);
    }
  }
}

TEST_F(HopperSpace, GridsAreWholeClusters) {
  const model::Space space = bound_space(problem_, "hopper", 64, "h200");
  for (const I cluster : {1, 2, 4}) {
    for (const I seq : {1, 63, 64, 65, 500}) {
      const auto genome = with_genes(space.initial(), {{"CLUSTER", cluster}});
      const model::Case bound = bind(space, genome, seq, 0);
      EXPECT_EQ(bound.launch.grid[0] % cluster, 0);
      EXPECT_GE(bound.launch.grid[0] * 64, static_cast<std::uint32_t>(seq));
    }
  }
}

TEST_F(HopperSpace, BlocksThatTakeSeveralUnitsCoverAllQueries) {
  const model::Space space = bound_space(problem_, "hopper", 64, "h200");
  for (const I units : {1, 2, 3, 4, 8}) {
    for (const I seq : {1, 128, 129, 1000}) {
      const auto genome =
          with_genes(space.initial(), {{"QUERY_BLOCKS", units}, {"WARPGROUPS_M", I{2}}, {"BLOCK_N", I{64}}});
      ASSERT_EQ(space.violation(genome), std::nullopt);
      const std::uint32_t blocks = bind(space, genome, seq, 0).launch.grid[0];
      EXPECT_GE(blocks * units * 128, seq);
      EXPECT_LT((blocks - 1) * units * 128, seq);
    }
  }
}

}  // namespace
}  // namespace evo::tests
