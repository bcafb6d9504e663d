#include "evaluators/gates/covering_array.hpp"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

model::RandomStream stream() {
  return model::RandomStream({.seed = 3, .generation = 0, .slot = 0, .purpose = "test"});
}

using Pairs = std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>>;

Pairs pairs_of(const std::vector<LevelRow>& rows) {
  Pairs pairs;
  for (const LevelRow& row : rows) {
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) pairs.insert({a, row[a], b, row[b]});
    }
  }
  return pairs;
}

TEST(CoverPairs, EachTwoLevelsOfTwoFactorsMeetInFarFewerRowsThanThereAre) {
  const std::vector<std::size_t> levels{8, 8, 4, 3, 2};
  model::RandomStream draws = stream();
  const auto rows = cover_pairs(levels, 1000, draws, [](const LevelRow&) { return true; });
  EXPECT_EQ(pairs_of(rows).size(), 8U * 8 + 2 * (8 * 4 + 8 * 3 + 8 * 2) + 4 * 3 + 4 * 2 + 3 * 2);
  EXPECT_LT(rows.size(), 110U) << "of 1536";
  for (const LevelRow& row : rows) {
    for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_LT(row[i], levels[i]);
  }
}

TEST(CoverPairs, WhatIsRefusedIsGivenUpAndTheRestCovered) {
  const std::vector<std::size_t> levels{4, 4, 2};
  model::RandomStream draws = stream();
  const auto rows = cover_pairs(levels, 1000, draws, [](const LevelRow& row) { return row[0] + row[1] < 4; });
  const Pairs pairs = pairs_of(rows);
  for (const LevelRow& row : rows) EXPECT_LT(row[0] + row[1], 4U);
  EXPECT_TRUE(pairs.contains({0, 3, 1, 0}));
  EXPECT_TRUE(pairs.contains({0, 0, 1, 3}));
  EXPECT_FALSE(pairs.contains({0, 3, 1, 3}));
}

TEST(CoverPairs, OneFactorHasEachLevelOnceAndRowsHaveALimit) {
  const std::vector<std::size_t> one{5}, two{9, 9};
  model::RandomStream draws = stream();
  const auto all = [](const LevelRow&) { return true; };
  EXPECT_EQ(cover_pairs(one, 1000, draws, all).size(), 5U);
  EXPECT_EQ(cover_pairs(two, 7, draws, all).size(), 7U);
  EXPECT_TRUE(cover_pairs({}, 7, draws, all).empty());
}

}  // namespace
}  // namespace evo::evaluators::gates
