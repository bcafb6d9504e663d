// cuDNN itself, where it and a GPU are: correct in every layout and mask, and fit for a CUDA graph.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "evaluators/benchmark/side_by_side.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "packs/attention/cudnn/cudnn_contender.hpp"
#include "tests/cudnn/attention_cases.hpp"
#include "tests/support/known.hpp"

namespace evo::test {
namespace {

using namespace evaluators;
namespace cudnn = packs::attention::cudnn;

TEST(CudnnOnGpu, IsRightAndCanBeCaptured) {
  if (const auto found = cuda::list_cuda_devices(); found.devices.empty()) GTEST_SKIP() << found.reason;
  const auto api = cudnn::load();
  if (!api) GTEST_SKIP() << api.error();
  cuda::CudaDevice device(cuda::open_context(0));
  auto session = cudnn::Session::open(*api);
  ASSERT_TRUE(session) << session.error();
  cudnn::CudnnContender contender("cudnn graph", device, *session);
  for (const std::int64_t head_dim : {64, 128}) {
    for (const bool causal : {false, true}) {
      for (const int layout : {0, 1}) {
        const AttentionSizes sizes{2, 8, 512, head_dim, causal, layout};
        const std::string label = fmt::format("cuDNN {}, head_dim {}, causal {}, layout {}",
                                              cudnn::version_text(**api), head_dim, causal, layout);
        const model::Case bound = attention_case(sizes);
        const auto inputs =
            oracle::make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
        const auto reference =
            benchmark::SampledReference::make(evo::tests::known(), "attention_forward", bound, inputs, 3)
                .value();
        const auto output = contender.compute(bound, inputs);
        EXPECT_TRUE(output) << label << ": " << output.error();
        if (!output) continue;
        const auto check = reference.check(*output, {"fp16-softmax", 3e-3, 5e-2});
        EXPECT_TRUE(check.pass) << label << ": " << check.text;
        const auto samples = contender.time({.sets = 2, .launches = 20, .warmup = 1, .samples = 3});
        EXPECT_TRUE(samples) << label << ": " << samples.error();
        if (samples) fmt::print("{}: {}\n", label, contender.method());
      }
    }
  }
}

}  // namespace
}  // namespace evo::test
