// The kernel of experiments/case_misaligned.yaml is refused for the faults that it has, and for no others.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/kernels/on_ladder.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class CaseMisaligned : public NeedsNvrtc {
 protected:
  static model::Experiment experiment(bool with_barrier) {
    model::Experiment loaded = shipped_experiment("case_misaligned");
    loaded.workloads.front().axes["seq"] = 70;
    if (with_barrier) {
      std::string& source = loaded.problem.templates.front().source;
      const std::string gap = "    // fault 3:";
      const std::size_t at = source.find(gap);
      if (at == std::string::npos) throw std::runtime_error("naive_tiles.cu has no third fault any more");
      source.replace(at, gap.size(), "    __syncthreads();  //");
    }
    return loaded;
  }

  /// The line of the source that a finding names.
  static std::string source_line(const model::Experiment& experiment, int line) {
    std::istringstream source(experiment.problem.templates.front().source);
    std::string text;
    for (int i = 0; i < line; ++i) std::getline(source, text);
    return text;
  }

  static bool names(const model::Failure& failure, const std::string& kind) {
    for (const model::Evidence& item : failure.evidence) {
      if (item.kind == kind && item.file == "naive_tiles.cu" && item.line > 0) return true;
    }
    return false;
  }
};

TEST_F(CaseMisaligned, TheBaselineIsRefusedAtItsLine) {
  const model::Experiment loaded = experiment(false);
  OnLadder ladder(loaded);
  const auto report = ladder.prove(loaded.baseline);
  ASSERT_FALSE(report.valid());
  EXPECT_EQ(report.failed_gate(), "sanitize");
  ASSERT_TRUE(names(*report.failure(), "misaligned")) << verdict(report);
  for (const model::Evidence& item : report.failure()->evidence) {
    if (item.kind != "misaligned") continue;
    const std::string text = source_line(loaded, item.line);
    EXPECT_TRUE(text.find("uint4*>") != std::string::npos) << item.line << ": " << text;
    EXPECT_NE(item.message.find("16"), std::string::npos) << "the width of the access: " << item.message;
  }
}

TEST_F(CaseMisaligned, OneRunTellsThePitchAndTheMissingBarrier) {
  const model::Experiment loaded = experiment(false);
  OnLadder ladder(loaded);
  const auto report = ladder.prove(loaded.baseline);
  ASSERT_FALSE(report.valid());
  const model::Failure& failure = *report.failure();
  EXPECT_EQ(failure.reason, "misaligned") << "what causes comes first";
  std::size_t strides = 0;
  bool overwritten = false;
  for (const model::Evidence& item : failure.evidence) {
    if (item.kind == "misaligned") {
      // 64 halves and half of the padding.
      strides += item.message.find("neighbouring lanes are 136 bytes apart") != std::string::npos ? 1U : 0U;
    }
    if (item.kind != "race_shared") continue;
    int other = 0;
    for (const auto& [key, value] : item.details) {
      if (key == "other_line") other = std::stoi(value);
    }
    ASSERT_GT(other, 0);
    const auto [first, second] = std::pair(std::min(item.line, other), std::max(item.line, other));
    overwritten |= source_line(loaded, first).find("= chunk.word") != std::string::npos &&
                   source_line(loaded, second).find("v_tile[key") != std::string::npos;
    EXPECT_EQ(source_line(loaded, first).find("s_tile"), std::string::npos) << "S is not shared by warps";
  }
  EXPECT_GT(strides, 0U) << verdict(report);
  EXPECT_TRUE(overwritten) << verdict(report);
}

TEST_F(CaseMisaligned, TheHiddenCountOfWarpsIsAFindingOfItsOwn) {
  const model::Experiment loaded = experiment(true);
  OnLadder ladder(loaded);
  const auto report =
      ladder.prove(with_genes(ladder.space().initial(), {{"BLOCK_N", I{64}}, {"NUM_WARPS", I{8}}}));
  ASSERT_FALSE(report.valid());
  EXPECT_EQ(report.failure()->reason, "out_of_bounds") << verdict(report);
  bool rows = false;
  for (const model::Evidence& item : report.failure()->evidence) {
    // Warps 4 to 7 use rows of S that the tile does not have, and read Q where K is.
    rows |=
        item.kind == "out_of_bounds" && source_line(loaded, item.line).find("s_tile[") != std::string::npos;
  }
  EXPECT_TRUE(rows) << verdict(report);
  EXPECT_TRUE(names(*report.failure(), "race_shared")) << "the copies of two threads\n" << verdict(report);
}

TEST_F(CaseMisaligned, TheMissingBarrierIsSeenWhereThePitchIsRight) {
  OnLadder ladder(experiment(false));
  const auto report = ladder.prove(with_genes(ladder.space().initial(), {{"BLOCK_N", I{64}}}));
  ASSERT_FALSE(report.valid());
  EXPECT_EQ(report.failed_gate(), "sanitize");
  EXPECT_EQ(report.failure()->reason, "race_shared") << verdict(report);
  EXPECT_TRUE(names(*report.failure(), "race_shared")) << verdict(report);
}

TEST_F(CaseMisaligned, OtherCountsOfWarpsAndRowsAreRefused) {
  OnLadder ladder(experiment(true));
  const model::Genome correct = with_genes(ladder.space().initial(), {{"BLOCK_N", I{64}}});
  EXPECT_FALSE(ladder.prove(with_genes(correct, {{"NUM_WARPS", I{8}}})).valid());
  EXPECT_FALSE(ladder.prove(with_genes(correct, {{"BLOCK_M", I{128}}})).valid());
}

TEST_F(CaseMisaligned, CorrectedInAllThreeItPasses) {
  OnLadder ladder(experiment(true));
  const auto tile = ladder.prove(with_genes(ladder.space().initial(), {{"BLOCK_N", I{64}}}));
  EXPECT_TRUE(tile.valid()) << verdict(tile);
  const auto unpadded = ladder.prove(with_genes(ladder.space().initial(), {{"SMEM_PAD", I{0}}}));
  EXPECT_TRUE(unpadded.valid()) << verdict(unpadded);
}

}  // namespace
}  // namespace evo::tests
