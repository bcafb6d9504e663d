// The space of attention_forward's scalar template: its size, that no gene value is dead, and that each
// constraint can be broken alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/shipped.hpp"

namespace evo::tests {
namespace {

TEST(ScalarSpace, InitialGenomeIsLegalForEveryHeadDimAndTarget) {
  const model::Problem problem = shipped_problem("attention_forward");
  for (const std::string& target : model::target_names()) {
    for (const std::int64_t head_dim : {32, 64, 128}) {
      const model::Space space = bound_space(problem, "scalar", head_dim, target);
      EXPECT_EQ(space.violation(space.initial()), std::nullopt) << target << " " << head_dim;
      EXPECT_FALSE(space.weakened(space.initial()));
    }
  }
}

TEST(ScalarSpace, HasAtLeastFiveThousandGenomesWithAllBarriers) {
  const model::Problem problem = shipped_problem("attention_forward");
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem, "scalar", head_dim);
    const std::uint64_t legal = space.count_legal(true);
    fmt::print("head_dim {}: {} legal genomes with every barrier at full strength, {} of {} in all\n",
               head_dim, legal, space.count_legal(false), space.count_all());
    EXPECT_GE(legal, 5000u);
  }
}

TEST(ScalarSpace, EveryValueOfEveryGeneOccursInALegalGenome) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Space space = bound_space(problem, "scalar", 64);
  EXPECT_EQ(values_in_no_legal_genome(space, 500), std::vector<std::string>{});
}

TEST(ScalarSpace, EachConstraintIsBrokenAlone) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Space space = bound_space(problem, "scalar", 64);
  const std::vector<Genes> breakers = scalar_constraint_breakers();
  ASSERT_EQ(breakers.size(), space.constraints().size())
      << "every constraint needs a genome that fails without it";
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    const model::Genome genome = with_genes(space.initial(), breakers[i]);
    EXPECT_EQ(broken_constraints(space, genome), std::vector<std::size_t>{i})
        << space.constraints()[i].reason;
    const auto violation = space.violation(genome);
    ASSERT_TRUE(violation);
    EXPECT_NE(violation->find(space.constraints()[i].reason), std::string::npos) << *violation;
  }
}

TEST(ScalarSpace, SyncGenesEndWithTheBlockBarrier) {
  const model::Problem problem = shipped_problem("attention_forward");
  int sites = 0;
  for (const model::Gene& gene : problem.find_template("scalar")->space.genes()) {
    if (gene.role != model::GeneRole::sync) continue;
    ++sites;
    EXPECT_EQ(gene.values, (std::vector<model::Value>{"none", "warp", "block"})) << gene.name;
  }
  EXPECT_EQ(sites, 5);
  // Each site stands once in the source, and each barrier of the source is such a site.
  const std::string& source = problem.find_template("scalar")->source;
  for (const model::Gene& gene : problem.find_template("scalar")->space.genes()) {
    if (gene.role != model::GeneRole::sync) continue;
    EXPECT_NE(source.find("EVO_SYNC(" + gene.name + ")"), std::string::npos) << gene.name;
  }
  EXPECT_EQ(source.find("__syncthreads"), std::string::npos);
  EXPECT_EQ(source.find("__syncwarp"), std::string::npos);
}

}  // namespace
}  // namespace evo::tests
