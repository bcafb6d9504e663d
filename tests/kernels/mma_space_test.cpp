// The space of attention_forward's mma template: its size, that no gene value is dead, and that each
// constraint can be broken alone.
#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/mma_genomes.hpp"

namespace evo::tests {
namespace {

TEST(MmaSpace, InitialGenomeIsLegalForEveryHeadDimAndTarget) {
  const model::Problem problem = shipped_problem("attention_forward");
  for (const std::string& target : model::target_names()) {
    for (const std::int64_t head_dim : {32, 64, 128}) {
      const model::Space space = bound_space(problem, "mma", head_dim, target);
      EXPECT_EQ(space.violation(space.initial()), std::nullopt) << target << " " << head_dim;
      EXPECT_FALSE(space.weakened(space.initial()));
    }
  }
}

TEST(MmaSpace, IsLargeForEveryHeadDim) {
  const model::Problem problem = shipped_problem("attention_forward");
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem, "mma", head_dim, "h200");
    const std::uint64_t legal = space.count_legal(true);
    fmt::print(
        "head_dim {}: {} legal genomes with every barrier at full strength, of {} combinations in all\n",
        head_dim, legal, space.count_all());
    EXPECT_GE(legal, 5000u);
  }
}

TEST(MmaSpace, EveryValueOfEveryGeneOccursInALegalGenome) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Space space = bound_space(problem, "mma", 64, "h200");
  std::mt19937 random(1);
  for (const model::Gene& gene : space.genes()) {
    for (const model::Value& value : gene.values) {
      EXPECT_TRUE(random_mma_genome(space, random, {{gene.name, value}}))
          << gene.name << "=" << model::to_string(value);
    }
  }
}

TEST(MmaSpace, EachConstraintIsBrokenAlone) {
  const model::Problem problem = shipped_problem("attention_forward");
  const std::vector<MmaBreaker> breakers = mma_constraint_breakers();
  ASSERT_EQ(breakers.size(), problem.find_template("mma")->space.constraints().size())
      << "every constraint needs a genome that fails without it";
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    const model::Space space = bound_space(problem, "mma", breakers[i].head_dim);
    const model::Genome genome = with_genes(space.initial(), breakers[i].genes);
    EXPECT_EQ(broken_constraints(space, genome), std::vector<std::size_t>{i})
        << space.constraints()[i].reason;
    const auto violation = space.violation(genome);
    ASSERT_TRUE(violation);
    EXPECT_NE(violation->find(space.constraints()[i].reason), std::string::npos) << *violation;
  }
}

TEST(MmaSpace, SanitizeShapesTurnEveryLoop) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("mma");
  const model::Space space = bound_space(problem, "mma", 64, "h200");
  std::mt19937 random(2);
  for (int sample = 0; sample < 50; ++sample) {
    const auto genome = random_mma_genome(space, random);
    ASSERT_TRUE(genome);
    SCOPED_TRACE(genome->text());
    model::Environment environment = space.fixed();
    for (const auto& [name, value] : genome->values()) environment.insert_or_assign(name, value);
    const auto gene = [&](const char* name) { return std::get<std::int64_t>(genome->at(name)); };
    std::int64_t most_tiles = 0;
    std::set<std::int64_t> layouts, causal;
    for (const auto& shape : kernel.sanitize_shapes) {
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

TEST(MmaSpace, SyncGenesGoFromNoneToTheBlockBarrierAndStandInTheSource) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("mma");
  int sites = 0;
  for (const model::Gene& gene : kernel.space.genes()) {
    if (gene.role != model::GeneRole::sync) continue;
    ++sites;
    EXPECT_EQ(gene.values, (std::vector<model::Value>{"none", "warp", "named", "block"})) << gene.name;
    EXPECT_NE(kernel.source.find("EVO_SYNC_GROUP(" + gene.name + ","), std::string::npos) << gene.name;
  }
  EXPECT_EQ(sites, 6);
  EXPECT_EQ(kernel.source.find("__syncthreads"), std::string::npos);
  EXPECT_EQ(kernel.source.find("__syncwarp"), std::string::npos);
}

}  // namespace
}  // namespace evo::tests
