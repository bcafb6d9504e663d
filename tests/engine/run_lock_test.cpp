// One process at a time works on a run.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/engine/campaign_support.hpp"

namespace evo::engine {
namespace {

using ::testing::HasSubstr;

TEST(RunLock, ASecondHolderIsToldWhoTheFirstOneIs) {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder / "run");
    try {
      const RunLock second(folder / "run");
      FAIL() << "locked twice";
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::environment);
      EXPECT_THAT(error.what(), HasSubstr(fmt::format("in use by process {}", getpid())));
    }
  }
  EXPECT_NO_THROW(RunLock(folder / "run"));
}

TEST(RunLock, EndsWithItsProcess) {
  const TemporaryFolder folder;
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const RunLock lock(folder / "run");
    const char ready = 'r';
    (void)!write(pipe_ends[1], &ready, 1);
    pause();
    _exit(0);
  }
  char ready = 0;
  ASSERT_EQ(read(pipe_ends[0], &ready, 1), 1);
  try {
    const RunLock second(folder / "run");
    ADD_FAILURE() << "locked twice";
  } catch (const model::Exception& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("in use by process {}", child)));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock(folder / "run"));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(RunLock, AFolderThatCannotBeCreatedIsNamed) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  try {
    const RunLock lock(folder / "file" / "run");
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("cannot be created"));
  }
}

}  // namespace
}  // namespace evo::engine
