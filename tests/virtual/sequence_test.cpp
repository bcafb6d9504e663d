// Several kernels of a module as one launch: each runs on what the one before left, and is checked on its
// own.
#include <gtest/gtest.h>

#include "tests/support/targets.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using namespace evaluators::devices;

constexpr unsigned lanes_of_all = 64;

/// offset: out[i] = in, a number; double: out[i] = 2 * in[i]; add: out[i] = in[i] + out[i]; first: out[0] =
/// in[0] by every thread, each its own value; filtered: out[i] = in[i] * factor[i % 4], which is in constant
/// memory.
std::string module_text() {
  const auto kernel = [](const std::string& name, const std::string& body) {
    return ".visible .entry " + name +
           "(.param .u64 in, .param .u64 out)\n{\n\t.reg .b32 %r<9>, %f<9>;\n"
           "\t.reg .b64 %rd<9>;\n\tld.param.u64 %rd1, [in];\n\tld.param.u64 %rd2, [out];\n"
           "\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd3, %r1, 4;\n\tadd.s64 %rd4, %rd1, %rd3;\n"
           "\tadd.s64 %rd5, %rd2, %rd3;\n" +
           body + "\tret;\n}\n";
  };
  return ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 factor[16];\n"
         ".global .align 4 .b8 table[16];\n" +
         kernel("twice",
                "\tld.global.u32 %r2, [%rd4];\n\tadd.u32 %r2, %r2, %r2;\n\tst.global.u32 [%rd5], %r2;\n") +
         kernel("plus",
                "\tld.global.u32 %r2, [%rd4];\n\tld.global.u32 %r3, [%rd5];\n\tadd.u32 %r2, %r2, %r3;\n"
                "\tst.global.u32 [%rd5], %r2;\n") +
         kernel("offset", "\tcvt.u32.u64 %r3, %rd1;\n\tst.global.u32 [%rd5], %r3;\n") +
         kernel("racy", "\tst.global.u32 [%rd2], %r1;\n") +
         kernel("part",
                "\t.reg .pred %p<2>;\n\tsetp.gt.u32 %p1, %r1, 31;\n\t@%p1 bra $done;\n"
                "\tld.global.u32 %r2, [%rd4];\n\tst.global.u32 [%rd5], %r2;\n$done:\n") +
         kernel("fives",
                "\t.reg .pred %p<2>;\n\tld.global.u32 %r2, [%rd4];\n\tsetp.ne.u32 %p1, %r2, 5;\n"
                "\t@%p1 bra $other;\n\tst.global.u32 [%rd5], %r1;\n$other:\n\tst.global.u32 [%rd5], %r2;\n") +
         kernel("filtered",
                "\tand.b32 %r3, %r1, 3;\n\tmul.wide.u32 %rd6, %r3, 4;\n\tmov.u64 %rd7, factor;\n"
                "\tadd.s64 %rd6, %rd7, %rd6;\n\tld.const.u32 %r4, [%rd6];\n\tld.global.u32 %r2, [%rd4];\n"
                "\tmul.lo.u32 %r2, %r2, %r4;\n\tst.global.u32 [%rd5], %r2;\n") +
         kernel("looked_up",
                "\tand.b32 %r3, %r1, 3;\n\tmul.wide.u32 %rd6, %r3, 4;\n\tmov.u64 %rd7, table;\n"
                "\tadd.s64 %rd6, %rd7, %rd6;\n\tld.global.u32 %r4, [%rd6];\n"
                "\tst.global.u32 [%rd5], %r4;\n") +
         kernel("round", "\tatom.global.inc.u32 %r2, [table+4], 63;\n\tst.global.u32 [%rd5], %r1;\n") +
         kernel("counts", "\tatom.global.inc.u32 %r2, [table+4], 64;\n\tst.global.u32 [%rd5], %r1;\n");
}

struct Sequence : ::testing::TestWithParam<CheckLevel> {
  VirtualDevice device{shipped_target("l4")};
  BufferId x = fill({1}), scratch = allocate("scratch"), y = allocate("y"), other = fill({5});
  LaunchOptions options;

  Sequence() { options.checks = GetParam(); }
  BufferId allocate(const std::string& name, bool zeroed = false) {
    BufferSpec spec;
    spec.bytes = lanes_of_all * 4;
    spec.name = name;
    spec.zeroed = zeroed;
    return device.allocate(spec).value();
  }
  BufferId fill(const std::vector<std::uint32_t>& pattern) {
    std::vector<std::uint32_t> values(lanes_of_all);
    for (std::size_t i = 0; i < lanes_of_all; ++i) values[i] = pattern[i % pattern.size()];
    const BufferId id = allocate("x");
    EXPECT_TRUE(device.write(id, std::as_bytes(std::span(values))));
    return id;
  }
  std::uint32_t value(BufferId id, std::size_t at = lanes_of_all - 1) {
    std::vector<std::uint32_t> values(lanes_of_all);
    EXPECT_TRUE(device.read(id, std::as_writable_bytes(std::span(values))));
    return values[at];
  }
  ModuleId load(const std::vector<std::string>& kernels, std::vector<model::KeptVariable> kept = {}) {
    model::Artifact artifact;
    artifact.kept = std::move(kept);
    artifact.ptx = module_text();
    artifact.entry = kernels.front();
    artifact.resources.registers = 16;
    for (std::size_t i = 1; i < kernels.size(); ++i)
      artifact.others.push_back({kernels[i], artifact.resources});
    return device.load(artifact).value();
  }
  static model::LaunchPlan plan(std::uint32_t kernel, std::vector<std::uint32_t> arguments) {
    model::LaunchPlan made;
    made.block = {lanes_of_all, 1, 1};
    made.kernel = kernel;
    made.arguments = std::move(arguments);
    return made;
  }
  std::vector<KernelArgument> arguments() {
    return {pointer(x), pointer(scratch), pointer(y), pointer(other)};
  }
};

TEST_P(Sequence, AKernelFindsWhatTheOneBeforeItLeft) {
  const ModuleId module = load({"twice", "plus"});
  model::LaunchPlan all = plan(0, {0, 1});
  all.then = {plan(0, {1, 2}), plan(1, {0, 2})};
  options.count = true;
  const auto report = device.launch(module, all, arguments(), options);
  ASSERT_TRUE(report) << report.error().reason;
  EXPECT_EQ(value(y), 5U) << "2 * 2 * 1 + 1";
  EXPECT_FALSE(report->blocks_independent) << "nothing is known of several kernels";
  const auto one = device.launch(module, plan(0, {0, 1}), arguments(), options);
  EXPECT_GT(report->thread_instructions, 2 * one->thread_instructions);
}

TEST_P(Sequence, AScalarHasAnotherValueInEachLaunch) {
  const ModuleId module = load({"offset", "plus"});
  std::vector<KernelArgument> numbers = arguments();
  numbers[0] = std::vector<std::byte>(8);
  std::get<std::vector<std::byte>>(numbers[0])[0] = std::byte{7};
  model::LaunchPlan all = plan(0, {0, 1});
  all.scalars = {{0, 40}};
  all.then = {plan(0, {0, 2}), plan(0, {0, 3}), plan(1, {1, 2})};
  all.then[1].scalars = {{0, 0x100000002}};
  const auto report = device.launch(module, all, numbers, options);
  ASSERT_TRUE(report) << report.error().reason;
  EXPECT_EQ(value(scratch), 40U);
  EXPECT_EQ(value(y), 47U) << "the case's own, and 40";
  EXPECT_EQ(value(other), 2U);
}

TEST_P(Sequence, OneThatReadsWhatNobodyWroteIsTold) {
  if (GetParam() == CheckLevel::none) GTEST_SKIP();
  model::LaunchPlan all = plan(1, {0, 1});
  all.kernel = 0;
  const ModuleId module = load({"part", "twice"});
  all.then = {plan(1, {1, 2})};
  const auto report = device.launch(module, all, arguments(), options);
  ASSERT_FALSE(report) << "the first kernel writes half of scratch";
  EXPECT_EQ(report.error().reason, "uninitialized");
  EXPECT_EQ(detail(report.error().evidence.front(), "launch"), "2 of 2, twice");
}

TEST_P(Sequence, ARaceOfOneIsARaceOfAll) {
  if (GetParam() == CheckLevel::none) GTEST_SKIP();
  const ModuleId module = load({"twice", "racy"});
  model::LaunchPlan all = plan(0, {0, 1});
  all.then = {plan(1, {1, 2})};
  const auto report = device.launch(module, all, arguments(), options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().reason, "race_global");
  EXPECT_EQ(detail(report.error().evidence.front(), "launch"), "2 of 2, racy");
}

TEST_P(Sequence, WhatIsZeroedIsSoBeforeTheFirstAlone) {
  const BufferId sum = allocate("sum", true);
  const ModuleId module = load({"plus"});
  model::LaunchPlan all = plan(0, {0, 4});
  all.then = {plan(0, {0, 4}), plan(0, {3, 4})};
  std::vector<KernelArgument> with_sum = arguments();
  with_sum.push_back(pointer(sum));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(device.launch(module, all, with_sum, options));
    EXPECT_EQ(value(sum), 7U) << "1 + 1 + 5, in every launch";
  }
}

TEST_P(Sequence, CoverageIsOverAllLaunchesOfAKernel) {
  options.coverage = true;
  const ModuleId module = load({"part"});
  model::LaunchPlan idle = plan(0, {0, 1});
  idle.block = {1, 1, 1};
  EXPECT_TRUE(device.launch(module, idle, arguments(), options)->unexecuted.empty());
  model::LaunchPlan twice_module = plan(0, {0, 1});
  twice_module.then = {plan(1, {0, 2})};
  const ModuleId both = load({"part", "plus"});
  const auto report =
      device.launch(both, twice_module, {{pointer(x), pointer(scratch), pointer(other)}}, options);
  ASSERT_TRUE(report) << report.error().reason;
  EXPECT_TRUE(report->unexecuted.empty());
}

TEST_P(Sequence, WhatOneLaunchOfAKernelRunsIsCovered) {
  options.coverage = true;
  const ModuleId module = load({"fives"});
  model::LaunchPlan all = plan(0, {0, 1});
  const auto alone = device.launch(module, all, arguments(), options);
  ASSERT_TRUE(alone) << alone.error().reason;
  EXPECT_FALSE(alone->unexecuted.empty()) << "x has no fives";
  all.then = {plan(0, {3, 2})};
  const auto report = device.launch(module, all, arguments(), options);
  ASSERT_TRUE(report) << report.error().reason;
  EXPECT_TRUE(report->unexecuted.empty());
}

TEST_P(Sequence, ALatencyIsTheSumOfItsKernels) {
  const ModuleId module = load({"twice", "plus"});
  const std::vector<std::vector<KernelArgument>> sets{arguments()};
  const double first = device.time(module, plan(0, {0, 2}), sets, {})->samples_us.at(0);
  const double second = device.time(module, plan(1, {0, 2}), sets, {})->samples_us.at(0);
  model::LaunchPlan all = plan(0, {0, 2});
  all.then = {plan(1, {0, 2})};
  EXPECT_DOUBLE_EQ(device.time(module, all, sets, {})->samples_us.at(0), first + second);
}

TEST_P(Sequence, AVariableHoldsItsArgumentInEveryLaunch) {
  const BufferId factor = device.allocate({16, 0, "factor"}).value();
  const auto give = [&](const std::vector<std::uint32_t>& values) {
    ASSERT_TRUE(device.write(factor, std::as_bytes(std::span(values))));
  };
  const std::vector<KernelArgument> given{pointer(x), pointer(y), pointer(factor)};
  const ModuleId module = load({"filtered"});
  model::LaunchPlan one = plan(0, {0, 1});
  one.symbols = {{2, "factor"}};
  give({3, 5, 7, 11});
  ASSERT_TRUE(device.launch(module, one, given, options));
  EXPECT_EQ(value(y, 1), 5U);
  give({4, 6, 8, 9});
  ASSERT_TRUE(device.launch(module, one, given, options));
  EXPECT_EQ(value(y, 1), 6U) << "other contents, the same module";
  const ModuleId looking = load({"looked_up"});
  one.symbols = {{2, "table"}};
  ASSERT_TRUE(device.launch(looking, one, given, options));
  EXPECT_EQ(value(y, 3), 9U) << "a __device__ variable";
  one.symbols = {{2, "absent"}};
  EXPECT_TRUE(device.launch(looking, one, given, options)) << "its code does without";
}

TEST_P(Sequence, WhatALaunchCountsAndPutsBackIsTakenAgainAndAgain) {
  const ModuleId module = load({"round"}, {{"table", "k.cu", 7}});
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(device.launch(module, plan(0, {0, 2}), arguments(), options)) << "launch " << i;
  const std::vector<std::vector<KernelArgument>> sets{arguments()};
  EXPECT_TRUE(device.time(module, plan(0, {0, 2}), sets, {}));
}

TEST_P(Sequence, WhatALaunchLeavesOtherThanItFoundItIsTold) {
  const ModuleId module = load({"twice", "counts"}, {{"table", "k.cu", 7}});
  model::LaunchPlan all = plan(0, {0, 2});
  EXPECT_TRUE(device.launch(module, all, arguments(), options));
  all.then = {plan(1, {0, 2})};
  const auto report = device.launch(module, all, arguments(), options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().status, model::Status::illegal);
  EXPECT_EQ(report.error().reason, "mutable_global");
  const model::Evidence& evidence = report.error().evidence.front();
  EXPECT_EQ(evidence.file, "k.cu");
  EXPECT_EQ(evidence.line, 7);
  EXPECT_EQ(detail(evidence, "variable"), "table");
  EXPECT_EQ(detail(evidence, "offset"), "4");
  const auto again = device.launch(module, all, arguments(), options);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().evidence.front().message, evidence.message) << "it begins with what was loaded";
  const std::vector<std::vector<KernelArgument>> sets{arguments()};
  const auto timed = device.time(load({"counts"}, {{"table", "k.cu", 7}}), plan(0, {0, 2}), sets, {});
  ASSERT_FALSE(timed);
  EXPECT_EQ(timed.error().reason, "mutable_global");
}

TEST_P(Sequence, AVariableThatIsTooSmallIsRefused) {
  const ModuleId module = load({"filtered"});
  model::LaunchPlan one = plan(0, {0, 2});
  one.symbols = {{3, "factor"}};
  const auto report = device.launch(module, one, arguments(), options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().status, model::Status::launch_error);
  EXPECT_EQ(report.error().reason, "symbol_size");
}

TEST_P(Sequence, ConstantsOfOneModuleAreNotThoseOfAnother) {
  const BufferId factor = device.allocate({16, 0, "factor"}).value();
  const std::vector<std::uint32_t> values{3, 5, 7, 11};
  ASSERT_TRUE(device.write(factor, std::as_bytes(std::span(values))));
  const std::vector<KernelArgument> given{pointer(x), pointer(y), pointer(factor)};
  model::LaunchPlan one = plan(0, {0, 1});
  const ModuleId second = load({"filtered"});
  one.symbols = {{2, "factor"}};
  ASSERT_TRUE(device.launch(load({"filtered"}), one, given, options));
  one.symbols.clear();
  ASSERT_TRUE(device.launch(second, one, given, options));
  EXPECT_EQ(value(y, 1), 0U) << "the same text, loaded before: still zeros";
}

INSTANTIATE_TEST_SUITE_P(Levels, Sequence,
                         ::testing::Values(CheckLevel::none, CheckLevel::filtered, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
