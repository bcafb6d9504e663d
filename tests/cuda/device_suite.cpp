#include "tests/cuda/device_suite.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

namespace evo::test {

using evaluators::devices::BufferArgument;
using evaluators::devices::BufferId;
using evaluators::devices::KernelArgument;
using evaluators::devices::LaunchOptions;
using evaluators::devices::TimingProtocol;
using model::Status;

void CudaDeviceSuite::SetUp() {
  source_ = GetParam()();
  device_ = source_->open();
  if (!device_) GTEST_SKIP() << source_->why_not;
}

evaluators::devices::ModuleId CudaDeviceSuite::load(const std::string& entry) {
  return device().load(source_->artifact(entry)).value();
}

BufferId CudaDeviceSuite::buffer(std::uint64_t bytes, std::uint32_t misalignment) {
  return device().allocate({bytes, misalignment, "A" + std::to_string(bytes)}).value();
}

namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

const model::LaunchPlan one_block{{1, 1, 1}, {32, 1, 1}, 0};

}  // namespace

TEST_P(CudaDeviceSuite, AddsVectorsAtEveryBaseAlignment) {
  const int n = 1000;
  std::vector<float> a(n), b(n), c(n, -1.0f);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 0.5f);
  for (const std::uint32_t misalignment : {0u, 4u, 36u, 252u}) {
    const BufferId buffers[] = {buffer(n * 4, misalignment), buffer(n * 4, misalignment),
                                buffer(n * 4, misalignment)};
    ASSERT_TRUE(device().write(buffers[0], bytes_of(a)));
    ASSERT_TRUE(device().write(buffers[1], bytes_of(b)));
    const std::vector<KernelArgument> arguments{BufferArgument{buffers[0]}, BufferArgument{buffers[1]},
                                                BufferArgument{buffers[2]}, scalar(n)};
    const auto module = load("add");
    ASSERT_TRUE(device().launch(module, {{8, 1, 1}, {128, 1, 1}, 0}, arguments, {}));
    ASSERT_TRUE(device().read(buffers[2], std::as_writable_bytes(std::span(c))));
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(c[static_cast<std::size_t>(i)], 2.0f * static_cast<float>(i) + 0.5f);
    EXPECT_TRUE(device().check_guards());
    for (const BufferId id : buffers) device().release(id);
    device().unload(module);
  }
}

TEST_P(CudaDeviceSuite, PoisonRepeatsTheWordFromTheFirstByte) {
  for (const std::uint32_t misalignment : {0u, 1u, 2u, 3u}) {
    for (const std::uint64_t bytes : {1u, 2u, 3u, 4u, 5u, 7u, 64u, 1023u}) {
      const BufferId id = buffer(bytes, misalignment);
      ASSERT_TRUE(device().poison(id, 0x7fc0dead));
      std::vector<unsigned char> seen(bytes);
      ASSERT_TRUE(device().read(id, std::as_writable_bytes(std::span(seen))));
      const unsigned char pattern[] = {0xad, 0xde, 0xc0, 0x7f};
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(seen[i], pattern[i % 4]) << misalignment << " " << i;
      EXPECT_TRUE(device().check_guards());
      device().release(id);
    }
  }
}

TEST_P(CudaDeviceSuite, WriteAndPoisonLeaveTheRestOfABufferAlone) {
  const BufferId id = buffer(64);
  ASSERT_TRUE(device().poison(id, 0x01010101));
  ASSERT_TRUE(device().write(id, bytes_of(std::vector<unsigned char>(10, 7))));
  std::vector<unsigned char> seen(64);
  ASSERT_TRUE(device().read(id, std::as_writable_bytes(std::span(seen))));
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i < 10 ? 7 : 1);
}

TEST_P(CudaDeviceSuite, PartsOfABufferAreSeenOneAfterTheOther) {
  const evaluators::devices::BufferSpec spec{
      (std::uint64_t{2} << 36) + 404,
      16,
      "far",
      {{0, 402}, {std::uint64_t{1} << 36, 402}, {std::uint64_t{2} << 36, 404}}};
  std::vector<unsigned char> given(402 + 402 + 404), seen(given.size());
  std::iota(given.begin(), given.end(), static_cast<unsigned char>(0));
  for (int turn = 0; turn < 2; ++turn) {  // the second time with memory that was kept
    const auto id = device().allocate(spec);
    ASSERT_TRUE(id) << id.error().evidence.at(0).message;
    ASSERT_TRUE(device().poison(*id, 0x01020304));
    ASSERT_TRUE(device().read(*id, std::as_writable_bytes(std::span(seen))));
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], 4 - i % 4) << i;
    ASSERT_TRUE(device().write(*id, bytes_of(given)));
    ASSERT_TRUE(device().read(*id, std::as_writable_bytes(std::span(seen))));
    EXPECT_EQ(seen, given);
    EXPECT_TRUE(device().check_guards());
    // A kernel gets the address of the first part.
    const BufferId sum = buffer(400);
    const std::vector<KernelArgument> arguments{BufferArgument{*id}, BufferArgument{*id}, BufferArgument{sum},
                                                scalar(100)};
    ASSERT_TRUE(device().launch(load("add"), {{1, 1, 1}, {128, 1, 1}, 0}, arguments, {}));
    std::vector<float> of_first(100), twice(100);
    std::memcpy(of_first.data(), given.data(), 400);
    ASSERT_TRUE(device().read(sum, std::as_writable_bytes(std::span(twice))));
    for (std::size_t i = 0; i < 100; ++i) {
      if (of_first[i] == of_first[i]) {  // no NaN
        EXPECT_EQ(twice[i], of_first[i] + of_first[i]);
      }
    }
    device().release(sum);
    device().release(*id);
  }
}

TEST_P(CudaDeviceSuite, BuffersAreReadWithTheirGuardsAndThoseOfTheOthers) {
  const BufferId read = buffer(404, 4), other = buffer(400);
  ASSERT_TRUE(device().poison(read, 0x01010101));
  ASSERT_TRUE(device().write(read, bytes_of(std::vector<unsigned char>(10, 7))));
  const auto intact =
      device().read_with_guards(std::vector<evaluators::devices::BufferPiece>{{read, 12}, {read, 0}});
  ASSERT_TRUE(intact);
  ASSERT_EQ(intact->bytes.size(), 2U);
  ASSERT_EQ(intact->bytes[0].span().size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(intact->bytes[0].span()[i], std::byte(i < 10 ? 7 : 1));
  EXPECT_TRUE(intact->bytes[1].span().empty());
  EXPECT_TRUE(intact->guards());
  for (const BufferId hit : {read, other}) {
    const std::vector<KernelArgument> arguments{BufferArgument{hit}};
    ASSERT_TRUE(device().launch(load("underrun"), one_block, arguments, {}));
    const auto damaged =
        device().read_with_guards(std::vector<evaluators::devices::BufferPiece>{{read, 404}});
    ASSERT_TRUE(damaged);
    ASSERT_FALSE(damaged->guards());
    EXPECT_EQ(damaged->guards().error().reason, "guard_overwritten");
    EXPECT_EQ(damaged->guards().error().evidence.size(), hit == read ? 1U : 2U);
    EXPECT_TRUE(intact->guards()) << "what was read stays as it was";
  }
}

TEST_P(CudaDeviceSuite, WhatABufferStillHoldsIsNotCopied) {
  std::vector<float> given(100'000);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i);
  const auto known = device().digest(std::as_bytes(std::span(given)));
  ASSERT_TRUE(known);
  EXPECT_FALSE(device().digest(std::as_bytes(std::span(given)).first(64))) << "few bytes are copied as fast";
  const std::uint32_t bytes = 400'000;
  const BufferId aligned = buffer(bytes), odd = buffer(bytes, 4);
  for (const BufferId id : {aligned, odd}) {
    ASSERT_TRUE(device().write(id, std::as_bytes(std::span(given))));
    const std::vector<evaluators::devices::BufferPiece> pieces{{id, bytes, known}, {id, 8}};
    for (const bool with_guards : {true, false}) {
      const auto same = with_guards ? device().read_with_guards(pieces) : device().read_pieces(pieces);
      ASSERT_TRUE(same);
      ASSERT_EQ(same->bytes.size(), 2U);
      EXPECT_TRUE(same->bytes[0].span().empty());
      EXPECT_EQ(same->bytes[1].span().size(), 8U);
      EXPECT_EQ(static_cast<bool>(same->guards), with_guards);
    }
    // Two elements that change places, one that changes, and the last one.
    for (const std::vector<std::pair<std::size_t, float>>& changes :
         std::vector<std::vector<std::pair<std::size_t, float>>>{
             {{10, 20.0F}, {20, 10.0F}}, {{50'000, -1.0F}}, {{99'999, 0.0F}}}) {
      std::vector<float> other = given;
      for (const auto& [at, value] : changes) other[at] = value;
      ASSERT_TRUE(device().write(id, std::as_bytes(std::span(other))));
      const auto changed = device().read_with_guards(pieces);
      ASSERT_TRUE(changed);
      ASSERT_EQ(changed->bytes[0].span().size(), bytes);
      EXPECT_EQ(std::memcmp(changed->bytes[0].span().data(), other.data(), bytes), 0);
      EXPECT_TRUE(changed->guards());
    }
  }
}

TEST_P(CudaDeviceSuite, GuardsNameTheBufferAndTheOffset) {
  const BufferId clean = buffer(400);
  const BufferId hit = buffer(404, 4);
  const std::vector<KernelArgument> arguments{BufferArgument{hit}, scalar(101)};
  ASSERT_TRUE(device().launch(load("overrun"), one_block, arguments, {}));
  const auto after = device().check_guards();
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().status, Status::wrong);
  EXPECT_EQ(after.error().reason, "guard_overwritten");
  ASSERT_EQ(after.error().evidence.size(), 1u);
  EXPECT_EQ(after.error().evidence[0].details[0], (std::pair<std::string, std::string>{"buffer", "A404"}));
  EXPECT_EQ(after.error().evidence[0].details[1], (std::pair<std::string, std::string>{"offset", "404"}));
  device().release(hit);
  EXPECT_TRUE(device().check_guards());

  ASSERT_TRUE(
      device().launch(load("underrun"), one_block, std::vector<KernelArgument>{BufferArgument{clean}}, {}));
  const auto before = device().check_guards();
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().evidence[0].details[1].second, "-4");
  EXPECT_FALSE(device().lost());
}

void CudaDeviceSuite::expect_fault(const std::string& entry, const std::string& reason) {
  const BufferId id = buffer(256);
  const auto module = load(entry);
  const auto launched =
      device().launch(module, one_block, std::vector<KernelArgument>{BufferArgument{id}}, {});
  const auto waited =
      device().synchronize();  // the fault may be told by either; the second repeats the first
  if (!launched) {
    EXPECT_EQ(launched.error().reason, reason);
  }
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().status, Status::device_fault);
  EXPECT_EQ(waited.error().reason, reason);
  EXPECT_NE(waited.error().evidence.at(0).message.find(entry), std::string::npos);
  EXPECT_TRUE(device().lost());
  std::vector<std::byte> bytes(256);
  EXPECT_EQ(device().read(id, bytes).error().reason, reason) << "later calls repeat what went wrong";
}

TEST_P(CudaDeviceSuite, AMisalignedAccessIsNamedAndLosesTheDevice) {
  expect_fault("misaligned", "misaligned_address");
}

TEST_P(CudaDeviceSuite, AnIllegalAccessIsNamedAndLosesTheDevice) {
  expect_fault("illegal", "illegal_address");
}

TEST_P(CudaDeviceSuite, AHangEndsAtTheLimit) {
  const BufferId id = buffer(256);
  LaunchOptions options;
  options.timeout_ms = 300;
  const auto module = load("endless");
  const std::vector<KernelArgument> arguments{BufferArgument{id}};
  ASSERT_TRUE(device().launch(module, one_block, arguments, options));
  const auto start = std::chrono::steady_clock::now();
  const auto waited = device().synchronize();
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().status, Status::timeout);
  EXPECT_EQ(waited.error().reason, "hang");
  EXPECT_GE(took, std::chrono::milliseconds(300));
  EXPECT_TRUE(device().lost());
  EXPECT_FALSE(device().launch(module, one_block, arguments, options));
  EXPECT_FALSE(device().allocate({16, 0, "late"}));
  device().unload(module);  // neither blocks
  device().release(id);
}

TEST_P(CudaDeviceSuite, ABadLaunchIsRefusedAndTheDeviceGoesOn) {
  const BufferId id = buffer(4096);
  const auto module = load("busy");
  const std::vector<KernelArgument> arguments{BufferArgument{id}, scalar(1)};
  const auto too_wide = device().launch(module, {{1, 1, 1}, {2048, 1, 1}, 0}, arguments, {});
  ASSERT_FALSE(too_wide);
  EXPECT_EQ(too_wide.error().status, Status::launch_error);
  EXPECT_EQ(too_wide.error().reason, "invalid_configuration");
  const auto too_much = device().launch(module, {{1, 1, 1}, {32, 1, 1}, 1u << 20}, arguments, {});
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().reason, "shared_memory_limit");
  const auto too_few =
      device().launch(module, one_block, std::vector<KernelArgument>{BufferArgument{id}}, {});
  ASSERT_FALSE(too_few);
  EXPECT_EQ(too_few.error().reason, "argument_mismatch");
  const auto too_long =
      device().launch(module, one_block, std::vector<KernelArgument>{BufferArgument{id}, scalar(1.0)}, {});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().reason, "argument_mismatch");
  EXPECT_FALSE(device().lost());
  EXPECT_TRUE(device().launch(module, {{1, 1, 1}, {32, 1, 1}, 100 * 1024}, arguments, {}));
  EXPECT_TRUE(device().synchronize());
}

TEST_P(CudaDeviceSuite, AMissingKernelOrNoMachineCodeIsALaunchError) {
  model::Artifact artifact = source_->artifact("add");
  artifact.entry = "no_such_kernel";
  const auto missing = device().load(artifact);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().status, Status::launch_error);
  EXPECT_EQ(missing.error().reason, "entry_not_found");
  artifact.cubin.clear();
  EXPECT_EQ(device().load(artifact).error().reason, "no_machine_code");
  EXPECT_FALSE(device().lost());
}

TEST_P(CudaDeviceSuite, TimingTakesTheAskedSamplesAndOrdersKernels) {
  const BufferId ids[] = {buffer(4096), buffer(4096)};
  const auto module = load("busy");
  const auto sets = [&](int rounds) {
    return std::vector<std::vector<KernelArgument>>{{BufferArgument{ids[0]}, scalar(rounds)},
                                                    {BufferArgument{ids[1]}, scalar(rounds)}};
  };
  const TimingProtocol protocol{2, 15, 4};
  const auto quick = device().time(module, one_block, sets(10), protocol);
  const auto slow = device().time(module, one_block, sets(100000), protocol);
  ASSERT_TRUE(quick && slow);
  EXPECT_EQ(quick->kind, model::LatencyKind::measured);
  ASSERT_EQ(quick->samples_us.size(), 15u);
  for (const double sample : quick->samples_us) EXPECT_GT(sample, 0.0);
  EXPECT_TRUE(quick->method.starts_with("CUDA graph 4 launches x 15 samples, rotating 2 buffer sets"))
      << quick->method;
  EXPECT_GT(*std::min_element(slow->samples_us.begin(), slow->samples_us.end()),
            *std::max_element(quick->samples_us.begin(), quick->samples_us.end()));
}

TEST_P(CudaDeviceSuite, TimingStopsForItsLooksAndPreparesEveryStretch) {
  const BufferId id = buffer(4096);
  const std::vector<std::vector<KernelArgument>> sets{{BufferArgument{id}, scalar(100)}};
  std::vector<std::size_t> seen;
  int prepared = 0;
  TimingProtocol protocol{2, 20, 4};
  protocol.spot_checks = {0, 0.3, 0.31, 0.9, 1};
  protocol.spot_check = [&](std::size_t samples) {
    seen.push_back(samples);
    std::vector<std::byte> bytes(16);
    return device().read(id, bytes);
  };
  protocol.prepare = [&] {
    ++prepared;
    return device().poison(id, 0x7fc00001);
  };
  const auto timing = device().time(load("busy"), one_block, sets, protocol);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->samples_us.size(), 20u);
  EXPECT_EQ(seen, (std::vector<std::size_t>{6, 18}));
  EXPECT_EQ(prepared, 3);
  protocol.spot_check = [](std::size_t) -> evaluators::devices::Outcome<void> {
    return tl::make_unexpected(model::Failure{Status::wrong, "seen", {}});
  };
  EXPECT_EQ(device().time(load("busy"), one_block, sets, protocol).error().reason, "seen");
}

TEST_P(CudaDeviceSuite, FilledSharedMemoryIsWhatTheNextLaunchFinds) {
  constexpr int blocks = 64;
  const auto module = load("peek");
  const BufferId id = buffer(blocks * 32 * 4);
  for (const std::uint32_t pattern : {0x7e017e01u, 0x12345678u}) {
    ASSERT_TRUE(device().poison(id, 0));
    ASSERT_TRUE(device().launch_conditions()->fill_shared(pattern));
    ASSERT_TRUE(device().launch(module, {{blocks, 1, 1}, {32, 1, 1}, 128},
                                std::vector<KernelArgument>{BufferArgument{id}}, {}));
    std::vector<std::uint32_t> found(blocks * 32);
    ASSERT_TRUE(device().read(id, std::as_writable_bytes(std::span(found))));
    // Not all: where blocks share a multiprocessor, some may lie in what the driver keeps for itself.
    EXPECT_GT(std::count(found.begin(), found.end(), pattern), blocks * 32 * 9 / 10) << std::hex << found[0];
  }
}

TEST_P(CudaDeviceSuite, ALoadBesideEndsByItselfAndIsWaitedFor) {
  const BufferId id = buffer(4096);
  const std::vector<KernelArgument> arguments{BufferArgument{id}, scalar(100)};
  const auto module = load("busy");
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(device().launch_conditions()->flush_cache());
    ASSERT_TRUE(device().launch_conditions()->start_load(std::chrono::microseconds(500)));
    ASSERT_TRUE(device().launch(module, one_block, arguments, {}));
    ASSERT_TRUE(device().synchronize());
  }
  EXPECT_TRUE(device().check_guards()) << "neither writes into anybody's buffer";
}

TEST_P(CudaDeviceSuite, TimingAFaultingKernelIsItsFault) {
  const BufferId id = buffer(256);
  const std::vector<std::vector<KernelArgument>> sets{{BufferArgument{id}}};
  const auto timed = device().time(load("misaligned"), one_block, sets, {1, 3, 2});
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().reason, "misaligned_address");
  EXPECT_TRUE(device().lost());
}

}  // namespace evo::test
