// Argument packing, guard zones, the meaning of errors, and what is said without a driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "evaluators/devices/cuda/arguments.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/fault.hpp"
#include "evaluators/devices/cuda/guard.hpp"
#include "evaluators/devices/cuda/memory_pool.hpp"
#include "evaluators/devices/cuda/nvml.hpp"
#include "model/error.hpp"
#include "tests/cuda/device_suite.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {
namespace {

using namespace evaluators::cuda;
using evaluators::devices::BufferArgument;
using evaluators::devices::BufferId;
using evaluators::devices::KernelArgument;

std::uint64_t address_of(BufferId id) {
  return 0x7f0000000000ULL + id * 0x1000ULL;
}

RC_GTEST_PROP(PackedArguments, HoldEveryValueBehindItsPointer, ()) {
  std::vector<KernelArgument> arguments;
  std::vector<std::size_t> sizes;
  const auto count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) {
    if (*rc::gen::arbitrary<bool>()) {
      arguments.emplace_back(BufferArgument{*rc::gen::inRange<BufferId>(1, 100)});
      sizes.push_back(8);
    } else {
      std::vector<std::byte> bytes;
      for (const unsigned char byte : *rc::gen::container<std::vector<unsigned char>>(
               *rc::gen::element<std::size_t>(1, 2, 4, 8, 24), rc::gen::arbitrary<unsigned char>())) {
        bytes.push_back(static_cast<std::byte>(byte));
      }
      sizes.push_back(bytes.size());
      arguments.emplace_back(bytes);
    }
  }
  auto packed = PackedArguments::pack(arguments, sizes, address_of);
  RC_ASSERT(packed.has_value());
  const PackedArguments moved = std::move(*packed);
  PackedArguments& held = const_cast<PackedArguments&>(moved);
  RC_ASSERT(held.size() == arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const void* slot = held.pointers()[i];
    RC_ASSERT(reinterpret_cast<std::uintptr_t>(slot) % 8 == 0);
    if (const auto* scalar_bytes = std::get_if<std::vector<std::byte>>(&arguments[i])) {
      RC_ASSERT(std::memcmp(slot, scalar_bytes->data(), scalar_bytes->size()) == 0);
    } else {
      const std::uint64_t expected = address_of(std::get<BufferArgument>(arguments[i]).buffer);
      RC_ASSERT(std::memcmp(slot, &expected, 8) == 0);
    }
  }
}

TEST(PackedArguments, AStructIsOneParameterWithAddressesInIt) {
  model::LaunchPlan plan;
  plan.structs = {{1, 24, {0, 8, 16}}};
  const std::vector<KernelArgument> all{scalar(7), scalar(1), BufferArgument{5}, scalar(2),
                                        BufferArgument{6}};
  const auto taken = evaluators::devices::arguments_of(plan, all);
  ASSERT_EQ(taken.size(), 3U);
  auto packed = PackedArguments::pack(taken, std::vector<std::size_t>{4, 24, 8}, address_of);
  ASSERT_TRUE(packed) << packed.error();
  std::array<std::uint64_t, 3> words{};
  std::memcpy(words.data(), packed->pointers()[1], 24);
  EXPECT_EQ(words[0], 1U) << "the padding is zero";
  EXPECT_EQ(words[1], address_of(5));
  EXPECT_EQ(words[2], 2U);
  EXPECT_THAT(PackedArguments::pack(taken, std::vector<std::size_t>{4, 16, 8}, address_of).error(),
              testing::HasSubstr("parameter 1 of the kernel has 16 bytes, the problem passes 24"));
  plan.arguments = {{1, 2, 4}};
  EXPECT_EQ(evaluators::devices::arguments_of(plan, all).size(), 3U) << "part of a struct is none";
}

TEST(PackedArguments, RefuseWhatTheKernelDoesNotDeclare) {
  const std::vector<KernelArgument> arguments{BufferArgument{1}, scalar(1)};
  const auto pack = [&](std::vector<std::size_t> sizes) {
    return PackedArguments::pack(arguments, sizes, address_of);
  };
  EXPECT_TRUE(pack({8, 4}));
  EXPECT_THAT(pack({8}).error(), testing::HasSubstr("has 1 parameters"));
  EXPECT_THAT(pack({8, 8}).error(), testing::HasSubstr("parameter 1 of the kernel has 8 bytes"));
  EXPECT_FALSE(pack({4, 4}));
  EXPECT_FALSE(pack({8, 4, 4}));
}

RC_GTEST_PROP(Guard, LayoutKeepsZonesAndAlignment, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const auto misalignment = *rc::gen::inRange<std::uint32_t>(0, 256);
  const GuardedLayout layout = guarded_layout(bytes, misalignment);
  RC_ASSERT(layout.front >= guard_bytes);
  RC_ASSERT(layout.back >= guard_bytes);
  RC_ASSERT(layout.front % base_alignment == misalignment);
  RC_ASSERT(layout.total() % base_alignment == 0);
  RC_ASSERT(layout.bytes == bytes);
}

TEST(Guard, WithoutZonesNothingStandsAroundABuffer) {
  const auto layout = guarded_layout(1020, 0, 0);
  EXPECT_EQ(layout.front, 0U);
  EXPECT_EQ(layout.total(), 1020U) << "the first byte past the buffer is past the allocation";
  EXPECT_EQ(guarded_layout(100, 16, 0).total(), 116U);
}

RC_GTEST_PROP(Guard, AnyChangedByteIsFound, ()) {
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<std::byte> zone(*rc::gen::inRange<std::size_t>(1, 5000));
  fill_guard(zone, first, seed);
  RC_ASSERT(!find_damage(zone, first, seed));
  std::set<std::size_t> changed;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, zone.size());
    if (changed.insert(at).second) zone[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  }
  const auto damage = find_damage(zone, first, seed);
  RC_ASSERT(damage.has_value());
  RC_ASSERT(damage->offset == *changed.begin());
  RC_ASSERT(damage->count == changed.size());
}

TEST(Guard, PatternDependsOnPositionAndBuffer) {
  std::vector<std::byte> zone(4096), other(4096);
  fill_guard(zone, 0, 1);
  fill_guard(other, 0, 2);
  EXPECT_NE(zone, other);
  // A zone that was overwritten by its neighbour 16 bytes on, or by a constant, is damaged nearly everywhere.
  std::vector<std::byte> shifted(zone.begin() + 16, zone.end());
  EXPECT_GT(find_damage(shifted, 0, 1).value().count, 2500u);
  EXPECT_EQ(find_damage(std::vector<std::byte>(4096), 0, 1).value().count, 4096u);
}

RC_GTEST_PROP(Guard, IsNotANumberInEveryFloatType, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<std::byte> zone(64);
  fill_guard(zone, 2 * *rc::gen::inRange<std::uint64_t>(0, 5000), seed);
  for (std::size_t at = 0; at < zone.size(); at += 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, zone.data() + at, sizeof half);
    RC_ASSERT((half & 0x7fff) > 0x7c00);  // f16
    RC_ASSERT((half & 0x7fff) > 0x7f80);  // bf16
  }
  for (std::size_t at = 0; at < zone.size(); at += 8) {
    float single[2];
    double whole = 0;
    std::memcpy(single, zone.data() + at, sizeof single);
    std::memcpy(&whole, zone.data() + at, sizeof whole);
    RC_ASSERT(single[0] != single[0] && single[1] != single[1] && whole != whole);
  }
}

TEST(FaultClasses, ReasonsAreTheDocumentedOnes) {
  const auto expect = [](CUresult result, model::Status status, const char* reason, bool sticky) {
    const Fault fault = classify(result);
    EXPECT_EQ(fault.blame, Fault::Blame::candidate);
    EXPECT_EQ(fault.status, status) << reason;
    EXPECT_EQ(fault.reason, reason);
    EXPECT_EQ(fault.sticky, sticky) << reason;
  };
  using enum model::Status;
  expect(CUDA_ERROR_MISALIGNED_ADDRESS, device_fault, "misaligned_address", true);
  expect(CUDA_ERROR_ILLEGAL_ADDRESS, device_fault, "illegal_address", true);
  expect(CUDA_ERROR_LAUNCH_FAILED, device_fault, "launch_failed", true);
  expect(CUDA_ERROR_ILLEGAL_INSTRUCTION, device_fault, "illegal_instruction", true);
  expect(CUDA_ERROR_ASSERT, device_fault, "assert", true);
  expect(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch_error, "launch_out_of_resources", false);
  expect(CUDA_ERROR_INVALID_VALUE, launch_error, "invalid_configuration", false);
  expect(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_error, "stream_capture", false);
  expect(CUDA_ERROR_LAUNCH_TIMEOUT, timeout, "hang", true);
  expect(static_cast<CUresult>(777), device_fault, "cuda_error_777", true);
}

TEST(FaultClasses, WhatNoCandidateCanCauseIsTheEnvironments) {
  for (const CUresult result :
       {CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEVICE_UNAVAILABLE, CUDA_ERROR_ECC_UNCORRECTABLE,
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_MPS_CLIENT_TERMINATED}) {
    EXPECT_EQ(classify(result).blame, Fault::Blame::environment) << result;
  }
  FakeGpu gpu;
  EXPECT_THROW(static_cast<void>(failure_of(*gpu.driver(), CUDA_ERROR_NO_DEVICE, "x")), model::Exception);
}

TEST(FaultClasses, EvidenceNamesTheActionAndTheDriversWords) {
  FakeGpu gpu;
  const auto failure = failure_of(*gpu.driver(), CUDA_ERROR_MISALIGNED_ADDRESS, "running flash<<<...>>>");
  ASSERT_EQ(failure.evidence.size(), 1u);
  EXPECT_EQ(failure.evidence[0].message,
            "running flash<<<...>>>: CUDA_ERROR_MISALIGNED_ADDRESS (as the fake says)");
  const auto hang = hang_failure("running flash", 250);
  EXPECT_EQ(hang.status, model::Status::timeout);
  EXPECT_EQ(hang.evidence.at(0).kind, "hang");
  EXPECT_THAT(hang.evidence[0].message, testing::HasSubstr("250 ms"));
}

TEST(Ordinal, ParsesOnlyCudaDevices) {
  EXPECT_EQ(parse_cuda_ordinal("cuda:0"), 0);
  EXPECT_EQ(parse_cuda_ordinal("cuda:12"), 12);
  for (const char* text : {"", "cuda", "cuda:", "cuda:-1", "cuda:1x", "virtual", "cuda:99999", " cuda:0"}) {
    EXPECT_FALSE(parse_cuda_ordinal(text)) << text;
  }
}

TEST(Throttle, WordsLeaveOutWhatSlowsNothing) {
  EXPECT_EQ(throttle_words(0), "");
  EXPECT_EQ(throttle_words(0x1 | 0x2), "");
  EXPECT_EQ(throttle_words(0x4 | 0x20), "power cap, thermal slowdown");
}

TEST(Loading, AMissingLibraryOrOneThatIsNoDriverIsOneSentence) {
  EXPECT_THAT(load_driver("libevo-no-such-library.so").error(), testing::HasSubstr("no NVIDIA driver"));
  EXPECT_THAT(load_driver("libc.so.6").error(), testing::HasSubstr("too old"));
  EXPECT_EQ(Nvml::open("libevo-no-such-library.so"), nullptr);
  EXPECT_EQ(Nvml::open("libc.so.6"), nullptr);
}

TEST(Nvml, TellsClocksPowerAndTemperature) {
  const auto nvml = Nvml::open(EVO_FAKE_NVML);
  ASSERT_NE(nvml, nullptr);
  EXPECT_EQ(nvml->driver_version(), "580.1");
  const auto clocks = nvml->clocks("GPU-fake");
  ASSERT_TRUE(clocks);
  EXPECT_EQ(clocks->sm_mhz, 1755U);
  EXPECT_EQ(clocks->memory_mhz, 3201U);
  EXPECT_EQ(clocks->throttle, "power cap");
  const Nvml::Conditions conditions = nvml->conditions("GPU-fake");
  EXPECT_EQ(conditions.temperature_c, 61U);
  EXPECT_EQ(conditions.power_w, 412.5);
  EXPECT_EQ(nvml->computing_processes("GPU-fake"), 3U);
  EXPECT_EQ(nvml->computing_ids("GPU-fake"), (std::vector<unsigned>{100, 101, 102, 103}));
  EXPECT_FALSE(nvml->computing_ids("GPU-other"));
  EXPECT_FALSE(nvml->computing_processes("GPU-other"));
  EXPECT_FALSE(nvml->conditions("GPU-other").power_w);
  EXPECT_FALSE(nvml->clocks("GPU-other"));
}

TEST(Pool, KeepsAShareOfASmallDevice) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  EXPECT_EQ(MemoryPool::capacity_for(0), 256 * mib);
  EXPECT_EQ(MemoryPool::capacity_for(8192 * mib), 512 * mib);
  EXPECT_EQ(MemoryPool::capacity_for(81920 * mib), 4096 * mib);
}

TEST(Nvml, WithoutSensorsTellsTheRest) {
  const auto nvml = Nvml::open(EVO_FAKE_NVML_WITHOUT_SENSORS);
  ASSERT_NE(nvml, nullptr) << "they are optional";
  EXPECT_TRUE(nvml->clocks("GPU-fake"));
  EXPECT_FALSE(nvml->computing_processes("GPU-fake"));
  EXPECT_FALSE(nvml->computing_ids("GPU-fake"));
  EXPECT_FALSE(nvml->conditions("GPU-fake").temperature_c);
  EXPECT_FALSE(nvml->conditions("GPU-fake").power_w);
}

TEST(Listing, SaysWhyThereIsNoDevice) {
  const CudaDeviceList list = list_cuda_devices();
  EXPECT_EQ(list.devices.empty(), !list.reason.empty());
  for (const CudaDeviceEntry& entry : list.devices) {
    EXPECT_EQ(entry.info.kind, "cuda");
    EXPECT_TRUE(entry.info.arch.starts_with("sm_"));
    EXPECT_GT(entry.multiprocessors, 0);
  }
}

}  // namespace
}  // namespace evo::test
