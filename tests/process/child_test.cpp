#include "evaluators/process/child.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "model/error.hpp"

namespace evo::evaluators::process {
namespace {

using namespace std::chrono_literals;

#if defined(EVO_SANITIZE_ADDRESS) || defined(EVO_SANITIZE_THREAD)
constexpr bool address_space_is_shadowed = true;
#else
constexpr bool address_space_is_shadowed = false;
#endif

Child start(const std::string& mode, const std::string& argument = "0", const ChildLimits& limits = {}) {
  return Child::spawn({EVO_TEST_CHILD, mode, argument}, limits);
}

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(generator());
  return bytes;
}

/// 'Z' for a zombie, 0 if there is no such process.
char process_state(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return 0;
  return text[text.rfind(')') + 2];
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    const char state = process_state(pid);
    if (state == 0 || state == 'Z') return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

std::size_t entries_of(const char* folder) {
  DIR* stream = ::opendir(folder);
  std::size_t count = 0;
  while (::readdir(stream) != nullptr) ++count;
  ::closedir(stream);
  return count;
}

TEST(Child, EchoesFramesInOrder) {
  Child child = start("echo");
  for (const std::size_t size : {0U, 1U, 7U, 8U, 4096U, 65536U, 65537U, 1000000U}) {
    const std::string frame = random_bytes(size, static_cast<unsigned>(size));
    ASSERT_TRUE(child.write_frame(frame));
    const ReadResult answer = child.read_frame(20s);
    ASSERT_EQ(answer.status, ReadStatus::ok);
    EXPECT_EQ(answer.frame, frame);
  }
  ASSERT_TRUE(child.write_frame("first"));
  ASSERT_TRUE(child.write_frame("second"));
  EXPECT_EQ(child.read_frame(20s).frame, "first");
  EXPECT_EQ(child.read_frame(20s).frame, "second");
  EXPECT_TRUE(child.alive());
  EXPECT_FALSE(child.exit_status());
}

TEST(Child, CarriesA64MegabyteFrameBothWays) {
  Child child = start("echo");
  const std::string frame = random_bytes(std::size_t{64} << 20, 1);
  ASSERT_TRUE(child.write_frame(frame));
  const ReadResult answer = child.read_frame(60s);
  ASSERT_EQ(answer.status, ReadStatus::ok);
  EXPECT_TRUE(answer.frame == frame);
}

TEST(Child, LargeFramesInBothDirectionsAtOnceDoNotBlock) {
  Child child = start("flood", "8000000");  // it writes 8 MB before it reads anything
  ASSERT_TRUE(child.write_frame(std::string(8000000, 'y')));
  EXPECT_EQ(child.read_frame(20s).frame.size(), 8000000U);
  EXPECT_EQ(child.read_frame(20s).frame, "8000000");
}

TEST(Child, TimeoutKeepsTheChildAndItsBytes) {
  Child child = start("echo");
  EXPECT_EQ(child.read_frame(30ms).status, ReadStatus::timeout);
  ASSERT_TRUE(child.write_frame("later"));
  EXPECT_EQ(child.read_frame(20s).frame, "later");
}

TEST(Child, AChildThatNeverReadsMakesALargeWriteFail) {
  Child child = start("hang");
  EXPECT_FALSE(child.write_frame(std::string(4 << 20, 'z'), 50ms));
  EXPECT_FALSE(child.write_frame("after half a frame nothing may follow", 50ms));
}

TEST(Child, ExitCodeAndLastWords) {
  Child child = start("exit", "7");
  EXPECT_EQ(child.read_frame(20s).status, ReadStatus::closed);
  child.kill();
  EXPECT_EQ(child.exit_status(), 7);
  EXPECT_EQ(child.captured_stderr(), "last words\n");
  EXPECT_FALSE(child.alive());
}

TEST(Child, DeathBySignalIsNegative) {
  Child child = start("abort");
  EXPECT_EQ(child.read_frame(20s).status, ReadStatus::closed);
  ASSERT_TRUE(ends_soon(child.pid()));
  EXPECT_EQ(child.exit_status(), -SIGABRT);
}

TEST(Child, WritingToADeadChildIsAnOrdinaryFailure) {
  Child child = start("exit", "0");
  EXPECT_EQ(child.read_frame(20s).status, ReadStatus::closed);
  EXPECT_FALSE(child.write_frame(std::string(1 << 20, 'a')));
  EXPECT_FALSE(child.write_frame("b"));
}

TEST(Child, KillIsHarmlessWhenRepeated) {
  Child child = start("hang");
  EXPECT_TRUE(child.alive());
  child.kill();
  child.kill();
  EXPECT_EQ(child.exit_status(), -SIGKILL);
  EXPECT_EQ(process_state(child.pid()), 0);
}

TEST(Child, MissingProgramIsAnEnvironmentError) {
  try {
    Child::spawn({"/no/such/program"}, {});
    FAIL() << "no exception";
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(Child, MemoryLimitHolds) {
  if (address_space_is_shadowed) GTEST_SKIP() << "a sanitizer's shadow memory does not fit RLIMIT_AS";
  Child limited = start("allocate", "200", {.memory_bytes = std::int64_t{100} << 20});
  ASSERT_TRUE(limited.write_frame("go"));
  EXPECT_EQ(limited.read_frame(20s).frame, "bad_alloc");
  Child free = start("allocate", "200");
  ASSERT_TRUE(free.write_frame("go"));
  EXPECT_EQ(free.read_frame(20s).frame, "allocated");
}

TEST(Child, CpuLimitHolds) {
  Child child = start("spin", "0", {.cpu_seconds = 1});
  EXPECT_EQ(child.read_frame(30s).status, ReadStatus::closed);
  ASSERT_TRUE(ends_soon(child.pid()));
  EXPECT_EQ(child.exit_status(), -SIGKILL);  // soft and hard limit are one
}

TEST(Child, StderrBeyondThePipeDoesNotBlockAndOnlyItsTailIsKept) {
  Child child = start("noise", "20000");  // about 600 KB
  ASSERT_TRUE(child.write_frame("done"));
  EXPECT_EQ(child.read_frame(20s).frame, "done");
  child.kill();
  const std::string tail = child.captured_stderr();
  EXPECT_EQ(tail.size(), std::size_t{64} << 10);
  EXPECT_TRUE(tail.ends_with("line 19999 of noise on stderr\n"));
}

TEST(Child, WhatALibraryPrintsDoesNotBreakTheFraming) {
  Child child = start("print");
  for (const char* text : {"one", "two"}) {
    ASSERT_TRUE(child.write_frame(text));
    EXPECT_EQ(child.read_frame(20s).frame, text);
  }
  child.kill();
  EXPECT_EQ(child.captured_stderr(), "a library prints\na library prints\n");
}

TEST(Child, AnImpossibleLengthClosesTheConversation) {
  Child child = start("garbage");
  EXPECT_EQ(child.read_frame(20s).status, ReadStatus::closed);
}

TEST(Child, DiesWithItsParent) {
  Child parent = start("parent");
  const ReadResult answer = parent.read_frame(20s);
  ASSERT_EQ(answer.status, ReadStatus::ok);
  const pid_t grandchild = std::stoi(answer.frame);
  EXPECT_NE(process_state(grandchild), 0);
  // Only the parent: the grandchild is in a group of its own, and PR_SET_PDEATHSIG is what must reach it.
  ::kill(parent.pid(), SIGKILL);
  EXPECT_TRUE(ends_soon(grandchild));
}

TEST(Child, OutlivesTheThreadThatStartedIt) {
  std::optional<Child> child;
  std::thread([&] { child = start("echo"); }).join();
  ASSERT_TRUE(child->write_frame("still here"));
  EXPECT_EQ(child->read_frame(20s).frame, "still here");
}

TEST(Child, WhatItLeavesInItsGroupIsKilledToo) {
  Child child = start("orphan");
  const ReadResult answer = child.read_frame(20s);
  ASSERT_EQ(answer.status, ReadStatus::ok);
  const pid_t orphan = std::stoi(answer.frame);
  ASSERT_TRUE(ends_soon(child.pid()));
  child.kill();
  EXPECT_TRUE(ends_soon(orphan));
}

TEST(Child, InheritsNoDescriptor) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, on purpose
  ASSERT_GE(leaked, 0);
  Child child = start("descriptors");
  EXPECT_EQ(child.read_frame(20s).frame, "0 1 2 ");
  ::close(leaked);
}

TEST(Child, TwoHundredSpawnsLeaveNothingBehind) {
  start("exit", "0").kill();
  const std::size_t descriptors = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");
  for (int i = 0; i < 200; ++i) {
    Child child = i % 2 == 0 ? start("exit", "0") : start("hang");
    if (i % 4 == 0) {
      EXPECT_EQ(child.read_frame(20s).status, ReadStatus::closed);
    }
    if (i % 3 == 0) {
      Child moved = std::move(child);
      child = start("hang");  // the first one ends with `moved`
    }
  }
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child at all, so no zombie
  EXPECT_EQ(errno, ECHILD);
}

TEST(SelfPath, IsThisExecutable) {
  EXPECT_NE(self_path().find("process_tests"), std::string::npos);
}

}  // namespace
}  // namespace evo::evaluators::process
