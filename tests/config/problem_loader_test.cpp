#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

struct ProblemLoader : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  std::string error() {
    const auto problem = load_problem("copy", path);
    return problem ? "no error" : problem.error().text();
  }
  /// The error after replacing `from` by `to` in problem.yaml.
  std::string error_after(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
    return error();
  }
  void expect_error(const std::string& text, const std::string& part, int line) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find("problem.yaml:" + std::to_string(line)), std::string::npos) << text;
  }
};

TEST_F(ProblemLoader, ReadsEverything) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->axes.size(), 2U);
  EXPECT_TRUE(problem->find_axis("width")->compile_time);
  EXPECT_EQ(problem->arguments.size(), 4U);
  EXPECT_EQ(problem->arguments[0]
                .strides[0]
                .evaluate_integer({{"n", std::int64_t{3}}, {"width", std::int64_t{4}}})
                .value(),
            4);
  EXPECT_EQ(problem->arguments[3].scalar.form, model::ScalarValue::Form::inverse_sqrt);
  EXPECT_EQ(problem->input_sets[0].parameters.at("sigma"), 2);
  EXPECT_EQ(problem->find_tolerance("loose")->input_sets.size(), 1U);
  const model::Template& kernel = problem->templates.front();
  EXPECT_EQ(kernel.headers.at("h.cuh"), "// helper\n");
  EXPECT_EQ(kernel.space.find("KIND")->initial, model::Value(std::string("a")));
  EXPECT_EQ(kernel.space.find("SYNC")->role, model::GeneRole::sync);
  EXPECT_EQ(problem->content_hash.size(), 64U);
}

TEST_F(ProblemLoader, HashCoversSourcesAndHeaders) {
  const std::string before = load_problem("copy", path)->content_hash;
  files.write("kernels/common/h.cuh", "// changed\n");
  const std::string after = load_problem("copy", path)->content_hash;
  EXPECT_NE(before, after);
}

TEST_F(ProblemLoader, UnknownProblemNamesTheNearest) {
  const auto problem = load_problem("cop", path);
  ASSERT_FALSE(problem);
  EXPECT_NE(problem.error().message.find("did you mean 'copy'"), std::string::npos);
}

TEST_F(ProblemLoader, UnknownKeys) {
  expect_error(error_after("oracle: copy", "oracel: copy"), "unknown key 'oracel' (did you mean 'oracle'?)",
               10);
}

TEST_F(ProblemLoader, UnknownKeyOfAGene) {
  expect_error(error_after("initial: 64}\n      KIND", "inital: 64}\n      KIND"),
               "unknown key 'templates.plain.genes.THREADS.inital' (did you mean 'initial'?)", 26);
}

TEST_F(ProblemLoader, WrongTypes) {
  expect_error(error_after("min: 1,", "min: one,"), "axes.n.min: expected an integer, not 'one'", 3);
}

TEST_F(ProblemLoader, UnknownNameInAnExpression) {
  expect_error(error_after("ceil_div(n, THREADS)", "ceil_div(n, THREAD)"),
               "unknown name 'THREAD' (did you mean 'THREADS'?)", 32);
}

TEST_F(ProblemLoader, BadExpression) {
  expect_error(error_after("8 * n", "8 * * n"), "unexpected '*'", 17);
}

TEST_F(ProblemLoader, GeneValuesAreOfOneKind) {
  expect_error(error_after("values: [32, 64]", "values: [32, large]"), "all numbers or all names", 26);
}

TEST_F(ProblemLoader, InitialMustBeAValue) {
  expect_error(error_after("initial: 64}\n      KIND", "initial: 65}\n      KIND"),
               "65 is none of the gene's values", 26);
}

TEST_F(ProblemLoader, MissingSourceFile) {
  expect_error(error_after("source: plain.cu", "source: plan.cu"), "plan.cu cannot be read", 22);
}

TEST_F(ProblemLoader, AnAxisIsShownAloneAboveItsMaximum) {
  expect_error(error_after("max: 4096,", "max: 4096, alone: 4096,"), "alone is for sizes above max", 3);
  expect_error(error_after("max: 4096, alone: 4096,", "alone: 5000,"), "alone is for sizes above max", 3);
  files.edit("kernels/copy/problem.yaml", "alone: 5000,", "max: 4096, alone: 5000,");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->axes.front().alone, 5000);
}

TEST_F(ProblemLoader, WorkloadOutOfBounds) {
  expect_error(error_after("name: one, n: 1", "name: one, n: 0"), "below the minimum", 19);
}

TEST_F(ProblemLoader, DuplicateKey) {
  expect_error(error_after("oracle: copy", "name: again\noracle: copy"), "key 'name' occurs twice", 10);
}

TEST_F(ProblemLoader, BrokenYaml) {
  files.write("kernels/copy/problem.yaml", "name: [copy\naxes: {");
  EXPECT_NE(error().find("problem.yaml:"), std::string::npos);
  files.write("kernels/copy/problem.yaml", "just text");
  EXPECT_NE(error().find("expected a map"), std::string::npos);
}

TEST_F(ProblemLoader, ReferenceFactor) {
  EXPECT_FALSE(load_problem("copy", path)->find_tolerance("loose")->reference_factor);
  files.edit("kernels/copy/problem.yaml", "max_abs_over_rms: 1,",
             "max_abs_over_rms: 1, rule: reference_factor, factor: 2, absolute: 1.0e-5,");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Tolerance& loose = *problem->find_tolerance("loose");
  ASSERT_TRUE(loose.reference_factor);
  EXPECT_EQ(loose.reference_factor->factor, 2);
  EXPECT_EQ(loose.reference_factor->absolute, 1e-5);
  EXPECT_FALSE(problem->find_tolerance("exact")->reference_factor);
  files.edit("kernels/copy/problem.yaml", "rule: reference_factor, factor: 2, absolute: 1.0e-5,",
             "rule: fixed,");
  EXPECT_FALSE(load_problem("copy", path)->find_tolerance("loose")->reference_factor);
}

TEST_F(ProblemLoader, ImpossibleReferenceFactors) {
  const std::string given = "max_abs_over_rms: 1,";
  std::string now = given;
  const auto error_with = [&](const std::string& more) {
    const std::string before = now;
    now = given + more;
    return error_after(before, now);
  };
  expect_error(error_with(" rule: reference_facter, factor: 2,"), "(did you mean 'reference_factor'?)", 16);
  expect_error(error_with(" rule: reference_factor,"), "factor", 16);
  expect_error(error_with(" rule: reference_factor, factor: 0.5,"), "out of range", 16);
  expect_error(error_with(" rule: reference_factor, factor: 2, absolute: -1,"), "out of range", 16);
  expect_error(error_with(" factor: 2,"), "factor: belongs to rule: reference_factor", 16);
  expect_error(error_with(" rule: fixed, absolute: 0.1,"), "absolute: belongs to rule: reference_factor", 16);
}

TEST_F(ProblemLoader, AKernelIsAnOracle) {
  const std::string before = load_problem("copy", path)->content_hash;
  files.write("kernels/copy/naive.cu", "__global__ void reference() {}\n");
  files.edit("kernels/copy/problem.yaml", "oracle: copy", "oracle: {kernel: naive.cu}");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->oracle, model::kernel_oracle);
  ASSERT_TRUE(problem->oracle_kernel);
  EXPECT_EQ(problem->oracle_kernel->entry, "reference");
  EXPECT_EQ(problem->oracle_kernel->source_file, "naive.cu");
  EXPECT_FALSE(problem->oracle_kernel->launch);
  files.write("kernels/copy/naive.cu", "__global__ void reference() { return; }\n");
  EXPECT_NE(load_problem("copy", path)->content_hash, problem->content_hash) << "its text counts";
  EXPECT_NE(problem->content_hash, before);
  files.edit("kernels/copy/problem.yaml", "naive.cu}", "naive.cu, entry: f, grid: [n, 2], block: [width]}");
  const auto launched = load_problem("copy", path);
  ASSERT_TRUE(launched) << launched.error().text();
  EXPECT_EQ(launched->oracle_kernel->entry, "f");
  EXPECT_EQ(launched->oracle_kernel->launch->grid[1].evaluate_integer({}).value(), 2);
}

TEST_F(ProblemLoader, WrongKernelOracles) {
  expect_error(error_after("oracle: copy", "oracle: {kernel: gone.cu}"), "gone.cu cannot be read", 10);
  files.write("kernels/copy/naive.cu", "");
  expect_error(error_after("kernel: gone.cu", "kernal: naive.cu"), "did you mean 'kernel'?", 10);
  expect_error(error_after("kernal: naive.cu", "kernel: naive.cu, grid: [n]"), "block", 10);
  expect_error(error_after("grid: [n]", "grid: [m], block: [1]"), "unknown name 'm'", 10);
  expect_error(error_after("grid: [m]", "grid: [THREADS]"), "unknown name 'THREADS'", 10);
}

TEST_F(ProblemLoader, ScalarsMayBeNumbers) {
  files.edit("kernels/copy/problem.yaml", "value: inverse_sqrt(n)", "value: -2.5e-1");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->arguments[3].scalar.form, model::ScalarValue::Form::number);
  EXPECT_EQ(problem->arguments[3].scalar.number, -0.25);
  expect_error(error_after("dtype: i32, value: n}", "dtype: i32, value: 0.5}"), "needs dtype f32 or f64", 8);
}

TEST_F(ProblemLoader, ScalarsMayBeANumberByAnExpression) {
  files.edit("kernels/copy/problem.yaml", "value: inverse_sqrt(n)", "value: 1.5 / (n + 1)");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::ScalarValue& scalar = problem->arguments[3].scalar;
  EXPECT_EQ(scalar.form, model::ScalarValue::Form::quotient);
  EXPECT_EQ(scalar.number, 1.5);
  EXPECT_EQ(scalar.expression.evaluate_integer({{"n", std::int64_t{2}}}), 3);
  expect_error(error_after("value: 1.5 / (n + 1)", "value: 1.5 / (q + 1)"), "unknown name 'q'", 9);
  expect_error(error_after("dtype: i32, value: n}", "dtype: i32, value: 0.5 / n}"), "needs dtype f32 or f64",
               8);
}

TEST_F(ProblemLoader, ScalarsMayBeANumberTimesASizeByAnother) {
  files.edit("kernels/copy/problem.yaml", "value: inverse_sqrt(n)", "value: \"1.5 * (n + 1) / max(n, 4)\"");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::ScalarValue& scalar = problem->arguments[3].scalar;
  EXPECT_EQ(scalar.form, model::ScalarValue::Form::quotient);
  EXPECT_EQ(scalar.number, 1.5);
  ASSERT_TRUE(scalar.times);
  EXPECT_EQ(scalar.times->evaluate_integer({{"n", std::int64_t{2}}}), 3);
  EXPECT_EQ(scalar.expression.evaluate_integer({{"n", std::int64_t{2}}}), 4);
  expect_error(error_after("value: \"1.5 * (n + 1) / max(n, 4)\"", "value: 1.5 * q / n"), "unknown name 'q'",
               9);
  files.edit("kernels/copy/problem.yaml", "value: 1.5 * q / n", "value: 0.5 * n");
  const auto plain = load_problem("copy", path);
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain->arguments[3].scalar.expression.evaluate_integer({}), 1);
}

TEST_F(ProblemLoader, ScalarsMayBeExpressionsOfRealNumbers) {
  std::string now = "value: inverse_sqrt(n)";
  for (const char* text : {"1.5 / n + 1", "1.5 * n / n / 2", "sqrt(n)", "exp(-1.0 / n)",
                           "inverse_sqrt(n) * 0.5", "2 * sqrt(n) ** 0.5", "inverse_sqrt(n + 0.5)"}) {
    const std::string next = std::string("value: ") + text;
    files.edit("kernels/copy/problem.yaml", now, next);
    now = next;
    const auto problem = load_problem("copy", path);
    ASSERT_TRUE(problem) << text << ": " << problem.error().text();
    const model::ScalarValue& scalar = problem->arguments[3].scalar;
    EXPECT_EQ(scalar.form, model::ScalarValue::Form::real) << text;
    EXPECT_EQ(scalar.real, text);
    EXPECT_EQ(scalar.expression.names(), (std::set<std::string, std::less<>>{"n"})) << text;
  }
  const auto fails = [&](const std::string& text, const std::string& part) {
    expect_error(error_after(now, "value: " + text), part, 9);
    now = "value: " + text;
  };
  fails("sqrt(q)", "unknown name 'q'");
  fails("0.5 + q * n", "'0.5 + q * n': unknown name 'q'");
  fails("sqrd(n)", "unknown function 'sqrd' (did you mean 'sqrt'?)");
  fails("0.5 + (n", "expected ')'");
  fails("0.1.2", "unexpected '.'");
  expect_error(error_after("dtype: i32, value: n}", "dtype: i32, value: sqrt(n)}"), "needs dtype f32 or f64",
               8);
}

TEST_F(ProblemLoader, GenesMayBeLowerCaseAndTruthValues) {
  files.edit("kernels/copy/problem.yaml", "KIND: {values: [a, b]}",
             "KIND: {values: [a, b]}\n      fast_math: {values: [false, true], initial: true}");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Gene& gene = *problem->templates.front().space.find("fast_math");
  EXPECT_EQ(gene.values, (std::vector<model::Value>{std::int64_t{0}, std::int64_t{1}}));
  EXPECT_EQ(gene.initial, model::Value(std::int64_t{1}));
  expect_error(error_after("[false, true], initial: true", "[\"a b\", c]"), "a b", 28);
  expect_error(error_after("fast_math: {values: [\"a b\", c]}", "n: {values: [1, 2]}"), "axis of the problem",
               28);
}

TEST_F(ProblemLoader, HeadersBesideTheSourceComeFirst) {
  files.write("kernels/copy/h.cuh", "// beside\n");
  EXPECT_EQ(load_problem("copy", path)->templates.front().headers.at("h.cuh"), "// beside\n");
}

TEST_F(ProblemLoader, StartsOfATemplate) {
  const std::string launch = "    launch:\n      grid: [\"ceil_div";
  const std::string start = "    starts:\n      - {name: narrow, description: few, genes: {THREADS: 32}}\n";
  files.edit("kernels/copy/problem.yaml", launch, start + launch);
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const auto& starts = problem->templates.front().initial_designs;
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(starts[0].name, "narrow");
  EXPECT_EQ(starts[0].description, "few");
  EXPECT_EQ(starts[0].genome.at("THREADS"), model::Value(std::int64_t{32}));
  EXPECT_EQ(starts[0].genome.at("KIND"), model::Value(std::string("a")))
      << "the rest as in the initial genome";
  expect_error(error_after("{THREADS: 32}}", "{THREADS: 33}}"), "33 is none of 32, 64", 32);
  expect_error(error_after("{THREADS: 33}}", "{THREDS: 32}}"), "(did you mean 'THREADS'?)", 32);
  expect_error(error_after("{THREDS: 32}}", "{THREADS: 32}}\n      - {name: narrow, genes: {}}"),
               "the start 'narrow' occurs twice", 33);
  expect_error(error_after("{name: narrow, genes: {}}", "{name: wide}"), "genes", 33);
}

TEST_F(ProblemLoader, UnknownInputSetOfAClass) {
  expect_error(error_after("input_sets: [normal]", "input_sets: [normall]"),
               "unknown input set 'normall' (did you mean 'normal'?)", 16);
}

TEST_F(ProblemLoader, AScalarMayTellTheStrideOfArrays) {
  files.edit("kernels/copy/problem.yaml", "dtype: i32, value: n}", "dtype: i32, value: \"stride(0, y)\"}");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::ScalarValue& scalar = problem->arguments[2].scalar;
  EXPECT_EQ(scalar.stride_of, (std::vector<std::string>{"y"}));
  EXPECT_EQ(scalar.dimension, 0U);
  EXPECT_EQ(scalar.expression.text(), problem->arguments[1].strides[0].text());
}

TEST_F(ProblemLoader, AStrideOfNothingIsNamedWithItsLine) {
  const std::string from = "dtype: i32, value: n}";
  expect_error(error_after(from, "dtype: i32, value: \"stride(0, z)\"}"), "there is no array 'z'", 8);
  expect_error(error_after("stride(0, z)", "stride(2, y)"), "0 to 1", 8);
  expect_error(error_after("stride(2, y)", "stride(y)"), "stride(0, Q, K)", 8);
  expect_error(error_after("stride(y)", "stride(0, y, x)"), "cannot tell both", 8);
  expect_error(error_after("stride(0, y, x)", "stride(0, s)"), "there is no array 's'", 8);
}

}  // namespace
}  // namespace evo::config
