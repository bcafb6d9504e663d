#include "engine/strategies/coded_space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "engine/strategies/offspring.hpp"
#include "mutators/sampling.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::engine {
namespace {

using evo::testing::expression;
using evo::testing::integer_gene;
using evo::testing::tiled_space;

Code any_code(const CodedSpace& space, model::RandomStream& random) {
  Code code;
  for (std::size_t gene = 0; gene < space.genes(); ++gene)
    code.push_back(static_cast<std::uint16_t>(random.below(space.values(gene))));
  return code;
}

RC_GTEST_PROP(CodedSpace, SaysWhatTheSpaceSaysOfEveryGenome, (std::uint64_t seed)) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::RandomStream random({seed, 0, 0, "codes"});
  for (int i = 0; i < 50; ++i) {
    const Code code = any_code(coded, random);
    const model::Genome genome = coded.decode(code);
    RC_ASSERT(coded.encode(genome) == code);
    RC_ASSERT(coded.legal(code) == space.legal(genome));
    // The second answer comes from memory.
    RC_ASSERT(coded.legal(code) == space.legal(genome));
  }
}

TEST(CodedSpace, NamesTheGenesOfTheConstraintThatIsViolated) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::Genome genome = space.initial();
  EXPECT_EQ(coded.violated(coded.encode(genome)), nullptr);
  genome.set("BLOCK_M", std::int64_t{128});
  genome.set("BLOCK_N", std::int64_t{128});
  const auto* genes = coded.violated(coded.encode(genome));
  ASSERT_NE(genes, nullptr);
  EXPECT_EQ(*genes, (std::vector<std::size_t>{0, 1}));
}

TEST(CodedSpace, AConstraintThatCannotBeEvaluatedHoldsNowhere) {
  const model::Space space({integer_gene("A", {0, 1}, 1)}, {{expression("4 / A > 0"), "divides"}});
  const CodedSpace coded(space);
  EXPECT_FALSE(coded.legal({0}));
  EXPECT_TRUE(coded.legal({1}));
}

RC_GTEST_PROP(Offspring, AreLegalAndNameTheirParent, (std::uint64_t seed)) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::RandomStream random({seed, 0, 0, "offspring"});
  std::vector<Code> parents;
  for (int i = 0; i < 5; ++i) parents.push_back(coded.encode(*mutators::random_legal(space, random)));
  const auto many = breed_many(coded, parents, 100, {}, random);
  RC_ASSERT(many.size() > 50);
  for (const Bred& bred : many) {
    RC_ASSERT(space.legal(coded.decode(bred.code)));
    RC_ASSERT(bred.from < parents.size());
  }
}

TEST(Offspring, KeepBarriersAtFullUnlessTheyAreToChange) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  const std::vector<Code> parents{coded.encode(space.initial())};
  const auto weakened = [&](bool barriers) {
    model::RandomStream random({1, 0, 0, "barriers"});
    int count = 0;
    for (const Bred& bred : breed_many(coded, parents, 1000, {0, true, barriers}, random))
      count += space.weakened(coded.decode(bred.code)) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(weakened(false), 0);
  EXPECT_GT(weakened(true), 10);
}

/// A and B pay together only: along the ridge A * B == 64 nothing but a change of both is legal.
TEST(Offspring, AStepThatAConstraintForbidsTakesACoupledGeneAlong) {
  const model::Space space({integer_gene("A", {1, 2, 4, 8, 16, 32, 64}, 8),
                            integer_gene("B", {1, 2, 4, 8, 16, 32, 64}, 8), integer_gene("C", {0, 1}, 0)},
                           {{expression("A * B == 64"), "ridge"}});
  const CodedSpace coded(space);
  model::RandomStream random({3, 0, 0, "ridge"});
  std::set<std::int64_t> reached;
  for (int round = 0; round < 20; ++round) {
    for (const Code& code : around(coded, coded.encode(space.initial()), random)) {
      ASSERT_TRUE(coded.legal(code));
      reached.insert(std::get<std::int64_t>(coded.decode(code).at("A")));
    }
  }
  EXPECT_EQ(reached.size(), 7U);
}

TEST(Offspring, WhatCannotBeMadeLegalIsGivenUp) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1)},
                           {{expression("A + B == 9"), "never"}});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "never"});
  EXPECT_EQ(made_legal(coded, {0, 0}, {false, false}, random), std::nullopt);
  EXPECT_TRUE(breed_many(coded, std::vector<Code>{{0, 0}}, 10, {}, random).empty());
}

}  // namespace
}  // namespace evo::engine
