// The space of attention_forward's wmma template: its size, that no gene value is dead, that each constraint
// can be broken alone, and that the seeds' configurations are in it.
#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/wmma_genomes.hpp"

namespace evo::tests {
namespace {

class WmmaSpace : public testing::Test {
 protected:
  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template("wmma");
  model::Space space_ = bound_space(problem_, "wmma", 64);
};

TEST_F(WmmaSpace, InitialGenomeIsLegalForEveryHeadDimAndTarget) {
  for (const std::string& target : model::target_names()) {
    for (const std::int64_t head_dim : {32, 64, 128}) {
      const model::Space space = bound_space(problem_, "wmma", head_dim, target);
      EXPECT_EQ(space.violation(space.initial()), std::nullopt) << target << " " << head_dim;
      EXPECT_FALSE(space.weakened(space.initial()));
    }
  }
}

TEST_F(WmmaSpace, IsLargeForEveryHeadDim) {
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "wmma", head_dim);
    const std::uint64_t legal = space.count_legal(true);
    fmt::print(
        "head_dim {}: {} legal genomes with every barrier at full strength, of {} combinations in all\n",
        head_dim, legal, space.count_all());
    EXPECT_GE(legal, 5000u);
  }
}

TEST_F(WmmaSpace, EveryValueOfEveryGeneOccursInALegalGenome) {
  EXPECT_EQ(values_in_no_legal_genome(space_, 5000), std::vector<std::string>{});
}

TEST_F(WmmaSpace, EachConstraintIsBrokenAlone) {
  const std::vector<Genes> breakers = wmma_constraint_breakers();
  ASSERT_EQ(breakers.size(), space_.constraints().size())
      << "every constraint needs a genome that fails without it";
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    const model::Genome genome = with_genes(space_.initial(), breakers[i]);
    EXPECT_EQ(broken_constraints(space_, genome), std::vector<std::size_t>{i})
        << space_.constraints()[i].reason;
  }
}

TEST_F(WmmaSpace, SeedsAreLegalWithin48KiB) {
  const model::Space space =
      model::bind_space(problem_, kernel_, {{"head_dim", 64}}, *model::find_target("l4"), 49152);
  for (const NamedGenome& seed : wmma_seeds()) {
    const model::Genome genome = with_genes(space.initial(), seed.genes);
    EXPECT_EQ(space.violation(genome), std::nullopt) << seed.name;
    const auto bound =
        model::bind_case(problem_, kernel_, space, genome,
                         {"s512", 1, {{"batch", 2}, {"heads", 8}, {"seq", 512}, {"head_dim", 64}}});
    ASSERT_TRUE(bound) << bound.error().text();
    fmt::print("{}: {} bytes of shared memory\n", seed.name, bound->launch.dynamic_smem);
    if (seed.name.ends_with("48_kib")) {
      EXPECT_EQ(bound->launch.dynamic_smem, 49152);
    }
  }
}

TEST_F(WmmaSpace, SanitizeShapesTurnEveryLoop) {
  std::mt19937 random(2);
  for (int sample = 0; sample < 50; ++sample) {
    const auto genome = random_full_strength_genome(space_, random);
    ASSERT_TRUE(genome);
    SCOPED_TRACE(genome->text());
    model::Environment environment = space_.fixed();
    for (const auto& [name, value] : genome->values()) environment.insert_or_assign(name, value);
    const auto gene = [&](const char* name) { return std::get<std::int64_t>(genome->at(name)); };
    std::int64_t most_tiles = 0;
    std::set<std::int64_t> layouts, causal;
    for (const auto& shape : kernel_.sanitize_shapes) {
      const auto value = [&](const char* axis) {
        return shape.find(axis)->second.evaluate_integer(environment).value();
      };
      const std::int64_t seq = value("seq");
      EXPECT_NE(seq % gene("BLOCK_M"), 0) << "no tail of queries";
      EXPECT_NE(seq % gene("BLOCK_N"), 0) << "no tail of keys";
      EXPECT_GT(seq, gene("BLOCK_M")) << "a single block";
      most_tiles = std::max(most_tiles, (seq + gene("BLOCK_N") - 1) / gene("BLOCK_N"));
      layouts.insert(value("layout"));
      causal.insert(value("causal"));
    }
    EXPECT_GE(most_tiles, gene("STAGES") + 2);
    EXPECT_EQ(layouts.size(), 3u);
    EXPECT_EQ(causal.size(), 2u);
  }
}

TEST_F(WmmaSpace, SyncGenesEndWithTheFullBarrierAndStandInTheSource) {
  int sites = 0;
  for (const model::Gene& gene : kernel_.space.genes()) {
    if (gene.role != model::GeneRole::sync) continue;
    ++sites;
    // The threads of a row are in one warp.
    const bool within_warp = gene.name == "SYNC_ROW_READ";
    EXPECT_EQ(gene.values, within_warp ? (std::vector<model::Value>{"none", "warp"})
                                       : (std::vector<model::Value>{"none", "warp", "named", "block"}))
        << gene.name;
    const std::string site =
        within_warp ? "EVO_SYNC(" + gene.name + ")" : "EVO_SYNC_GROUP(" + gene.name + ",";
    const std::size_t at = kernel_.source.find(site);
    ASSERT_NE(at, std::string::npos) << gene.name;
    EXPECT_EQ(kernel_.source.find(site, at + 1), std::string::npos) << gene.name << " stands twice";
  }
  EXPECT_EQ(sites, 10);
  for (const char* barrier : {"__syncthreads", "__syncwarp", "bar.sync"}) {
    EXPECT_EQ(kernel_.source.find(barrier), std::string::npos) << barrier;
    for (const auto& [name, text] : kernel_.headers) {
      if (name == "evo_sync.cuh") continue;
      EXPECT_EQ(text.find(barrier), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace evo::tests
