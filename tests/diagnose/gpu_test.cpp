// What a GPU can tell of a kernel that the virtual device cannot follow: a fake one, whose kernel is wrong.
#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/report.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/known.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::diagnose {
namespace {

using namespace tests;

devices::Outcome<devices::LaunchReport> add(FakeLaunch& launch, int count) {
  const int n = launch.scalar<int>(3), stride = launch.scalar<int>(4);
  for (int i = 0; i < std::min(n, count); ++i)
    launch.pointer<float>(2)[i * stride] = launch.pointer<float>(0)[i] + launch.pointer<float>(1)[i];
  return devices::LaunchReport{};
}

Subject gpu_subject() {
  model::Experiment experiment = vector_add_experiment();
  experiment.problem.templates.front().sync_checkable = false;
  return make_subject(experiment, "plain", experiment.baseline, evo::tests::known());
}

PostMortem diagnosed(const Subject& subject, FakeKernel kernel, const std::string& ptx = "// nothing") {
  FakeCompiler compiler([&](const FakeCompiler::Request& request) {
    model::Artifact artifact = FakeCompiler::plain(request);
    artifact.ptx = ptx;
    return artifact;
  });
  FakeDeviceSettings settings;
  settings.kernel = std::move(kernel);
  Lab lab(
      subject, compiler, [settings] { return std::make_unique<FakeDevice>(settings); }, 60);
  return diagnose(lab).post_mortem;
}

TEST(DiagnoseOnAGpu, IsForWhatTheVirtualDeviceCannotFollow) {
  const model::Experiment experiment = vector_add_experiment();
  EXPECT_TRUE(needs_gpu(gpu_subject()));
  EXPECT_FALSE(needs_gpu(make_subject(experiment, "plain", experiment.baseline, evo::tests::known())));
}

TEST(DiagnoseOnAGpu, FindsTheSmallestShapeAndWhatIsMissing) {
  const PostMortem report = diagnosed(gpu_subject(), [](FakeLaunch& launch) { return add(launch, 100); });
  ASSERT_TRUE(report.failing);
  EXPECT_EQ(report.minimal.axes.at("n"), 101) << text_report(report);
  EXPECT_EQ(report.symptom.reason, "unwritten");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().rule->name, "output_not_covered");
}

TEST(DiagnoseOnAGpu, ARightKernelHasNoDiagnosis) {
  EXPECT_FALSE(diagnosed(gpu_subject(), [](FakeLaunch& launch) { return add(launch, 1 << 30); }).failing);
}

/// Stores at line 3, hands over at line 4, and multiplies at line 8 of a header.
const std::string unfenced = R"(.version 9.0
.target sm_90a
.visible .entry plain()
{
	.loc 1 3 1
	st.shared.u32 [%r1], %r2;
	.loc 1 4 1
	mbarrier.arrive.shared::cta.b64 _, [%r3];
	$L: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r3], %r4;
	@!%p1 bra $L;
	.loc 2 8 1
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 0;
	ret;
}
	.file 1 "k.cu"
	.file 2 "multiply.cuh"
)";

TEST(DiagnoseOnAGpu, AMissingProxyFenceIsNamedWithItsLinesAndNotRun) {
  int launches = 0;
  const auto kernel = [&](FakeLaunch& launch) {
    ++launches;
    return add(launch, 1 << 30);
  };
  const PostMortem report = diagnosed(gpu_subject(), kernel, unfenced);
  ASSERT_TRUE(report.failing);
  EXPECT_EQ(launches, 0) << "a launch that goes well would prove nothing";
  EXPECT_EQ(report.symptom.reason, "proxy_fence");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().rule->name, "missing_proxy_fence");
  EXPECT_EQ(report.category, "race");
  ASSERT_GE(report.places.size(), 2U) << text_report(report);
  EXPECT_EQ(report.places[0].file, "k.cu");
  EXPECT_EQ(report.places[0].line, 3);
  EXPECT_EQ(report.places[1].file, "multiply.cuh");
  EXPECT_EQ(report.places[1].line, 8);
}

TEST(DiagnoseOnAGpu, AFaultThatTakesTheDeviceAwayEndsTheExperiments) {
  int launches = 0;
  const PostMortem report =
      diagnosed(gpu_subject(), [&](FakeLaunch&) -> devices::Outcome<devices::LaunchReport> {
        ++launches;
        return tl::make_unexpected(
            model::Failure{model::Status::device_fault,
                           "illegal_address",
                           {{"fault", "an illegal memory access was encountered", "", 0, {}}}});
      });
  EXPECT_TRUE(report.failing);
  EXPECT_EQ(report.symptom.reason, "illegal_address");
  EXPECT_EQ(launches, 1) << "nothing is tried on what is gone";
  EXPECT_NE(text_report(report).find("took the GPU away"), std::string::npos) << text_report(report);
}

}  // namespace
}  // namespace evo::diagnose
