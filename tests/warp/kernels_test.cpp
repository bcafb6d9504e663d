// Whole kernels, compiled by nvcc, against plain loops: correct results and no findings at any check level.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "tests/warp/harness.hpp"

namespace evo::tests::warp {
namespace {

using vd::warp::RaceFilter;

const std::string& source() {
  static const std::string text = read_file(EVO_SOURCE_DIR "/bench/virtual/kernels.ptx");
  return text;
}

std::vector<float> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
  return values;
}
std::vector<std::uint16_t> half_noise(std::size_t count, unsigned seed) {
  std::vector<std::uint16_t> values;
  for (const float value : noise(count, seed)) {
    values.push_back(static_cast<std::uint16_t>(vd::semantics::to_half(value).bits));
  }
  return values;
}
float widen(std::uint16_t half) {
  return vd::semantics::to_f32(vd::semantics::Half{half});
}

struct Level {
  bool checked;
  RaceFilter races;
};
class Kernels : public testing::TestWithParam<Level> {
 protected:
  static void prepare(Kernel& kernel) {
    kernel.options.checked = GetParam().checked;
    kernel.options.races = GetParam().races;
  }
  static void expect_clean(const vd::warp::WarpRun& run) {
    for (const auto& s : run.suspicions) {
      ADD_FAILURE() << "suspicion " << int(s.kind) << " at instruction " << s.instruction << " block "
                    << s.block;
    }
    for (const auto& f : run.faults) {
      ADD_FAILURE() << "fault " << int(f.kind) << " at instruction " << f.instruction << " address "
                    << f.address;
    }
  }
};

TEST_P(Kernels, Reduce) {
  Kernel kernel(source(), "reduce");
  prepare(kernel);
  const auto in = noise(10'000, 1);
  const std::size_t input = kernel.buffer(in);
  const std::size_t output = kernel.blank(4 * sizeof(float));
  kernel.pointer(input).pointer(output).scalar(int(in.size()));
  kernel.launch.grid = {4, 1, 1};
  kernel.launch.block = {256, 1, 1};
  expect_clean(kernel.run());
  double expected = 0;
  double got = 0;
  for (const float x : in) expected += x;
  for (const float x : kernel.contents<float>(output)) got += x;
  EXPECT_NEAR(got, expected, 1e-2);
}

TEST_P(Kernels, Softmax) {
  Kernel kernel(source(), "softmax");
  prepare(kernel);
  constexpr int rows = 6, columns = 200;
  const auto in = noise(rows * columns, 2);
  const std::size_t input = kernel.buffer(in);
  const std::size_t output = kernel.blank(in.size() * sizeof(float));
  kernel.pointer(input).pointer(output).scalar(columns);
  kernel.launch.grid = {rows, 1, 1};
  kernel.launch.block = {96, 1, 1};
  expect_clean(kernel.run());
  const auto out = kernel.contents<float>(output);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(double(in[r * columns + c]));
    for (int c = 0; c < columns; ++c) {
      EXPECT_NEAR(out[r * columns + c], std::exp(double(in[r * columns + c])) / sum, 1e-6);
    }
  }
}

TEST_P(Kernels, SgemmBitForBit) {
  Kernel kernel(source(), "sgemm");
  prepare(kernel);
  constexpr int n = 128;
  const auto a = noise(n * n, 3);
  const auto b = noise(n * n, 4);
  const std::size_t ia = kernel.buffer(a);
  const std::size_t ib = kernel.buffer(b);
  const std::size_t ic = kernel.blank(n * n * sizeof(float));
  kernel.pointer(ia).pointer(ib).pointer(ic).scalar(n);
  kernel.launch.grid = {n / 64, n / 64, 1};
  kernel.launch.block = {256, 1, 1};
  expect_clean(kernel.run());
  const auto c = kernel.contents<float>(ic);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      ASSERT_EQ(c[i * n + j], sum) << i << ' ' << j;
    }
  }
}

TEST_P(Kernels, Transpose) {
  Kernel kernel(source(), "transpose");
  prepare(kernel);
  constexpr int n = 96;
  const auto in = noise(n * n, 5);
  const std::size_t input = kernel.buffer(in);
  const std::size_t output = kernel.blank(in.size() * sizeof(float));
  kernel.pointer(input).pointer(output).scalar(n);
  kernel.launch.grid = {n / 32, n / 32, 1};
  kernel.launch.block = {32, 8, 1};
  expect_clean(kernel.run());
  const auto out = kernel.contents<float>(output);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) ASSERT_EQ(out[j * n + i], in[i * n + j]);
  }
}

void attention(const char* entry, unsigned rows_per_block, unsigned threads, bool checked, RaceFilter races,
               const std::function<void(const vd::warp::WarpRun&)>& check) {
  Kernel kernel(source(), entry);
  kernel.options.checked = checked;
  kernel.options.races = races;
  constexpr int length = 128, heads = 2, d = 64;
  const auto q = half_noise(heads * length * d, 6);
  const auto k = half_noise(heads * length * d, 7);
  const auto v = half_noise(heads * length * d, 8);
  const std::size_t iq = kernel.buffer(q);
  const std::size_t ik = kernel.buffer(k);
  const std::size_t iv = kernel.buffer(v);
  const std::size_t io = kernel.blank(q.size() * 2);
  const float scale = 0.125F;
  kernel.pointer(iq).pointer(ik).pointer(iv).pointer(io).scalar(length).scalar(scale);
  kernel.launch.grid = {length / rows_per_block, heads, 1};
  kernel.launch.block = {threads, 1, 1};
  check(kernel.run());
  const auto o = kernel.contents<std::uint16_t>(io);
  for (int h = 0; h < heads; ++h) {
    for (int i = 0; i < length; ++i) {
      std::vector<double> weights(length);
      double total = 0;
      for (int j = 0; j < length; ++j) {
        double s = 0;
        for (int x = 0; x < d; ++x)
          s += double(widen(q[(h * length + i) * d + x])) * widen(k[(h * length + j) * d + x]);
        weights[j] = std::exp(s * scale);
        total += weights[j];
      }
      for (int x = 0; x < d; ++x) {
        double sum = 0;
        for (int j = 0; j < length; ++j) sum += weights[j] * widen(v[(h * length + j) * d + x]);
        ASSERT_NEAR(widen(o[(h * length + i) * d + x]), sum / total, 1e-3);
      }
    }
  }
}

TEST_P(Kernels, AttentionByRows) {
  attention("attention_row", 64, 64, GetParam().checked, GetParam().races, expect_clean);
}
TEST_P(Kernels, AttentionByTiles) {
  attention("attention_tile", 64, 128, GetParam().checked, GetParam().races, expect_clean);
}

std::string name_of_level(const testing::TestParamInfo<Level>& level) {
  if (!level.param.checked) return "unchecked";
  return level.param.races == RaceFilter::coarse ? "coarse" : "precise";
}
INSTANTIATE_TEST_SUITE_P(Levels, Kernels,
                         testing::Values(Level{false, RaceFilter::coarse}, Level{true, RaceFilter::coarse},
                                         Level{true, RaceFilter::precise}),
                         name_of_level);

}  // namespace
}  // namespace evo::tests::warp
