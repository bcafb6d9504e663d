// What takes a race away, with the real compiler: an atomic update, a barrier of the correct kind, or none.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/diagnose/support.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

diagnose::Diagnosis of(const std::string& problem, const std::string& template_name,
                       const std::string& source) {
  return run_diagnosis(
      make_subject(fixture_problem("../../../suites/attacks/problems/" + problem), template_name, {}, source),
      120);
}

constexpr const char* softmax_head =
    "extern \"C\" __global__ void row_softmax(const float* x, float* y, int rows, int columns) {\n"
    "  __shared__ float s[THREADS];\n"
    "  __shared__ float all;\n"
    "  const int t = threadIdx.x;\n"
    "  const float* in = x + (long long)blockIdx.x * columns;\n"
    "  float m = -INFINITY, part = 0;\n"
    "  for (int j = 0; j < columns; ++j) m = fmaxf(m, in[j]);\n"
    "  for (int j = t; j < columns; j += THREADS) part += expf(in[j] - m);\n"
    "  if (t == 0) all = 0;\n"
    "  __syncthreads();\n";
constexpr const char* softmax_tail =
    "  for (int j = t; j < columns; j += THREADS) y[(long long)blockIdx.x * columns + j] = expf(in[j] - m) / "
    "all;\n"
    "}\n";

struct Races : ::testing::Test {
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
};

TEST_F(Races, AWordThatSeveralThreadsUpdateNeedsAnAtomicAndNoBarrier) {
  const auto report = of("row_softmax", "shared",
                         std::string(softmax_head) +
                             "  all += part;\n"
                             "  __syncthreads();\n" +
                             softmax_tail)
                          .post_mortem;
  EXPECT_EQ(first_cause(report), "missing_atomic");
  ASSERT_FALSE(report.places.empty());
  EXPECT_EQ(report.places.front().line, 11);
  EXPECT_EQ(report.healing_barrier, 0);
}

/// The smallest shape is one warp's; the barrier that mends it there is too weak for the others.
TEST_F(Races, ABarrierThatMendsTheSmallestShapeMustMendTheFirst) {
  const auto report = of("row_softmax", "shared",
                         std::string(softmax_head) +
                             "  atomicAdd(&all, part);\n"
                             "  s[t] = part;\n" +
                             softmax_tail)
                          .post_mortem;
  EXPECT_EQ(first_cause(report), "missing_barrier");
  EXPECT_TRUE(report.facts.has("repair.block_barrier_heals"));
}

/// In a branch that one warp takes, __syncthreads() is no trial.
TEST_F(Races, ABarrierOfOneWarpIsTriedWhereNoOtherMayStand) {
  const auto report = of("row_softmax", "shared",
                         std::string(softmax_head) +
                             "  s[t] = part;\n"
                             "  __syncthreads();\n"
                             "  if (t < 32) {\n"
                             "    float v = s[t] + s[t + 32] + s[t + 64] + s[t + 96];\n"
                             "    __syncwarp();\n"
                             "    s[t] = v;\n"
                             "    if (t == 0) {\n"
                             "      for (int l = 1; l < 32; ++l) v += s[l];\n"
                             "      all = v;\n"
                             "    }\n"
                             "  }\n"
                             "  __syncthreads();\n" +
                             softmax_tail)
                          .post_mortem;
  EXPECT_EQ(first_cause(report), "missing_warp_barrier");
  EXPECT_TRUE(report.facts.has("repair.warp_barrier_heals"));
}

TEST_F(Races, ADiagnosisTellsWhatItIsAtAndCountsItsExperiments) {
  const auto subject =
      make_subject(fixture_problem("../../../suites/attacks/problems/saxpy"), "plain", {},
                   "extern \"C\" __global__ void saxpy(const float* x, const float* y, float* z, int n, "
                   "float alpha) {\n"
                   "  const int i = blockIdx.x * THREADS + threadIdx.x;\n"
                   "  if (i < n) z[i] = alpha * x[i] - y[i];\n"
                   "}\n");
  InProcessCompiler compiler;
  const model::TargetProfile target = subject.target;
  diagnose::Lab lab(
      subject, compiler, [target] { return std::make_unique<evaluators::devices::VirtualDevice>(target); },
      60);
  std::vector<std::string> phases;
  int last = 0;
  lab.tell([&](const std::string& what, int experiments) {
    if (phases.empty() || phases.back() != what) phases.push_back(what);
    EXPECT_GE(experiments, last);
    last = experiments;
  });
  const auto report = diagnose::diagnose(lab).post_mortem;
  EXPECT_EQ(first_cause(report), "wrong_scale") << "y counts as its negative";
  EXPECT_EQ(last, report.observations);
  EXPECT_GE(phases.size(), 4U);
  EXPECT_EQ(std::count(phases.begin(), phases.end(), ""), 0);
}

}  // namespace
}  // namespace evo::tests
