// Oracles as data, tolerance: auto: what is read, and how what is wrong is told.
#include <gtest/gtest.h>

#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using model::OracleKind;

constexpr int oracle_line = 10;

struct Oracles : ::testing::Test {
  Oracles() {
    files.write("kernels/copy/naive.cu", "__global__ void reference() {}\n");
    files.write("kernels/copy/x.npy", "x");
    files.write("kernels/copy/y.npy", "y");
    files.write("kernels/copy/ref.py", "print()\n");
  }
  /// The problem with `oracle: TEXT`.
  model::Expected<model::Problem> with(const std::string& text) {
    files.edit("kernels/copy/problem.yaml", "oracle: " + now, "oracle: " + text);
    now = text;
    return load_problem("copy", path);
  }
  model::Error error(const std::string& text) {
    const auto problem = with(text);
    EXPECT_FALSE(problem) << text;
    return problem ? model::Error{} : problem.error();
  }
  void says(const std::string& text, const std::string& part, int line = oracle_line, int column = 0) {
    const model::Error found = error(text);
    EXPECT_NE(found.message.find(part), std::string::npos) << text << "\n" << found.text();
    EXPECT_EQ(found.line, line) << found.text();
    EXPECT_TRUE(found.file.ends_with("problem.yaml")) << found.text();
    if (column > 0) {
      EXPECT_EQ(found.column, column) << found.text();
    }
  }
  testing::Files files;
  SearchPath path = files.search_path();
  std::string now = "copy";
};

TEST_F(Oracles, EveryKindIsRead) {
  const auto expression = with("{expression: \"y[i, j] = x[i, j]\"}");
  ASSERT_TRUE(expression) << expression.error().text();
  EXPECT_EQ(expression->oracle, model::joined_oracle);
  EXPECT_EQ(expression->oracles.front().statements.front().text, "y[i, j] = x[i, j]");
  EXPECT_EQ(model::oracle_claim(*expression), "proven (one oracle)");
  const auto recorded = with("{files: {w: {x: x.npy, y: y.npy}}}");
  ASSERT_FALSE(recorded) << "other input sets have no answer";
  const auto command = with("{command: [python3, ref.py], timeout_s: 5}");
  ASSERT_TRUE(command) << command.error().text();
  EXPECT_EQ(command->oracles.front().timeout_s, 5);
  files.write("kernels/copy/ref.py", "print(1)\n");
  EXPECT_NE(load_problem("copy", path)->content_hash, command->content_hash) << "the program's text counts";
  const auto several = with(
      "[copy, {kernel: naive.cu}, {expression: \"y[i, j] = x[i, j]\"}, "
      "{files: {w: {x: x.npy, y: y.npy}}}]");
  ASSERT_TRUE(several) << several.error().text();
  EXPECT_EQ(model::oracle_kinds(*several), (std::vector{OracleKind::builtin, OracleKind::kernel,
                                                        OracleKind::expression, OracleKind::files}));
  EXPECT_EQ(model::oracle_claim(*several), "proven");
  EXPECT_EQ(several->input_sets.front().kind, "recorded");
  EXPECT_EQ(several->oracles.back().recordings.front().files.size(), 2U);
}

TEST_F(Oracles, RecordedFilesAloneNeedNoInputSets) {
  files.edit("kernels/copy/problem.yaml",
             "input_sets:\n  - {name: normal, kind: normal, sigma: 2}\n  - {name: ones, kind: ones}\n", "");
  files.edit("kernels/copy/problem.yaml", ", input_sets: [normal]", "");
  const auto recorded = with("{files: {w: {x: x.npy, y: y.npy}}}");
  ASSERT_TRUE(recorded) << recorded.error().text();
  EXPECT_EQ(model::oracle_claim(*recorded), "matches the recording");
  ASSERT_EQ(recorded->input_sets.size(), 1U);
  files.write("kernels/copy/y.npy", "z");
  EXPECT_NE(load_problem("copy", path)->content_hash, recorded->content_hash) << "the arrays count";
}

TEST_F(Oracles, AWorkloadThatIsNotRecordedIsToldWhereItStands) {
  files.edit("kernels/copy/problem.yaml",
             "input_sets:\n  - {name: normal, kind: normal, sigma: 2}\n  - {name: ones, kind: ones}\n", "");
  files.edit("kernels/copy/problem.yaml", ", input_sets: [normal]", "");
  const auto recorded = with("{files: {large: {x: x.npy, y: y.npy}}}");
  ASSERT_TRUE(recorded) << recorded.error().text();
  files.edit("experiments/try.yaml", "name: w", "name: lage");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, path);
  ASSERT_FALSE(experiment);
  EXPECT_NE(experiment.error().message.find("did you mean 'large'?"), std::string::npos)
      << experiment.error().text();
  EXPECT_EQ(experiment.error().line, 4);
}

TEST_F(Oracles, WorkAndToleranceFollowFromAnExpression) {
  files.edit("kernels/copy/problem.yaml", "work: {flops: n, bytes: 8 * n}\n", "");
  EXPECT_TRUE(with("{kernel: naive.cu}")->work.assumed);
  const auto problem = with("{expression: \"y[i, j] = 2 * x[i, j] + 1\"}");
  ASSERT_TRUE(problem) << problem.error().text();
  model::Environment sizes;
  sizes.insert_or_assign("n", std::int64_t{10});
  sizes.insert_or_assign("width", std::int64_t{4});
  EXPECT_EQ(problem->work.flops.evaluate_integer(sizes).value(), 80);
  EXPECT_EQ(problem->work.bytes.evaluate_integer(sizes).value(), 2 * 4 * 40);
  EXPECT_FALSE(problem->tolerances.front().automatic);
  files.edit("kernels/copy/problem.yaml", "tolerances:\n", "tolerance: auto\ntolerances:\n");
  says("{expression: \"y[i, j] = x[i, j]\"}", "tolerances of its own", 14);
}

TEST_F(Oracles, ToleranceIsAutoByDefault) {
  files.edit(
      "kernels/copy/problem.yaml",
      "tolerances:\n  - {class: exact, relative_frobenius: 0, max_abs_over_rms: 0}\n  - {class: loose, "
      "relative_frobenius: 0.01, max_abs_over_rms: 1, input_sets: [normal]}\n",
      "");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  ASSERT_EQ(problem->tolerances.size(), 1U);
  EXPECT_TRUE(problem->tolerances.front().automatic);
  EXPECT_TRUE(problem->tolerances.front().reference_factor);
  EXPECT_EQ(problem->tolerances.front().accuracy_class, "auto");
  files.edit("kernels/copy/problem.yaml", "work:", "tolerance: auot\nwork:");
  says("copy", "did you mean 'auto'?", 14);
}

TEST_F(Oracles, WhatKernelsComputeInIsDeclaredBesideToleranceAuto) {
  files.edit("kernels/copy/problem.yaml", "work:", "compute: f16\nwork:");
  says("{expression: \"y[i, j] = x[i, j]\"}", "belongs to tolerance: auto", 17);
  files.edit(
      "kernels/copy/problem.yaml",
      "tolerances:\n  - {class: exact, relative_frobenius: 0, max_abs_over_rms: 0}\n  - {class: loose, "
      "relative_frobenius: 0.01, max_abs_over_rms: 1, input_sets: [normal]}\n",
      "");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->computes_in, model::DType::f16);
  EXPECT_EQ(problem->tolerances.front().accuracy_class, "auto-f16") << "reports name it";
  EXPECT_EQ(problem->tolerances.front().backward_error, 2e-3);
  files.edit("kernels/copy/problem.yaml", "compute: f16", "compute: bf16");
  const auto other = load_problem("copy", path);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ(other->computes_in, model::DType::bf16);
  EXPECT_EQ(other->tolerances.front().accuracy_class, "auto-bf16");
  EXPECT_EQ(other->tolerances.front().backward_error, 3e-3);
  files.edit("kernels/copy/problem.yaml", "compute: bf16", "compute: fp16");
  says("copy", "did you mean 'f16'?", 14);
}

TEST_F(Oracles, WhatIsWrongHasItsPlace) {
  says("{}", "an oracle is a name, or one of");
  says("[]", "needs an oracle");
  says("{expresion: a}", "did you mean 'expression'?");
  says("{kernel: naive.cu, expression: \"y[i, j] = x[i, j]\"}", "several are a list");
  says("{expression: \"y[i, j] = x[i, j]\", entry: f}",
       "entry does not belong to an oracle of the kind expression");
  says("[{kernel: naive.cu}, {kernel: naive.cu}]", "one reference kernel");
  // oracle: {expression: "y[i, j] = ...: the text begins in column 23.
  says("{expression: \"y[i, j] = z[i, j]\"}", "unknown name 'z' (did you mean 'x'?)", oracle_line, 33);
  says("{expression: y = 1}", "y has 2 dimensions");
  says("{expression: [\"t = sum(i, j, x[i, j])\", \"y[i, j] = t / sqr(n)\"]}", "did you mean 'sqrt'?",
       oracle_line, 64);
  says("{expression: \"t = 1; y[i, j] = x[i]\"}", "1 index is given", oracle_line, 40);
  says("{expression: \"\"}", "needs a statement");
  says("{files: {}}", "needs a workload");
  says("{files: {w: {x: x.npy}}}", "y");
  says("{files: {w: {x: x.npy, z: y.npy}}}", "z");
  says("{files: {w: {x: x.npy, y: gone.npy}}}", "gone.npy cannot be read");
  says("{command: python3 ref.py}", "a list of words");
  says("{command: []}", "needs a program");
  says("{command: [python3], timeout_s: 0}", "out of range");
}

TEST_F(Oracles, AReferenceSharesNothingWithATemplate) {
  files.write("kernels/copy/naive.cu", "#include \"h.cuh\"\n__global__ void reference() {}\n");
  says("{kernel: naive.cu}", "naive.cu includes h.cuh, as the template plain (plain.cu) does");
  says("{kernel: plain.cu}", "plain.cu is the source of the template plain");
}

}  // namespace
}  // namespace evo::config
