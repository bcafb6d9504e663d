// Legality, compile and resources: each check alone must be able to end a trial.
#include <gtest/gtest.h>

#include "evaluators/gates/compile.hpp"
#include "evaluators/gates/drawn_shapes.hpp"
#include "evaluators/gates/identity.hpp"
#include "evaluators/gates/in_process_runner.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/legality.hpp"
#include "evaluators/gates/resources.hpp"
#include "model/edits.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/vector_add_experiment.hpp"

namespace evo::evaluators::gates {
namespace {

using model::Status;
using tests::FakeCompiler;

class Prepare : public ::testing::Test {
 protected:
  [[nodiscard]] TemplateContext context() const {
    return make_context(experiment, experiment.problem.templates[0]);
  }
  [[nodiscard]] Outcome<BoundVariant> legality(std::int64_t threads = 64, std::int64_t extra = 0) const {
    return check_legality(context(), tests::vector_add_variant(experiment, threads, extra));
  }
  model::Experiment experiment = tests::vector_add_experiment();
};

TEST_F(Prepare, LegalVariantIsBoundToAllItsLaunches) {
  const auto bound = legality();
  ASSERT_TRUE(bound.has_value()) << bound.error().reason;
  ASSERT_EQ(bound->workloads.size(), 2U);
  EXPECT_EQ(bound->workloads[1].launch.grid[0], 16U);
  ASSERT_EQ(bound->check_workloads.size(), 3U);
  EXPECT_EQ(bound->check_workloads[1].arguments[2].strides[0], 3);
  EXPECT_EQ(bound->check_workloads[2].axes.at("n"), 300)
      << "what a workload leaves open is the experiment's first";
  ASSERT_EQ(bound->sanitize_shapes.size(), 2U);
  EXPECT_EQ(bound->sanitize_shapes[0].axes.at("n"), 133);
  EXPECT_EQ(bound->sanitize_shapes[1].axes.at("n"), 63);
  EXPECT_EQ(bound->static_smem, std::vector<std::optional<std::int64_t>>{256});
}

TEST_F(Prepare, ConstraintsAndUnknownValuesAreIllegal) {
  const auto constrained = legality(128, 1024);
  ASSERT_FALSE(constrained.has_value());
  EXPECT_EQ(constrained.error().status, Status::illegal);
  EXPECT_EQ(constrained.error().reason, "constraint");
  EXPECT_NE(constrained.error().evidence[0].message.find("128 threads need it all"), std::string::npos);
  EXPECT_EQ(legality(48).error().reason, "constraint");
}

TEST_F(Prepare, AWorkloadOutsideOfTheDomainIsIllegal) {
  experiment.problem.templates[0].domain = {{tests::parsed("n % THREADS == 0"), "whole tiles"}};
  const auto refused = legality();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().status, Status::illegal);
  EXPECT_EQ(refused.error().reason, "domain");
  EXPECT_NE(refused.error().evidence[0].message.find("whole tiles"), std::string::npos);
}

TEST_F(Prepare, ShapesOfTheGatesKeepToTheDomain) {
  experiment.problem.templates[0].domain = {{tests::parsed("n % THREADS == 0"), ""}};
  for (model::Workload& workload : experiment.workloads) workload.axes["n"] = 640;
  const auto bound = legality();
  ASSERT_TRUE(bound.has_value()) << bound.error().reason;
  for (const auto* cases : {&bound->check_workloads, &bound->sanitize_shapes}) {
    ASSERT_FALSE(cases->empty());
    for (const model::Case& each : *cases) EXPECT_EQ(each.axes.at("n") % 64, 0) << each.name;
  }
  for (const DrawnShape& drawn : draw_shapes(context(), experiment.baseline, 7, {true, false}))
    EXPECT_EQ(drawn.workload.axes.at("n") % 64, 0) << drawn.workload.name;
}

TEST_F(Prepare, WithoutAPredictionTheCompilerIsBelieved) {
  model::Artifact artifact;
  artifact.resources = {.registers = 32, .static_smem_bytes = 300};
  const auto predicted = legality();
  ASSERT_TRUE(check_resources(context(), *predicted, artifact).has_value());
  experiment.problem.templates[0].launch.static_smem_open = true;
  const auto open = legality();
  const auto failure = check_resources(context(), *open, artifact);
  EXPECT_TRUE(!failure || failure->reason != "static_smem_mismatch");
}

TEST_F(Prepare, OfAnEditedTextTheCompilerIsBelieved) {
  model::Variant variant = tests::vector_add_variant(experiment, 64, 0);
  variant.genome = model::with_edits(variant.genome, {{"array_pad", "k/0#0", "replace int x;"}});
  const auto edited = check_legality(context(), variant);
  ASSERT_TRUE(edited.has_value()) << edited.error().reason;
  EXPECT_EQ(edited->static_smem, std::vector<std::optional<std::int64_t>>{std::nullopt});
}

TEST_F(Prepare, AFailedSourceCommandEndsTheTrialAtTheCompiler) {
  FakeCompiler compiler;
  model::Variant variant = tests::vector_add_variant(experiment, 64, 0);
  variant.failure = model::Failure{Status::compile_error, "source_command", {{"error", "oh no", {}, 0, {}}}};
  const auto compiled = compile_variant(compiler, context(), variant, "");
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error().reason, "source_command");
}

TEST_F(Prepare, LaunchPlanErrorsNameTheirLine) {
  experiment.problem.templates[0].launch.grid[0] = tests::parsed("n / (THREADS - 64)", 20);
  const auto divided = legality();
  ASSERT_FALSE(divided.has_value());
  EXPECT_EQ(divided.error().reason, "launch_plan");
  EXPECT_EQ(divided.error().evidence[0].file, "add.yaml");
  EXPECT_EQ(divided.error().evidence[0].line, 20);
  experiment = tests::vector_add_experiment();
  EXPECT_EQ(legality(2048).error().reason, "launch_plan");
  experiment.problem.templates[0].sanitize_shapes[1]["n"] = tests::parsed("THREADS / 0", 33);
  EXPECT_EQ(legality().error().evidence[0].line, 33);
}

TEST_F(Prepare, TargetLimitsOnALaunch) {
  experiment.target.max_threads_per_block = 63;
  EXPECT_EQ(legality().error().reason, "threads");
  EXPECT_EQ(legality().error().status, Status::illegal);
  experiment = tests::vector_add_experiment();
  experiment.smem_limit = 65536;  // and 256 bytes of static shared memory
  EXPECT_EQ(legality(64, 65536).error().reason, "shared_memory");
  experiment.smem_limit = 65536 + 256;
  EXPECT_TRUE(legality(64, 65536).has_value());
}

TEST_F(Prepare, EachLaunchAloneCanExceedTheLimits) {
  const auto only_at = [&](std::int64_t n) {
    experiment = tests::vector_add_experiment();
    experiment.problem.templates[0].launch.dynamic_smem =
        tests::parsed("n == " + std::to_string(n) + " ? 200000 : 0");
    const auto bound = legality();
    return bound ? std::string("legal") : bound.error().reason;
  };
  EXPECT_EQ(only_at(1000), "shared_memory") << "a workload";
  EXPECT_EQ(only_at(1), "shared_memory") << "an odd shape";
  EXPECT_EQ(only_at(133), "shared_memory") << "a shape of the sanitize gate";
  EXPECT_EQ(only_at(7), "legal");
}

TEST_F(Prepare, AllDimensionsOfABlockCount) {
  experiment.target.max_threads_per_block = 64 * 4 * 2 - 1;
  experiment.problem.templates[0].launch.block[1] = tests::parsed("4");
  EXPECT_TRUE(legality().has_value());
  experiment.problem.templates[0].launch.block[2] = tests::parsed("2");
  EXPECT_EQ(legality().error().reason, "threads");
}

TEST_F(Prepare, ATemplateOfAnotherArchitectureIsIllegal) {
  experiment.problem.templates[0].arch = "sm_90a";
  EXPECT_EQ(legality().error().reason, "arch");
  experiment.problem.templates[0].arch = experiment.target.arch;
  EXPECT_TRUE(legality().has_value());
}

TEST_F(Prepare, TheModulesContentsAreLookedAt) {
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 256};
  artifact.entry = "add";
  artifact.ptx = ".visible .entry other()\n{\n\tret;\n}\n";
  const auto failure = check_resources(context(), *legality(), artifact);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->reason, "extra_entry");
}

TEST_F(Prepare, ResourcesWithinLimitsPass) {
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 256};
  EXPECT_FALSE(check_resources(context(), *legality(), artifact).has_value());
}

TEST_F(Prepare, EachResourceAloneIsOverBudget) {
  const auto reason_of = [&](const model::ResourceUsage& used) {
    model::Artifact artifact;
    artifact.resources = used;
    const auto failure = check_resources(context(), *legality(), artifact);
    if (!failure) return std::string("passed");
    EXPECT_EQ(failure->status, Status::over_budget);
    EXPECT_EQ(failure->evidence.at(0).kind, failure->reason);
    return failure->reason;
  };
  EXPECT_EQ(reason_of({.registers = 64, .spill_store_bytes = 4, .static_smem_bytes = 256}), "spills");
  EXPECT_EQ(reason_of({.registers = 64, .spill_load_bytes = 4, .static_smem_bytes = 256}), "spills");
  EXPECT_EQ(reason_of({.registers = 256, .static_smem_bytes = 256}), "registers");
  model::ResourceUsage deep{.registers = 64, .static_smem_bytes = 256};
  deep.stack_bytes = 13 * 1024;
  EXPECT_EQ(reason_of(deep), "stack");
  EXPECT_EQ(reason_of({.registers = 64, .static_smem_bytes = 255}), "static_smem_mismatch");
  EXPECT_EQ(reason_of({.registers = 64, .static_smem_bytes = 257}), "static_smem_mismatch");
  experiment.gates.max_spill_bytes = 8;
  EXPECT_EQ(
      reason_of({.registers = 64, .spill_store_bytes = 4, .spill_load_bytes = 4, .static_smem_bytes = 256}),
      "passed");
  EXPECT_EQ(
      reason_of({.registers = 64, .spill_store_bytes = 8, .spill_load_bytes = 4, .static_smem_bytes = 256}),
      "spills");
}

TEST_F(Prepare, BlockMustFitTheRegistersOfAnSM) {
  experiment.target.registers_per_sm = 2 * 64 * 32;  // two warps of 64 registers
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 256};
  EXPECT_FALSE(check_resources(context(), *legality(), artifact).has_value());
  artifact.resources.registers = 65;  // a warp's share is rounded up to 256
  EXPECT_EQ(check_resources(context(), *legality(), artifact)->reason, "registers");
}

TEST_F(Prepare, AGridThatIsWaitedForFitsTheTarget) {
  // 1000 elements in blocks of 64: 16 blocks, of two warps each.
  model::TargetProfile& target = experiment.target;
  target.max_warps_per_sm = 4;
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 256};
  artifact.entry = "add";
  const auto with = [&](const char* reads) {
    artifact.ptx = std::string(".visible .entry add()\n{\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, ") + reads +
                   ";\n\tret;\n}\n";
    const auto failure = check_resources(context(), *legality(), artifact);
    if (!failure) return std::string();
    for (const auto& evidence : failure->evidence) {
      if (evidence.kind == "cooperative_launch_too_large") return evidence.kind;
    }
    return std::string();
  };
  target.sm_count = 8;
  EXPECT_EQ(with("%envreg2"), "") << "16 are there at a time";
  target.sm_count = 7;
  EXPECT_EQ(with("%envreg2"), "cooperative_launch_too_large");
  EXPECT_EQ(with("%tid.x"), "") << "nobody waits";
  target.sm_count = 0;
  EXPECT_EQ(with("%envreg2"), "") << "nobody knows";
}

TEST_F(Prepare, ReportedStaticMemoryCountsAgainstTheLimit) {
  experiment.smem_limit = 1024 + 256;
  const auto bound = legality(64, 1024);
  ASSERT_TRUE(bound.has_value());
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 300};
  const auto failure = check_resources(context(), *bound, artifact);
  EXPECT_EQ(failure->reason, "static_smem_mismatch");
  ASSERT_EQ(failure->evidence.size(), 2U);
  EXPECT_EQ(failure->evidence[1].kind, "shared_memory");
  experiment.target.max_threads_per_block = 63;
  artifact.resources.static_smem_bytes = 256;
  EXPECT_EQ(check_resources(context(), *bound, artifact)->reason, "threads");
}

// As predicted they fit; with what the compiler says they do not.
TEST_F(Prepare, EachLaunchAloneCanExceedTheLimitsWithTheReportedStaticMemory) {
  const auto only_at = [&](std::int64_t n) {
    experiment = tests::vector_add_experiment();
    experiment.smem_limit = 8192;
    experiment.problem.templates[0].launch.dynamic_smem =
        tests::parsed("n == " + std::to_string(n) + " ? 8192 - 256 : 0");
    model::Artifact artifact;
    artifact.resources = {.registers = 64, .static_smem_bytes = 300};
    return check_resources(context(), *legality(), artifact)->evidence.size();
  };
  EXPECT_EQ(only_at(1000), 2U) << "a workload: static memory that was not predicted, and too much of it";
  EXPECT_EQ(only_at(1), 2U) << "an odd shape";
  EXPECT_EQ(only_at(7), 1U);
}

TEST_F(Prepare, EachKernelOfAPlanCanExceedTheLimits) {
  auto bound = *legality();
  model::LaunchPlan second = bound.workloads[0].launch;
  second.kernel = 1;
  bound.workloads[0].launch.then = {second};
  bound.static_smem = {256, 256};
  model::Artifact artifact;
  artifact.entry = "first";
  artifact.resources = {.registers = 32, .static_smem_bytes = 256};
  artifact.others = {{.entry = "second", .resources = artifact.resources}};
  EXPECT_FALSE(check_resources(context(), bound, artifact).has_value());
  artifact.others[0].resources.spill_store_bytes = 1 << 20;
  const auto spilled = check_resources(context(), bound, artifact);
  ASSERT_TRUE(spilled.has_value());
  EXPECT_EQ(spilled->reason, "spills");
  artifact.others[0].resources = artifact.resources;
  bound.workloads[0].launch.then[0].dynamic_smem = 1 << 20;
  const auto large = check_resources(context(), bound, artifact);
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(large->reason, "shared_memory");
}

TEST_F(Prepare, FurtherKernelsAndSizesOfWorkspacesTellVariantsApart) {
  auto bound = *legality();
  model::Argument& argument = experiment.problem.arguments.emplace_back();
  argument.name = "scratch";
  argument.shape = {tests::parsed("THREADS")};
  const auto identity = [&] { return identity_of(context(), CompiledVariant{}, bound); };
  const auto scratch = [](std::int64_t size) {
    return tests::array_argument("scratch", model::ArgumentRole::workspace, model::DType::f32, {size});
  };
  bound.workloads[0].arguments.push_back(scratch(64));
  const std::string before = identity();
  bound.workloads[0].arguments.back() = scratch(128);
  EXPECT_NE(identity(), before) << "the same code may reach past the end of the smaller one";
  bound.workloads[0].arguments.back() = scratch(64);
  EXPECT_EQ(identity(), before);
  bound.workloads[0].launch.then = {bound.workloads[0].launch};
  EXPECT_NE(identity(), before);
}

TEST_F(Prepare, TheBiggestBlockOfAllLaunchesMustFitTheRegisters) {
  experiment.target.registers_per_sm = 2 * 64 * 32;  // two warps of 64 registers
  model::Artifact artifact;
  artifact.resources = {.registers = 64, .static_smem_bytes = 256};
  experiment.problem.templates[0].launch.block[0] = tests::parsed("n == 1000 ? 65 : 64", 21);
  const auto failure = check_resources(context(), *legality(), artifact);
  ASSERT_TRUE(failure.has_value()) << "the 65th thread is a third warp";
  EXPECT_EQ(failure->reason, "registers");
}

TEST(Architectures, CodeRunsWhereTheCapabilityIsTheSame) {
  EXPECT_TRUE(runs_as_is("sm_89", ""));
  EXPECT_TRUE(runs_as_is("sm_90a", "sm_90"));
  EXPECT_TRUE(runs_as_is("sm_90", "sm_90a"));
  EXPECT_FALSE(runs_as_is("sm_89", "sm_90"));
  EXPECT_FALSE(runs_as_is("sm_80", "sm_86"));
}

TEST_F(Prepare, CompilesForTheTargetAndForAnotherDevice) {
  FakeCompiler compiler;
  const model::Variant variant = tests::vector_add_variant(experiment);
  experiment.gates.compile_timeout_s = 7;
  experiment.gates.compile_memory_mb = 123;
  const auto same = compile_variant(compiler, context(), variant, "");
  ASSERT_TRUE(same.has_value());
  EXPECT_FALSE(same->device_artifact.has_value());
  const auto two = compile_variant(compiler, context(), variant, "sm_90");
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(two->artifact.arch, "sm_89");
  EXPECT_EQ(two->device_artifact->arch, "sm_90");
  ASSERT_EQ(compiler.requests().size(), 3U);
  const compile::CompileRequest request = compiler.requests().front();
  EXPECT_EQ(request.source, variant.source);
  EXPECT_EQ(request.source_file, "plain.cu");
  EXPECT_EQ(request.entry, "add");
  EXPECT_EQ(request.headers.count("evo_add.cuh"), 1U);
  EXPECT_EQ(request.timeout_s, 7);
  EXPECT_EQ(request.memory_mb, 123);
}

TEST_F(Prepare, CompileFailuresPassThroughUnchanged) {
  const model::Failure failure{Status::compile_timeout, "memory", {}};
  FakeCompiler never([&](const auto&) { return tl::make_unexpected(failure); });
  const auto first = compile_variant(never, context(), tests::vector_add_variant(experiment), "sm_90");
  EXPECT_EQ(first.error().reason, "memory");
  EXPECT_EQ(never.requests().size(), 1U);
  FakeCompiler second([&](const auto& request) -> FakeCompiler::Result {
    if (request.arch == "sm_90") return tl::make_unexpected(failure);
    return FakeCompiler::plain(request);
  });
  const auto other = compile_variant(second, context(), tests::vector_add_variant(experiment), "sm_90");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().evidence.at(0).details.at(0).second, "sm_90");
}

}  // namespace
}  // namespace evo::evaluators::gates
