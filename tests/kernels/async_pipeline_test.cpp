// Asynchronous copies as kernels write them, compiled by NVRTC: the intrinsics of cuda_pipeline.h and inline
// assembly, run on the PTX machine with all checks.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "model/target.hpp"
#include "tests/kernels/compiled.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::KernelArgument;

const char* const with_intrinsics = R"(
#include <cuda_pipeline.h>
#define COPY(to, from) __pipeline_memcpy_async(to, from, 16)
#define COMMIT() __pipeline_commit()
#define WAIT(kept) __pipeline_wait_prior(kept)
)";
const char* const with_assembly = R"(
#define COPY(to, from)                                          \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"( \
      (unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(kept) asm volatile("cp.async.wait_group %0;" ::"n"(kept) : "memory")
)";
const char* const body = R"(
extern "C" __global__ void sum(const float4* in, float* out, int tiles) {
  __shared__ float4 ring[3][64];
  const int t = threadIdx.x;
  for (int s = 0; s < 2; ++s) {
    if (s < tiles) COPY(&ring[s][t], in + 64 * s + t);
    COMMIT();
  }
  float total = 0;
  for (int i = 0; i < tiles; ++i) {
    WAIT(1);
    BARRIER();
    if (i + 2 < tiles) COPY(&ring[(i + 2) % 3][t], in + 64 * (i + 2) + t);
    COMMIT();
    total += ring[i % 3][63 - t].x;
  }
  out[t] = total;
}
)";

class AsyncPipeline : public NeedsNvrtc,
                      public testing::WithParamInterface<std::tuple<const char*, const char*>> {
 protected:
  static evaluators::devices::Outcome<std::vector<float>> run(const std::string& barrier) {
    const auto& [style, arch] = GetParam();
    model::Template kernel;
    kernel.source_file = "sum.cu";
    kernel.entry = "sum";
    const auto compiled =
        compile_source(kernel, std::string(style) + "#define BARRIER() " + barrier + "\n" + body, arch);
    if (!compiled) throw std::runtime_error(words(compiled.error()));
    evaluators::devices::VirtualDevice device{tests::shipped_target("h200")};
    const auto module = device.load(*compiled);
    if (!module) return tl::unexpected(module.error());
    std::vector<float> values(4UL * 64 * tiles);
    std::iota(values.begin(), values.end(), 1.0F);
    const auto in = device.allocate({values.size() * sizeof(float), 0, "in"}).value();
    const auto out = device.allocate({64 * sizeof(float), 0, "out"}).value();
    if (auto done = device.write(in, std::as_bytes(std::span(values))); !done)
      return tl::unexpected(done.error());
    std::vector<std::byte> count(sizeof(int));
    std::memcpy(count.data(), &tiles, sizeof tiles);
    const std::vector<KernelArgument> arguments{evaluators::devices::BufferArgument{in},
                                                evaluators::devices::BufferArgument{out}, count};
    const auto done = device.launch(*module, {{1, 1, 1}, {64, 1, 1}, 0}, arguments, {});
    if (!done) return tl::unexpected(done.error());
    std::vector<float> result(64);
    if (auto read = device.read(out, std::as_writable_bytes(std::span(result))); !read)
      return tl::unexpected(read.error());
    return result;
  }
  static constexpr int tiles = 5;
};

TEST_P(AsyncPipeline, GivesTheSumAndPasses) {
  const auto result = run("__syncthreads()");
  ASSERT_TRUE(result) << words(result.error());
  for (int t = 0; t < 64; ++t) {
    float expected = 0;
    for (int i = 0; i < tiles; ++i) expected += static_cast<float>(4 * (64 * i + 63 - t) + 1);
    EXPECT_EQ((*result)[static_cast<std::size_t>(t)], expected);
  }
}

TEST_P(AsyncPipeline, WithoutItsBarrierIsRefused) {
  const auto result = run("__syncwarp()");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().reason == "race_shared" || result.error().reason == "async_not_waited")
      << words(result.error());
  EXPECT_EQ(result.error().evidence.front().file, "sum.cu");
}

INSTANTIATE_TEST_SUITE_P(Styles, AsyncPipeline,
                         testing::Combine(testing::Values(with_intrinsics, with_assembly),
                                          testing::Values("sm_80", "sm_89", "sm_90a")));

}  // namespace
}  // namespace evo::tests
