// The kernels that measure a device's ceilings (targets/ceilings): they compile, run clean under every check
// of the virtual device, and hold as much work as session/measured_ceilings.cpp counts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "tests/kernels/compiled.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

namespace devices = evaluators::devices;

std::string source_of(const std::string& file) {
  std::ifstream in(std::string(EVO_SOURCE_DIR) + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
devices::KernelArgument scalar(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

class CeilingKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
  model::Artifact compiled(const std::string& name, const std::string& arch) const {
    evaluators::compile::CompileRequest request;
    request.source_file = name + ".cu";
    request.source = source_of("targets/ceilings/" + request.source_file);
    request.entry = name;
    request.arch = arch;
    request.headers["evo_wgmma.cuh"] = source_of("kernels/common/evo_wgmma.cuh");
    const auto artifact = evaluators::compile::run_compile(*nvrtc(), request);
    EXPECT_TRUE(artifact) << words(artifact.error());
    if (!artifact) return {};
    EXPECT_EQ(artifact->resources.spill_store_bytes, 0) << name;
    return *artifact;
  }
  devices::BufferId buffer(std::size_t bytes, bool filled) {
    devices::BufferSpec spec;
    spec.bytes = bytes;
    spec.name = "data";
    const devices::BufferId made = device.allocate(spec).value();
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 37);
    if (filled) {
      EXPECT_TRUE(device.write(made, data));
    }
    return made;
  }
  /// One launch of two blocks under all checks.
  void launch(const model::Artifact& artifact, const std::vector<devices::KernelArgument>& arguments) {
    const auto module = device.load(artifact);
    ASSERT_TRUE(module) << words(module.error());
    model::LaunchPlan plan;
    plan.grid[0] = 2;
    plan.block[0] = 256;
    devices::LaunchOptions options;
    options.checks = devices::CheckLevel::exact;
    const auto done = device.launch(*module, plan, arguments, options);
    ASSERT_TRUE(done) << words(done.error());
  }
  /// All of it is finite and not all of it 0.
  void expect_numbers(devices::BufferId out, std::size_t count) {
    std::vector<float> values(count);
    ASSERT_TRUE(device.read(out, std::as_writable_bytes(std::span(values))));
    double sum = 0;
    for (const float value : values) {
      ASSERT_TRUE(std::isfinite(value));
      sum += std::abs(value);
    }
    EXPECT_GT(sum, 0);
  }
  devices::VirtualDevice device{shipped_target("h200")};
};

TEST_F(CeilingKernels, MemoryOfEveryLengthIsReadOnceAndCopied) {
  for (const std::uint64_t count : {512U * 4U, 512U * 5U + 3U, 100U}) {
    const auto from = buffer(16 * count, true), to = buffer(16 * count, false), out = buffer(16, false);
    launch(compiled("dram_read", "sm_80"),
           {devices::BufferArgument{from}, scalar(count), devices::BufferArgument{out}});
    launch(compiled("dram_copy", "sm_80"),
           {devices::BufferArgument{from}, scalar(count), devices::BufferArgument{to}});
    std::vector<std::byte> a(16 * count), b(16 * count);
    ASSERT_TRUE(device.read(from, a));
    ASSERT_TRUE(device.read(to, b));
    EXPECT_EQ(a, b);
    launch(compiled("l2_read", "sm_89"), {devices::BufferArgument{from}, scalar(count),
                                          scalar<std::int32_t>(3), devices::BufferArgument{out}});
  }
}

TEST_F(CeilingKernels, LoopsHoldTheWorkThatIsCounted) {
  const auto out = buffer(4 * 512, false);
  const model::Artifact shared = compiled("shared_read", "sm_90");
  EXPECT_EQ(count_of(shared.ptx, "ld.shared.v4.u32"), 8U);
  launch(shared, {scalar<std::int32_t>(2), devices::BufferArgument{out}});
  const model::Artifact fma = compiled("fp32_fma", "sm_90");
  EXPECT_EQ(count_of(fma.ptx, "fma.rn.f32"), 64U);
  launch(fma, {scalar<std::int32_t>(2), scalar<float>(0.999F), devices::BufferArgument{out}});
  expect_numbers(out, 512);
  const model::Artifact mma = compiled("tensor_mma", "sm_80");
  EXPECT_EQ(count_of(mma.ptx, "mma.sync.aligned.m16n8k16"), 8U);
  launch(mma, {scalar<std::int32_t>(2), devices::BufferArgument{out}});
  expect_numbers(out, 512);
}

TEST_F(CeilingKernels, WgmmaOfHopper) {
  const model::Artifact wgmma = compiled("tensor_wgmma", "sm_90a");
  EXPECT_EQ(count_of(wgmma.ptx, "wgmma.mma_async.sync.aligned.m64n256k16"), 16U);
  EXPECT_EQ(wgmma.compiler_log.find("C7512"), std::string::npos) << "the products are serialised";
  EXPECT_EQ(wgmma.compiler_log.find("C7510"), std::string::npos) << "the products are serialised";
}

}  // namespace
}  // namespace evo::tests
