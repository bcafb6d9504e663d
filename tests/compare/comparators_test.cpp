// The programs that a problem's `comparators` name: which of them take part, and what is said of the others.
#include "session/bench_others.hpp"

#include <gtest/gtest.h>

namespace evo::session {
namespace {

struct Comparators : ::testing::Test {
  BenchOthers start(std::vector<model::Comparator> comparators, bool expected = true) {
    model::Problem problem;
    problem.folder = "/tmp";
    problem.comparators = std::move(comparators);
    BenchOthers others;
    EXPECT_EQ(start_comparators(others, problem, "/nowhere/python", 0, "GPU-1"), expected);
    return others;
  }
};

TEST_F(Comparators, EachIsAProcessOfItsOwnAndItsBackendsHaveItsName) {
  const BenchOthers others =
      start({{"first", {EVO_FAKE_COMPARATOR, "good"}}, {"second", {EVO_FAKE_COMPARATOR, "good"}}});
  ASSERT_EQ(others.processes.size(), 2U);
  std::vector<std::string> names;
  for (const auto& contender : others.contenders) names.push_back(contender->name());
  EXPECT_EQ(names, (std::vector<std::string>{"first: one", "first: two", "second: one", "second: two"}));
}

TEST_F(Comparators, OneThatCannotTakePartIsToldAndKeepsNobodyFromIt) {
  const BenchOthers others = start({{"gone", {"/nowhere/program"}},
                                    {"script", {"x.py"}, model::ComparatorKind::python},
                                    {"unable", {EVO_FAKE_COMPARATOR, "no_hello"}},
                                    {"able", {EVO_FAKE_COMPARATOR, "good"}}});
  EXPECT_EQ(others.processes.size(), 1U);
  ASSERT_EQ(others.found.size(), 4U);
  EXPECT_EQ(others.found[0].name, "gone");
  EXPECT_NE(others.found[0].unavailable, "");
  EXPECT_NE(others.found[1].unavailable, "") << "no interpreter";
  EXPECT_EQ(others.found[2].unavailable, "no library here");
  EXPECT_EQ(others.found[3].unavailable, "");
}

/// CI has no GPU, with PyTorch or without: evo's own host of a file of functions says so in one line.
TEST_F(Comparators, AFileOfFunctionsIsHostedByEvo) {
  model::Problem problem;
  problem.folder = "/tmp";
  problem.comparators = {{"library", {"none.py"}, model::ComparatorKind::functions}};
  BenchOthers others;
  EXPECT_FALSE(start_comparators(others, problem, "python3", 0, "GPU-of-nobody"));
  ASSERT_EQ(others.found.size(), 1U);
  EXPECT_NE(others.found[0].unavailable.find("PyTorch"), std::string::npos) << others.found[0].unavailable;
}

TEST_F(Comparators, AKernelIsNoProcess) {
  model::Comparator kernel;
  kernel.name = "theirs";
  kernel.kind = model::ComparatorKind::kernel;
  const BenchOthers others = start({kernel});
  EXPECT_TRUE(others.processes.empty());
  EXPECT_TRUE(others.found.empty()) << "whoever compiles it says what becomes of it";
}

TEST_F(Comparators, WhereNoneStartsOthersMayStandIn) {
  EXPECT_EQ(start({{"gone", {"/nowhere/program"}}}, false).contenders.size(), 0U);
  EXPECT_EQ(start({}).found.size(), 1U) << "that there are none is said";
}

}  // namespace
}  // namespace evo::session
