// Kernels without a fault give no finding, correct results, and the same results in every schedule.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37) % 101) * 0.25F - 7.0F;
  return values;
}
std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>((i * 7919) % 1013);
  return values;
}

#define ASSERT_CLEAN(outcome) \
  ASSERT_TRUE(outcome) << (outcome).error().reason << ": " << (outcome).error().evidence.front().message

class CleanKernels : public testing::TestWithParam<std::tuple<CheckLevel, std::uint64_t>> {
 protected:
  void choose(Rig& rig) const { std::tie(rig.options.checks, rig.options.schedule_seed) = GetParam(); }
};

TEST_P(CleanKernels, VectorAddStopsAtTheTail) {
  Rig rig("clean.ptx", "vadd");
  choose(rig);
  const auto a = ramp(1000);
  const auto c = rig.empty<float>("c", 1000);
  const auto outcome =
      rig.launch({{8, 1, 1}, {128, 1, 1}, 0},
                 {pointer(rig.buffer("a", a)), pointer(rig.buffer("b", a)), pointer(c), scalar(1000)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<float>(c, 1000);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(result[i], a[i] + a[i]) << i;
}

TEST_P(CleanKernels, TreeReductionSumsAndTellsItsDynamicSharedMemory) {
  Rig rig("clean.ptx", "tree_reduce");
  choose(rig);
  const auto in = ramp(500);
  const auto out = rig.empty<float>("out", 2);
  const auto outcome = rig.launch({{2, 1, 1}, {256, 1, 1}, 256 * 4},
                                  {pointer(rig.buffer("in", in)), pointer(out), scalar(500)});
  ASSERT_CLEAN(outcome);
  EXPECT_EQ(outcome->dynamic_smem_touched, 256U * 4);
  const auto result = rig.contents<float>(out, 2);
  EXPECT_FLOAT_EQ(result[0] + result[1], std::accumulate(in.begin(), in.end(), 0.0F));
}

TEST_P(CleanKernels, WarpShuffleReductionSums) {
  Rig rig("clean.ptx", "warp_reduce");
  choose(rig);
  const auto in = ramp(3000);
  const auto out = rig.empty<float>("out", 4);
  const auto outcome =
      rig.launch({{4, 1, 1}, {128, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out), scalar(3000)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<float>(out, 4);
  EXPECT_FLOAT_EQ(std::accumulate(result.begin(), result.end(), 0.0F),
                  std::accumulate(in.begin(), in.end(), 0.0F));
}

TEST_P(CleanKernels, TiledTransposeOfARaggedMatrix) {
  Rig rig("clean.ptx", "transpose");
  choose(rig);
  const int w = 70, h = 45;
  const auto in = ramp(static_cast<std::size_t>(w * h));
  const auto out = rig.empty<float>("out", in.size());
  const auto outcome = rig.launch({{3, 2, 1}, {32, 8, 1}, 0},
                                  {pointer(rig.buffer("in", in)), pointer(out), scalar(w), scalar(h)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<float>(out, in.size());
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      ASSERT_EQ(result[static_cast<std::size_t>(x * h + y)], in[static_cast<std::size_t>(y * w + x)]);
    }
  }
}

TEST_P(CleanKernels, TiledMatrixProductIsBitExact) {
  Rig rig("clean.ptx", "sgemm");
  choose(rig);
  const int m = 40, n = 35, k = 50;
  const auto a = ramp(static_cast<std::size_t>(m * k));
  const auto b = ramp(static_cast<std::size_t>(k * n));
  const auto c = rig.empty<float>("c", static_cast<std::size_t>(m * n));
  const auto outcome =
      rig.launch({{3, 3, 1}, {16, 16, 1}, 0}, {pointer(rig.buffer("a", a)), pointer(rig.buffer("b", b)),
                                               pointer(c), scalar(m), scalar(n), scalar(k)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<float>(c, static_cast<std::size_t>(m * n));
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) {
        sum =
            std::fma(a[static_cast<std::size_t>(row * k + i)], b[static_cast<std::size_t>(i * n + col)], sum);
      }
      ASSERT_EQ(result[static_cast<std::size_t>(row * n + col)], sum) << row << "," << col;
    }
  }
}

TEST_P(CleanKernels, SyncwarpOrdersTheLanesOfAWarp) {
  Rig rig("clean.ptx", "warp_exchange");
  choose(rig);
  const auto in = numbers(512);
  const auto out = rig.empty<int>("out", 512);
  const auto outcome = rig.launch({{2, 1, 1}, {256, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<int>(out, 512);
  for (std::size_t i = 0; i < 512; ++i) {
    int odd = 0;
    for (std::size_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) odd += in[j ^ 1] & 1;
    ASSERT_EQ(result[i], (in[i ^ 3] + 1) * 2 + odd) << i;
  }
}

TEST_P(CleanKernels, AtomicsDoNotRaceWithAtomics) {
  Rig rig("clean.ptx", "histogram");
  choose(rig);
  const auto in = numbers(5000);
  const auto bins = rig.buffer("bins", std::vector<unsigned>(64, 0));
  const auto outcome =
      rig.launch({{4, 1, 1}, {128, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(bins), scalar(5000)});
  ASSERT_CLEAN(outcome);
  std::vector<unsigned> expected(64, 0);
  for (const int value : in) ++expected[static_cast<std::size_t>(value & 63)];
  EXPECT_EQ(rig.contents<unsigned>(bins, 64), expected);
}

TEST_P(CleanKernels, NamedBarriersOrderProducersAndConsumers) {
  Rig rig("clean.ptx", "producer_consumer");
  choose(rig);
  const auto in = numbers(64 * 5);
  const auto out = rig.empty<int>("out", in.size());
  const auto outcome =
      rig.launch({{1, 1, 1}, {128, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out), scalar(5)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<int>(out, in.size());
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], in[i / 64 * 64 + 63 - i % 64] + 1) << i;
}

TEST_P(CleanKernels, LocalArraysArePrivate) {
  Rig rig("clean.ptx", "half_rows");
  choose(rig);
  const auto in = ramp(64 * 8);
  const auto out = rig.empty<float>("out", 64);
  const auto outcome =
      rig.launch({{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.buffer("in", in)), pointer(out), scalar(3)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<float>(out, 64);
  for (std::size_t t = 0; t < 64; ++t) ASSERT_EQ(result[t], in[t * 8 + 3] + in[t * 8 + ((3 + t) & 7)]) << t;
}

TEST_P(CleanKernels, GenericPointersReachEverySpace) {
  Rig rig("clean.ptx", "generic_pointers");
  choose(rig);
  const auto data = numbers(64);
  const auto out = rig.empty<int>("out", 64);
  const auto outcome =
      rig.launch({{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.buffer("data", data)), pointer(out)});
  ASSERT_CLEAN(outcome);
  const auto result = rig.contents<int>(out, 64);
  for (std::size_t t = 0; t < 64; ++t) {
    const int expected[] = {data[t], data[t] + 1 + 1000, 3, 4};
    ASSERT_EQ(result[t], expected[t & 3]) << t;
  }
}

std::string parameter_name(const testing::TestParamInfo<std::tuple<CheckLevel, std::uint64_t>>& info) {
  const char* levels[] = {"None", "Filtered", "Exact"};
  return std::string(levels[static_cast<int>(std::get<0>(info.param))]) + "Seed" +
         std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Levels, CleanKernels,
                         testing::Combine(testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact),
                                          testing::Values(0, 1, 99)),
                         parameter_name);

}  // namespace
}  // namespace evo::tests
