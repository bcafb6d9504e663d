// Who uses a GPU is known while its process lives, and not after.
#include "session/gpu_use.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

namespace evo::session {
namespace {

struct GpuUseTest : ::testing::Test {
  ~GpuUseTest() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("evo-gpu-use-" + std::to_string(::getpid()));
};

TEST_F(GpuUseTest, WhoComesLaterIsToldOfThoseWhoAreThere) {
  const GpuUse first(folder, {100, "since then", "evo run a.yaml", "/runs/a"});
  EXPECT_TRUE(first.others().empty());
  const GpuUse second(folder, {200, "now", "evo bench b.yaml", ""});
  ASSERT_EQ(second.others().size(), 1U);
  const GpuUser& known = second.others().front();
  EXPECT_EQ(known.process, 100);
  EXPECT_EQ(known.since, "since then");
  EXPECT_EQ(known.command, "evo run a.yaml");
  EXPECT_EQ(known.run_folder, "/runs/a");
  EXPECT_EQ(GpuUse(folder, {300, "later", "evo check", ""}).others().size(), 2U);
}

TEST_F(GpuUseTest, WhoHasEndedIsForgotten) {
  { const GpuUse gone(folder, {100, "then", "evo run", ""}); }
  EXPECT_TRUE(GpuUse(folder, {200, "now", "evo run", ""}).others().empty());
}

TEST_F(GpuUseTest, AlsoWhenItWasKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const GpuUse use(folder, this_process("runs/killed"));
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  {
    const GpuUse beside(folder, this_process(""));
    ASSERT_EQ(beside.others().size(), 1U);
    EXPECT_EQ(beside.others().front().process, child);
    EXPECT_TRUE(beside.others().front().run_folder.ends_with("/runs/killed"));
    EXPECT_NE(beside.others().front().command.find("session_tests"), std::string::npos);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(GpuUse(folder, this_process("")).others().empty());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(GpuUseTest, AProcessMayUseItForTwoThings) {
  const GpuUse one(folder, this_process("")), two(folder, this_process(""));
  EXPECT_EQ(GpuUse(folder, {1, "", "", ""}).others().size(), 2U);
}

// In /tmp somebody else may have made the name, or a link to what is dear to us.
TEST_F(GpuUseTest, NothingOfAnotherFolderIsTouched) {
  const std::filesystem::path other = folder.string() + "-other";
  std::filesystem::create_directory(other);
  std::ofstream(other / "100-0") << "mine\n";
  std::filesystem::create_directory_symlink(other, folder);
  EXPECT_TRUE(GpuUse(folder, {200, "now", "evo run", ""}).others().empty());
  EXPECT_TRUE(std::filesystem::exists(other / "100-0"));
  EXPECT_FALSE(std::filesystem::exists(other / "200-0"));
  std::filesystem::remove(folder);
  std::filesystem::remove_all(other);
}

TEST_F(GpuUseTest, FilesThatAreNoEntriesStay) {
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  std::ofstream(folder / "notes.txt") << "mine\n";
  { const GpuUse use(folder, {200, "now", "evo run", ""}); }
  EXPECT_TRUE(std::filesystem::exists(folder / "notes.txt"));
}

TEST_F(GpuUseTest, WhereNothingCanBeWrittenNobodyIsRegistered) {
  const GpuUse use("/nonexistent/folder", this_process(""));
  EXPECT_TRUE(use.others().empty());
}

TEST_F(GpuUseTest, TheTextNamesProcessRunAndTime) {
  const std::string text = text_of(GpuUser{1234, "2026-11-25 19:45:03 UTC", "evo run a.yaml", "/runs/a"});
  for (const char* part : {"1234", "evo run a.yaml", "/runs/a", "2026-11-25 19:45:03 UTC"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Strangers, AreSaidWhereThereAreAny) {
  EXPECT_EQ(strangers_text("cuda:1", std::nullopt), "");
  EXPECT_EQ(strangers_text("cuda:1", 0U), "");
  EXPECT_NE(strangers_text("cuda:1", 2U).find("cuda:1"), std::string::npos);
}

}  // namespace
}  // namespace evo::session
