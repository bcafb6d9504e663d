// evo's own kernels, on the machine that sees every stray access.
#include "evaluators/devices/cuda/helper_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "evaluators/devices/virtual/virtual_device.hpp"

namespace evo::test {
namespace {

using evaluators::devices::BufferArgument;
using evaluators::devices::CheckLevel;
using evaluators::devices::KernelArgument;
using evaluators::devices::LaunchOptions;
using evaluators::devices::VirtualDevice;

template <class T>
KernelArgument scalar(T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  return std::vector<std::byte>(bytes, bytes + sizeof value);
}

class Helpers : public testing::Test {
 protected:
  evaluators::devices::ModuleId load(const std::string& entry) {
    model::Artifact artifact;
    artifact.entry = entry;
    artifact.arch = "sm_89";
    artifact.ptx = std::string(evaluators::cuda::helper_ptx());
    return device_.load(artifact).value();
  }
  VirtualDevice device_{*model::find_target("l4")};
  LaunchOptions exact_{.checks = CheckLevel::exact};
};

TEST_F(Helpers, TheFillReachesEveryWordOfDynamicSharedMemoryAndNoneBeyond) {
  const auto fill = load("evo_fill_shared");
  for (const std::uint32_t bytes : {4U, 1000U, 49152U}) {
    const auto report = device_.launch(
        fill, {{2, 1, 1}, {256, 1, 1}, bytes},
        std::vector<KernelArgument>{scalar(std::uint32_t{0x7fc00001}), scalar(bytes / 4)}, exact_);
    ASSERT_TRUE(report) << report.error().reason;
    EXPECT_EQ(report->dynamic_smem_touched, bytes);
  }
}

TEST_F(Helpers, TheLoadStaysInItsMemoryAndEnds) {
  const auto move = load("evo_move_memory");
  const std::uint32_t words = 100;
  const auto buffer = device_.allocate({words * 4, 0, "scratch"}).value();
  std::vector<std::uint32_t> held(words, 7);
  ASSERT_TRUE(device_.write(buffer, std::as_bytes(std::span(held))));
  // 128 threads for 100 words: those beyond have nothing to do.
  const auto report = device_.launch(
      move, {{2, 1, 1}, {64, 1, 1}, 0},
      std::vector<KernelArgument>{BufferArgument{buffer}, scalar(words), scalar(std::uint64_t{0})}, exact_);
  ASSERT_TRUE(report) << report.error().reason;
  ASSERT_TRUE(device_.read(buffer, std::as_writable_bytes(std::span(held))));
  for (const std::uint32_t word : held) EXPECT_EQ(word, 8U);
}

}  // namespace
}  // namespace evo::test
