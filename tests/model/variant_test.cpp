#include "model/variant.hpp"

#include <gtest/gtest.h>

#include "tests/support/targets.hpp"

namespace evo::model {
namespace {

Expression expression(std::string_view text, int line = 1) {
  return *Expression::parse(text, "problem.yaml", line, 1);
}

struct Fixture {
  Problem problem;
  Template kernel;
  const TargetProfile& target = tests::shipped_target("l4");

  Fixture() {
    problem.axes = {{"seq", false, 1, 4096, {}, {}, {}, {}, ""},
                    {"head_dim", true, {}, {}, {}, {}, 64, {}, ""}};
    Argument input{"Q",
                   ArgumentRole::input,
                   DType::f16,
                   {expression("seq"), expression("head_dim")},
                   {expression("head_dim"), expression("1")},
                   {}};
    Argument scale{"scale",    ArgumentRole::scalar,
                   DType::f32, {},
                   {},         {ScalarValue::Form::inverse_sqrt, expression("head_dim")}};
    problem.arguments = {input, scale};
    problem.work = {expression("2 * seq * head_dim"), expression("seq * head_dim")};
    kernel.name = "t";
    kernel.entry = "k";
    kernel.source_file = "t.cu";
    kernel.source = "void k() {}\n";
    kernel.space = Space(
        {{"BLOCK", GeneRole::tuning, {std::int64_t{0}, std::int64_t{32}}, std::int64_t{32}, ""},
         {"DTYPE", GeneRole::tuning, {std::string("float"), std::string("half")}, std::string("half"), ""}},
        {});
    kernel.launch.grid[0] = expression("ceil_div(seq, BLOCK)", 9);
    kernel.launch.grid[1] = kernel.launch.grid[2] = Expression(1);
    kernel.launch.block[0] = expression("BLOCK");
    kernel.launch.block[1] = kernel.launch.block[2] = Expression(1);
    kernel.launch.dynamic_smem = expression("BLOCK * head_dim * 2");
  }
  Space space() const { return bind_space(problem, kernel, {}, target); }
};

TEST(Variant, SourceHasMacrosAndKeepsLineNumbers) {
  const Fixture f;
  const Variant variant = make_variant(f.kernel, f.space(), f.space().initial());
  EXPECT_NE(variant.source.find("#define HEAD_DIM 64\n"), std::string::npos);
  EXPECT_NE(variant.source.find("#define BLOCK 32\n"), std::string::npos);
  EXPECT_NE(variant.source.find("#define DTYPE_float 0\n#define DTYPE_half 1\n#define DTYPE DTYPE_half\n"),
            std::string::npos);
  EXPECT_NE(variant.source.find("#line 1 \"t.cu\"\nvoid k() {}"), std::string::npos);
  EXPECT_EQ(variant.source.find("SMEM_LIMIT"), std::string::npos);
  EXPECT_EQ(variant.id.size(), 16U);
}

TEST(Variant, EntriesMayHoldGenes) {
  Fixture f;
  EXPECT_EQ(render_entry(f.kernel, f.space(), f.space().initial()), "k");
  f.kernel.entry = "n::k<{BLOCK}, {DTYPE}, {head_dim}, {OTHER}, {";
  EXPECT_EQ(render_entry(f.kernel, f.space(), f.space().initial()), "n::k<32, half, 64, {OTHER}, {");
}

TEST(Variant, NameFollowsContent) {
  Fixture f;
  const Space space = f.space();
  Genome other = space.initial();
  other.set("DTYPE", std::string("float"));
  const std::string id = make_variant(f.kernel, space, space.initial()).id;
  EXPECT_NE(id, make_variant(f.kernel, space, other).id);
  EXPECT_EQ(id, make_variant(f.kernel, space, space.initial()).id);
  f.kernel.headers["h.cuh"] = "// one";
  const std::string with_header = make_variant(f.kernel, space, space.initial()).id;
  EXPECT_NE(id, with_header);
  f.kernel.headers["h.cuh"] = "// two";
  EXPECT_NE(with_header, make_variant(f.kernel, space, space.initial()).id);
}

TEST(BindCase, ResolvesEverything) {
  const Fixture f;
  const auto bound =
      bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 2.0, {{"seq", 100}}});
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->launch.grid[0], 4U);
  EXPECT_EQ(bound->launch.block[0], 32U);
  EXPECT_EQ(bound->launch.dynamic_smem, 4096U);
  EXPECT_EQ(bound->arguments[0].extent(), 6400);
  EXPECT_DOUBLE_EQ(bound->arguments[1].scalar_float, 0.125);
  EXPECT_EQ(bound->flops, 12800);
  EXPECT_EQ(bound->weight, 2.0);
}

TEST(BindCase, AReferenceKernelHasAThreadForEachOutputElementOrItsOwnLaunch) {
  Fixture f;
  const auto bind = [&] {
    return bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", 100}}}).value();
  };
  EXPECT_FALSE(bind().reference_launch);
  f.problem.oracle_kernel = ReferenceKernel{"ref.cu", "", "reference", std::nullopt};
  f.problem.arguments.front().role = ArgumentRole::output;  // of 100 x 64
  EXPECT_EQ(bind().reference_launch->grid[0], 25U);
  EXPECT_EQ(bind().reference_launch->block[0], 256U);
  EXPECT_TRUE(bind().reference_by_element);
  EXPECT_TRUE(bind().reference_guessed);
  f.problem.oracle_kernel->launch.emplace();
  for (int i = 0; i < 3; ++i) {
    f.problem.oracle_kernel->launch->grid[i] = expression(i == 0 ? "seq" : "1");
    f.problem.oracle_kernel->launch->block[i] = expression("1");
  }
  EXPECT_EQ(bind().reference_launch->grid[0], 100U);
  EXPECT_FALSE(bind().reference_by_element);
  EXPECT_FALSE(bind().reference_guessed) << "the problem says it";
  f.problem.oracle_kernel->guessed = true;
  EXPECT_TRUE(bind().reference_guessed);
}

ScalarValue number_by(Expression below, double number, ScalarValue::Form form = ScalarValue::Form::quotient) {
  ScalarValue scalar;
  scalar.form = form;
  scalar.expression = std::move(below);
  scalar.number = number;
  return scalar;
}

TEST(BindCase, AScalarMayBeANumber) {
  Fixture f;
  f.problem.arguments[1].scalar = number_by({}, 0.1, ScalarValue::Form::number);
  const auto bound = bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", 100}}});
  EXPECT_EQ(bound->arguments[1].scalar_float, 0.1);
}

TEST(BindCase, AScalarMayBeANumberByASize) {
  Fixture f;
  f.problem.arguments[1].scalar = number_by(expression("head_dim + seq - 100"), 16.0);
  const auto bind = [&](std::int64_t seq) {
    return bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", seq}}});
  };
  EXPECT_EQ(bind(100)->arguments[1].scalar_float, 0.25);
  EXPECT_FALSE(bind(36)) << "by nought";
}

TEST(BindCase, AScalarMayBeANumberTimesASizeByAnother) {
  Fixture f;
  f.problem.arguments[1].scalar = number_by(expression("head_dim"), 1.0);
  f.problem.arguments[1].scalar.times = expression("seq - 70");
  const auto bind = [&](std::int64_t seq) {
    return bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", seq}}});
  };
  EXPECT_EQ(bind(100)->arguments[1].scalar_float, 30.0 / 64) << "as real numbers";
}

TEST(BindCase, AScalarMayBeAnExpressionOfRealNumbers) {
  Fixture f;
  f.problem.arguments[1].scalar = number_by(expression("0 + seq"), 0, ScalarValue::Form::real);
  f.problem.arguments[1].scalar.real = "1.5 + 2 / sqrt(seq)";
  const auto bind = [&](std::int64_t seq) {
    return bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", seq}}});
  };
  EXPECT_EQ(bind(16)->arguments[1].scalar_float, 2.0);
  f.problem.arguments[1].scalar.real = "1.0 / (seq - 16)";
  EXPECT_TRUE(bind(17));
  EXPECT_FALSE(bind(16)) << "no number";
}

TEST(BindCase, DivisionByZeroNamesFileAndLine) {
  const Fixture f;
  Genome genome = f.space().initial();
  genome.set("BLOCK", std::int64_t{0});
  const auto bound = bind_case(f.problem, f.kernel, f.space(), genome, {"w", 1, {{"seq", 100}}});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().line, 9);
  EXPECT_EQ(bound.error().file, "problem.yaml");
  EXPECT_NE(bound.error().message.find("division by zero"), std::string::npos);
}

TEST(BindCase, RefusesWhatNoGpuLaunches) {
  Fixture f;
  f.kernel.launch.block[0] = Expression(512);
  f.kernel.launch.block[1] = Expression(4);
  EXPECT_NE(bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", 8}}})
                .error()
                .message.find("2048 threads"),
            std::string::npos);
  f.kernel.launch.block[1] = Expression(0);
  EXPECT_NE(bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {{"seq", 8}}})
                .error()
                .message.find("block.y is 0"),
            std::string::npos);
}

TEST(BindCase, MissingAxisIsAnError) {
  const Fixture f;
  const auto bound = bind_case(f.problem, f.kernel, f.space(), f.space().initial(), {"w", 1, {}});
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().message.find("axis seq"), std::string::npos);
}

TEST(BindSpace, TakesTheSmallerOfTheLimits) {
  const Fixture f;
  EXPECT_EQ(std::get<std::int64_t>(f.space().fixed().at("smem_limit")), 99 * 1024);
  EXPECT_EQ(
      std::get<std::int64_t>(bind_space(f.problem, f.kernel, {}, f.target, 49152).fixed().at("smem_limit")),
      49152);
  EXPECT_EQ(std::get<std::int64_t>(
                bind_space(f.problem, f.kernel, {{"head_dim", 128}}, f.target).fixed().at("head_dim")),
            128);
}

}  // namespace
}  // namespace evo::model
