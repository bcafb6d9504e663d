#include "mutators/operator_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "mutators/sampling.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::integer_gene;
using evo::testing::simple_space;
using evo::testing::tiled_space;
using model::RandomStream;
using model::Space;

/// Two parents that differ in every gene of a space without constraints, and what is bred of them.
struct Family {
  Space space{{integer_gene("A", {1, 2, 3}, 1), integer_gene("B", {1, 2, 3}, 1),
               integer_gene("C", {1, 2, 3}, 1), integer_gene("D", {1, 2, 3}, 1),
               evo::testing::symbol_gene("S", {"none", "block"}, "block", model::GeneRole::sync)},
              {}};
  CodedSpace coded{space};
  Code first{0, 0, 0, 0, 1}, second{2, 2, 2, 2, 1};
  std::array<Parent, 2> parents{Parent{"a", &first}, Parent{"b", &second}};

  /// How often each operator, or each pair of them, made one of `count` offspring.
  std::map<std::string, int> counts(const Weights& weights, int count, const Hints& hints = {},
                                    bool mates = true) const {
    const OperatorSet operators(weights);
    RandomStream choice({1, 0, 0, "choice"}), genes({1, 0, 0, "genes"});
    const auto mate = [&] { return mates ? std::optional<std::size_t>(1) : std::nullopt; };
    std::map<std::string, int> result;
    for (int i = 0; i < count; ++i) {
      const auto bred = operators.breed(coded, parents, 0, mate, choice, genes, hints);
      ++result[bred ? joined(bred->steps) : "none"];
    }
    return result;
  }
};

/// Four standard deviations of a count.
double bound(int trials, double share) {
  return 4 * std::sqrt(trials * share * (1 - share));
}

RC_GTEST_PROP(Breeding, OffspringAreLegalNewAndNameTheirParents, (std::uint64_t seed)) {
  const Space space = tiled_space();
  const CodedSpace coded(space);
  RandomStream choice({seed, 0, 0, "choice"}), genes({seed, 0, 0, "genes"});
  const OperatorSet operators(default_weights("genetic"));
  std::vector<Code> codes;
  std::vector<Parent> parents;
  for (int i = 0; i < 4; ++i) codes.push_back(coded.encode(*random_legal(space, genes)));
  for (const Code& code : codes) parents.push_back({"p", &code});
  const auto mate = [] { return std::optional<std::size_t>(3); };
  for (int i = 0; i < 30; ++i) {
    const auto bred = operators.breed(coded, parents, 1, mate, choice, genes, {});
    if (!bred) continue;
    RC_ASSERT(coded.legal(bred->code));
    RC_ASSERT(bred->code != codes[1]);
    RC_ASSERT(bred->from == 1U);
    const bool crossed = bred->steps.front() == "uniform_crossover";
    RC_ASSERT(bred->mate.has_value() == crossed);
    if (crossed) RC_ASSERT(bred->code != codes[3]);
    RC_ASSERT(!bred->rationale.empty());
  }
}

TEST(Breeding, AWeightIsTheShareOfTheOffspring) {
  const Family family;
  const int trials = 6000;
  Hints hints;
  hints.settings.after_crossover = 0;
  const auto counts =
      family.counts({{"gene_mutation", 3}, {"uniform_crossover", 2}, {"sync_mutation", 1}, {"neighbour", 50}},
                    trials, hints);
  EXPECT_NEAR(counts.at("gene_mutation"), trials * 3 / 6.0, bound(trials, 3 / 6.0));
  EXPECT_NEAR(counts.at("uniform_crossover"), trials * 2 / 6.0, bound(trials, 2 / 6.0));
  EXPECT_NEAR(counts.at("sync_mutation"), trials * 1 / 6.0, bound(trials, 1 / 6.0));
  EXPECT_EQ(counts.size(), 3U) << "neighbour is no way to breed";
}

TEST(Breeding, ACrossedChildIsChangedOnceMoreAsOftenAsSaid) {
  const Family family;
  const int trials = 4000;
  const auto counts = family.counts({{"gene_mutation", 1}, {"uniform_crossover", 1}}, trials,
                                    {{.after_crossover = 0.25}, nullptr, {}});
  const int crossed = counts.at("uniform_crossover") + counts.at("uniform_crossover+gene_mutation");
  EXPECT_NEAR(crossed, trials / 2.0, bound(trials, 0.5));
  EXPECT_NEAR(counts.at("uniform_crossover+gene_mutation"), 0.25 * crossed, bound(crossed, 0.25));
}

TEST(Breeding, AnOperatorThatIsNotApplicableLeavesItsShareToTheOthers) {
  const Family family;
  const int trials = 3000;
  // No insights, no mate: two of four operators are left, one to two.
  const auto counts = family.counts(
      {{"gene_mutation", 1}, {"uniform_crossover", 5}, {"sync_mutation", 2}, {"insight_guided", 5}}, trials,
      {}, false);
  EXPECT_NEAR(counts.at("gene_mutation"), trials / 3.0, bound(trials, 1 / 3.0));
  EXPECT_EQ(counts.at("gene_mutation") + counts.at("sync_mutation"), trials);
  EXPECT_EQ(family.counts({{"insight_guided", 1}}, 5).at("none"), 5);
}

TEST(Breeding, SourcesComeByWeight) {
  const OperatorSet operators({{"gene_mutation", 2}, {"neighbour", 1}, {"random_immigrant", 1}});
  EXPECT_DOUBLE_EQ(operators.share("gene_mutation"), 0.5);
  EXPECT_TRUE(operators.enabled("neighbour"));
  EXPECT_FALSE(operators.enabled("sync_mutation"));
  RandomStream random({1, 0, 0, "source"});
  std::map<Source, int> counts;
  const int trials = 4000;
  for (int i = 0; i < trials; ++i) ++counts[operators.draw_source(random)];
  EXPECT_NEAR(counts[Source::offspring], trials / 2.0, bound(trials, 0.5));
  EXPECT_NEAR(counts[Source::neighbour], trials / 4.0, bound(trials, 0.25));
  EXPECT_NEAR(counts[Source::immigrant], trials / 4.0, bound(trials, 0.25));
}

TEST(Breeding, AChangedChildIsNoneOfItsParents) {
  // Of two genes with two values each: whatever a crossed child becomes by another change is a parent.
  const Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {1, 2}, 1)}, {});
  const CodedSpace coded(space);
  const Code first{0, 0}, second{1, 1};
  const std::array<Parent, 2> parents{Parent{"a", &first}, Parent{"b", &second}};
  const OperatorSet operators({{"uniform_crossover", 1}, {"gene_mutation", 1e-9}});
  RandomStream choice({1, 0, 0, "choice"}), genes({1, 0, 0, "genes"});
  Hints hints;
  hints.settings.gene_probability = 0;
  for (int i = 0; i < 200; ++i) {
    const auto bred = operators.breed(
        coded, parents, 0, [] { return std::optional<std::size_t>(1); }, choice, genes, hints);
    ASSERT_TRUE(bred);
    EXPECT_NE(bred->code, first);
    EXPECT_NE(bred->code, second);
  }
}

}  // namespace
}  // namespace evo::mutators
