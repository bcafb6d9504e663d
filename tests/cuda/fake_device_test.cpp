// The device suite on the fake driver, and what only a fake can show: leaks, calls into a dead context,
// rotation.
#include <gmock/gmock.h>

#include <cstring>

#include "evaluators/devices/cuda/context.hpp"
#include "model/error.hpp"
#include "tests/cuda/device_suite.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {
namespace {

using evaluators::cuda::CudaContext;
using evaluators::cuda::CudaDevice;
using evaluators::devices::BufferArgument;
using evaluators::devices::KernelArgument;
using evaluators::devices::LaunchOptions;

void add_suite_kernels(FakeGpu& gpu) {
  gpu.kernels["add"] = {{8, 8, 8, 4}, [](const FakeLaunch& launch) {
                          const int n = launch.argument<int>(3);
                          const auto* a = launch.argument<const float*>(0);
                          const auto* b = launch.argument<const float*>(1);
                          auto* c = launch.argument<float*>(2);
                          for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
                        }};
  gpu.kernels["misaligned"] = {{8}, {}, CUDA_ERROR_MISALIGNED_ADDRESS};
  gpu.kernels["illegal"] = {{8}, {}, CUDA_ERROR_ILLEGAL_ADDRESS};
  gpu.kernels["endless"] = {{8}, {}};
  gpu.kernels["endless"].endless = true;
  gpu.kernels["overrun"] = {
      {8, 4}, [](const FakeLaunch& launch) { launch.argument<float*>(0)[launch.argument<int>(1)] = 1.0f; }};
  gpu.kernels["underrun"] = {{8}, [](const FakeLaunch& launch) { launch.argument<float*>(0)[-1] = 1.0f; }};
  gpu.kernels["busy"] = {{8, 4}, [&gpu](const FakeLaunch& launch) {
                           gpu.kernels["busy"].microseconds = 1 + launch.argument<int>(1) / 100.0;
                         }};
}

/// peek() finds what evo_fill_shared() left.
void add_shared_memory(FakeGpu& gpu) {
  const auto word = std::make_shared<std::uint32_t>(0);
  gpu.kernels["evo_fill_shared"].body = [word](const FakeLaunch& launch) {
    *word = launch.argument<std::uint32_t>(0);
  };
  gpu.kernels["peek"] = {{8}, [word](const FakeLaunch& launch) {
                           auto* found = launch.argument<std::uint32_t*>(0);
                           for (unsigned i = 0; i < launch.grid[0] * launch.block[0]; ++i) found[i] = *word;
                         }};
}

model::Artifact artifact_of(const std::string& entry) {
  model::Artifact artifact;
  artifact.entry = entry;
  artifact.arch = "sm_90";
  artifact.cubin = "ELF";
  return artifact;
}

class FakeSuiteDevice final : public SuiteDevice {
 public:
  FakeSuiteDevice() {
    add_suite_kernels(gpu_);
    add_shared_memory(gpu_);
  }
  std::unique_ptr<evaluators::devices::Device> open() override {
    return std::make_unique<CudaDevice>(std::make_shared<CudaContext>(gpu_.driver(), 0));
  }
  model::Artifact artifact(const std::string& entry) override { return artifact_of(entry); }

 private:
  FakeGpu gpu_;
};

std::unique_ptr<SuiteDevice> fake() {
  return std::make_unique<FakeSuiteDevice>();
}
INSTANTIATE_TEST_SUITE_P(Fake, CudaDeviceSuite, testing::Values(&fake));

class FakeDriver : public testing::Test {
 protected:
  FakeDriver() { add_suite_kernels(gpu_); }
  [[nodiscard]] std::shared_ptr<CudaContext> context() {
    return std::make_shared<CudaContext>(gpu_.driver(), 0);
  }
  FakeGpu gpu_;
};

const model::LaunchPlan plan{{2, 1, 1}, {32, 1, 1}, 64};

TEST_F(FakeDriver, ReleasesAllThatAJobLeftBehind) {
  {
    const auto opened = context();
    {
      CudaDevice device(opened);
      const auto id = device.allocate({100, 0, "A"}).value();
      const auto module = device.load(artifact_of("busy")).value();
      for (int i = 0; i < 600; ++i) {
        ASSERT_TRUE(
            device.launch(module, plan, std::vector<KernelArgument>{BufferArgument{id}, scalar(i)}, {}));
      }
      EXPECT_EQ(gpu_.launches.size(), 600u);
    }
    EXPECT_EQ(gpu_.live.modules, 1) << "evo's own kernels stay with the context";
    EXPECT_EQ(gpu_.live.contexts, 1);
    // Memory stays with the context, for the next job.
    const int kept = gpu_.live.allocations;
    CudaDevice next(opened);
    const auto again = next.allocate({100, 0, "A"}).value();
    EXPECT_EQ(gpu_.live.allocations, kept);
    EXPECT_TRUE(next.check_guards()) << "guards are drawn anew in memory that was used before";
    next.release(again);
  }
  EXPECT_EQ(gpu_.live, FakeGpu::Live{});
}

TEST_F(FakeDriver, NothingCallsIntoAContextWhoseKernelHangs) {
  {
    CudaDevice device(context());
    const auto id = device.allocate({100, 0, "A"}).value();
    const auto module = device.load(artifact_of("endless")).value();
    LaunchOptions options;
    options.timeout_ms = 1;
    ASSERT_TRUE(device.launch(module, plan, std::vector<KernelArgument>{BufferArgument{id}}, options));
    EXPECT_FALSE(device.check_guards());
    EXPECT_FALSE(device.poison(id, 0));
    EXPECT_FALSE(device.load(artifact_of("busy")));
  }
  EXPECT_EQ(gpu_.calls_after_loss, 0);
  EXPECT_EQ(gpu_.live.allocations, 1) << "abandoned to the end of the process";
}

// No event tells any more once the context is lost.
TEST_F(FakeDriver, SaysHowManyLaunchesEndedBeforeTheOneThatFails) {
  const auto opened = context();
  CudaDevice device(opened);
  const auto id = device.allocate({256, 0, "A"}).value();
  const auto busy = device.load(artifact_of("busy")).value();
  const auto illegal = device.load(artifact_of("illegal")).value();
  LaunchOptions options;
  options.counted = true;
  const std::vector<KernelArgument> arguments{BufferArgument{id}, scalar(1)};
  EXPECT_EQ(device.launches_ended(), 0u);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(device.launch(busy, plan, arguments, options));
    EXPECT_EQ(device.launches_ended(), 3u);
    ASSERT_TRUE(device.synchronize());
    EXPECT_EQ(device.launches_ended(), 0u);
  }
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(device.launch(busy, plan, arguments, options));
  static_cast<void>(device.launch(illegal, plan, std::vector<KernelArgument>{BufferArgument{id}}, options));
  static_cast<void>(device.launch(busy, plan, arguments, options));
  EXPECT_FALSE(device.synchronize());
  EXPECT_EQ(device.launches_ended(), 2u);
}

TEST_F(FakeDriver, ADeviceThatIsDroppedWithALaunchInFlightDoesNotBlock) {
  {
    CudaDevice device(context());
    const auto id = device.allocate({100, 0, "A"}).value();
    LaunchOptions options;
    options.timeout_ms = 1;
    const auto module = device.load(artifact_of("endless")).value();
    ASSERT_TRUE(device.launch(module, plan, std::vector<KernelArgument>{BufferArgument{id}}, options));
  }
  EXPECT_EQ(gpu_.calls_after_loss, 0);
}

TEST_F(FakeDriver, WhatIsRestoredStandsThereBeforeEveryLaunchAndEveryTimedOne) {
  std::vector<float> found;
  gpu_.kernels["once_more"] = {{8}, [&found](const FakeLaunch& launch) {
                                 float* value = launch.argument<float*>(0);
                                 found.push_back(*value);
                                 *value += 1;
                               }};
  {
    CudaDevice device(context());
    const auto module = device.load(artifact_of("once_more"));
    ASSERT_TRUE(module);
    evaluators::devices::BufferSpec spec{4, 16, "u"};
    spec.restored = true;
    const auto buffer = device.allocate(spec);
    ASSERT_TRUE(buffer);
    const std::vector<KernelArgument> arguments{BufferArgument{*buffer}};
    const float five = 5;
    ASSERT_TRUE(device.write(*buffer, std::as_bytes(std::span(&five, 1))));
    for (int launch = 0; launch < 3; ++launch)
      ASSERT_TRUE(device.launch(*module, {}, arguments, LaunchOptions{}));
    ASSERT_TRUE(device.synchronize());
    EXPECT_EQ(found, std::vector<float>(3, 5));
    const std::vector<std::vector<KernelArgument>> sets{arguments};
    evaluators::devices::TimingProtocol protocol;
    protocol.warmup = 1;
    protocol.samples = 3;
    protocol.launches = 4;
    ASSERT_TRUE(device.time(*module, {}, sets, protocol));
    EXPECT_GE(found.size(), 15U);
    EXPECT_EQ(found, std::vector<float>(found.size(), 5));
    device.release(*buffer);
    evaluators::devices::BufferSpec zeros{4, 16, "y"};
    zeros.zeroed = true;
    const auto zeroed = device.allocate(zeros);
    ASSERT_TRUE(zeroed);
    found.clear();
    const std::vector<std::vector<KernelArgument>> with_zeros{{BufferArgument{*zeroed}}};
    ASSERT_TRUE(device.time(*module, {}, with_zeros, protocol));
    EXPECT_EQ(found, std::vector<float>(found.size(), 0)) << "timed launches begin with zeros, too";
    EXPECT_GE(found.size(), 12U);
  }
  EXPECT_EQ(gpu_.live.allocations, 0);
}

TEST_F(FakeDriver, TheTimedGraphRotatesOverTheArgumentSets) {
  CudaDevice device(context());
  const auto module = device.load(artifact_of("busy")).value();
  std::vector<std::vector<KernelArgument>> sets;
  for (int i = 0; i < 3; ++i) {
    sets.push_back({BufferArgument{device.allocate({100, 0, "A"}).value()}, scalar(1000)});
  }
  const auto timing = device.time(module, plan, sets, {1, 5, 7});
  ASSERT_TRUE(timing);
  EXPECT_EQ(gpu_.graph_launches, 6);
  ASSERT_EQ(gpu_.launches.size(), 42u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(gpu_.launches[i].argument<CUdeviceptr>(0), gpu_.launches[i % 3].argument<CUdeviceptr>(0));
    EXPECT_EQ(gpu_.launches[i].grid, plan.grid);
    EXPECT_EQ(gpu_.launches[i].dynamic_smem, 64u);
  }
  EXPECT_NE(gpu_.launches[0].argument<CUdeviceptr>(0), gpu_.launches[1].argument<CUdeviceptr>(0));
  for (const double sample : timing->samples_us) EXPECT_NEAR(sample, 11.0, 0.01);
}

TEST_F(FakeDriver, HelpersCoverTheWholeDeviceAndGoWithTheContext) {
  {
    const auto opened = context();
    CudaDevice device(opened);
    ASSERT_TRUE(device.fill_shared(7));
    ASSERT_TRUE(device.start_load(std::chrono::microseconds(1500)));
    ASSERT_TRUE(device.synchronize());
    ASSERT_EQ(gpu_.launches.size(), 2u);
    const FakeLaunch& fill = gpu_.launches[0];
    EXPECT_EQ(fill.dynamic_smem, gpu_.smem_limit)
        << "no two blocks fit, so that each multiprocessor gets one";
    EXPECT_GE(fill.grid[0], 4u);
    EXPECT_EQ(fill.argument<std::uint32_t>(1) * 4, gpu_.smem_limit);
    const FakeLaunch& load = gpu_.launches[1];
    EXPECT_EQ(load.grid[0], 2u) << "half of the multiprocessors stay free";
    EXPECT_EQ(load.argument<std::uint64_t>(2), 1'500'000u);
    EXPECT_EQ(load.dynamic_smem, 0u);
  }
  EXPECT_EQ(gpu_.live, FakeGpu::Live{});
}

TEST_F(FakeDriver, ADeviceWithoutZonesAllocatesWhatWasAskedFor) {
  std::size_t asked = 0;
  static std::size_t* last = nullptr;
  last = &asked;
  static evaluators::cuda::DriverPointer inner;
  inner = gpu_.driver();
  const auto driver = std::make_shared<evaluators::cuda::DriverApi>(*inner);
  driver->memory_allocate = [](CUdeviceptr* address, std::size_t bytes) {
    *last = bytes;
    return inner->memory_allocate(address, bytes);
  };
  CudaDevice device(std::make_shared<CudaContext>(driver, 0), {}, evaluators::cuda::Zones::none);
  const auto id = device.allocate({1020, 0, "A"}).value();
  EXPECT_EQ(asked, 1020U);
  EXPECT_TRUE(device.check_guards()) << "there are none";
  device.release(id);
  inner.reset();
}

TEST_F(FakeDriver, AFlushWritesMoreThanTheCacheHolds) {
  std::size_t written = 0;
  const auto driver = std::make_shared<evaluators::cuda::DriverApi>(*gpu_.driver());
  static std::size_t* counted = nullptr;
  counted = &written;
  driver->fill_words = [](CUdeviceptr, unsigned, std::size_t count, CUstream) {
    *counted += count * 4;
    return CUDA_SUCCESS;
  };
  CudaDevice device(std::make_shared<CudaContext>(driver, 0));
  ASSERT_TRUE(device.flush_cache());
  EXPECT_GE(written, std::size_t{2} << 20);
}

TEST_F(FakeDriver, ADriverWithoutTheHelpersIsAnEnvironmentError) {
  gpu_.kernels.erase("evo_fill_shared");
  CudaDevice device(context());
  EXPECT_THROW(static_cast<void>(device.fill_shared(1)), model::Exception);
}

TEST_F(FakeDriver, ATimedLaunchThatIsRefusedLeavesTheStreamUsable) {
  CudaDevice device(context());
  gpu_.kernels["busy"].refusal = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  const auto module = device.load(artifact_of("busy")).value();
  const auto id = device.allocate({100, 0, "A"}).value();
  const std::vector<std::vector<KernelArgument>> sets{{BufferArgument{id}, scalar(1)}};
  EXPECT_EQ(device.time(module, plan, sets, {}).error().reason, "launch_out_of_resources");
  gpu_.kernels["busy"].refusal = CUDA_SUCCESS;
  EXPECT_TRUE(device.time(module, plan, sets, {}));
}

TEST_F(FakeDriver, ProgressIsToldForEachAnswer) {
  int told = 0;
  CudaDevice device(context(), [&told] { ++told; });
  const auto module = device.load(artifact_of("busy")).value();
  const auto id = device.allocate({100, 0, "A"}).value();
  const int before = told;
  const std::vector<KernelArgument> arguments{BufferArgument{id}, scalar(1)};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(device.launch(module, plan, arguments, {}));
  EXPECT_EQ(told, before);
  ASSERT_TRUE(device.synchronize());
  EXPECT_EQ(told, before + 5);
}

TEST_F(FakeDriver, OutOfMemoryIsTheCandidatesAndLeavesNothing) {
  CudaDevice device(context());
  gpu_.memory_left = 1000;
  const auto refused = device.allocate({1 << 20, 0, "big"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "out_of_memory");
  EXPECT_EQ(gpu_.live.allocations, 0);
}

TEST_F(FakeDriver, AnUnusableImageIsALaunchError) {
  CudaDevice device(context());
  gpu_.load_result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  EXPECT_EQ(device.load(artifact_of("busy")).error().reason, "no_binary_for_gpu");
  gpu_.load_result = CUDA_ERROR_ECC_UNCORRECTABLE;
  EXPECT_THROW(static_cast<void>(device.load(artifact_of("busy"))), model::Exception);
  EXPECT_TRUE(device.lost());
}

TEST_F(FakeDriver, InfoAndTheMissingDevice) {
  const auto opened = context();
  const auto info = CudaDevice(opened).info();
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.arch, "sm_90");
  EXPECT_EQ(info.uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_FALSE(info.driver.empty());
  try {
    CudaContext missing(gpu_.driver(), 1);
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_EQ(error.code(), model::ExitCode::environment);
    EXPECT_THAT(error.what(), testing::HasSubstr("cuda:1"));
  }
}

TEST_F(FakeDriver, WritesAndReadsPastABufferAreProgrammingErrors) {
  CudaDevice device(context());
  const auto id = device.allocate({4, 0, "A"}).value();
  std::vector<std::byte> bytes(5);
  EXPECT_THROW(static_cast<void>(device.write(id, bytes)), std::logic_error);
  EXPECT_THROW(static_cast<void>(device.read(id, bytes)), std::logic_error);
  EXPECT_THROW(static_cast<void>(device.poison(id + 1, 0)), std::logic_error);
}

}  // namespace
}  // namespace evo::test
