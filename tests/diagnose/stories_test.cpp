// Four failures that people hunted by hand for evenings, as small kernels of our own; each is named with its
// line.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/diagnose/support.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;
using diagnose::PostMortem;

class Stories : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
  static PostMortem diagnosed(const std::string& problem, const std::string& name, const Genes& genes = {}) {
    return run_diagnosis(make_subject(fixture_problem(problem), name, genes)).post_mortem;
  }
  /// True if a place among the first `most` shows a line with `text`.
  static bool points_at(const PostMortem& report, const std::string& text, std::size_t most = 4) {
    for (std::size_t i = 0; i < std::min(most, report.places.size()); ++i) {
      if (report.places[i].text.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(Stories, TheMisalignedRowStride) {
  const PostMortem report = diagnosed("attention", "row_stride");
  ASSERT_TRUE(report.failing);
  EXPECT_EQ(report.symptom.reason, "misaligned");
  EXPECT_EQ(report.category, "crash") << text_report(report);
  EXPECT_EQ(first_cause(report), "misaligned_shared_pitch");
  EXPECT_TRUE(points_at(report, "r * PITCH + c)")) << text_report(report);
  EXPECT_EQ(report.minimal.axes.at("seq"), 1) << "the pitch is wrong at any length";
}

TEST_F(Stories, TheRowStrideIsRightWithAPadOfEight) {
  EXPECT_FALSE(diagnosed("attention", "row_stride", {{"PAD", I{8}}}).failing);
}

TEST_F(Stories, TheLockedBlockM) {
  const PostMortem report = diagnosed("attention", "locked_tiles", {{"BLOCK_M", I{64}}});
  EXPECT_EQ(first_cause(report), "hidden_gene_assumption") << text_report(report);
  ASSERT_EQ(report.origin.genes.size(), 1U);
  EXPECT_EQ(report.origin.genes[0].gene, "BLOCK_M");
  EXPECT_EQ(report.minimal.axes.at("seq"), 33) << "32 rows are what 4 warps cover";
}

TEST_F(Stories, TheLockedNumWarps) {
  const PostMortem report = diagnosed("attention", "locked_tiles", {{"NUM_WARPS", I{8}}});
  EXPECT_EQ(first_cause(report), "hidden_gene_assumption") << text_report(report);
  ASSERT_EQ(report.origin.genes.size(), 1U);
  EXPECT_EQ(report.origin.genes[0].gene, "NUM_WARPS");
}

TEST_F(Stories, ThePairThatTheSourceWasWrittenForPasses) {
  EXPECT_FALSE(diagnosed("attention", "locked_tiles").failing);
  EXPECT_FALSE(diagnosed("attention", "locked_tiles", {{"NUM_WARPS", I{8}}, {"BLOCK_M", I{64}}}).failing);
}

TEST_F(Stories, TheWrongOnlineSoftmax) {
  const PostMortem report = diagnosed("attention", "online_softmax");
  EXPECT_EQ(report.category, "arithmetic") << text_report(report);
  EXPECT_EQ(first_cause(report), "sum_not_rescaled");
  EXPECT_EQ(report.minimal.axes.at("seq"), 17) << "one key more than a tile";
  const diagnose::Tile* first = report.tiles.first_divergent();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->check.name, "L") << "S and P are correct";
  EXPECT_EQ(first->check.first_wrong_tile, 1);
  EXPECT_TRUE(points_at(report, "expf(row_max - row_max)")) << text_report(report);
  // And where that factor, which is always one, is used.
  EXPECT_TRUE(points_at(report, "row_sum *= alpha")) << text_report(report);
}

TEST_F(Stories, TheFailureOfTheSecondLaunch) {
  const PostMortem report = diagnosed("persistent", "module_ticket");
  EXPECT_EQ(report.failing_launch, 2);
  EXPECT_EQ(report.category, "stale") << text_report(report);
  EXPECT_EQ(first_cause(report), "state_left_in_module");
  EXPECT_TRUE(points_at(report, "__device__ unsigned int next_ticket")) << text_report(report);
}

TEST_F(Stories, TheWorkspaceThatNobodyClears) {
  const PostMortem report = diagnosed("persistent", "workspace_ticket");
  EXPECT_EQ(first_cause(report), "state_left_in_workspace") << text_report(report);
  EXPECT_TRUE(points_at(report, "atomicAdd(tickets, 1u)")) << text_report(report);
}

TEST_F(Stories, AGoodKernelHasNoDiagnosis) {
  model::Problem problem = shipped_problem("attention_forward");
  problem.templates = {*problem.find_template("scalar")};
  const PostMortem report = run_diagnosis(make_subject(problem, "scalar"), 120).post_mortem;
  EXPECT_FALSE(report.failing) << text_report(report);
}

}  // namespace
}  // namespace evo::tests
