// `reduce`: outputs whose slices follow the genome, or whose order does not count.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "model/variant.hpp"
#include "tests/config/files.hpp"
#include "tests/support/targets.hpp"

namespace evo::config {
namespace {

struct Reductions : ::testing::Test {
  testing::Files files;
  SearchPath path = files.search_path();

  Reductions() { output("shape: [THREADS / 32, n, width], reduce: sum"); }
  void output(const std::string& keys) {
    std::string text = files.read("kernels/copy/problem.yaml");
    const std::size_t at = text.find("  - {name: y,"), end = text.find('\n', at);
    text.replace(at, end - at, "  - {name: y, role: output, dtype: f32, " + keys + "}");
    files.write("kernels/copy/problem.yaml", text);
  }
  std::string error() const {
    const auto problem = load_problem("copy", path);
    return problem ? "no error" : problem.error().text();
  }
};

TEST_F(Reductions, TheFirstDimensionFollowsTheGenome) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Argument& y = problem->arguments[1];
  EXPECT_EQ(y.reduce, model::Reduction::sum);
  EXPECT_EQ(y.shape.size(), 2U) << "what the oracle has";
  EXPECT_EQ(y.strides.size(), 2U);
  const model::Template& kernel = problem->templates.front();
  const auto space = model::bind_space(*problem, kernel, {{"width", 2}}, tests::shipped_target("l4"));
  const auto bound =
      model::bind_case(*problem, kernel, space, space.initial(), {"w", 1, {{"n", 10}, {"width", 2}}});
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->arguments[1].slices, 2);
  EXPECT_EQ(bound->arguments[1].extent(), 40);
  EXPECT_EQ(bound->arguments[1].unreduced().shape, (std::vector<std::int64_t>{2, 10, 2}));
  EXPECT_EQ(bound->arguments[1].unreduced().extent(), 40);
}

TEST_F(Reductions, OneDimensionBecomesOneNumber) {
  output("shape: [\"ceil_div(n, THREADS)\"], reduce: max");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->arguments[1].shape.size(), 1U);
}

TEST_F(Reductions, AnyOrderIsNoReproducibleOne) {
  output("shape: [n], reduce: sort");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_FALSE(problem->arguments[1].reproducible);
  EXPECT_FALSE(problem->arguments[1].slices);
}

TEST_F(Reductions, MistakesHaveTheirPlace) {
  output("shape: [n], reduce: summ");
  EXPECT_NE(error().find("did you mean 'sum'"), std::string::npos) << error();
  output("shape: [n], reduce: [sum]");
  EXPECT_NE(error().find("problem.yaml:"), std::string::npos) << error();
  for (const char* keys : {"shape: [n, width], strides: [width, 1], reduce: sum", "shape: [], reduce: sum",
                           "shape: [n], reduce: sort, surface: {}", "shape: [THREDS, n], reduce: sum",
                           "shape: [THREADS, n], reduce: sort", "shape: [n, THREADS], reduce: sum"}) {
    output(keys);
    EXPECT_NE(error().find("problem.yaml:"), std::string::npos) << keys << ": " << error();
  }
  output("shape: [n, width]");
  for (const char* key : {"shape: [1]", "strides: [1]", "zeroed: true", "reduce: sum"}) {
    const std::string scalar = "{name: n, role: scalar, dtype: i32, value: n";
    files.edit("kernels/copy/problem.yaml", scalar + "}", scalar + ", " + key + "}");
    EXPECT_NE(error().find("problem.yaml:"), std::string::npos) << key << ": " << error();
    files.edit("kernels/copy/problem.yaml", scalar + ", " + key + "}", scalar + "}");
  }
  files.edit("kernels/copy/problem.yaml", "{name: x, role: input, dtype: f32, shape: [n, width]}",
             "{name: x, role: input, dtype: f32, shape: [n, width], reduce: sum}");
  EXPECT_NE(error().find("problem.yaml:"), std::string::npos) << error();
}

}  // namespace
}  // namespace evo::config
