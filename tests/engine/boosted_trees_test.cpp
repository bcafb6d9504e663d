#include "engine/strategies/boosted_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/small_experiment.hpp"

namespace evo::engine {
namespace {

using evo::testing::integer_gene;
using evo::testing::symbol_gene;

model::Space three_genes() {
  return model::Space({integer_gene("A", {0, 1, 2, 3, 4, 5}, 0), integer_gene("B", {0, 1, 2, 3, 4, 5}, 0),
                       symbol_gene("C", {"x", "y", "z"}, "x")},
                      {});
}

/// A matters smoothly, B only where C is y: an interaction.
double truth(const Code& code) {
  return 0.3 * std::abs(code[0] - 2.0) + (code[2] == 1 ? 0.2 * code[1] : 0.5);
}

std::vector<Observation> observations(const CodedSpace& space, int count, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, "rows"});
  std::vector<Observation> rows;
  for (int i = 0; i < count; ++i) {
    Code code;
    for (std::size_t gene = 0; gene < space.genes(); ++gene)
      code.push_back(static_cast<std::uint16_t>(random.below(space.values(gene))));
    const double target = truth(code);
    rows.push_back({std::move(code), target});
  }
  return rows;
}

TEST(BoostedTrees, ExplainMostOfWhatTheyHaveNotSeen) {
  const model::Space genes = three_genes();
  const CodedSpace space(genes);
  model::RandomStream random({1, 0, 0, "fit"});
  const BoostedTrees model(space, observations(space, 80, 1), random);
  double left = 0, spread = 0;
  const auto others = observations(space, 200, 2);
  double mean = 0;
  for (const Observation& row : others) mean += row.target / 200;
  for (const Observation& row : others) {
    left += std::pow(model.predict(row.code) - row.target, 2);
    spread += std::pow(row.target - mean, 2);
  }
  EXPECT_LT(left, 0.15 * spread);
}

TEST(BoostedTrees, TheSameStreamGivesTheSameModelAndAnotherOneAnotherOpinion) {
  const model::Space genes = three_genes();
  const CodedSpace space(genes);
  const auto rows = observations(space, 40, 1);
  const auto prediction = [&](std::uint64_t seed) {
    model::RandomStream random({seed, 0, 0, "fit"});
    return BoostedTrees(space, rows, random).predict({4, 4, 1});
  };
  EXPECT_EQ(prediction(5), prediction(5));
  EXPECT_NE(prediction(5), prediction(6));
}

TEST(BoostedTrees, OneObservationIsEnough) {
  const model::Space genes = three_genes();
  const CodedSpace space(genes);
  model::RandomStream random({1, 0, 0, "fit"});
  const std::vector<Observation> one{{{1, 1, 1}, 2.5}};
  EXPECT_DOUBLE_EQ(BoostedTrees(space, one, random).predict({5, 5, 2}), 2.5);
}

}  // namespace
}  // namespace evo::engine
