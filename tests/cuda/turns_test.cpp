// Turns: one holder at a time, over processes; here over two open files, which lock each other likewise.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "evaluators/devices/cuda/turns.hpp"
#include "model/error.hpp"

namespace evo::evaluators::cuda {
namespace {

TEST(Turns, NobodyHoldsOneBesideAnother) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("evo-turns-test-" + std::to_string(::getpid()))).string();
  std::atomic<int> inside{0}, most{0};
  const auto work = [&] {
    Turns turns;
    turns.share(file);
    for (int i = 0; i < 200; ++i) {
      const devices::DeviceLock lock = turns.take();
      most = std::max(most.load(), ++inside);
      const devices::DeviceLock again = turns.take();  // of the same holder: no wait
      EXPECT_EQ(lock, again);
      --inside;
    }
    EXPECT_GT(turns.held_seconds(), 0);
  };
  std::thread first(work), second(work), third(work);
  first.join();
  second.join();
  third.join();
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".next");
  EXPECT_EQ(most, 1);
}

// A program that measures without a pause must not keep another from its first turn.
TEST(Turns, WhoAsksAgainAtOnceComesBehindWhoeverWaits) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("evo-turns-line-" + std::to_string(::getpid()))).string();
  std::atomic<bool> over{false};
  std::atomic<int> of_the_greedy{0};
  std::thread greedy([&] {
    Turns turns;
    turns.share(file);
    while (!over) {
      const devices::DeviceLock lock = turns.take();
      ++of_the_greedy;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  Turns turns;
  turns.share(file);
  while (of_the_greedy == 0) std::this_thread::yield();
  int most = 0;
  for (int i = 0; i < 20; ++i) {
    const int before = of_the_greedy;
    const devices::DeviceLock lock = turns.take();
    most = std::max(most, of_the_greedy - before);
  }
  over = true;
  greedy.join();
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".next");
  // One that is held when this asks, and one more where the other was next already.
  EXPECT_LE(most, 3);
}

// So that whoever gives a turn back and asks again at once stands behind it.
TEST(Turns, WhoWaitsHoldsThePlaceOfTheNext) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("evo-turns-next-" + std::to_string(::getpid()))).string();
  Turns holder;
  holder.share(file);
  devices::DeviceLock held = holder.take();
  const int next = ::open((file + ".next").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(next, LOCK_EX | LOCK_NB), 0) << "nobody waits";
  ::flock(next, LOCK_UN);
  std::thread waiting([&] {
    Turns turns;
    turns.share(file);
    const devices::DeviceLock lock = turns.take();
  });
  bool taken = false;
  for (int i = 0; i < 5000 && !taken; ++i) {
    taken = ::flock(next, LOCK_EX | LOCK_NB) != 0;
    if (taken) continue;
    ::flock(next, LOCK_UN);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(taken);
  held.reset();
  waiting.join();
  ::close(next);
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".next");
}

// Whoever asks after it would wait for ever.
TEST(Turns, AWaitThatFailsGivesItsPlaceInLineBack) {
  namespace fs = std::filesystem;
  const std::string file =
      (fs::temp_directory_path() / ("evo-turns-fails-" + std::to_string(::getpid()))).string();
  Turns turns;
  turns.share(file);
  int shared = -1;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (fs::read_symlink(entry.path(), ignored) == file) shared = std::stoi(entry.path().filename().string());
  }
  ASSERT_GE(shared, 0);
  const int path_alone = ::open(file.c_str(), O_PATH | O_CLOEXEC);  // it takes no lock
  ASSERT_EQ(::dup2(path_alone, shared), shared);
  EXPECT_THROW(static_cast<void>(turns.take()), model::Exception);
  const int next = ::open((file + ".next").c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(::flock(next, LOCK_EX | LOCK_NB), 0);
  ::close(next);
  ::close(path_alone);
  fs::remove(file);
  fs::remove(file + ".next");
}

TEST(Turns, WithoutAFileTimeIsCountedOnly) {
  Turns turns;
  { const devices::DeviceLock lock = turns.take(); }
  EXPECT_GT(turns.held_seconds(), 0);
  EXPECT_LT(turns.waiting_seconds(), 1);
}

struct LockFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("evo-lock-test-" + std::to_string(::getpid()));
  ~LockFile() {
    std::filesystem::remove(path);
    std::filesystem::remove(path.string() + ".next");
  }
};

// So that the other users of a GPU take turns, too.
TEST(Turns, TheFilesAreEverybodysWhateverTheUmask) {
  const LockFile file;
  const mode_t before = ::umask(077);
  {
    Turns turns;
    turns.share(file.path);
  }
  ::umask(before);
  using std::filesystem::perms;
  const auto all = perms::owner_read | perms::group_read | perms::others_read;
  EXPECT_EQ(std::filesystem::status(file.path).permissions(), all);
  EXPECT_EQ(std::filesystem::status(file.path.string() + ".next").permissions(), all);
  Turns again;
  again.share(file.path);
  EXPECT_TRUE(again.take());
  // Locked for others: they open the same files.
  const int other = ::open(file.path.c_str(), O_RDONLY);
  const devices::DeviceLock held = again.take();
  EXPECT_EQ(::flock(other, LOCK_EX | LOCK_NB), -1);
  ::close(other);
}

TEST(Turns, WhatSomebodyElsePutThereIsNeitherFollowedNorAwaited) {
  const LockFile file;
  std::filesystem::create_symlink("/dev/null", file.path);
  EXPECT_THROW(Turns().share(file.path), model::Exception);
  std::filesystem::remove(file.path);
  ASSERT_EQ(::mkfifo(file.path.c_str(), 0666), 0);
  EXPECT_THROW(Turns().share(file.path), model::Exception);
}

TEST(Turns, TheFileIsTheSameForAllUsersOfAHost) {
  ::setenv("TMPDIR", "/nonexistent", 1);
  const std::string own = turn_file("GPU-1");
  ::unsetenv("TMPDIR");
  EXPECT_EQ(own, turn_file("GPU-1"));
  EXPECT_NE(own, turn_file("GPU-2"));
}

TEST(Turns, AFileThatCannotBeOpenedIsAnEnvironmentError) {
  Turns turns;
  EXPECT_THROW(turns.share("/nonexistent/folder/lock"), model::Exception);
}

}  // namespace
}  // namespace evo::evaluators::cuda
