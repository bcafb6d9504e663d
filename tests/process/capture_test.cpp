#include "evaluators/process/capture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "model/error.hpp"

namespace evo::evaluators::process {
namespace {

using namespace std::chrono_literals;

TEST(RunCaptured, KeepsBothStreamsAndTheExitCode) {
  const Captured ran = run_captured({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, 20s);
  EXPECT_EQ(ran.exit_code, 7);
  EXPECT_FALSE(ran.timed_out);
  EXPECT_NE(ran.output.find("out\n"), std::string::npos);
  EXPECT_NE(ran.output.find("err\n"), std::string::npos);
}

TEST(RunCaptured, EndsAtTheLimitWithWhatCameUntilThenAndTakesTheWholeGroupAlong) {
  const Captured ran = run_captured({"/bin/sh", "-c", "echo $$; sleep 60 & sleep 60"}, 300ms);
  EXPECT_TRUE(ran.timed_out);
  EXPECT_FALSE(ran.exit_code);
  ASSERT_FALSE(ran.output.empty());
}

TEST(RunCaptured, AProgramThatClosesItsOutputIsWaitedForUntilTheLimit) {
  const Captured ran = run_captured({"/bin/sh", "-c", "exec >&- 2>&-; sleep 60"}, 300ms);
  EXPECT_TRUE(ran.timed_out);
}

TEST(RunCaptured, ASignalHasNoExitCode) {
  const Captured ran = run_captured({"/bin/sh", "-c", "kill -9 $$"}, 20s);
  EXPECT_FALSE(ran.exit_code);
  EXPECT_FALSE(ran.timed_out);
}

TEST(RunCaptured, AStopEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  const Captured ran = run_captured({"/bin/sh", "-c", "sleep 60"}, 50s, 1000, {}, stop.get_token());
  EXPECT_TRUE(ran.stopped);
  EXPECT_FALSE(ran.timed_out);
}

TEST(RunCaptured, KeepsTheBeginningOfMuchOutput) {
  const Captured ran = run_captured({"/bin/sh", "-c", "yes 0123456789 | head -c 3000000"}, 60s, 1000);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.output.size(), 1000U);
}

TEST(RunCaptured, RunsInAFolder) {
  EXPECT_EQ(run_captured({"/bin/pwd"}, 20s, 1000, "/").output, "/\n");
}

TEST(RunCaptured, AMissingProgramIsAnEnvironmentError) {
  EXPECT_THROW(static_cast<void>(run_captured({"/no/such/program"}, 1s)), model::Exception);
}

TEST(FindProgram, LooksInTheGivenFoldersAndOnThePath) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-of-evo"));
  std::string pattern = (std::filesystem::temp_directory_path() / "evo-find-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  std::ofstream(folder / "no-such-program-of-evo") << "#!/bin/sh\n";
  EXPECT_FALSE(find_program("no-such-program-of-evo", {folder})) << "not executable";
  std::filesystem::permissions(folder / "no-such-program-of-evo", std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("no-such-program-of-evo", {folder}), folder / "no-such-program-of-evo");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace evo::evaluators::process
