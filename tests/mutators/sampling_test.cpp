#include "mutators/sampling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::expression;
using evo::testing::integer_gene;
using evo::testing::tiled_space;
using model::Genome;
using model::RandomStream;
using model::Space;

/// Six genes of eight values of which one combination in 262144 is legal.
Space needle_space() {
  std::vector<model::Gene> genes;
  std::vector<model::Constraint> constraints;
  for (char name = 'A'; name <= 'F'; ++name) {
    genes.push_back(integer_gene(std::string(1, name), {1, 2, 3, 4, 5, 6, 7, 8}, 1));
  }
  for (const char* relation :
       {"A == 7", "B == A - 1", "C * B == 30", "D == C - B + 5", "E == min(D, 2)", "F > A"}) {
    constraints.push_back({expression(relation), "needle"});
  }
  return Space(std::move(genes), std::move(constraints));
}

RC_GTEST_PROP(Sampling, RandomGenomesAreLegalWithBarriersAtFull, (std::uint64_t seed)) {
  const Space space = tiled_space();
  RandomStream random({seed, 0, 0, "test"});
  const auto genome = random_legal(space, random);
  RC_ASSERT(genome.has_value());
  RC_ASSERT(space.legal(*genome));
  RC_ASSERT(!space.weakened(*genome));
}

TEST(Sampling, ReachesEveryLegalGenome) {
  const Space space = tiled_space();
  RandomStream random({1, 0, 0, "test"});
  std::set<std::string> seen;
  for (int i = 0; i < 20000; ++i) seen.insert(random_legal(space, random)->text());
  EXPECT_EQ(seen.size(), space.count_legal().full_sync);
}

TEST(Sampling, FindsTheNeedleByBacktracking) {
  const Space space = needle_space();
  ASSERT_EQ(space.count_legal().all, 1u);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random({seed, 0, 0, "test"});
    const auto genome = random_legal(space, random);
    ASSERT_TRUE(genome);
    EXPECT_EQ(genome->text(), "A=7,B=6,C=5,D=4,E=2,F=8");
  }
}

TEST(Sampling, WeakensABarrierOnlyWhenNothingElseIsLegal) {
  auto genes = tiled_space().genes();
  const Space space(genes, {{expression("SYNC_A != 'block'"), "no block barrier here"}});
  RandomStream random({1, 0, 0, "test"});
  const auto genome = random_legal(space, random);
  ASSERT_TRUE(genome);
  EXPECT_EQ(model::to_string(genome->at("SYNC_A")), "warp");
}

TEST(Sampling, AnEmptySpaceIsNoGenomeAndNoException) {
  const Space space({integer_gene("A", {1, 2}, 1)}, {{expression("A > 2"), "impossible"}});
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(random_legal(space, random));
}

TEST(Sampling, AConstraintThatDividesByZeroForbids) {
  const Space space({integer_gene("A", {0, 1}, 0)}, {{expression("4 / A == 4"), "divides"}});
  RandomStream random({1, 0, 0, "test"});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(random_legal(space, random)->text(), "A=1");
}

}  // namespace
}  // namespace evo::mutators
