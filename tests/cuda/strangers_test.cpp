// Who is on a GPU beside evo, by the system's folder of processes: here one that the test writes.
#include "evaluators/devices/cuda/strangers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace evo::evaluators::cuda {
namespace {

using Ids = std::optional<std::vector<unsigned>>;
using std::chrono::milliseconds;

struct StrangersTest : ::testing::Test {
  StrangersTest() {
    process("self", "evo", 10);
    process("10", "evo", 1);       // the run
    process("11", "evo", 10);      // its worker
    process("12", "python3", 11);  // a library that it compares with
    process("20", "python3", 2);   // somebody's training
    process("2", "bash", 1);
    process("30", "evo", 1);  // another user's
  }
  ~StrangersTest() override { std::filesystem::remove_all(folder); }

  void process(const std::string& id, const char* name, int parent) const {
    std::filesystem::create_directories(folder / id);
    std::ofstream(folder / id / "status") << "Name:\t" << name << "\nPPid:\t" << parent << "\n";
  }
  [[nodiscard]] std::optional<unsigned> among(Ids ids) const {
    return Strangers([&] { return ids; }, folder).count();
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("evo-strangers-" + std::to_string(::getpid()));
};

TEST_F(StrangersTest, AreWhoIsNotEvosAndWasNotStartedByIt) {
  EXPECT_EQ(among({{11}}), 0U);
  EXPECT_EQ(among({{11, 12}}), 0U) << "a child of a worker";
  EXPECT_EQ(among({{11, 20}}), 1U);
  EXPECT_EQ(among({{20, 11, 30}}), 1U) << "another user's evo takes turns, too";
}

TEST_F(StrangersTest, AnEvoInAContainerTakesTurnsWithOthers) {
  process("50", "evo", 1);
  EXPECT_EQ(among({{11, 50}}), 0U);
  std::ofstream(folder / "50" / "status", std::ios::app) << "NSpid:\t50\t7\n";
  EXPECT_EQ(among({{11, 50}}), 1U);
}

TEST_F(StrangersTest, TheServerThatManyProcessesWorkThroughIsNone) {
  process("40", "nvidia-cuda-mps", 1);
  EXPECT_EQ(among({{40, 11}}), 0U);
  EXPECT_EQ(among({{40, 11, 20}}), 1U) << "its clients are told themselves";
}

TEST_F(StrangersTest, BeforeEvoIsOnTheGpuWhoeverCannotBeToldCounts) {
  const auto before = [&](Ids ids) { return Strangers([&] { return ids; }, folder).before_own(); };
  EXPECT_EQ(before({{40, 4711}}), 2U) << "the ids may be of another name space";
  process("40", "nvidia-cuda-mps", 1);
  EXPECT_EQ(before({{40, 11, 4711, 20}}), 2U) << "neither the server nor evo's own";
  EXPECT_FALSE(before(std::nullopt));
}

TEST_F(StrangersTest, AreNotToldWithoutIdsThatAreKnownHere) {
  EXPECT_FALSE(among(std::nullopt));
  EXPECT_FALSE(among({{20}})) << "no process of evo's: the ids may be of another name space";
  EXPECT_FALSE(among(Ids(std::vector<unsigned>{})));
}

TEST_F(StrangersTest, WhoHasEndedIsNoneAndWhoIsInAContainerIsOneTheSecondTime) {
  Ids ids{{11, 4711}};
  Strangers strangers([&] { return ids; }, folder, milliseconds(0));
  EXPECT_EQ(strangers.count(), 0U);
  EXPECT_EQ(strangers.count(), 1U);
  ids = {{11, 4712}};
  EXPECT_EQ(strangers.count(), 0U);
}

TEST_F(StrangersTest, AreAskedForNowAndThen) {
  int asked = 0;
  Strangers strangers(
      [&] {
        ++asked;
        return Ids{{11, 20}};
      },
      folder, std::chrono::hours(1));
  EXPECT_EQ(strangers.count(), 1U);
  EXPECT_EQ(strangers.count(), 1U);
  EXPECT_EQ(asked, 1);
}

TEST_F(StrangersTest, StandBesideWhatHoldsClocksDown) {
  EXPECT_EQ(with_strangers("power cap", 0), "power cap");
  EXPECT_EQ(with_strangers("", std::nullopt), "");
  EXPECT_EQ(with_strangers("", 1), "another process");
  EXPECT_EQ(with_strangers("power cap", 2), "power cap, another process");
}

}  // namespace
}  // namespace evo::evaluators::cuda
