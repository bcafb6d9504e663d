#include "mutators/operators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mutators/insight_lookup.hpp"
#include "mutators/sampling.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::integer_gene;
using evo::testing::simple_space;
using evo::testing::tiled_space;
using model::Genome;
using model::RandomStream;
using model::Space;
using ::testing::HasSubstr;

int differing(const Genome& a, const Genome& b) {
  int count = 0;
  for (const auto& [gene, value] : a.values()) count += b.at(gene) != value ? 1 : 0;
  return count;
}

model::Insights some_insights() {
  model::Insights insights;
  insights.generation = 2;
  insights.effects = {{"g2-e1", "tiled", "BLOCK_N", std::int64_t{32}, 0.2, {0.1, 0.3}, 9},
                      {"g2-e2", "tiled", "BLOCK_N", std::int64_t{64}, -0.3, {-0.4, -0.2}, 7},
                      {"g2-e3", "simple", "UNROLL", std::int64_t{4}, -0.5, {-0.6, -0.4}, 5}};
  insights.failures = {
      {"g2-f1", "tiled", {{"PAD", std::int64_t{4}}}, model::Status::over_budget, "spills", 9, 9, 0.7}};
  return insights;
}

/// Every operator, any seed: an offspring is legal, complete and new.
RC_GTEST_PROP(Operators, OffspringIsLegalAndDiffersFromItsParents, (std::uint64_t seed)) {
  const Space space = tiled_space();
  RandomStream random({seed, 0, 0, "test"});
  const Genome first = *random_legal(space, random);
  const Genome second = *random_legal(space, random);
  const std::vector<Parent> parents{{"a", &first}, {"b", &second}};
  const model::Insights insights = some_insights();
  for (const auto& mutator : builtin_mutators()) {
    const auto given = std::span(parents).first(static_cast<std::size_t>(mutator->arity()));
    for (const model::Insights* known : {static_cast<const model::Insights*>(nullptr), &insights}) {
      const auto child = mutator->apply(given, space, random, {0.2, "tiled", known});
      if (!child) continue;
      RC_ASSERT(space.legal(child->genome));
      for (const Parent& parent : given) RC_ASSERT(child->genome != *parent.genome);
      RC_ASSERT(!child->rationale.empty());
    }
  }
}

TEST(Operators, TheSameStreamGivesTheSameOffspring) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const Genome other = *[&] {
    RandomStream random({5, 0, 0, "other"});
    return random_legal(space, random);
  }();
  const std::vector<Parent> parents{{"a", &parent}, {"b", &other}};
  for (const auto& mutator : builtin_mutators()) {
    RandomStream one({9, 1, 2, "genes"}), two({9, 1, 2, "genes"});
    const auto a = mutator->apply(parents, space, one, {0.2, "tiled", nullptr});
    const auto b = mutator->apply(parents, space, two, {0.2, "tiled", nullptr});
    ASSERT_EQ(a.has_value(), b.has_value()) << mutator->name();
    if (a) {
      EXPECT_EQ(a->genome, b->genome) << mutator->name();
    }
  }
}

TEST(Operators, TooFewParentsIsNotApplicable) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const std::vector<Parent> one{{"a", &parent}};
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(UniformCrossover().apply(one, space, random, {}));
  EXPECT_FALSE(GeneMutation().apply({}, space, random, {}));
}

TEST(GeneMutation, LeavesBarriersAloneAndChangesAtLeastOneGene) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  RandomStream random({1, 0, 0, "test"});
  for (int i = 0; i < 300; ++i) {
    const auto child = GeneMutation().apply(parents, space, random, {0.0, "tiled", nullptr});
    ASSERT_TRUE(child);
    EXPECT_FALSE(space.weakened(child->genome));
    EXPECT_GE(differing(child->genome, parent), 1);
  }
}

TEST(GeneMutation, MutatesMoreGenesAtAHigherProbability) {
  const Space space({integer_gene("A", {1, 2, 3}, 1), integer_gene("B", {1, 2, 3}, 1),
                     integer_gene("C", {1, 2, 3}, 1), integer_gene("D", {1, 2, 3}, 1)},
                    {});
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  const auto mean_changes = [&](double probability) {
    RandomStream random({1, 0, 0, "test"});
    int total = 0;
    for (int i = 0; i < 400; ++i) {
      total += differing(GeneMutation().apply(parents, space, random, {probability, "t", nullptr})->genome,
                         parent);
    }
    return total / 400.0;
  };
  EXPECT_DOUBLE_EQ(mean_changes(0), 1);
  EXPECT_GT(mean_changes(0.8), 2.5);
}

TEST(GeneMutation, ASpaceOfOneGenomeIsNotApplicable) {
  const Space space({integer_gene("A", {1}, 1)}, {});
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(GeneMutation().apply(parents, space, random, {0.5, "t", nullptr}));
}

TEST(UniformCrossover, TakesEveryGeneFromAParentWhenTheConstraintsAllow) {
  const Space space(
      {integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1), integer_gene("C", {1, 2, 3}, 1)}, {});
  Genome first = space.initial(), second = space.initial();
  second.set("A", std::int64_t{2});
  second.set("B", std::int64_t{2});
  const std::vector<Parent> parents{{"a", &first}, {"b", &second}};
  RandomStream random({1, 0, 0, "test"});
  for (int i = 0; i < 50; ++i) {
    const auto child = UniformCrossover().apply(parents, space, random, {});
    ASSERT_TRUE(child);
    EXPECT_EQ(child->genome.at("C"), first.at("C"));
    EXPECT_NE(child->genome.at("A"), child->genome.at("B"));
    EXPECT_THAT(child->rationale, HasSubstr("crossed with b"));
  }
}

TEST(UniformCrossover, NearlyEqualParentsAreNotApplicable) {
  const Space space = tiled_space();
  const Genome first = space.initial();
  Genome second = first;
  second.set("PAD", std::int64_t{8});
  const std::vector<Parent> parents{{"a", &first}, {"b", &second}};
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(UniformCrossover().apply(parents, space, random, {}));
}

TEST(SyncMutation, ChangesOneBarrierMostlyByOneStep) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  RandomStream random({1, 0, 0, "test"});
  int warp = 0, none = 0;
  for (int i = 0; i < 200; ++i) {
    const auto child = SyncMutation().apply(parents, space, random, {0.2, "tiled", nullptr});
    ASSERT_TRUE(child);
    EXPECT_EQ(differing(child->genome, parent), 1);
    EXPECT_THAT(child->rationale, HasSubstr("weakened a barrier: SYNC_A block -> "));
    ++(model::to_string(child->genome.at("SYNC_A")) == "warp" ? warp : none);
  }
  EXPECT_GT(warp, 2 * none);
  EXPECT_GT(none, 0);
}

TEST(SyncMutation, ATemplateWithoutBarriersIsNotApplicable) {
  const Space space = simple_space();
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(SyncMutation().apply(parents, space, random, {0.2, "simple", nullptr}));
}

TEST(InsightGuided, MovesToTheFastValueAndCitesTheInsight) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  const model::Insights insights = some_insights();
  RandomStream random({1, 0, 0, "test"});
  const auto child = InsightGuided().apply(parents, space, random, {0.2, "tiled", &insights});
  ASSERT_TRUE(child);
  EXPECT_EQ(model::to_string(child->genome.at("BLOCK_N")), "64");
  EXPECT_THAT(child->rationale, HasSubstr("g2-e2"));
  ASSERT_TRUE(child->predicted_effect);
  EXPECT_NEAR(*child->predicted_effect, -0.5, 1e-12);
}

TEST(InsightGuided, KnowsNothingWithoutInsightsOrAboutOtherTemplates) {
  const Space space = tiled_space();
  Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  model::Insights insights = some_insights();
  RandomStream random({1, 0, 0, "test"});
  EXPECT_FALSE(InsightGuided().apply(parents, space, random, {0.2, "tiled", nullptr}));
  EXPECT_FALSE(InsightGuided().apply(parents, space, random, {0.2, "another", &insights}));
  parent.set("BLOCK_N", std::int64_t{64});
  EXPECT_FALSE(InsightGuided().apply(parents, space, random, {0.2, "tiled", &insights}));
}

TEST(Insights, OffspringUnderAFailurePatternIsMostlyDrawnAgain) {
  const Space space = tiled_space();
  const Genome parent = space.initial();
  const std::vector<Parent> parents{{"a", &parent}};
  const model::Insights insights = some_insights();
  const auto padded_by_four = [&](const model::Insights* known) {
    RandomStream random({3, 0, 0, "test"});
    int count = 0, cited = 0;
    for (int i = 0; i < 600; ++i) {
      const auto child = GeneMutation().apply(parents, space, random, {0.3, "tiled", known});
      count += model::to_string(child->genome.at("PAD")) == "4" ? 1 : 0;
      cited +=
          child->rationale.find("avoid g2-f1 (PAD=4: over_budget by spills, 9 of 9)") != std::string::npos
              ? 1
              : 0;
    }
    return std::pair(count, cited);
  };
  const auto [blind, no_citation] = padded_by_four(nullptr);
  const auto [guided, citations] = padded_by_four(&insights);
  EXPECT_GT(blind, 60);
  EXPECT_EQ(no_citation, 0);
  EXPECT_LT(guided, blind / 4);
  EXPECT_GT(citations, 60);
}

TEST(BuiltinMutators, HaveUniqueNames) {
  EXPECT_THAT(builtin_mutator_names(),
              ::testing::ElementsAre("gene_mutation", "uniform_crossover", "insight_guided", "sync_mutation",
                                     "random_immigrant"));
}

}  // namespace
}  // namespace evo::mutators
