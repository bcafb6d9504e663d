// The contender on a fake driver and a fake cuDNN that computes from the descriptors it was given.
#include "packs/attention/cudnn/cudnn_contender.hpp"

#include <gmock/gmock.h>

#include <tuple>

#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/devices/cuda/context.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "tests/cudnn/attention_cases.hpp"
#include "tests/cudnn/fake_cudnn.hpp"
#include "tests/support/known.hpp"

namespace evo::test {
namespace {

using namespace evaluators;
using testing::HasSubstr;

class CudnnContenderTest : public testing::Test {
 protected:
  [[nodiscard]] benchmark::Standing measure(const AttentionSizes& sizes) {
    const model::Case bound = attention_case(sizes);
    const auto inputs =
        oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
    const auto reference =
        benchmark::SampledReference::make(evo::tests::known(), "attention_forward", bound, inputs, 3).value();
    benchmark::Protocol protocol;
    protocol.rounds = 2;
    protocol.l2_bytes = 4096;
    return benchmark::measure_side_by_side({{&contender_}}, bound, inputs, reference,
                                           {"fp32-softmax", 4e-4, 1e-2}, protocol)[0];
  }

  FakeGpu gpu_;
  FakeCudnn fake_{&gpu_};
  std::shared_ptr<cuda::CudaContext> context_ = std::make_shared<cuda::CudaContext>(gpu_.driver(), 0);
  cuda::CudaDevice device_{context_};
  cudnn::CudnnContender contender_{"cudnn graph", device_, cudnn::Session::open(fake_.api()).value()};
};

/// A layout, and whether there is a mask; each its own test, since under a sanitizer one takes seconds.
class CudnnContenderLayouts : public CudnnContenderTest,
                              public ::testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(CudnnContenderLayouts, IsRightAndTimed) {
  const auto [layout, causal] = GetParam();
  const benchmark::Standing standing = measure({.batch = 2, .causal = causal, .layout = layout});
  EXPECT_EQ(standing.unavailable, "");
  ASSERT_TRUE(standing.hot && standing.cold);
  EXPECT_NEAR(standing.hot->median_us, 10, 1e-5) << "what the fake says a launch takes";
  EXPECT_GT(standing.cold->sets, standing.hot->sets);
  EXPECT_THAT(standing.method, HasSubstr("CUDA graph"));
  EXPECT_THAT(standing.method, HasSubstr("engine 0 of heuristics A"));
}
INSTANTIATE_TEST_SUITE_P(All, CudnnContenderLayouts,
                         ::testing::Combine(::testing::Values(0, 1), ::testing::Bool()));

TEST_F(CudnnContenderTest, RotatesOverItsBufferSets) {
  const model::Case bound = attention_case({});
  const auto inputs =
      oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
  ASSERT_TRUE(contender_.compute(bound, inputs));
  fake_.runs.clear();
  ASSERT_TRUE(contender_.time({.sets = 3, .launches = 6, .warmup = 1, .samples = 1}));
  ASSERT_EQ(fake_.runs.size(), 6u) << "one execution a launch of the graph, none a replay";
  std::set<void*> outputs;
  for (const FakeCudnn::Run& run : fake_.runs) outputs.insert(run.pointers.at(4));
  EXPECT_EQ(outputs.size(), 3u);
  EXPECT_EQ(fake_.runs[0].pointers, fake_.runs[3].pointers);
}

TEST_F(CudnnContenderTest, GivesEveryDescriptorBack) {
  fake_.workspace_bytes = 1000;
  EXPECT_EQ(measure({.causal = true}).unavailable, "");
  EXPECT_TRUE(fake_.live.empty()) << "side by side releases at its end";
}

TEST_F(CudnnContenderTest, AFailedExecutionIsOneLineAndNoNumber) {
  fake_.execute_status = 3000;
  const benchmark::Standing standing = measure({});
  EXPECT_FALSE(standing.hot);
  EXPECT_THAT(standing.unavailable, HasSubstr("executing (engine 0 of heuristics A, graph as pattern): "
                                              "NOT_SUPPORTED (3000): as the fake says"));
}

TEST_F(CudnnContenderTest, AFailureUnderCaptureLeavesTheDeviceUsable) {
  const model::Case bound = attention_case({});
  const auto inputs =
      oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
  ASSERT_TRUE(contender_.compute(bound, inputs));
  fake_.execute_status = 3000;
  EXPECT_THAT(contender_.time({}).error(), HasSubstr("NOT_SUPPORTED"));
  EXPECT_FALSE(device_.lost());
  fake_.execute_status = 0;
  EXPECT_TRUE(contender_.time({}));
  EXPECT_EQ(gpu_.live.graphs, 0);
}

}  // namespace
}  // namespace evo::test
