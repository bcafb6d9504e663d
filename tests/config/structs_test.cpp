// Structs by value: what `struct` says, where members lie, and every mistake with its place.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "model/structure.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

constexpr const char* members = R"yaml(  - name: par
    struct:
      - {name: flag, role: scalar, dtype: i8, value: 1}
      - {name: x, role: input, dtype: f32, shape: [n, width]}
      - {name: half, role: scalar, dtype: i16, value: n, align: 4}
      - {name: gain, role: scalar, dtype: f32, value: 0.5}
)yaml";

struct Structs : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  Structs() { edit("  - {name: x, role: input, dtype: f32, shape: [n, width]}\n", members); }
  void edit(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
  }
  model::Problem loaded() const {
    auto problem = load_problem("copy", path);
    if (!problem) throw std::runtime_error(problem.error().text());
    return std::move(*problem);
  }
  void expect_error(const std::string& from, const std::string& to, const std::string& part) {
    edit(from, to);
    const auto problem = load_problem("copy", path);
    ASSERT_FALSE(problem) << part;
    EXPECT_NE(problem.error().text().find(part), std::string::npos) << problem.error().text();
    EXPECT_NE(problem.error().text().find("problem.yaml:"), std::string::npos) << problem.error().text();
  }
};

TEST_F(Structs, MembersAreArgumentsAndLieAsInCpp) {
  const model::Problem problem = loaded();
  ASSERT_GE(problem.arguments.size(), 4U);
  EXPECT_EQ(problem.arguments[1].name, "x");
  EXPECT_EQ(problem.arguments[1].structure, "par");
  const auto plans = model::structs_of(problem.arguments);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].first, 0U);
  EXPECT_EQ(plans[0].offsets, (std::vector<std::uint32_t>{0, 8, 16, 20}));
  EXPECT_EQ(plans[0].bytes, 24U);
}
TEST_F(Structs, AreAlignedAsTheySay) {
  edit("  - name: par\n", "  - name: par\n    align: 16\n");
  EXPECT_EQ(model::structs_of(loaded().arguments)[0].bytes, 32U);
}
TEST_F(Structs, APlanHasThem) {
  const model::Problem problem = loaded();
  const model::Template& kernel = problem.templates.front();
  const model::Space space = model::bind_space(problem, kernel, {}, {});
  const auto bound = model::bind_case(problem, kernel, space, space.initial(), {"w", 1, {{"n", 8}}});
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->launch.structs, model::structs_of(problem.arguments));
  EXPECT_EQ(bound->arguments[2].scalar_integer, 8);
}
TEST_F(Structs, HaveMembers) {
  expect_error(members, "  - {name: par, struct: []}\n", "a struct has members");
}
TEST_F(Structs, HaveNoStructsInThem) {
  expect_error("      - {name: flag, role: scalar, dtype: i8, value: 1}\n",
               "      - {name: in, struct: [{name: flag, role: scalar, dtype: i8, value: 1}]}\n",
               "a struct within the struct par: write its members in its place");
}
TEST_F(Structs, KnowThreeKeys) {
  expect_error("  - name: par\n", "  - name: par\n    aling: 8\n", "aling");
}
TEST_F(Structs, HaveNamesOfTheirOwn) {
  expect_error("name: flag", "name: half", "two arguments are called half");
}
TEST_F(Structs, AlignmentsArePowersOfTwo) {
  expect_error("align: 4", "align: 3", "a power of two");
}
TEST_F(Structs, OnlyMembersAmongScalarsAreAligned) {
  expect_error("value: inverse_sqrt(n)}", "value: inverse_sqrt(n), align: 8}", "a scalar has no address");
}

}  // namespace
}  // namespace evo::config
