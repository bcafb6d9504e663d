#include "mutators/operators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

#include "mutators/insight_index.hpp"
#include "mutators/sampling.hpp"
#include "mutators/weights.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::integer_gene;
using evo::testing::simple_space;
using evo::testing::tiled_space;
using model::RandomStream;
using model::Space;
using ::testing::HasSubstr;

/// A space with some of its codes, and operators on them.
struct Bench {
  explicit Bench(Space of) : space(std::move(of)) {}
  Space space;
  CodedSpace coded{space};
  Code initial = coded.encode(space.initial());
  RandomStream random{{1, 0, 0, "test"}};

  /// Applies to the initial genome.
  template <class Operator>
  [[nodiscard]] std::optional<Offspring> of_initial(const Hints& hints = {}) {
    const std::array<Parent, 1> parents{Parent{"a", &initial}};
    return Operator().apply(parents, coded, random, hints);
  }
  /// The text of one gene's value.
  [[nodiscard]] std::string value(const Code& code, std::string_view gene) const {
    return model::to_string(coded.decode(code).at(gene));
  }
};

int differing(const Code& a, const Code& b) {
  int count = 0;
  for (std::size_t gene = 0; gene < a.size(); ++gene) count += a[gene] != b[gene] ? 1 : 0;
  return count;
}

Hints mutating(double probability) {
  Hints hints;
  hints.settings.gene_probability = probability;
  return hints;
}

Hints knowing(const InsightIndex& index) {
  Hints hints;
  hints.insights = &index;
  return hints;
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
  const CodedSpace coded(space);
  RandomStream random({seed, 0, 0, "test"});
  const Code first = coded.encode(*random_legal(space, random));
  const Code second = coded.encode(*random_legal(space, random));
  const std::array<Parent, 2> parents{Parent{"a", &first}, Parent{"b", &second}};
  const model::Insights insights = some_insights();
  const InsightIndex index(insights, "tiled", coded);
  for (const auto& mutator : builtin_mutators()) {
    for (const Hints& hints : {mutating(0.2), knowing(index)}) {
      const auto child = mutator->apply(parents, coded, random, hints);
      if (!child) continue;
      RC_ASSERT(child->code.size() == coded.genes());
      RC_ASSERT(coded.legal(child->code));
      if (mutator->arity() > 0) RC_ASSERT(child->code != first);
      if (mutator->arity() > 1) RC_ASSERT(child->code != second);
      RC_ASSERT(!child->rationale.empty());
    }
  }
}

TEST(Operators, TheSameStreamGivesTheSameOffspring) {
  const Bench bench(tiled_space());
  RandomStream random({5, 0, 0, "other"});
  const Code other = bench.coded.encode(*random_legal(bench.space, random));
  const std::array<Parent, 2> parents{Parent{"a", &bench.initial}, Parent{"b", &other}};
  for (const auto& mutator : builtin_mutators()) {
    RandomStream one({9, 1, 2, "genes"}), two({9, 1, 2, "genes"});
    const auto a = mutator->apply(parents, bench.coded, one, {});
    const auto b = mutator->apply(parents, bench.coded, two, {});
    ASSERT_EQ(a.has_value(), b.has_value()) << mutator->name();
    if (a) {
      EXPECT_EQ(a->code, b->code) << mutator->name();
    }
  }
}

TEST(Operators, TooFewParentsIsNotApplicable) {
  Bench bench(tiled_space());
  EXPECT_FALSE(bench.of_initial<UniformCrossover>());
  EXPECT_FALSE(GeneMutation().apply({}, bench.coded, bench.random, {}));
}

TEST(GeneMutation, LeavesBarriersAloneAndChangesAtLeastOneGene) {
  Bench bench(tiled_space());
  for (int i = 0; i < 300; ++i) {
    const auto child = bench.of_initial<GeneMutation>(mutating(0));
    ASSERT_TRUE(child);
    EXPECT_FALSE(bench.space.weakened(bench.coded.decode(child->code)));
    EXPECT_GE(differing(child->code, bench.initial), 1);
  }
}

TEST(GeneMutation, MutatesMoreGenesAtAHigherProbability) {
  const auto mean_changes = [](double probability) {
    Bench bench(Space({integer_gene("A", {1, 2, 3}, 1), integer_gene("B", {1, 2, 3}, 1),
                       integer_gene("C", {1, 2, 3}, 1), integer_gene("D", {1, 2, 3}, 1)},
                      {}));
    int total = 0;
    for (int i = 0; i < 400; ++i)
      total += differing(bench.of_initial<GeneMutation>(mutating(probability))->code, bench.initial);
    return total / 400.0;
  };
  EXPECT_DOUBLE_EQ(mean_changes(0), 1);
  EXPECT_GT(mean_changes(0.8), 2.5);
}

TEST(GeneMutation, ASpaceOfOneGenomeIsNotApplicable) {
  Bench bench(Space({integer_gene("A", {1}, 1)}, {}));
  EXPECT_FALSE(bench.of_initial<GeneMutation>(mutating(0.5)));
}

/// Where nothing has to be repaired, every gene is a parent's, and about half are the second one's.
RC_GTEST_PROP(UniformCrossover, GenesComeFromTheParents, (std::uint64_t seed)) {
  std::vector<model::Gene> genes;
  for (char name = 'A'; name <= 'H'; ++name) genes.push_back(integer_gene({name}, {1, 2, 3, 4}, 1));
  const Bench bench(Space(std::move(genes), {}));
  RandomStream random({seed, 0, 0, "test"});
  const Code first = bench.coded.encode(*random_legal(bench.space, random));
  const Code second = bench.coded.encode(*random_legal(bench.space, random));
  const std::array<Parent, 2> parents{Parent{"a", &first}, Parent{"b", &second}};
  const auto child = UniformCrossover().apply(parents, bench.coded, random, {});
  RC_ASSERT(child.has_value() == (differing(first, second) >= 2));
  if (!child) return;
  for (std::size_t gene = 0; gene < first.size(); ++gene)
    RC_ASSERT(child->code[gene] == first[gene] || child->code[gene] == second[gene]);
}

TEST(UniformCrossover, TakesEveryGeneFromAParentWhenTheConstraintsAllow) {
  Bench bench(Space(
      {integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1), integer_gene("C", {1, 2, 3}, 1)}, {}));
  const Code second{1, 1, 0};
  const std::array<Parent, 2> parents{Parent{"a", &bench.initial}, Parent{"b", &second}};
  for (int i = 0; i < 50; ++i) {
    const auto child = UniformCrossover().apply(parents, bench.coded, bench.random, {});
    ASSERT_TRUE(child);
    EXPECT_EQ(child->code[2], 0);
    EXPECT_NE(child->code[0], child->code[1]);
    EXPECT_THAT(child->rationale, HasSubstr("crossed with b"));
  }
}

TEST(UniformCrossover, NearlyEqualParentsAreNotApplicable) {
  Bench bench(tiled_space());
  Code second = bench.initial;
  second[3] = 2;
  const std::array<Parent, 2> parents{Parent{"a", &bench.initial}, Parent{"b", &second}};
  RandomStream used({1, 0, 0, "test"}), fresh({1, 0, 0, "test"});
  EXPECT_FALSE(UniformCrossover().apply(parents, bench.coded, used, {}));
  EXPECT_EQ(used.below(1 << 30), fresh.below(1 << 30)) << "nothing is drawn: each child would be a parent";
}

TEST(SyncMutation, ChangesOneBarrierMostlyByOneStep) {
  Bench bench(tiled_space());
  int warp = 0, none = 0;
  for (int i = 0; i < 200; ++i) {
    const auto child = bench.of_initial<SyncMutation>();
    ASSERT_TRUE(child);
    EXPECT_EQ(differing(child->code, bench.initial), 1);
    EXPECT_EQ(child->rationale, "weakened a barrier");
    ++(bench.value(child->code, "SYNC_A") == "warp" ? warp : none);
  }
  EXPECT_GT(warp, 2 * none);
  EXPECT_GT(none, 0);
}

TEST(SyncMutation, ATemplateWithoutBarriersIsNotApplicable) {
  Bench bench(simple_space());
  EXPECT_FALSE(bench.of_initial<SyncMutation>());
}

TEST(Neighbour, IsOneLegalStepThatWasNotProposedUntilNoneIsLeft) {
  Bench bench(tiled_space());
  std::set<Code> seen;
  Hints hints;
  hints.seen = [&](const Code& code) { return seen.contains(code); };
  while (const auto child = bench.of_initial<Neighbour>(hints)) {
    EXPECT_EQ(differing(child->code, bench.initial), 1);
    EXPECT_EQ(bench.value(child->code, "SYNC_A"), "block");
    ASSERT_TRUE(seen.insert(child->code).second);
  }
  // Every legal genome at a distance of one tuning gene, and no other.
  std::size_t legal = 0;
  for (const std::size_t gene : bench.coded.tuning()) {
    for (std::uint16_t value = 0; value < bench.coded.values(gene); ++value) {
      Code step = bench.initial;
      step[gene] = value;
      legal += step != bench.initial && bench.coded.legal(step) ? 1 : 0;
    }
  }
  EXPECT_GT(legal, 5U);
  EXPECT_EQ(seen.size(), legal);
}

TEST(InsightGuided, MovesToTheFastValueAndCitesTheInsight) {
  Bench bench(tiled_space());
  const model::Insights insights = some_insights();
  const InsightIndex index(insights, "tiled", bench.coded);
  const auto child = bench.of_initial<InsightGuided>(knowing(index));
  ASSERT_TRUE(child);
  EXPECT_EQ(bench.value(child->code, "BLOCK_N"), "64");
  EXPECT_THAT(child->rationale, HasSubstr("g2-e2"));
  const auto predicted = index.predicted_change(bench.initial, child->code);
  ASSERT_TRUE(predicted);
  EXPECT_NEAR(*predicted, -0.5, 1e-12);
}

TEST(InsightGuided, KnowsNothingWithoutInsightsOrAboutOtherTemplates) {
  Bench bench(tiled_space());
  const model::Insights insights = some_insights();
  EXPECT_FALSE(bench.of_initial<InsightGuided>());
  EXPECT_FALSE(bench.of_initial<InsightGuided>(knowing(InsightIndex(insights, "another", bench.coded))));
  bench.initial[1] = 2;
  EXPECT_FALSE(bench.of_initial<InsightGuided>(knowing(InsightIndex(insights, "tiled", bench.coded))));
}

TEST(Insights, OfGenesThatTheSpaceLacksAreLeftOut) {
  const Bench bench(tiled_space());
  model::Insights insights = some_insights();
  insights.failures = {
      {"g2-f1", "tiled", {{"NOTHING", std::int64_t{4}}}, model::Status::over_budget, "spills", 9, 9, 0.7},
      {"g2-f2", "tiled", {{"PAD", std::int64_t{5}}}, model::Status::over_budget, "spills", 9, 9, 0.7}};
  insights.effects.push_back({"g2-e4", "tiled", "NOTHING", std::int64_t{4}, -0.5, {-0.6, -0.4}, 5});
  const InsightIndex index(insights, "tiled", bench.coded);
  EXPECT_EQ(index.covering(bench.initial), nullptr);
}

TEST(Insights, OffspringUnderAFailurePatternIsMostlyDrawnAgain) {
  const model::Insights insights = some_insights();
  const auto padded_by_four = [&](bool guided) {
    Bench bench(tiled_space());
    const InsightIndex index(insights, "tiled", bench.coded);
    Hints hints = mutating(0.3);
    if (guided) hints.insights = &index;
    int count = 0, cited = 0;
    for (int i = 0; i < 600; ++i) {
      const auto child = bench.of_initial<GeneMutation>(hints);
      count += bench.value(child->code, "PAD") == "4" ? 1 : 0;
      cited +=
          child->rationale.find("avoid g2-f1 (PAD=4: over_budget by spills, 9 of 9)") != std::string::npos
              ? 1
              : 0;
    }
    return std::pair(count, cited);
  };
  const auto [blind, no_citation] = padded_by_four(false);
  const auto [guided, citations] = padded_by_four(true);
  EXPECT_GT(blind, 60);
  EXPECT_EQ(no_citation, 0);
  EXPECT_LT(guided, blind / 4);
  EXPECT_GT(guided, 0) << "a wrong pattern must be able to die";
  EXPECT_GT(citations, 60);
}

TEST(BuiltinMutators, HaveUniqueNames) {
  EXPECT_THAT(operator_names(), ::testing::ElementsAre("gene_mutation", "uniform_crossover", "insight_guided",
                                                       "sync_mutation", "neighbour", "random_immigrant"));
}

}  // namespace
}  // namespace evo::mutators
