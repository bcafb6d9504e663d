// `launches:`, `args:`, `when:` and `symbol:`: what they say, and every mistake with its place.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "model/variant.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

constexpr const char* two_launches = R"yaml(    launches:
      - {entry: "first<{THREADS}>", grid: ["ceil_div(n, THREADS)"], block: [THREADS], static_smem: 8, args: [w, x, n]
}
      - {entry: second, grid: [1], block: [32], when: KIND == 'b', args: [y, w]}
)yaml";

struct Launches : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  Launches() {
    edit("    entry: copy\n", "");
    edit("    launch:\n      grid: [\"ceil_div(n, THREADS)\"]\n      block: [THREADS]\n", two_launches);
    edit("  - {name: s, role: scalar, dtype: f32, value: inverse_sqrt(n)}\n",
         "  - {name: w, role: workspace, dtype: f32, shape: [\"ceil_div(n, THREADS)\"]}\n");
  }
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
  model::Case bound(const std::string& kind, std::int64_t n) {
    const auto problem = load_problem("copy", path);
    if (!problem) throw std::runtime_error(problem.error().text());
    const model::Template& kernel = problem->templates.front();
    const model::Space space = model::bind_space(*problem, kernel, {}, {});
    model::Genome genome = space.initial();
    genome.set("KIND", kind);
    entries = model::render_entries(kernel, space, genome);
    const auto id = model::make_variant(kernel, space, genome).id;
    EXPECT_EQ(id.size(), 16U);
    return model::bind_case(*problem, kernel, space, genome, {"w", 1, {{"n", n}}}).value();
  }
  std::vector<std::string> entries;
};

TEST_F(Launches, AreMadeInTheirOrderAsTheGenomeHasThem) {
  const model::Case both = bound("b", 100);
  EXPECT_EQ(entries, (std::vector<std::string>{"first<64>", "second"}));
  EXPECT_EQ(both.launch.kernel, 0U);
  EXPECT_EQ(both.launch.grid[0], 2U);
  EXPECT_EQ(both.launch.arguments, (std::vector<std::uint32_t>{3, 0, 2}));
  ASSERT_EQ(both.launch.then.size(), 1U);
  EXPECT_EQ(both.launch.then[0].kernel, 1U);
  EXPECT_EQ(both.launch.then[0].block[0], 32U);
  EXPECT_EQ(both.launch.then[0].arguments, (std::vector<std::uint32_t>{1, 3}));
  const model::Case one = bound("a", 100);
  EXPECT_EQ(entries, (std::vector<std::string>{"first<64>"}));
  EXPECT_TRUE(one.launch.then.empty());
  EXPECT_NE(model::text_of(one.launch), model::text_of(both.launch));
}

TEST_F(Launches, AKernelThatIsLaunchedTwiceIsOne) {
  edit("entry: second", "entry: \"first<64>\"");
  const model::Case both = bound("b", 100);
  EXPECT_EQ(entries, (std::vector<std::string>{"first<64>"}));
  EXPECT_EQ(both.launch.then.at(0).kernel, 0U);
}

TEST_F(Launches, AWorkspaceIsAsLargeAsTheGenomeNeedsIt) {
  EXPECT_EQ(bound("a", 100).arguments.at(3).shape, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(bound("a", 300).arguments.at(3).shape, (std::vector<std::int64_t>{5}));
}

TEST_F(Launches, AnIdFollowsWhatIsLaunched) {
  const auto id = [&] {
    const auto problem = load_problem("copy", path).value();
    const model::Template& kernel = problem.templates.front();
    const model::Space space = model::bind_space(problem, kernel, {}, {});
    return model::make_variant(kernel, space, space.initial()).id;
  };
  std::vector<std::string> ids{id()};
  const std::vector<std::pair<std::string, std::string>> edits{
      {"args: [w, x, n]", "args: [x, w, n]"},
      {"when: KIND == 'b'", "when: KIND == 'a'"},
      {"grid: [1]", "grid: [2]"},
      {"entry: second", "entry: third"},
      {"block: [32]", "block: [64]"},
      {"args: [y, w]", "args: [y, w], dynamic_smem: 4"}};
  for (const auto& [from, to] : edits) {
    edit(from, to);
    const std::string now = id();
    for (const std::string& before : ids) EXPECT_NE(now, before) << to;
    ids.push_back(now);
  }
}

TEST_F(Launches, AGeneMayBeInTheNameOfAnyOfTheKernels) {
  edit("KIND: {values: [a, b]}", "KIND: {values: [a, b]}\n      ITEMS: {values: [1, 2], as: template}");
  edit("entry: second", "entry: \"second<{ITEMS}>\"");
  (void)bound("b", 100);
  EXPECT_EQ(entries, (std::vector<std::string>{"first<64>", "second<1>"}));
}
TEST_F(Launches, AnUnknownGeneInANameIsToldAtItsLaunch) {
  expect_error("entry: second", "entry: \"second<{THREDS}>\"", "{THREDS} is no gene");
}

TEST_F(Launches, NoLaunchLeftIsAnError) {
  edit("block: [THREADS], static", "block: [THREADS], when: KIND == 'b', static");
  const auto problem = load_problem("copy", path).value();
  const model::Template& kernel = problem.templates.front();
  const model::Space space = model::bind_space(problem, kernel, {}, {});
  const auto none = model::bind_case(problem, kernel, space, space.initial(), {"w", 1, {{"n", 9}}});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("no launch is left"), std::string::npos) << none.error().text();
  EXPECT_NE(none.error().text().find("problem.yaml:"), std::string::npos) << none.error().text();
}

/// Grid and scalar of each launch: "2 3" of two blocks whose argument 2 is 3; "2" where it is the case's.
std::vector<std::string> turns(const model::Case& bound) {
  std::vector<std::string> all;
  for (const model::LaunchPlan* plan : model::kernels_of(bound.launch)) {
    all.push_back(std::to_string(plan->grid[0]));
    for (const model::ScalarPlan& scalar : plan->scalars)
      all.back() += " " + std::to_string(scalar.argument) + "=" + std::to_string(scalar.value);
  }
  return all;
}
using Turns = std::vector<std::string>;

struct Repeated : Launches {
  Repeated() {
    edit("  - {name: n, role: scalar, dtype: i32, value: n}\n",
         "  - {name: n, role: scalar, dtype: i32, value: pass * 2}\n");
  }
  void repeat(const std::string& how) {
    edit("- {entry: second, grid: [1]", "- {repeat: " + how + ", entry: second, grid: [pass + 1]");
  }
};

TEST_F(Repeated, ACountGoesFromNought) {
  repeat("{pass: n / 2}");
  EXPECT_EQ(turns(bound("b", 6)), (Turns{"1", "1 2=0", "2 2=2", "3 2=4"}));
  EXPECT_EQ(turns(bound("b", 1)), (Turns{"1"}));
  EXPECT_EQ(turns(bound("a", 6)), (Turns{"1"}));
  const model::Case six = bound("b", 6);
  EXPECT_EQ(six.arguments.at(2).scalar_integer, 0);
  EXPECT_NE(model::text_of(six.launch).find("argument 2 is 4"), std::string::npos);
}
TEST_F(Repeated, BoundsAreIncludedAndStepsMayGoDown) {
  repeat("{pass: {from: n, to: 1, step: -2}}");
  EXPECT_EQ(turns(bound("b", 5)), (Turns{"1", "6 2=10", "4 2=6", "2 2=2"}));
  EXPECT_EQ(bound("b", 5).arguments.at(2).scalar_integer, 10);
}
TEST_F(Repeated, LoopsAreWithinLoopsAndLaunchesGoTogether) {
  edit("- {entry: second, grid: [1], block: [32], when: KIND == 'b', args: [y, w]}",
       "- repeat: {pass: 2}\n        launches:\n"
       "          - {entry: second, grid: [1], block: [32], args: [y, w]}\n"
       "          - {repeat: {t: {from: pass, to: 1}}, entry: third, grid: [10 + t], block: [32], args: [y, "
       "w]}\n"
       "          - {entry: second, when: pass == n - 1, grid: [20], block: [32], args: [y, w]}");
  EXPECT_EQ(turns(bound("a", 2)), (Turns{"1", "1 2=0", "10 2=0", "11 2=0", "1 2=2", "11 2=2", "20 2=2"}));
  EXPECT_EQ(entries, (std::vector<std::string>{"first<64>", "second", "third"}));
}
TEST_F(Repeated, TwoLoopsOfOneNameAreTwo) {
  edit("- {entry: second, grid: [1], block: [32], when: KIND == 'b', args: [y, w]}",
       "- {repeat: {pass: 2}, entry: second, grid: [1], block: [32], args: [y, w]}\n"
       "      - {repeat: {pass: 2}, entry: third, grid: [2], block: [32], args: [y, w]}");
  EXPECT_EQ(turns(bound("a", 2)), (Turns{"1", "1 2=0", "1 2=2", "2 2=0", "2 2=2"}));
}
TEST_F(Repeated, WhatFollowsALoopIsNothingForTheReference) {
  repeat("{pass: 3}");
  EXPECT_TRUE(load_problem("copy", path).value().arguments.at(2).neutral);
}
TEST_F(Repeated, MistakesAreToldWithTheirPlace) {
  repeat("{pass: 3}");
  for (const auto& [to, part] :
       std::vector<std::pair<std::string, std::string>>{{"{pass: 3, n: 3}", "n is an axis already"},
                                                        {"{Pass: 3}", "no lower-case name"},
                                                        {"{pass: m}", "unknown name 'm'"},
                                                        {"{pass: {form: 1, to: 2}}", "did you mean 'from'?"},
                                                        {"{pass: {from: 1}}", "to"},
                                                        {"{}", "expected {NAME: COUNT}"},
                                                        {"3", "expected {NAME: COUNT}"}}) {
    expect_error("{pass: 3}", to, part);
    edit(to, "{pass: 3}");
  }
}
TEST_F(Repeated, ARealNumberFollowsNoLoop) {
  repeat("{pass: 3}");
  expect_error("dtype: i32, value: pass * 2", "dtype: f32, value: pass * 2", "only an integer can follow");
}
TEST_F(Repeated, AListOfLaunchesNeedsACount) {
  expect_error("- {entry: second, grid: [1], block: [32], when: KIND == 'b', args: [y, w]}",
               "- {launches: [{entry: second, grid: [1], block: [32], args: [y, w]}]}", "need repeat");
}
TEST_F(Repeated, EndlessLoopsAndTooManyLaunchesAreErrors) {
  const auto error_of = [&](const std::string& how) {
    repeat(how);
    const auto problem = load_problem("copy", path).value();
    const model::Template& kernel = problem.templates.front();
    const model::Space space = model::bind_space(problem, kernel, {}, {});
    model::Genome genome = space.initial();
    genome.set("KIND", std::string("b"));
    const auto none = model::bind_case(problem, kernel, space, genome, {"w", 1, {{"n", 9}}});
    edit("- {repeat: " + how + ", entry: second, grid: [pass + 1]", "- {entry: second, grid: [1]");
    return none ? std::string("bound") : none.error().text();
  };
  EXPECT_NE(error_of("{pass: {from: 0, to: 4, step: n - 9}}").find("never ends"), std::string::npos);
  EXPECT_NE(error_of("{pass: 20000}").find("more than 10000"), std::string::npos);
  const std::string last = "9223372036854775807";
  EXPECT_EQ(error_of("{pass: {from: 1, to: " + last + ", step: " + last + "}}"), "bound") << "one turn";
}
TEST_F(Repeated, TurnsThatMakeNoLaunchEndToo) {
  repeat("{other: 9000, pass: 9000}");
  edit("when: KIND == 'b', args: [y, w]", "when: pass < 0, args: [y, w]");
  const auto problem = load_problem("copy", path).value();
  const model::Template& kernel = problem.templates.front();
  const model::Space space = model::bind_space(problem, kernel, {}, {});
  model::Genome genome = space.initial();
  genome.set("KIND", std::string("b"));
  EXPECT_FALSE(model::bind_case(problem, kernel, space, genome, {"w", 1, {{"n", 9}}}));
}
TEST_F(Repeated, ALoopTakesNoNameThatHasAMeaning) {
  repeat("{pass: 3}");
  expect_error("{pass: 3}", "{pass: 3, warp_size: 3}", "warp_size");
}

TEST_F(Launches, AnUnknownKeyIsToldWithTheNearest) {
  expect_error("when: KIND", "wen: KIND", "wen' (did you mean 'when'?)");
}
TEST_F(Launches, AnUnknownArgumentIsToldWithTheNearest) {
  expect_error("args: [y, w]", "args: [yy, w]", "yy");
}
TEST_F(Launches, ConditionsKnowNoRunTimeAxes) {
  expect_error("when: KIND == 'b'", "when: n > 64", "unknown name 'n'");
}
TEST_F(Launches, EveryOneNamesItsKernel) {
  expect_error("{entry: second, ", "{", "entry");
}
TEST_F(Launches, ThereIsNoEntryBesidesThem) {
  expect_error("    headers:", "    entry: copy\n    headers:", "there is no entry besides");
}
TEST_F(Launches, ThereIsNoLaunchBesidesThem) {
  expect_error(
      "    headers:", "    launch: {grid: [1], block: [32]}\n    headers:", "there is no launch besides");
}
TEST_F(Launches, OneOfTheFormsIsNeeded) {
  expect_error(two_launches, "", "entry");
}
TEST_F(Launches, AnEmptyListIsNone) {
  expect_error(two_launches, "    launches: []\n", "at least one launch");
}
TEST_F(Launches, OnlyWorkspacesHaveShapesOverGenes) {
  expect_error("{name: x, role: input, dtype: f32, shape: [n, width]}",
               "{name: x, role: input, dtype: f32, shape: [THREADS, width]}",
               "only scalars and the shape of a workspace may use genes");
}
TEST_F(Launches, ScalarsOverGenesFollowTheGenome) {
  edit("args:\n", "args:\n  - {name: parts, role: scalar, dtype: i32, value: \"ceil_div(n, THREADS)\"}\n");
  edit("args: [", "args: [parts, ");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_TRUE(problem->arguments.front().neutral) << "no reference has a use for it";
  EXPECT_EQ(bound("b", 100).arguments.front().scalar_integer, 2);
  expect_error("ceil_div(n, THREADS)\"}\n", "ceil_div(n, THREDS)\"}\n", "'THREDS'");
}
TEST_F(Launches, WorkspacesNameWhatThereIs) {
  expect_error("shape: [\"ceil_div(n, THREADS)\"]", "shape: [\"ceil_div(n, THREDS)\"]",
               "'THREDS' (did you mean 'THREADS'?)");
}

struct Symbols : Launches {
  Symbols() {
    edit("{name: x, role: input, dtype: f32, ", "{name: x, role: input, symbol: ns::d_x, dtype: f32, ");
  }
};

TEST_F(Symbols, AreNoParameters) {
  edit("args: [w, x, n]", "args: [w, n]");
  const model::Case both = bound("b", 100);
  ASSERT_EQ(both.launch.symbols.size(), 1U);
  EXPECT_EQ(both.launch.symbols[0].argument, 0U);
  EXPECT_EQ(both.launch.symbols[0].name, "ns::d_x");
  edit(", args: [w, n]", "");
  EXPECT_EQ(bound("b", 100).launch.arguments, (std::vector<std::uint32_t>{1, 2, 3})) << "all others";
}
TEST_F(Symbols, AreNotAmongTheArgs) {
  expect_error("headers", "headers", "in the variable ns::d_x");
}
TEST_F(Symbols, AreNamesOfVariables) {
  expect_error("ns::d_x", "ns:d-x", "no name of a variable");
}
TEST_F(Symbols, AreInputs) {
  expect_error("role: input, symbol: ns::d_x", "role: output, symbol: ns::d_x", "only an input");
}
TEST_F(Symbols, HaveNoStrides) {
  expect_error("symbol: ns::d_x,", "symbol: ns::d_x, strides: [width, 1],", "no strides");
}
TEST_F(Symbols, HoldOneArgumentEach) {
  edit("args: [w, x, n]", "args: [w, n]");
  expect_error("  - {name: y,",
               "  - {name: z, role: input, dtype: f32, shape: [n], symbol: ns::d_x}\n  - {name: y,",
               "holds the argument x already");
}

}  // namespace
}  // namespace evo::config
