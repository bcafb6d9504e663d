// How long evo looks for a launch that runs the rest of a kernel's code.
#include "evaluators/gates/search_budget.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

TEST(SearchBudget, EndsByWhatLaunchesExecuted) {
  SearchBudget budget(1000);
  devices::LaunchReport report;
  report.thread_instructions = 600;
  budget.charge(report);
  EXPECT_FALSE(budget.spent());
  budget.charge(report);
  EXPECT_TRUE(budget.spent());
}

TEST(SearchBudget, ALaunchThatFailedCostsAShare) {
  SearchBudget budget(1000);
  int launches = 0;
  for (; !budget.spent() && launches < 1000; ++launches)
    budget.charge(tl::make_unexpected(model::Failure{model::Status::timeout, "timeout", {}}));
  EXPECT_GT(launches, 10);
  EXPECT_LT(launches, 100);
}

TEST(SearchBudget, WhatIsKeptBackIsThereForWhoComesLater) {
  SearchBudget budget(1600);
  devices::LaunchReport report;
  report.thread_instructions = 500;
  budget.keep_back(1);
  for (int launch = 0; launch < 2; ++launch) {
    EXPECT_FALSE(budget.spent());
    budget.charge(report);
  }
  EXPECT_FALSE(budget.spent()) << "500 of 600 that are left";
  budget.charge(report);
  EXPECT_TRUE(budget.spent()) << "another one would not fit";
  budget.keep_back(0);
  EXPECT_FALSE(budget.spent());
  EXPECT_TRUE(budget.ended()) << "though something is left: not all was tried";

  SearchBudget other(1600);
  report.thread_instructions = 9000;
  other.keep_back(1);
  other.charge(report);
  EXPECT_TRUE(other.spent());
  other.keep_back(0);
  EXPECT_FALSE(other.spent()) << "one launch that takes more than all leaves the share";
  other.charge(report);
  EXPECT_TRUE(other.spent());

  SearchBudget enough(1600);
  enough.keep_back(15);
  enough.keep_back(0);
  EXPECT_FALSE(enough.ended());
}

TEST(SearchBudget, SaysThatItEnded) {
  std::vector<model::Evidence> never{{"incomplete_coverage", "", "k.cu", 7, {}}};
  SearchBudget().tell(never);
  ASSERT_EQ(never[0].details.size(), 1U);
  EXPECT_EQ(never[0].details[0].first, "search");
}

}  // namespace
}  // namespace evo::evaluators::gates
