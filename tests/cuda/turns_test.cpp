// Turns: one holder at a time, over processes; here over two open files, which lock each other likewise.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
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
  EXPECT_EQ(most, 1);
}

TEST(Turns, WithoutAFileTimeIsCountedOnly) {
  Turns turns;
  { const devices::DeviceLock lock = turns.take(); }
  EXPECT_GT(turns.held_seconds(), 0);
  EXPECT_LT(turns.waiting_seconds(), 1);
}

TEST(Turns, AFileThatCannotBeOpenedIsAnEnvironmentError) {
  Turns turns;
  EXPECT_THROW(turns.share("/nonexistent/folder/lock"), model::Exception);
}

}  // namespace
}  // namespace evo::evaluators::cuda
