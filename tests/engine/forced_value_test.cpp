#include "engine/strategies/forced_value.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "mutators/sampling.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::engine {
namespace {

using evo::testing::expression;
using evo::testing::integer_gene;
using evo::testing::tiled_space;

Bred made(Code code, std::size_t from) {
  return {std::move(code), from, std::nullopt, {"gene_mutation"}, "mutated"};
}

RC_GTEST_PROP(ForcedValue, OffspringHaveTheValueAndAreLegal, (std::uint64_t seed)) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::RandomStream random({seed, 0, 0, "probe"});
  const auto probe = draw_forced_value(coded, {}, random);
  RC_ASSERT(probe.has_value());
  std::vector<Bred> offspring;
  for (int i = 0; i < 50; ++i)
    offspring.push_back(made(coded.encode(*mutators::random_legal(space, random)), 2));
  enforce(coded, *probe, {}, offspring, random);
  RC_ASSERT(!offspring.empty());
  for (const Bred& bred : offspring) {
    RC_ASSERT(probe->in(bred.code));
    RC_ASSERT(space.legal(coded.decode(bred.code)));
    RC_ASSERT(bred.from == 2U);
  }
}

TEST(ForcedValue, WhatTheValueNeedsComesWithIt) {
  const model::Space space({integer_gene("A", {1, 2, 4, 8}, 8), integer_gene("B", {1, 2, 4, 8}, 1)},
                           {{expression("A * B == 8"), "ridge"}});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "ridge"});
  std::vector<Bred> offspring(20, made(coded.encode(space.initial()), 3));
  enforce(coded, {0, 1}, {}, offspring, random);
  ASSERT_FALSE(offspring.empty());
  for (const Bred& bred : offspring) {
    EXPECT_EQ(bred.code, (Code{1, 2}));
    EXPECT_EQ(bred.from, 3U);
    EXPECT_EQ(bred.steps.back(), "probe");
  }
}

TEST(ForcedValue, AValueThatCannotBeHadLeavesNoOffspring) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1)},
                           {{expression("A == 1"), "one"}});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "one"});
  std::vector<Bred> offspring(5, made({0, 0}, 0));
  enforce(coded, {0, 1}, {}, offspring, random);
  EXPECT_TRUE(offspring.empty());
}

TEST(ForcedValue, RareValuesAreDrawnMoreOften) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {5}, 5)}, {});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "rare"});
  const std::vector<Observation> rows{{{0, 0}, 1.0}, {{0, 0}, 2.0}, {{1, 0}, 3.0}};
  std::map<std::uint16_t, int> drawn;
  for (int i = 0; i < 200; ++i) {
    const auto probe = draw_forced_value(coded, rows, random);
    ASSERT_TRUE(probe);
    EXPECT_EQ(probe->gene, 0U) << "a gene of one value has nothing to try";
    ++drawn[probe->value];
  }
  EXPECT_GT(drawn[1], 4 * drawn[0]);
  EXPECT_GT(drawn[0], 0) << "not always the same";
  EXPECT_EQ((ForcedValue{0, 1}.text(coded)), "with A=2, which few had");
}

TEST(Rival, IsDrawnWhereTheFastestAgree) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2, 3}, 1),
                            integer_gene("C", {1, 2}, 1), integer_gene("D", {7}, 7)},
                           {});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "rival"});
  // All have A=2, three of four B=3, half of them each value of C; D has no other value.
  const std::vector<Code> fastest{{1, 2, 0, 0}, {1, 2, 1, 0}, {1, 2, 0, 0}, {1, 0, 1, 0}};
  std::map<std::string, int> drawn;
  for (int i = 0; i < 200; ++i) {
    const auto rival = draw_excluded_value(coded, fastest, random);
    ASSERT_TRUE(rival);
    EXPECT_TRUE(rival->avoided);
    EXPECT_FALSE(rival->in(fastest.front()));
    ++drawn[rival->text(coded)];
  }
  EXPECT_EQ(drawn.size(), 2U);
  EXPECT_GT(drawn["without A=2, which most of the fastest have"], 50);
  EXPECT_GT(drawn["without B=3, which most of the fastest have"], 50);
  EXPECT_EQ(draw_excluded_value(coded, std::vector<Code>{{0, 0, 0, 0}, {1, 1, 1, 0}}, random), std::nullopt);
  EXPECT_EQ(draw_excluded_value(coded, {}, random), std::nullopt);
}

TEST(Rival, OffspringWithTheAvoidedValueAreDropped) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2, 3}, 1)}, {});
  const CodedSpace coded(space);
  model::RandomStream random({1, 0, 0, "avoid"});
  std::vector<Bred> offspring{made({0, 1}, 4), made({1, 1}, 5), made({0, 2}, 6)};
  enforce(coded, {0, 1, true}, {}, offspring, random);
  ASSERT_EQ(offspring.size(), 2U);
  EXPECT_EQ(offspring[0].from, 4U);
  EXPECT_EQ(offspring[1].from, 6U);
}

TEST(ForcedValue, WithoutAChoiceThereIsNone) {
  const model::Space space({integer_gene("A", {1}, 1)}, {});
  model::RandomStream random({1, 0, 0, "none"});
  EXPECT_EQ(draw_forced_value(CodedSpace(space), {}, random), std::nullopt);
}

}  // namespace
}  // namespace evo::engine
