// Which device an experiment runs on.
#include "session/device_choice.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "session/hand_made.hpp"
#include "tests/support/targets.hpp"

namespace evo::session {
namespace {

evaluators::cuda::CudaDeviceList gpus(const std::vector<std::string>& archs) {
  evaluators::cuda::CudaDeviceList list;
  for (const std::string& arch : archs) {
    evaluators::cuda::CudaDeviceEntry& entry = list.devices.emplace_back();
    entry.ordinal = static_cast<int>(list.devices.size()) - 1;
    entry.info.name = "GPU of " + arch;
    entry.info.arch = arch;
  }
  if (archs.empty()) list.reason = "no driver";
  return list;
}

std::string chosen(const std::string& wanted, const std::string& target,
                   const std::vector<std::string>& archs) {
  try {
    return choose_device(wanted, tests::shipped_target(target), gpus(archs)).spelling;
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    return "refused";
  }
}

TEST(ChooseDevice, AutoTakesTheFirstGpuThatRunsTheTargetsCode) {
  EXPECT_EQ(chosen("auto", "l4", {"sm_80", "sm_89", "sm_90"}), "cuda:1");
  EXPECT_EQ(chosen("auto", "l4", {"sm_90"}), "cuda:0") << "a newer one does";
  EXPECT_EQ(chosen("auto", "h200", {"sm_89"}), "virtual");
  EXPECT_EQ(chosen("auto", "h200", {"sm_90"}), "cuda:0");
  EXPECT_EQ(chosen("auto", "l4", {}), "virtual");
}

TEST(ChooseDevice, AutoSaysWhy) {
  const auto note = [](const std::vector<std::string>& archs) {
    return choose_device("auto", tests::shipped_target("l4"), gpus(archs)).note;
  };
  EXPECT_NE(note({}).find("no driver"), std::string::npos);
  EXPECT_NE(note({"sm_80"}).find("sm_89"), std::string::npos);
  EXPECT_NE(note({"sm_89"}).find("GPU of sm_89"), std::string::npos);
}

TEST(ChooseDevice, OneThatIsNamedIsTakenOrRefused) {
  EXPECT_EQ(chosen("virtual", "l4", {"sm_89"}), "virtual");
  EXPECT_EQ(chosen("cuda:1", "l4", {"sm_80", "sm_89"}), "cuda:1");
  EXPECT_EQ(chosen("cuda:0", "l4", {"sm_80", "sm_89"}), "refused") << "too old";
  EXPECT_EQ(chosen("cuda:2", "l4", {"sm_80", "sm_89"}), "refused");
  EXPECT_EQ(chosen("gpu", "l4", {"sm_89"}), "refused");
  EXPECT_EQ(chosen("cuda:0", "l4", {}), "refused");
}

TEST(DrawEntropy, FitsASignedIntegerAndIsNotRepeated) {
  const std::uint64_t first = draw_entropy();
  EXPECT_EQ(first >> 63, 0U);
  EXPECT_NE(first, draw_entropy());
}

TEST(Threads, AreThoseAskedForOrOneACore) {
  EXPECT_EQ(threads_or_cores(3), 3);
  EXPECT_GE(threads_or_cores(0), 1);
}

}  // namespace
}  // namespace evo::session
