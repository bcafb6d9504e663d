#include "mutators/repair.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "mutators/operators.hpp"
#include "mutators/value_step.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::expression;
using evo::testing::integer_gene;
using evo::testing::symbol_gene;
using evo::testing::tiled_space;
using model::RandomStream;
using model::Space;

Code random_code(const CodedSpace& space, RandomStream& random) {
  Code code;
  for (std::size_t gene = 0; gene < space.genes(); ++gene)
    code.push_back(static_cast<std::uint16_t>(random.below(space.values(gene))));
  return code;
}

/// A and B pay together only: along the ridge A * B == 64 nothing but a change of both is legal.
Space ridge_space() {
  return Space({integer_gene("A", {1, 2, 4, 8, 16, 32, 64}, 8),
                integer_gene("B", {1, 2, 4, 8, 16, 32, 64}, 8), integer_gene("C", {0, 1}, 0)},
               {{expression("A * B == 64"), "ridge"}});
}

RC_GTEST_PROP(Repair, GivesALegalCodeAndKeepsALegalWish, (std::uint64_t seed)) {
  const Space space = tiled_space();
  const CodedSpace coded(space);
  RandomStream random({seed, 0, 0, "test"});
  const Code wish = random_code(coded, random);
  const auto repaired = repair(coded, wish, std::vector<bool>(wish.size()), {}, random);
  if (!repaired) return;
  RC_ASSERT(coded.legal(*repaired));
  if (coded.legal(wish)) RC_ASSERT(*repaired == wish);
}

TEST(Repair, StaysNearTheWishAndMostlySucceeds) {
  const Space space = tiled_space();
  const CodedSpace coded(space);
  int changed = 0, repaired_count = 0, failed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random({seed, 0, 0, "test"});
    const Code wish = random_code(coded, random);
    if (coded.legal(wish)) continue;
    const auto repaired = repair(coded, wish, std::vector<bool>(wish.size()), {}, random);
    failed += repaired ? 0 : 1;
    if (!repaired) continue;
    ++repaired_count;
    for (std::size_t gene = 0; gene < wish.size(); ++gene) changed += (*repaired)[gene] != wish[gene] ? 1 : 0;
  }
  ASSERT_GT(repaired_count, 50);
  EXPECT_LT(failed, 10);
  EXPECT_LT(static_cast<double>(changed) / repaired_count, 2.0);
}

TEST(Repair, WhatWasDecidedStaysWhereOthersCanChange) {
  const Space space = ridge_space();
  const CodedSpace coded(space);
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random({seed, 0, 0, "decided"});
    // A = 16 needs B = 4; C has no part in it.
    const auto repaired = repair(coded, {4, 3, 0}, {true, false, false}, {}, random);
    if (!repaired) continue;
    ++found;
    EXPECT_EQ(*repaired, (Code{4, 2, 0}));
  }
  EXPECT_GT(found, 70);
}

TEST(Repair, ABarrierStaysWhereAnotherGeneCanChange) {
  const Space space(
      {integer_gene("A", {1, 2}, 1), symbol_gene("S", {"none", "block"}, "block", model::GeneRole::sync)},
      {{expression("A == 1 or S == 'none'"), "barriers cost too much for 2"}});
  const CodedSpace coded(space);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random({seed, 0, 0, "barrier"});
    EXPECT_EQ(repair(coded, {1, 1}, {false, false}, {}, random), (Code{0, 1}));
    // Nothing else is left to change.
    EXPECT_EQ(repair(coded, {1, 1}, {true, false}, {}, random).value().size(), 2U);
  }
}

TEST(Repair, WhatCannotBeMadeLegalIsGivenUp) {
  const Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1)},
                    {{expression("A + B == 9"), "never"}});
  const CodedSpace coded(space);
  RandomStream random({1, 0, 0, "never"});
  EXPECT_EQ(repair(coded, {0, 0}, {false, false}, {}, random), std::nullopt);
  const Space fixed({integer_gene("A", {1}, 1)}, {{expression("A == 2"), "never"}});
  EXPECT_EQ(repair(CodedSpace(fixed), {0}, {false}, {}, random), std::nullopt);
}

TEST(StepsAround, AStepThatAConstraintForbidsTakesACoupledGeneAlong) {
  const Space space = ridge_space();
  const CodedSpace coded(space);
  RandomStream random({3, 0, 0, "ridge"});
  std::set<std::uint16_t> reached;
  for (int round = 0; round < 20; ++round) {
    for (const Code& code : steps_around(coded, coded.encode(space.initial()), {}, random)) {
      ASSERT_TRUE(coded.legal(code));
      reached.insert(code[0]);
    }
  }
  EXPECT_EQ(reached.size(), 7U);
}

TEST(OtherValue, IsAnotherOneAndNearAsOftenAsSaid) {
  const Space space({integer_gene("A", {1, 2, 3, 4, 5, 6, 7}, 1),
                     symbol_gene("S", {"a", "b", "c", "d", "e", "f", "g"}, "a")},
                    {});
  const CodedSpace coded(space);
  RandomStream random({1, 0, 0, "step"});
  const auto near = [&](std::size_t gene, double to_neighbour) {
    int count = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::uint16_t value = other_value(coded, gene, 3, to_neighbour, random);
      EXPECT_NE(value, 3);
      count += value == 2 || value == 4 ? 1 : 0;
    }
    return count / 4000.0;
  };
  // Of six other values two are next to it; 0.03 is four standard deviations of 4000 draws.
  EXPECT_NEAR(near(0, 0), 1.0 / 3, 0.03);
  EXPECT_NEAR(near(0, 0.5), 0.5 + 0.5 / 3, 0.03);
  EXPECT_NEAR(near(0, 1), 1, 1e-12);
  EXPECT_NEAR(near(1, 1), 1.0 / 3, 0.03) << "symbols have no order";
  EXPECT_EQ(other_value(coded, 0, 0, 1, random), 1) << "at the end there is one neighbour";
  EXPECT_EQ(other_value(coded, 0, 6, 1, random), 5);
}

}  // namespace
}  // namespace evo::mutators
