// Whom an export's self-test grants what tensor cores cut off.
#include "session/export_tensor_sums.hpp"

#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "session/recorded_answers.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/targets.hpp"

namespace evo::session {
namespace {

struct ExportTensorSums : ::testing::Test {
  ExportTensorSums() {
    auto problem = config::load_problem(std::string(EVO_SOURCE_DIR) + "/examples/softmax_expression", {});
    if (!problem) throw std::runtime_error(problem.error().text());
    experiment.problem = request.problem = *problem;
    experiment.target = request.target = tests::shipped_target("l4");
    request.kernel_template = request.problem.templates.at(0);
    request.bound_space = model::bind_space(request.problem, request.kernel_template, {}, request.target);
    request.variant =
        model::make_variant(request.kernel_template, request.bound_space, request.bound_space.initial());
    experiment.baseline_template = request.kernel_template.name;
    experiment.baseline = request.variant.genome;
    experiment.workloads = request.workloads = {{"one", 1, {}}};
    for (const auto& axis : request.problem.axes) request.workloads[0].axes[axis.name] = *axis.initial;
    experiment.workloads = request.workloads;
    experiment.accuracy_class = request.accuracy_class = request.problem.tolerances.at(0).accuracy_class;
  }
  /// What is granted where the compiler answers with this instruction.
  double granted(const std::string& instruction) {
    tests::FakeCompiler compiler(
        [&](const tests::FakeCompiler::Request& wanted) -> tests::FakeCompiler::Result {
          model::Artifact artifact = tests::FakeCompiler::plain(wanted);
          artifact.ptx = ".version 8.0\n.target sm_89\n.address_size 64\n.visible .entry k() {\n" +
                         instruction + "ret;\n}\n";
          return artifact;
        });
    request.cut_off.clear();
    grant_tensor_sums(request, experiment, compiler);
    return request.cut_off.empty() ? 0 : request.cut_off.at("one");
  }
  exporting::ExportRequest request;
  model::Experiment experiment;
};

TEST_F(ExportTensorSums, WhatThePtxAddsUpInTensorCoresIsGranted) {
  EXPECT_DOUBLE_EQ(
      granted("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
              "{%f1,%f2,%f3,%f4};\n"),
      500.0 / 8 * 0x1p-25)
      << "rows of 500";
  const double with = [&] {
    record_answers(request, 7);
    return request.answers.at(0).allowed.at(1).rms;
  }();
  request.answers.clear();
  EXPECT_EQ(granted("fma.rn.f32 %f1, %f2, %f3, %f1;\n"), 0);
  record_answers(request, 7);
  EXPECT_GT(with, request.answers.at(0).allowed.at(1).rms + 1e-9);
}

TEST_F(ExportTensorSums, WhoSpellsNoMatrixProductIsNotCompiled) {
  EXPECT_FALSE(may_add_in_tensor_cores(request));
  request.kernel_template.headers["tiles.cuh"] = "float scaled(float x, float gamma) { return gamma * x; }";
  EXPECT_FALSE(may_add_in_tensor_cores(request)) << "gamma is none";
  request.kernel_template.headers["tiles.cuh"] = "#include <mma.h>";
  EXPECT_TRUE(may_add_in_tensor_cores(request));
  request.problem.tolerances.at(0).reference_factor.reset();
  EXPECT_FALSE(may_add_in_tensor_cores(request)) << "bounds that somebody wrote are as they are";
}

}  // namespace
}  // namespace evo::session
