#include "mutators/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mutators/mutator.hpp"

namespace evo::mutators {
namespace {

using ::testing::HasSubstr;

model::SearchSettings settings(std::map<std::string, double, std::less<>> weights,
                               std::string strategy = "genetic") {
  model::SearchSettings search;
  search.strategy = std::move(strategy);
  search.mutators = std::move(weights);
  return search;
}

TEST(Weights, EveryStrategyHasADefaultForEveryOperator) {
  for (const char* strategy : {"genetic", "surrogate", "local", "random"}) {
    const Weights weights = default_weights(strategy);
    EXPECT_EQ(weights.size(), builtin_mutators().size());
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0,
                                       [](double total, const auto& entry) { return total + entry.second; });
    EXPECT_NEAR(sum, 1, 1e-12) << strategy << ": defaults are shares";
  }
}

TEST(Weights, WhatIsNotNamedKeepsTheDefault) {
  const auto weights = weights_of(settings({{"sync_mutation", 0}, {"neighbour", 2}}));
  ASSERT_TRUE(weights);
  Weights expected = default_weights("genetic");
  expected["sync_mutation"] = 0;
  expected["neighbour"] = 2;
  EXPECT_EQ(*weights, expected);
}

TEST(Weights, WrongOnesAreErrors) {
  const auto error = [](const model::SearchSettings& search) {
    const auto weights = weights_of(search);
    return weights ? std::string("no error") : weights.error().text();
  };
  EXPECT_THAT(error(settings({{"magic", 1}})),
              HasSubstr("there is no mutator 'magic'; known are gene_mutation"));
  EXPECT_THAT(error(settings({{"neighbour", -0.1}})), HasSubstr("search.mutators.neighbour"));
  EXPECT_THAT(error(settings({{"neighbour", std::nan("")}})), HasSubstr("search.mutators.neighbour"));
  EXPECT_THAT(error(settings({{"neighbour", INFINITY}})), HasSubstr("search.mutators.neighbour"));
  EXPECT_THAT(error(settings({{"random_immigrant", 0}}, "random")), HasSubstr("every weight is 0"));
}

}  // namespace
}  // namespace evo::mutators
