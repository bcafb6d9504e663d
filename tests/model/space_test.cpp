#include "model/space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

Value number(std::int64_t n) {
  return n;
}
Value symbol(const char* s) {
  return std::string(s);
}

Space example() {
  std::vector<Gene> genes{
      {"BLOCK", GeneRole::tuning, {number(16), number(32), number(64)}, number(32), ""},
      {"WARPS", GeneRole::tuning, {number(1), number(2), number(4)}, number(2), ""},
      {"DTYPE", GeneRole::tuning, {symbol("float"), symbol("half")}, symbol("float"), ""},
      {"SYNC", GeneRole::sync, {symbol("none"), symbol("warp"), symbol("block")}, symbol("block"), ""},
      {"FREE", GeneRole::tuning, {number(0), number(1)}, number(0), ""},
  };
  std::vector<Constraint> constraints;
  constraints.push_back({*Expression::parse("BLOCK >= 16 * WARPS"), "a warp owns 16 rows"});
  constraints.push_back({*Expression::parse("BLOCK * (DTYPE == 'half' ? 2 : 4) <= limit"), "rows must fit"});
  return Space(std::move(genes), std::move(constraints), {{"limit", std::int64_t{128}}});
}

/// Every combination, the slow way.
std::uint64_t count_by_force(const Space& space, bool full) {
  std::uint64_t count = 0;
  for (std::uint64_t code = 0; code < space.count_all(); ++code) {
    std::uint64_t rest = code;
    Genome genome;
    for (const Gene& gene : space.genes()) {
      genome.set(gene.name, gene.values[rest % gene.values.size()]);
      rest /= gene.values.size();
    }
    if (space.legal(genome) && !(full && space.weakened(genome))) ++count;
  }
  return count;
}

TEST(Space, CountsOfHugeSpacesStopAtTheLargestNumber) {
  std::vector<Gene> genes;
  for (int i = 0; i < 70; ++i) {
    genes.push_back({"G" + std::to_string(i), GeneRole::tuning, {number(0), number(1)}, number(0), ""});
  }
  std::vector<Constraint> none_legal;
  none_legal.push_back({*Expression::parse("G0 > 1"), "never"});
  EXPECT_EQ(Space(genes, {}, {}).count_all(), UINT64_MAX);
  EXPECT_EQ(Space(genes, {}, {}).count_legal().all, UINT64_MAX);
  EXPECT_TRUE(Space(genes, {}, {}).has_legal());
  EXPECT_EQ(Space(genes, none_legal, {}).count_legal().all, 0U);
  EXPECT_FALSE(Space(genes, none_legal, {}).has_legal());
}

TEST(Space, SumsOfHugeCountsStopAtTheLargestNumberToo) {
  // 2^63 combinations of the others for each of the three values of A: every product fits, their sum does
  // not.
  std::vector<Gene> genes{{"A", GeneRole::tuning, {number(0), number(1), number(2)}, number(0), ""}};
  for (int i = 0; i < 63; ++i) {
    genes.push_back({"G" + std::to_string(i), GeneRole::tuning, {number(0), number(1)}, number(0), ""});
  }
  std::vector<Constraint> constraints;
  for (int i = 0; i < 63; ++i) {
    constraints.push_back({*Expression::parse("A + G" + std::to_string(i) + " >= 0"), "always"});
  }
  EXPECT_EQ(Space(genes, constraints, {}).count_legal().all, UINT64_MAX);
}

TEST(Space, CountsLikeEnumeration) {
  const Space space = example();
  EXPECT_EQ(space.count_all(), 108U);
  EXPECT_EQ(space.count_legal().all, count_by_force(space, false));
  EXPECT_EQ(space.has_legal(), count_by_force(space, false) != 0);
  EXPECT_EQ(space.count_legal().full_sync, count_by_force(space, true));
  EXPECT_LT(space.count_legal().full_sync, space.count_legal().all);
}

TEST(Space, CountsLikeEnumerationWhereConstraintsNameBarriers) {
  std::vector<Constraint> constraints = example().constraints();
  constraints.push_back({*Expression::parse("SYNC == 'block' or WARPS == 1"), "one warp needs no barrier"});
  constraints.push_back({*Expression::parse("SYNC != 'none' or DTYPE == 'half'"), "as it happens"});
  const Space space(example().genes(), constraints, example().fixed());
  EXPECT_EQ(space.count_legal().all, count_by_force(space, false));
  EXPECT_EQ(space.has_legal(), count_by_force(space, false) != 0);
  EXPECT_EQ(space.count_legal().full_sync, count_by_force(space, true));
}

TEST(Space, SaysWhyAGenomeIsIllegal) {
  const Space space = example();
  Genome genome = space.initial();
  EXPECT_FALSE(space.violation(genome));
  genome.set("WARPS", number(4));
  EXPECT_NE(space.violation(genome)->find("a warp owns 16 rows"), std::string::npos);
  genome.set("WARPS", number(3));
  EXPECT_EQ(*space.violation(genome), "WARPS=3 is none of 1, 2, 4");
  genome.set("WARPS", number(1));
  genome.set("WARP", number(1));
  EXPECT_NE(space.violation(genome)->find("no gene WARP"), std::string::npos);
  EXPECT_NE(space.violation(Genome())->find("has no value"), std::string::npos);
}

TEST(Space, AConstraintThatCannotBeEvaluatedForbids) {
  const Space space({{"A", GeneRole::tuning, {number(0), number(1)}, number(0), ""}},
                    {{*Expression::parse("4 / A == 4"), "must divide"}});
  Genome genome;
  genome.set("A", number(0));
  EXPECT_NE(space.violation(genome)->find("division by zero"), std::string::npos);
  EXPECT_EQ(space.count_legal().full_sync, 1U);
}

TEST(Space, KnowsWeakenedBarriers) {
  const Space space = example();
  Genome genome = space.initial();
  EXPECT_FALSE(space.weakened(genome));
  genome.set("SYNC", symbol("warp"));
  EXPECT_TRUE(space.weakened(genome));
  EXPECT_TRUE(space.legal(genome));
}

TEST(Genome, TextIsCanonical) {
  Genome a, b;
  a.set("X", number(1));
  a.set("A", symbol("half"));
  b.set("A", symbol("half"));
  b.set("X", number(1));
  EXPECT_EQ(a.text(), "A=half,X=1");
  EXPECT_EQ(a, b);
  EXPECT_THROW((void)a.at("B"), std::out_of_range);
}

}  // namespace
}  // namespace evo::model
