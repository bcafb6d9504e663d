// What ships loads: problems, experiments and the numbers they promise.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/oracle/known_names.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"

namespace evo::tests {
namespace {

namespace fs = std::filesystem;

TEST(ShippedExperiments, EachLoadsWithALegalBaseline) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(EVO_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().string());
    const auto experiment = config::load_experiment(entry.path().string(), {}, shipped_path());
    ASSERT_TRUE(experiment) << experiment.error().text();
    EXPECT_EQ(experiment->name, entry.path().stem().string());
    EXPECT_FALSE(experiment->workloads.empty());
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(ShippedExperiments, BeginWithTheirSchema) {
  for (const auto& entry : fs::directory_iterator(EVO_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    std::string first;
    std::getline(file, first);
    EXPECT_EQ(first, "# yaml-language-server: $schema=../schema/experiment.schema.json") << entry.path();
  }
}

TEST(ShippedExperiments, TheH200CampaignHasAtLeast200Trials) {
  EXPECT_GE(shipped_experiment("s512_h200").budget.trials, 200);
}

// With the names that evo itself hands to config.
TEST(ShippedProblems, NameOnlyWhatTheEvaluatorsKnow) {
  config::SearchPath path = shipped_path();
  path.known = evaluators::oracle::known_names(evo::tests::known());
  int count = 0;
  for (const char* folder : {"/kernels", "/suites/attacks/problems", "/tests/diagnose/fixtures"}) {
    for (const auto& entry : fs::directory_iterator(std::string(EVO_SOURCE_DIR) + folder)) {
      if (!fs::exists(entry.path() / "problem.yaml")) continue;
      const auto problem = config::load_problem(entry.path().string(), path);
      EXPECT_TRUE(problem) << problem.error().text();
      ++count;
    }
  }
  EXPECT_GE(count, 8);
}

TEST(ShippedProblems, EachStartIsLegalSomewhere) {
  const model::Problem problem = shipped_problem("attention_forward");
  int starts = 0;
  for (const model::Template& kernel : problem.templates) {
    for (const model::TemplateDesign& start : kernel.initial_designs) {
      EXPECT_EQ(bound_space(problem, kernel.name, 64, "h200").violation(start.genome), std::nullopt)
          << start.name;
      EXPECT_NE(start.genome, kernel.space.initial()) << start.name;
      EXPECT_FALSE(start.description.empty()) << start.name;
      ++starts;
    }
  }
  EXPECT_GE(starts, 3);
}

TEST(ShippedProblems, SanitizeShapesTurnEveryLoop) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("scalar");
  const model::Space space = bound_space(problem, "scalar", 64);
  for (const std::int64_t block_m : {16, 32, 64, 128}) {
    for (const std::int64_t block_n : {16, 32, 64, 128}) {
      for (const std::int64_t buffers : {1, 2}) {
        model::Environment environment = space.fixed();
        const auto genome = with_genes(space.initial(),
                                       {{"BLOCK_M", block_m}, {"BLOCK_N", block_n}, {"KV_BUFFERS", buffers}});
        for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
        bool causal = false, not_causal = false, view = false, unaligned = false;
        std::int64_t most_tiles = 0;
        for (const auto& shape : kernel.sanitize_shapes) {
          const auto value = [&](const char* axis) {
            return shape.find(axis)->second.evaluate_integer(environment).value();
          };
          const std::int64_t seq = value("seq");
          EXPECT_NE(seq % block_m, 0);
          EXPECT_NE(seq % block_n, 0);
          EXPECT_GT(seq, block_m) << "a single block";
          most_tiles = std::max(most_tiles, (seq + block_n - 1) / block_n);
          (value("causal") != 0 ? causal : not_causal) = true;
          view = view || value("layout") == 1;
          unaligned = unaligned || value("layout") == 2;
        }
        EXPECT_GE(most_tiles, buffers + 2);
        EXPECT_TRUE(causal && not_causal && view && unaligned);
      }
    }
  }
}

TEST(ShippedProblems, CheckWorkloadsHaveOddLengthsInEveryLayout) {
  const model::Problem problem = shipped_problem("attention_forward");
  std::set<std::int64_t> lengths, layouts;
  for (const model::Workload& workload : problem.check_workloads) {
    lengths.insert(workload.axes.at("seq"));
    if (const auto layout = workload.axes.find("layout"); layout != workload.axes.end())
      layouts.insert(layout->second);
  }
  for (const std::int64_t length : {1, 17, 63, 65, 100, 129}) EXPECT_TRUE(lengths.contains(length)) << length;
  EXPECT_TRUE(layouts.contains(1));
  EXPECT_TRUE(layouts.contains(2));
}

TEST(ShippedProblems, StridesOfAViewAndOfUnalignedRows) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("scalar");
  const model::Space space = bound_space(problem, "scalar", 64);
  const auto strides = [&](std::int64_t layout) {
    const model::Workload shape{
        "w",
        1,
        {{"batch", 2}, {"heads", 3}, {"seq", 100}, {"head_dim", 64}, {"causal", 0}, {"layout", layout}}};
    const auto bound = model::bind_case(problem, kernel, space, space.initial(), shape);
    EXPECT_TRUE(bound) << (bound ? "" : bound.error().text());
    // The scalars must say the same as the arrays' strides, or the kernel reads another view than the
    // reference.
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(bound->arguments[4 + i].scalar_integer, bound->arguments[0].strides[i]);
      EXPECT_EQ(bound->arguments[7 + i].scalar_integer, bound->arguments[3].strides[i]);
    }
    return bound->arguments[0].strides;
  };
  EXPECT_EQ(strides(0), (std::vector<std::int64_t>{19200, 6400, 64, 1}));
  EXPECT_EQ(strides(1), (std::vector<std::int64_t>{19200, 64, 192, 1}));
  EXPECT_EQ(strides(2), (std::vector<std::int64_t>{19500, 6500, 65, 1}));
}

// Each of batches, heads and rows lies beyond what 32 bits count, in elements and in bytes, in one of the
// shapes.
TEST(ShippedProblems, OffsetsBeyond32BitsAreAmongTheShapes) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("scalar");
  const model::Space space = bound_space(problem, "scalar", 64);
  std::set<std::size_t> far_dimensions;
  for (model::Workload workload : problem.check_workloads) {
    const auto far = workload.axes.find("far");
    if (far == workload.axes.end() || far->second == 0) continue;
    workload.axes["head_dim"] = 64;
    for (const char* axis : {"batch", "heads"}) workload.axes.try_emplace(axis, 1);
    for (const char* axis : {"causal", "layout"}) workload.axes.try_emplace(axis, 0);
    const auto bound = model::bind_case(problem, kernel, space, space.initial(), workload);
    ASSERT_TRUE(bound) << bound.error().text();
    for (std::size_t i = 0; i < 4; ++i) {
      const model::BoundArgument& argument = bound->arguments[i];
      for (std::size_t d = 0; d < 3; ++d) {
        if (argument.shape[d] > 2 && argument.strides[d] > (std::int64_t{1} << 32)) far_dimensions.insert(d);
      }
    }
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(bound->arguments[4 + d].scalar_integer, bound->arguments[0].strides[d]);
      EXPECT_EQ(bound->arguments[7 + d].scalar_integer, bound->arguments[3].strides[d]);
    }
  }
  EXPECT_EQ(far_dimensions, (std::set<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace evo::tests
