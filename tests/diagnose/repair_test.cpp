// Which change of a source is taken for its repair: on a compiler and a device that are scripts, so that each
// change heals what the test says.
#include "diagnose/repair.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "diagnose/lab.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::diagnose {
namespace {

using tests::FakeLaunch;

const std::string source =
    "extern \"C\" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  const float left = a[i];\n"
    "  const float second = b[i];\n"
    "  c[i] = left + second;\n"
    "}\n";

/// Whether the kernel, with n as told, is correct.
using Correct = std::function<bool(std::int32_t n)>;

struct Repairs : ::testing::Test {
  Repairs() : subject(make()) {}
  static Subject make() {
    const model::Experiment experiment = tests::vector_add_experiment();
    Subject made = make_subject(experiment, "plain", experiment.baseline, tests::known(), source, "mine.cu");
    made.workloads.clear();
    return made;
  }
  /// The repair of the source, which is wrong, where each change of it is as `changed` says.
  std::optional<Repair> found(const Correct& changed, const std::vector<Lead>& leads = {}) {
    tests::FakeCompiler compiler([&](const tests::FakeCompiler::Request& request) {
      model::Artifact artifact = tests::FakeCompiler::plain(request);
      artifact.cubin = request.source.find(source) != std::string::npos ? "as it is" : "changed";
      return tests::FakeCompiler::Result(artifact);
    });
    tests::FakeDeviceSettings settings;
    settings.kernel_of_cubin = {{"as it is", kernel([](std::int32_t) { return false; })},
                                {"changed", kernel(changed)}};
    Lab lab(
        subject, compiler, [&] { return std::make_unique<tests::FakeDevice>(settings); }, 60);
    Failing first{{.workload = {"first", 1, {{"n", 130}, {"c_stride", 1}}}}, {}}, smallest = first;
    smallest.setup.workload = {"smallest", 1, {{"n", 1}, {"c_stride", 1}}};
    first.seen = lab.observe(first.setup);
    smallest.seen = lab.observe(smallest.setup);
    EXPECT_TRUE(first.seen.failed() && smallest.seen.failed());
    return find_repair(lab, Roles(subject), first, smallest, {}, leads, 60);
  }

 private:
  static tests::FakeKernel kernel(Correct correct) {
    return [correct = std::move(correct)](
               FakeLaunch& launch) -> evaluators::devices::Outcome<evaluators::devices::LaunchReport> {
      const auto n = launch.scalar<std::int32_t>(3), stride = launch.scalar<std::int32_t>(4);
      const float *a = launch.pointer<float>(0), *b = launch.pointer<float>(1);
      float* c = launch.pointer<float>(2);
      const float off = correct(n) ? 0.0F : 1.0F;
      for (std::int32_t i = 0; i < n; ++i) c[i * stride] = a[i] + b[i] + off;
      return evaluators::devices::LaunchReport{};
    };
  }

 protected:
  Subject subject;
};

TEST_F(Repairs, IsCorrectUnderTheSmallestConditionsAndTheFirst) {
  EXPECT_TRUE(found([](std::int32_t) { return true; }));
  EXPECT_FALSE(found([](std::int32_t n) { return n != 1; }));
  EXPECT_FALSE(found([](std::int32_t n) { return n == 1; }));
}

TEST_F(Repairs, WhatALeadPointsToComesFirst) {
  for (const int line : {4, 5, 6}) {
    const auto repair = found([](std::int32_t) { return true; }, {Lead{{"index"}, {line}, "as told"}});
    ASSERT_TRUE(repair);
    EXPECT_EQ(repair->mutant.kind, "index");
    EXPECT_EQ(repair->mutant.line, line);
    EXPECT_EQ(repair->tried, 1);
  }
}

}  // namespace
}  // namespace evo::diagnose
