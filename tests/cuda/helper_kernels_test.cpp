// evo's own kernels, on the machine that sees every stray access.
#include "evaluators/devices/cuda/helper_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "evaluators/devices/cuda/digest.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/virtual/virtual_device.hpp"

#include "tests/support/targets.hpp"

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
  VirtualDevice device_{tests::shipped_target("l4")};
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

TEST_F(Helpers, TheGuardsAreThoseOfTheHostAndNothingBetweenIsTouched) {
  const auto fill = load("evo_fill_guards");
  for (const std::uint32_t misaligned : {0U, 2U, 21U}) {
    const auto layout = evaluators::cuda::guarded_layout(777, misaligned);
    std::vector<std::byte> expected(layout.total(), std::byte{0x5a});
    const std::uint64_t back = layout.front + layout.bytes;
    const std::uint32_t seed = 40 + misaligned;
    std::vector<std::byte> held = expected;
    evaluators::cuda::fill_guard(std::span(expected).first(layout.front), 0, seed);
    evaluators::cuda::fill_guard(std::span(expected).subspan(back), back, seed);
    const auto buffer = device_.allocate({layout.total(), 0, "allocation"}).value();
    ASSERT_TRUE(device_.write(buffer, held));
    const auto report =
        device_.launch(fill, {{3, 1, 1}, {64, 1, 1}, 0},
                       std::vector<KernelArgument>{
                           BufferArgument{buffer}, scalar(static_cast<std::uint32_t>(layout.front)),
                           scalar(back), scalar(static_cast<std::uint32_t>(layout.back)), scalar(seed)},
                       exact_);
    ASSERT_TRUE(report) << report.error().reason;
    ASSERT_TRUE(device_.read(buffer, held));
    EXPECT_EQ(held, expected);
  }
}

TEST_F(Helpers, TheDigestIsThatOfTheHostWhereverTheBytesBegin) {
  const auto digest = load("evo_digest");
  const std::uint64_t key = 0x0123456789abcdefULL;
  std::vector<std::byte> held(1999);
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = static_cast<std::byte>(i * 37 % 251);
  for (const std::uint32_t misaligned : {0U, 8U, 2U, 21U}) {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{13}, std::size_t{1024}, held.size()}) {
      const auto buffer = device_.allocate({bytes, misaligned, "bytes"}).value();
      const auto sum = device_.allocate({8, 0, "sum"}).value();
      std::uint64_t found = 5;  // it adds
      ASSERT_TRUE(device_.write(buffer, std::span(held).first(bytes)));
      ASSERT_TRUE(device_.write(sum, std::as_bytes(std::span(&found, 1))));
      const auto report =
          device_.launch(digest, {{2, 1, 1}, {64, 1, 1}, 0},
                         std::vector<KernelArgument>{BufferArgument{buffer}, scalar(std::uint64_t{bytes}),
                                                     scalar(key), BufferArgument{sum}},
                         exact_);
      ASSERT_TRUE(report) << report.error().reason;
      ASSERT_TRUE(device_.read(sum, std::as_writable_bytes(std::span(&found, 1))));
      EXPECT_EQ(found, 5 + evaluators::cuda::digest_of(std::span(held).first(bytes), key))
          << bytes << " bytes, " << misaligned << " past an aligned address";
    }
  }
}

}  // namespace
}  // namespace evo::test
