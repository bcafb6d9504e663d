// VirtualDevice as a Device: loading, limits, poison, coverage, settling of suspicions, timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/target.hpp"
#include "tests/support/targets.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferId;
using evaluators::devices::CheckLevel;
using evaluators::devices::VirtualDevice;
using model::Status;
using testing::HasSubstr;

TEST(VirtualDevice, BrokenPtxAndMissingKernelsAreUnsupported) {
  VirtualDevice device(small_target());
  model::Artifact artifact;
  artifact.ptx = "this is no ptx\n";
  artifact.entry = "k";
  const auto broken = device.load(artifact);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().status, Status::unsupported);
  artifact.ptx = fixture_text("clean.ptx");
  const auto missing = device.load(artifact);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().evidence.front().message, HasSubstr("no kernel named 'k'"));
}

TEST(VirtualDevice, RefusesWhatNoGpuLaunches) {
  Rig rig("clean.ptx", "vadd");
  const auto buffer = rig.buffer("a", std::vector<float>(32, 1));
  const Rig::Arguments arguments{pointer(buffer), pointer(buffer), pointer(buffer), scalar(0)};
  const std::vector<std::pair<model::LaunchPlan, std::string>> cases{
      {{{1, 1, 1}, {1025, 1, 1}, 0}, "1025x1x1 threads"},
      {{{1, 1, 1}, {0, 1, 1}, 0}, "0x1x1 threads"},
      {{{1, 1, 1}, {1, 1, 128}, 0}, "1x1x128 threads"},
      {{{0, 1, 1}, {32, 1, 1}, 0}, "grid of 0x1x1"},
      {{{1, 70000, 1}, {32, 1, 1}, 0}, "grid of 1x70000x1"},
      {{{1, 1, 1}, {32, 1, 1}, 200 * 1024}, "204800 bytes of shared memory"},
  };
  for (const auto& [plan, text] : cases) {
    const auto outcome = rig.launch(plan, arguments);
    ASSERT_FALSE(outcome) << text;
    EXPECT_EQ(outcome.error().status, Status::launch_error);
    EXPECT_EQ(outcome.error().reason, "launch_limits");
    EXPECT_THAT(outcome.error().evidence.front().message, HasSubstr(text));
  }
}

TEST(VirtualDevice, RefusesArgumentsThatDoNotFitTheKernel) {
  Rig rig("clean.ptx", "vadd");
  const auto buffer = rig.buffer("a", std::vector<float>(32, 1));
  const auto few = rig.launch({}, {pointer(buffer)});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().reason, "arguments");
  const auto wide =
      rig.launch({}, {pointer(buffer), pointer(buffer), pointer(buffer), scalar(std::int64_t{3})});
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().evidence.front().message, HasSubstr("has 4 bytes, 8 are given"));
}

TEST(VirtualDevice, RefusesMoreArgumentsThanTheKernelHas) {
  Rig rig("clean.ptx", "vadd");
  const auto buffer = rig.buffer("a", std::vector<float>(32, 1));
  const auto many =
      rig.launch({}, {pointer(buffer), pointer(buffer), pointer(buffer), scalar(0), pointer(buffer)});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().reason, "arguments");
  EXPECT_THAT(many.error().evidence.front().message, HasSubstr("takes 4 arguments, 5 are given"));
}

TEST(VirtualDevice, RefusesBlocksThatTheKernelIsNotBuiltFor) {
  const auto launch = [](const std::string& directive, std::uint32_t threads) -> std::string {
    Rig rig(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n" + directive + "{ ret; }\n",
            "k");
    const auto outcome = rig.launch({{1, 1, 1}, {threads, 1, 1}, 0}, {});
    return outcome ? "" : outcome.error().evidence.front().message;
  };
  EXPECT_EQ(launch(".reqntid 64, 1, 1\n", 64), "");
  EXPECT_THAT(launch(".reqntid 64, 1, 1\n", 32), HasSubstr("the kernel requires 64"));
  EXPECT_THAT(launch(".reqntid 64, 1, 1\n", 96), HasSubstr("the kernel requires 64"));
  EXPECT_EQ(launch(".maxntid 64, 1, 1\n", 32), "");
  EXPECT_THAT(launch(".maxntid 64, 1, 1\n", 96), HasSubstr("at most 64"));
}

TEST(VirtualDevice, TensorMapsWithNarrowerRowsThanTheSwizzleAreUnsupported) {
  Rig rig("clean.ptx", "vadd");
  const auto buffer = rig.buffer("a", std::vector<float>(32, 1));
  model::LaunchPlan plan{{1, 1, 1}, {32, 1, 1}, 0};
  plan.tensor_maps.push_back({"map", 0, model::DType::f16, {32, 2}, {64}, {16, 2}, 128});
  const auto outcome = rig.launch(plan, {pointer(buffer), pointer(buffer), pointer(buffer), scalar(0)});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().status, Status::unsupported);
  EXPECT_EQ(outcome.error().reason, "tensor_map");
}

TEST(VirtualDevice, PoisonFillsAndMakesReadsUninitialized) {
  Rig rig("clean.ptx", "vadd");
  const auto a = rig.buffer("a", std::vector<float>(32, 1));
  const auto c = rig.empty<float>("c", 32);
  const Rig::Arguments arguments{pointer(a), pointer(a), pointer(c), scalar(32)};
  ASSERT_TRUE(rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, arguments));
  ASSERT_TRUE(rig.device.poison(a, 0x7fc0dead));
  EXPECT_THAT(rig.contents<std::uint32_t>(a, 32), testing::Each(0x7fc0deadU));
  const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, arguments);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "uninitialized");
  EXPECT_THAT(detail(outcome.error().evidence.front(), "address"), HasSubstr("a byte offset 0"));
}

TEST(VirtualDevice, OutputsOfOneLaunchAreInitialisedInputsOfTheNext) {
  Rig rig("clean.ptx", "vadd");
  const auto a = rig.buffer("a", std::vector<float>(32, 1));
  const auto b = rig.empty<float>("b", 32);
  const auto c = rig.empty<float>("c", 32);
  ASSERT_TRUE(rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(a), pointer(a), pointer(b), scalar(32)}));
  ASSERT_TRUE(rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(b), pointer(b), pointer(c), scalar(32)}));
  EXPECT_THAT(rig.contents<float>(c, 32), testing::Each(4.0F));
}

TEST(VirtualDevice, WhatIsRestoredStandsThereBeforeEveryLaunch) {
  // vadd: c = a + b. With c = a every launch adds b once more, unless a is put back.
  for (const bool restored : {false, true}) {
    Rig rig("clean.ptx", "vadd");
    VirtualDevice& device = rig.device;
    const auto b = rig.buffer("b", std::vector<float>(32, 2));
    evaluators::devices::BufferSpec spec{128, 0, "a"};
    spec.restored = restored;
    const BufferId a = *device.allocate(spec);
    const std::vector<float> ones(32, 1);
    ASSERT_TRUE(device.write(a, std::as_bytes(std::span(ones))));
    std::vector<float> found(32);
    for (int launch = 1; launch <= 3; ++launch) {
      ASSERT_TRUE(rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(a), pointer(b), pointer(a), scalar(32)}));
      ASSERT_TRUE(device.read(a, std::as_writable_bytes(std::span(found))));
      EXPECT_EQ(found[7], restored ? 3.0F : 1.0F + 2.0F * static_cast<float>(launch)) << launch;
    }
    const std::vector<float> tens(32, 10);
    ASSERT_TRUE(device.write(a, std::as_bytes(std::span(tens))));
    ASSERT_TRUE(rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(a), pointer(b), pointer(a), scalar(32)}));
    ASSERT_TRUE(device.read(a, std::as_writable_bytes(std::span(found))));
    EXPECT_EQ(found[7], 12.0F) << "what was written last";
  }
}

TEST(VirtualDevice, BaseAddressesAreMisalignedAsAsked) {
  for (const std::uint32_t misalignment : {0U, 4U, 36U, 252U}) {
    Rig rig("clean.ptx", "vadd");
    const auto a = rig.buffer("a", std::vector<float>(100, 2), misalignment);
    const auto c = rig.empty<float>("c", 100, misalignment);
    const auto outcome =
        rig.launch({{1, 1, 1}, {128, 1, 1}, 0}, {pointer(a), pointer(a), pointer(c), scalar(100)});
    ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
    EXPECT_THAT(rig.contents<float>(c, 100), testing::Each(4.0F));
  }
  Rig rig("mixed.ptx", "bytes");
  rig.options.checks = CheckLevel::filtered;
  const auto in = rig.buffer("in", std::vector<std::uint8_t>(512, 3), 2);
  const auto outcome =
      rig.launch({{1, 1, 1}, {128, 1, 1}, 0}, {pointer(in), pointer(rig.empty<std::uint16_t>("o", 512)),
                                               pointer(rig.empty<char>("n", 512)), scalar(512)});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "misaligned");
}

TEST(VirtualDevice, CoverageNamesLinesThatNoThreadReached) {
  for (const CheckLevel checks : {CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig("clean.ptx", "vadd");
    rig.options.checks = checks;
    rig.options.coverage = true;
    const auto a = rig.buffer("a", std::vector<float>(32, 1));
    const Rig::Arguments none{pointer(a), pointer(a), pointer(rig.empty<float>("c", 32)), scalar(0)};
    const auto idle = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, none);
    ASSERT_TRUE(idle);
    ASSERT_EQ(idle->unexecuted.size(), 2U) << "the load and the store";
    for (const model::Evidence& evidence : idle->unexecuted) {
      EXPECT_EQ(evidence.kind, "unexecuted");
      EXPECT_EQ(evidence.file, "clean.cu");
      EXPECT_EQ(evidence.line, 4);
    }
    const Rig::Arguments some{pointer(a), pointer(a), pointer(rig.empty<float>("c", 32)), scalar(1)};
    const auto busy = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, some);
    ASSERT_TRUE(busy);
    EXPECT_TRUE(busy->unexecuted.empty());
  }
}

TEST(VirtualDevice, ASuspicionIsSettledFromTheContentsBeforeTheLaunch) {
  // In place: a launch that were run twice over its own results would show.
  std::vector<std::vector<int>> results;
  for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig("clean.ptx", "interleaved");
    rig.options.checks = checks;
    std::vector<int> values(256);
    for (int i = 0; i < 256; ++i) values[static_cast<std::size_t>(i)] = i;
    const auto data = rig.buffer("data", values);
    const auto outcome = rig.launch({{1, 1, 1}, {256, 1, 1}, 0}, {pointer(data), scalar(2)});
    ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
    results.push_back(rig.contents<int>(data, 256));
    for (int i = 0; i < 256; ++i) ASSERT_EQ(results.back()[static_cast<std::size_t>(i)], (i * 3 + 1) * 3 + 1);
  }
}

TEST(VirtualDevice, ModuleVariablesAreInitialisedAndLive) {
  for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig("clean.ptx", "module_data");
    rig.options.checks = checks;
    const auto out = rig.empty<int>("out", 1);
    for (const int expected : {5, 6}) {
      const auto outcome = rig.launch({{1, 1, 1}, {32, 1, 1}, 0}, {pointer(out)});
      ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
      EXPECT_EQ(rig.contents<int>(out, 1).front(), expected);
    }
  }
}

TEST(VirtualDevice, UncheckedLaunchesStillCannotLeaveTheirBuffers) {
  Rig rig("faults.ptx", "off_by_one");
  rig.options.checks = CheckLevel::none;
  const auto outcome =
      rig.launch({{2, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.buffer("in", std::vector<float>(100, 1))),
                                              pointer(rig.empty<float>("out", 100)), scalar(100)});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "out_of_bounds");
  EXPECT_EQ(outcome.error().evidence.front().line, marked_line("faults.cu", "off_by_one"));
  EXPECT_THAT(detail(outcome.error().evidence.front(), "address"), HasSubstr("in byte offset 400"));
}

/// to[i * stride] = from[i * stride], in bytes.
const std::string far_copy = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry far_copy(.param .u64 far_copy_param_0, .param .u64 far_copy_param_1, .param .u64 far_copy_param_2)
{
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<10>;
	ld.param.u64 	%rd1, [far_copy_param_0];
	ld.param.u64 	%rd2, [far_copy_param_1];
	ld.param.u64 	%rd3, [far_copy_param_2];
	cvta.to.global.u64 	%rd4, %rd1;
	cvta.to.global.u64 	%rd5, %rd2;
	mov.u32 	%r1, %tid.x;
	cvt.u64.u32 	%rd6, %r1;
	mul.lo.s64 	%rd7, %rd6, %rd3;
	add.s64 	%rd8, %rd4, %rd7;
	ld.global.u32 	%r2, [%rd8];
	add.s64 	%rd9, %rd5, %rd7;
	st.global.u32 	[%rd9], %r2;
	ret;
}
)";
constexpr std::uint64_t far_stride = (std::uint64_t{1} << 36) + 16;

evaluators::devices::BufferSpec in_parts(const char* name, std::uint32_t misalignment) {
  return {2 * far_stride + 4, misalignment, name, {{0, 6}, {far_stride, 6}, {2 * far_stride, 4}}};
}

TEST(VirtualDevice, PartsOfABufferAreReachedAcrossSixtyFourGibibytes) {
  for (const CheckLevel level : {CheckLevel::none, CheckLevel::filtered, CheckLevel::exact}) {
    Rig rig(far_copy, "far_copy");
    rig.options.checks = level;
    const BufferId from = rig.device.allocate(in_parts("from", 16)).value();
    const BufferId to = rig.device.allocate(in_parts("to", 240)).value();
    std::vector<unsigned char> given(16);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<unsigned char>(i + 1);
    ASSERT_TRUE(rig.device.write(from, std::as_bytes(std::span(given))));
    ASSERT_TRUE(rig.device.poison(to, 0x04030201));
    EXPECT_THAT(rig.contents<unsigned char>(to, 16),
                testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4));
    const auto outcome =
        rig.launch({{1, 1, 1}, {3, 1, 1}, 0}, {pointer(from), pointer(to), scalar(far_stride)});
    ASSERT_TRUE(outcome) << outcome.error().evidence.at(0).message;
    // The first four bytes of each part; behind them the poison goes on.
    EXPECT_THAT(rig.contents<unsigned char>(to, 16),
                testing::ElementsAre(1, 2, 3, 4, 1, 2, 7, 8, 9, 10, 3, 4, 13, 14, 15, 16));
    rig.device.release(from);
    rig.device.release(to);
  }
}

TEST(VirtualDevice, WhatLiesBetweenThePartsIsOutOfBounds) {
  Rig rig(far_copy, "far_copy");
  const BufferId from = rig.device.allocate(in_parts("from", 0)).value();
  const BufferId to = rig.device.allocate(in_parts("to", 0)).value();
  const std::vector<char> ones(16, 1);
  ASSERT_TRUE(rig.device.write(from, std::as_bytes(std::span(ones))));
  for (const std::uint64_t stride : {far_stride / 2, far_stride + 4, std::uint64_t{16}}) {
    const auto outcome = rig.launch({{1, 1, 1}, {2, 1, 1}, 0}, {pointer(from), pointer(to), scalar(stride)});
    ASSERT_FALSE(outcome) << stride;
    EXPECT_EQ(outcome.error().reason, "out_of_bounds");
  }
}

TEST(VirtualDevice, PartsThatLieCloseAreUnsupported) {
  VirtualDevice device(small_target());
  const auto close = device.allocate({1000, 0, "x", {{0, 8}, {500, 8}}});
  ASSERT_FALSE(close);
  EXPECT_EQ(close.error().status, Status::unsupported);
}

TEST(VirtualDevice, TimingIsModelledAndGrowsWithTheWork) {
  VirtualDevice device(tests::shipped_target("l4"));
  model::Artifact artifact;
  artifact.ptx = fixture_text("clean.ptx");
  artifact.entry = "vadd";
  artifact.resources.registers = 12;
  const auto module = device.load(artifact).value();
  const auto time = [&](int n) {
    std::vector<float> values(static_cast<std::size_t>(n), 1.0F);
    const auto a = device.allocate({values.size() * 4, 0, "a"}).value();
    EXPECT_TRUE(device.write(a, std::as_bytes(std::span(values))));
    const auto c = device.allocate({values.size() * 4, 0, "c"}).value();
    const std::vector<Rig::Arguments> sets{{pointer(a), pointer(a), pointer(c), scalar(n)}};
    const auto timing =
        device.time(module, {{static_cast<std::uint32_t>(n) / 256, 1, 1}, {256, 1, 1}, 0}, sets, {});
    EXPECT_TRUE(timing);
    EXPECT_EQ(timing->kind, model::LatencyKind::modelled);
    EXPECT_EQ(timing->method, "virtual model v2");
    EXPECT_EQ(timing->samples_us.size(), 1U);
    return timing->samples_us.front();
  };
  const double small = time(1 << 12);
  EXPECT_GT(small, 0);
  EXPECT_GT(time(1 << 20), small);
}

TEST(VirtualDevice, WhatFitsOnNoMultiprocessorHasNoTime) {
  VirtualDevice device(tests::shipped_target("l4"));
  model::Artifact artifact;
  artifact.ptx = fixture_text("clean.ptx");
  artifact.entry = "vadd";
  artifact.resources.registers = 255;
  const auto module = device.load(artifact).value();
  const auto buffer = device.allocate({4, 0, "a"}).value();
  const std::vector<Rig::Arguments> sets{{pointer(buffer), pointer(buffer), pointer(buffer), scalar(0)}};
  EXPECT_TRUE(device.time(module, {{1, 1, 1}, {256, 1, 1}, 0}, sets, {}));
  const auto timing = device.time(module, {{1, 1, 1}, {1024, 1, 1}, 0}, sets, {});
  ASSERT_FALSE(timing) << timing->samples_us.front();
  EXPECT_EQ(timing.error().reason, "does_not_fit");
}

TEST(KernelArguments, PartOfAStructIsNoStruct) {
  model::LaunchPlan plan;
  plan.structs.resize(1);
  plan.structs[0].first = 1;
  plan.structs[0].offsets = {0, 8};
  plan.structs[0].bytes = 16;
  const auto places = [&](std::vector<std::uint32_t> taken) {
    plan.arguments = std::move(taken);
    std::vector<std::size_t> members;
    for (const auto& parameter : evaluators::devices::places_of(plan, 4))
      members.push_back(parameter.arguments.size());
    return members;
  };
  EXPECT_EQ(places({0, 1, 2, 3}), (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_EQ(places({1, 3}), (std::vector<std::size_t>{1, 1})) << "the second member is another argument";
  EXPECT_EQ(places({0, 1}), (std::vector<std::size_t>{1, 1})) << "the second member is missing";
}

}  // namespace
}  // namespace evo::tests
