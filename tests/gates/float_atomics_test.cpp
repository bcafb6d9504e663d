// Which sums depend on the order of threads, and what the sanitize gate does about them.
#include "evaluators/gates/float_atomics.hpp"

#include <gtest/gtest.h>

#include "evaluators/gates/sanitize.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

using tests::FakeDevice;
using tests::FakeDeviceSettings;
using tests::FakeLaunch;

model::Artifact artifact(const std::string& body) {
  model::Artifact made;
  made.entry = "add";
  made.source_file = "add.cu";
  made.ptx =
      ".version 9.0\n.target sm_89\n.address_size 64\n.visible .entry add(\n\t.param .u64 add_param_0\n)\n{\n"
      "\t.reg .f32 \t%f<9>;\n\t.loc\t1 7 3\n\tmov.f32 %f1, 0f3F800000;\n\t.loc\t1 9 3\n\t" +
      body + "\n\tret;\n}\n\t.file\t1 \"folder/add.cu\"\n";
  return made;
}

TEST(FloatAtomics, EachAdditionOfFloatsIsFoundWithItsLine) {
  for (const char* body :
       {"atom.shared.add.f32 \t%f2, [%r1], %f1;", "atom.global.add.f32 %f2, [%rd1], %f1;",
        "red.global.add.f64 \t[%rd1], %fd1;", "@%p1 red.shared.add.f32 [%r1], %f1;",
        "atom.global.add.noftz.f16x2 %r2, [%rd1], %r1;", "atom.add.noftz.bf16 %rs2, [%rd1], %rs1;",
        "red.relaxed.gpu.global.add.f32 [%rd1], %f1;", "red.global.v2.f32.add [%rd1], {%f1, %f2};",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 16;"}) {
    const auto found = float_atomics(artifact(body));
    ASSERT_EQ(found.size(), 1U) << body;
    EXPECT_EQ(found[0].kind, "float_atomic");
    EXPECT_EQ(found[0].file, "folder/add.cu");
    EXPECT_EQ(found[0].line, 9);
  }
}

TEST(FloatAtomics, WhatHasNoOrderIsNotFound) {
  for (const char* body : {"atom.shared.add.u32 %r2, [%r1], 1;", "red.global.add.u64 [%rd1], 1;",
                           "atom.global.max.s32 %r2, [%rd1], %r1;", "atom.global.min.f32 %f2, [%rd1], %f1;",
                           "add.f32 %f2, %f1, %f1;", "atom.cas.b32 %r1, [%rd1], %r2, %r3;",
                           "// atom.shared.add.f32 %f2, [%r1], %f1;", "add.rn.f16x2 %r1, %r2, %r3;",
                           "redux.sync.add.s32 %r1, %r2, %r3;"})
    EXPECT_TRUE(float_atomics(artifact(body)).empty()) << body;
}

TEST(FloatAtomics, ALineIsToldOnce) {
  EXPECT_EQ(
      float_atomics(artifact("red.global.add.f32 [%rd1], %f1;\n\tred.global.add.f32 [%rd2], %f1;")).size(),
      1U);
  EXPECT_EQ(
      float_atomics(artifact("red.global.add.f32 [%rd1], %f1;\n\t.loc\t1 10 1\n\tred.global.add.f32 [%rd2], "
                             "%f1;"))
          .size(),
      2U);
}

const std::string with_atomics = "red.global.add.f32 [%rd1], %f1;",
                  without = "red.global.add.u32 [%rd1], %r1;";

/// The gate on two shapes of a kernel that is correct but for the last bit in every order but the natural
/// one, if asked.
SanitizeReport run(const std::string& body, bool depends_on_order, FakeDeviceSettings settings = {},
                   int orders = 3) {
  settings.info.kind = "virtual";
  settings.kernel = tests::add_then([=](FakeLaunch& launch) {
    if (depends_on_order && launch.options.schedule_seed == 2)
      reinterpret_cast<unsigned char*>(launch.pointer<float>(2))[0] ^= 1;
  });
  FakeDevice device(settings);
  model::GateSettings gates;
  gates.permuted_runs = orders;
  const std::vector<model::Case> shapes{tests::vector_add_case(40, false, "first"),
                                        tests::vector_add_case(9, true, "second")};
  SanitizeReport report =
      sanitize(device, artifact(body), shapes, {}, {evo::tests::known(), {"normal", "normal", {}}}, gates);
  EXPECT_EQ(settings.log->live_buffers, 0);
  EXPECT_EQ(settings.log->loads, settings.log->unloads);
  return report;
}

TEST(FloatAtomics, AnOtherOrderWithOtherBitsIsRefusedWithTheLine) {
  const SanitizeReport report = run(with_atomics, true);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->status, model::Status::nondeterministic);
  EXPECT_EQ(report.failure->reason, "repeat_differs");
  ASSERT_EQ(report.failure->evidence.size(), 2U);
  EXPECT_EQ(report.failure->evidence[0].kind, "repeat_differs");
  EXPECT_NE(report.failure->evidence[0].message.find("order 2"), std::string::npos);
  EXPECT_EQ(report.failure->evidence[1].kind, "float_atomic");
  for (const model::Evidence& evidence : report.failure->evidence) {
    EXPECT_EQ(evidence.file, "folder/add.cu");
    EXPECT_EQ(evidence.line, 9);
    EXPECT_EQ(evidence.details.front().second, "first");
  }
}

TEST(FloatAtomics, TheSameBitsInEveryOrderPass) {
  FakeDeviceSettings settings;
  EXPECT_FALSE(run(with_atomics, false, settings).failure);
  EXPECT_EQ(settings.log->launches, 2 + 2 * (1 + 3))
      << "each shape for the checks, in its order, and in three others";
}

TEST(FloatAtomics, OthersAreNotRunAgain) {
  FakeDeviceSettings settings;
  EXPECT_FALSE(run(without, true, settings).failure);
  EXPECT_EQ(settings.log->launches, 2);
}

TEST(FloatAtomics, WithoutPermutedOrdersThereIsNothingToCompare) {
  FakeDeviceSettings settings;
  EXPECT_FALSE(run(with_atomics, true, settings, 0).failure);
  EXPECT_EQ(settings.log->launches, 2);
}

TEST(FloatAtomics, FindingsComeFirst) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  settings.kernel = [](FakeLaunch&) -> devices::Outcome<devices::LaunchReport> {
    return tl::make_unexpected(model::Failure{model::Status::sanitizer_fail, "race_shared", {}});
  };
  FakeDevice device(settings);
  const auto report = sanitize(device, artifact(with_atomics), {tests::vector_add_case(40)}, {},
                               {evo::tests::known(), {"normal", "normal", {}}}, {});
  EXPECT_EQ(report.failure->reason, "race_shared");
  EXPECT_EQ(settings.log->launches, 1);
}

TEST(FloatAtomics, AnOrderThatFailsIsTheFailure) {
  FakeDeviceSettings settings;
  settings.info.kind = "virtual";
  settings.kernel =
      [correct = tests::correct_kernel()](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    if (launch.options.schedule_seed == 1)
      return tl::make_unexpected(model::Failure{model::Status::timeout, "hang", {}});
    return correct(launch);
  };
  FakeDevice device(settings);
  const auto report = sanitize(device, artifact(with_atomics), {tests::vector_add_case(40)}, {},
                               {evo::tests::known(), {"normal", "normal", {}}}, {});
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->status, model::Status::timeout);
}

}  // namespace
}  // namespace evo::evaluators::gates
