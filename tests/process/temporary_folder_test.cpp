#include "evaluators/process/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace evo::evaluators::process {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, WhatAKilledProcessLeftIsRemovedAndWhatIsInUseIsNot) {
  const TemporaryFolder in_use("evo-folder-test");
  fs::path left;
  {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const TemporaryFolder its("evo-folder-test");
      const std::string path = its.path();
      static_cast<void>(!::write(ends[1], path.data(), path.size()));
      ::_exit(0);  // as if killed
    }
    char text[256] = {};
    const auto size = ::read(ends[0], text, sizeof(text));
    ASSERT_GT(size, 0);
    left = std::string(text, static_cast<std::size_t>(size));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ASSERT_TRUE(fs::exists(left));
  const TemporaryFolder next("evo-folder-test");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(in_use.path()));
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST(TemporaryFolder, IsGoneWithItsObject) {
  fs::path path;
  {
    const TemporaryFolder folder("evo-folder-test");
    path = folder.path();
    ASSERT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::status(path).permissions() & fs::perms::all, fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace evo::evaluators::process
