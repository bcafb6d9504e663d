// evo runs: what is found, and what is said of folders that cannot be read.
#include "report/runs.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/report/ledgers.hpp"
#include "tests/report/scratch.hpp"

namespace evo::report {
namespace {

using testing::invent_run;
using testing::Scratch;

TEST(Runs, FindsFoldersByNameAndLooksIntoNoRun) {
  const Scratch scratch;
  invent_run(scratch / "b", {.trials = 10});
  invent_run(scratch / "deep/a", {.trials = 10, .finished = false});
  invent_run(scratch / "b/inside", {.trials = 3});
  invent_run(scratch / ".hidden/c", {.trials = 3});
  const auto found = run_folders(scratch / "");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].filename(), "b");
  EXPECT_EQ(found[1].filename(), "a");
  EXPECT_EQ(run_folders(scratch / "b").size(), 2U)
      << "a run folder itself, and what is asked for by name below it";
  EXPECT_THROW((void)run_folders(scratch / "nowhere"), model::Exception);
}

TEST(Runs, ALineHasTheNumbersOfTheRun) {
  const Scratch scratch;
  invent_run(scratch / "run", {.trials = 100});
  const boost::json::object line = run_line(scratch / "run");
  EXPECT_EQ(line.at("state"), "finished");
  EXPECT_EQ(line.at("trials").to_number<int>(), 100);
  EXPECT_EQ(line.at("latency_kind"), "measured");
  EXPECT_GT(line.at("speedup").as_double(), 1);
  EXPECT_EQ(line.at("problem"), "");
}

TEST(Runs, ALedgerThatCannotBeReadHasAProblem) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "run");
  std::ofstream(scratch / "run/ledger.sqlite") << std::string(5000, 'x');
  const boost::json::object line = run_line(scratch / "run");
  EXPECT_FALSE(line.at("problem").as_string().empty());
  EXPECT_TRUE(line.at("trials").is_null());
}

}  // namespace
}  // namespace evo::report
