// Arrays of structs with members of several types: where their fields lie, what a kernel gets, every mistake.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "model/records.hpp"
#include "model/variant.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

constexpr const char* fields = R"yaml(  - {name: "p[].x", role: input, dtype: f32, shape: [n, 3]}
  - {name: "p[].colour", role: input, dtype: u8, shape: [n, 3]}
  - {name: "p[].w", role: input, dtype: f64, shape: [n, 1]}
)yaml";

struct Records : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  Records() { edit("  - {name: x, role: input, dtype: f32, shape: [n, width]}\n", fields); }
  void edit(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
  }
  void expect_error(const std::string& from, const std::string& to, const std::string& part) {
    edit(from, to);
    const auto problem = load_problem("copy", path);
    ASSERT_FALSE(problem) << part;
    EXPECT_NE(problem.error().text().find(part), std::string::npos) << problem.error().text();
    EXPECT_NE(problem.error().text().find("problem.yaml:"), std::string::npos) << problem.error().text();
  }
};

TEST_F(Records, LieAsInCppAndAreOneParameter) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Template& kernel = problem->templates.front();
  const model::Space space = model::bind_space(*problem, kernel, {}, {});
  const auto bound = model::bind_case(*problem, kernel, space, space.initial(), {"w", 1, {{"n", 10}}});
  ASSERT_TRUE(bound) << bound.error().text();
  const auto records = model::records_of(bound->arguments);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].offsets, (std::vector<std::int64_t>{0, 12, 16}));
  EXPECT_EQ(records[0].lengths, (std::vector<std::int64_t>{12, 3, 8}));
  EXPECT_EQ(records[0].bytes, 24);
  EXPECT_EQ(records[0].count, 10);
  EXPECT_EQ(bound->arguments[records[0].first].alignment, 8) << "the address of a double's struct";
  ASSERT_TRUE(bound->launch.arguments);
  EXPECT_EQ(bound->launch.arguments->size() + 2, bound->arguments.size());
}

TEST_F(Records, HaveOneRole) {
  expect_error("{name: \"p[].w\", role: input", "{name: \"p[].w\", role: inout", "one role");
}
TEST_F(Records, HaveOneShape) {
  expect_error("dtype: f64, shape: [n, 1]", "dtype: f64, shape: [2 * n, 1]", "the same shape");
}
TEST_F(Records, HaveAFixedNumberOfElements) {
  expect_error("dtype: u8, shape: [n, 3]", "dtype: u8, shape: [n, n]", "its elements in one struct");
}
TEST_F(Records, HaveTheStridesThatTheStructsGiveThem) {
  expect_error("dtype: u8, shape: [n, 3]", "dtype: u8, shape: [n, 3], strides: [0, 1]", "strides");
}
TEST_F(Records, StandTogether) {
  expect_error("  - {name: \"p[].w\"",
               "  - {name: between, role: input, dtype: f32, shape: [n]}\n  - {name: \"p[].w\"",
               "stand together");
}

}  // namespace
}  // namespace evo::config
