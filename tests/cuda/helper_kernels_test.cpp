// evo's own kernels, on the machine that sees every stray access.
#include "evaluators/devices/cuda/helper_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
using evaluators::devices::StructArgument;
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

/// A table of the kernels, of entries that begin with an address of a buffer.
template <class T>
KernelArgument table(const std::vector<T>& entries,
                     const std::vector<evaluators::devices::BufferId>& buffers) {
  std::array<T, evaluators::cuda::HelperKernels::most_together> whole{};
  std::ranges::copy(entries, whole.begin());
  StructArgument argument{std::vector<std::byte>(sizeof whole), {}};
  std::memcpy(argument.bytes.data(), whole.data(), sizeof whole);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    argument.pointers.push_back({static_cast<std::uint32_t>(i * sizeof(T)), buffers[i]});
  return argument;
}

TEST_F(Helpers, TheGuardsAreThoseOfTheHostAndNothingBetweenIsTouched) {
  const auto guards = load("evo_guards");
  std::vector<evaluators::devices::BufferId> buffers;
  std::vector<evaluators::cuda::GuardZones> zones;
  std::vector<std::vector<std::byte>> expected;
  for (const std::uint32_t misaligned : {0U, 2U, 21U}) {
    const auto layout = evaluators::cuda::guarded_layout(777, misaligned);
    const std::uint64_t back = layout.front + layout.bytes;
    const std::uint32_t seed = 40 + misaligned;
    std::vector<std::byte>& whole = expected.emplace_back(layout.total(), std::byte{0x5a});
    buffers.push_back(device_.allocate({layout.total(), 0, "allocation"}).value());
    ASSERT_TRUE(device_.write(buffers.back(), whole));
    evaluators::cuda::fill_guard(std::span(whole).first(layout.front), 0, seed);
    evaluators::cuda::fill_guard(std::span(whole).subspan(back), back, seed);
    zones.push_back({.back = back,
                     .front = static_cast<std::uint32_t>(layout.front),
                     .back_bytes = static_cast<std::uint32_t>(layout.back),
                     .seed = seed});
  }
  const auto launch = [&](const KernelArgument& sums) {
    return device_.launch(guards, {{2, 3, 1}, {64, 1, 1}, 0},
                          std::vector<KernelArgument>{table(zones, buffers), sums}, exact_);
  };
  const auto filled = launch(scalar(std::uint64_t{0}));
  ASSERT_TRUE(filled) << filled.error().reason;
  std::vector<std::byte> held;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    held.resize(expected[i].size());
    ASSERT_TRUE(device_.read(buffers[i], held));
    EXPECT_EQ(held, expected[i]) << i;
  }
  // The first stays, the second loses two bytes in front, the third one behind.
  std::array<std::vector<std::size_t>, 3> changed{{{}, {0, zones[1].front - 1}, {expected[2].size() - 1}}};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (const std::size_t place : changed[i]) expected[i][place] ^= std::byte{1};
    ASSERT_TRUE(device_.write(buffers[i], expected[i]));
  }
  const auto sums = device_.allocate({24, 0, "sums"}).value();
  std::array<std::uint64_t, 3> found{5, 5, 5};  // it adds
  ASSERT_TRUE(device_.write(sums, std::as_bytes(std::span(found))));
  const auto compared = launch(BufferArgument{sums});
  ASSERT_TRUE(compared) << compared.error().reason;
  ASSERT_TRUE(device_.read(sums, std::as_writable_bytes(std::span(found))));
  EXPECT_EQ(found, (std::array<std::uint64_t, 3>{5, 7, 6}));
}

TEST_F(Helpers, TheDigestIsThatOfTheHostWhereverTheBytesBegin) {
  const auto digest = load("evo_digest");
  const std::uint64_t key = 0x0123456789abcdefULL;
  std::vector<std::byte> held(1999);
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = static_cast<std::byte>(i * 37 % 251);
  const std::vector<std::size_t> sizes{8, 13, 1024, held.size()};
  for (const std::uint32_t misaligned : {0U, 8U, 2U, 21U}) {
    std::vector<evaluators::devices::BufferId> buffers;
    std::vector<evaluators::cuda::Stretch> stretches;
    for (const std::size_t bytes : sizes) {
      buffers.push_back(device_.allocate({bytes, misaligned, "bytes"}).value());
      ASSERT_TRUE(device_.write(buffers.back(), std::span(held).first(bytes)));
      stretches.push_back({.bytes = bytes});
    }
    const auto sums = device_.allocate({8 * sizes.size(), 0, "sums"}).value();
    std::vector<std::uint64_t> found(sizes.size(), 5);  // it adds
    ASSERT_TRUE(device_.write(sums, std::as_bytes(std::span(found))));
    const auto report = device_.launch(
        digest, {{2, static_cast<unsigned>(sizes.size()), 1}, {64, 1, 1}, 0},
        std::vector<KernelArgument>{table(stretches, buffers), scalar(key), BufferArgument{sums}}, exact_);
    ASSERT_TRUE(report) << report.error().reason;
    ASSERT_TRUE(device_.read(sums, std::as_writable_bytes(std::span(found))));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(found[i], 5 + evaluators::cuda::digest_of(std::span(held).first(sizes[i]), key))
          << sizes[i] << " bytes, " << misaligned << " past an aligned address";
    }
  }
}

}  // namespace
}  // namespace evo::test
