#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

/// The small problem with a tensor map, for sm_90a only, its barrier not checkable.
struct TensorMapLoader : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  TensorMapLoader() {
    edit("      block: [THREADS]\n",
         "      block: [THREADS]\n"
         "      tensor_maps:\n"
         "        - {name: x_map, argument: x, order: [1, 0], box: [4 * width, THREADS], swizzle: 32}\n");
    edit("    entry: copy\n", "    entry: copy\n    arch: sm_90a\n    sync_checkable: false\n");
  }
  void edit(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
  }
  void expect_error(const std::string& from, const std::string& to, const std::string& part) {
    edit(from, to);
    const auto problem = load_problem("copy", path);
    ASSERT_FALSE(problem);
    EXPECT_NE(problem.error().text().find(part), std::string::npos) << problem.error().text();
    EXPECT_NE(problem.error().text().find("problem.yaml:"), std::string::npos) << problem.error().text();
  }
};

TEST_F(TensorMapLoader, ReadsEverything) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Template& kernel = problem->templates.front();
  EXPECT_EQ(kernel.arch, "sm_90a");
  EXPECT_FALSE(kernel.sync_checkable);
  ASSERT_EQ(kernel.launch.tensor_maps.size(), 1U);
  const model::TensorMapModel& map = kernel.launch.tensor_maps.front();
  EXPECT_EQ(map.name, "x_map");
  EXPECT_EQ(map.argument, "x");
  EXPECT_EQ(map.order, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(map.box.at(1).text(), "THREADS");
  EXPECT_EQ(map.swizzle.evaluate_integer({}).value(), 32);
}

TEST_F(TensorMapLoader, TheOrderIsFromTheLastDimensionUnlessSaid) {
  edit("order: [1, 0], ", "");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->templates.front().launch.tensor_maps.front().order, (std::vector<std::size_t>{1, 0}));
}

TEST_F(TensorMapLoader, Mistakes) {
  expect_error("swizzle: 32", "swizle: 32", "swizle' (did you mean 'swizzle'?)");
}
TEST_F(TensorMapLoader, UnknownArray) {
  expect_error("argument: x", "argument: n", "unknown array 'n'");
}
TEST_F(TensorMapLoader, OrderIsAPermutation) {
  expect_error("order: [1, 0]", "order: [1, 1]", "the dimension 1 occurs twice");
}
TEST_F(TensorMapLoader, OrderNamesDimensions) {
  expect_error("order: [1, 0]", "order: [1, 2]", "2 is out of range");
}
TEST_F(TensorMapLoader, BoxHasTheArraysRank) {
  expect_error("box: [4 * width, THREADS]", "box: [4 * width]", "1 sides; x has 2 dimensions");
}
TEST_F(TensorMapLoader, BoxNamesGenesOnly) {
  expect_error("box: [4 * width, THREADS]", "box: [4 * width, THREAD]",
               "unknown name 'THREAD' (did you mean 'THREADS'?)");
}
TEST_F(TensorMapLoader, UnknownArchitecture) {
  expect_error("arch: sm_90a", "arch: sm_90b", "did you mean 'sm_90a'?");
}

TEST_F(TensorMapLoader, WithoutACheckerBarriersStayAtFullStrength) {
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  const model::Space& space = problem->templates.front().space;
  model::Genome genome = space.initial();
  EXPECT_EQ(space.violation(genome), std::nullopt);
  genome.set("SYNC", std::string("none"));
  const auto why = space.violation(genome);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("sync_checkable: false"), std::string::npos) << *why;
  EXPECT_EQ(space.count_legal().all, space.count_legal().full_sync);
}

struct ForeignTemplate : TensorMapLoader {
  model::Expected<model::Experiment> load() {
    return load_experiment(files.path("experiments/try.yaml"), {}, path);
  }
};

TEST_F(ForeignTemplate, IsAnErrorWhereItIsTheOnlyOne) {
  const auto experiment = load();
  ASSERT_FALSE(experiment);
  EXPECT_NE(experiment.error().text().find("template plain is written for sm_90a; the target l4 is sm_89"),
            std::string::npos)
      << experiment.error().text();
}

TEST_F(ForeignTemplate, IsAnErrorWhereItIsNamed) {
  files.edit("experiments/try.yaml", "device: virtual\n", "device: virtual\ntemplates: [plain]\n");
  const auto experiment = load();
  ASSERT_FALSE(experiment);
  EXPECT_NE(experiment.error().text().find("is written for sm_90a"), std::string::npos)
      << experiment.error().text();
}

TEST_F(ForeignTemplate, IsTakenOnItsTarget) {
  files.edit("experiments/try.yaml", "target: l4", "target: h200");
  const auto experiment = load();
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_TRUE(experiment->left_out.empty());
}

}  // namespace
}  // namespace evo::config
