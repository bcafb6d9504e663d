// Which findings refuse a kernel: all errors where the tool sees everything, and no more than that elsewhere.
#include "evaluators/sanitizer/blind_spots.hpp"

#include <gtest/gtest.h>

#include "evaluators/sanitizer/findings.hpp"

namespace evo::evaluators::sanitizer {
namespace {

constexpr const char* plain =
    "ld.shared.f32 %f1, [%r1];\n// wgmma.mma_async in a comment\ncp.async.cg.shared.global [%r1], [%rd1], "
    "16;\n";
constexpr const char* hopper =
    "mbarrier.init.shared::cta.b64 [%r1], %r2;\n"
    "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], "
    "[%r3];\n"
    "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 0;\n";
constexpr const char* storing =
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];\n"
    "cp.async.bulk.commit_group;\n";

AsyncUse use_of(const std::string& body) {
  return async_use(".visible .entry k()\n{\n" + body + "}\n");
}

model::Evidence finding(const std::string& kind, const std::string& severity = "error",
                        const std::string& barrier = {}) {
  model::Evidence found{kind, "as seen", "k.cu", 7, {{"severity", severity}}};
  if (!barrier.empty()) found.details.emplace_back("barrier", barrier);
  return found;
}
bool refuses(const model::Evidence& found, const char* ptx) {
  return excuse(found, use_of(ptx)).empty();
}

TEST(AsyncUse, IsReadFromInstructionsNotFromComments) {
  EXPECT_FALSE(use_of(plain).any()) << "ordinary cp.async is followed by racecheck";
  const AsyncUse use = use_of(hopper);
  EXPECT_TRUE(use.bulk_copy && use.wgmma && use.mbarrier);
  EXPECT_FALSE(use.bulk_store);
  EXPECT_TRUE(use_of(storing).bulk_store);
  EXPECT_FALSE(use_of(".pragma \"mbarrier.init wgmma.mma_async\"; // mbarrier.init\n").any());
  EXPECT_TRUE(use_of(".pragma \"//\"; .loc 1 2 3 mbarrier .init.shared.b64 [%r1], 1;\n").mbarrier);
  EXPECT_FALSE(use_of("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n").any());
}

TEST(Rule, WhereTheToolSeesEverythingEveryErrorRefuses) {
  for (const char* kind : {"out_of_bounds", "misaligned", "race_shared", "uninitialized",
                           "barrier_divergence", "warpgroup_sequence", "unread_report"}) {
    EXPECT_TRUE(refuses(finding(kind), plain)) << kind;
    EXPECT_FALSE(refuses(finding(kind, "warning"), plain)) << kind;
  }
  EXPECT_TRUE(refuses(finding("barrier_divergence", "error", "mbarrier"), plain));
}

TEST(Rule, OnAKernelWithTmaAndWgmmaHazardsAreRecordedOnly) {
  EXPECT_FALSE(refuses(finding("race_shared"), hopper));
  EXPECT_FALSE(refuses(finding("barrier_divergence", "error", "mbarrier"), hopper));
  for (const char* kind :
       {"out_of_bounds", "misaligned", "uninitialized", "barrier_divergence", "warpgroup_sequence"}) {
    EXPECT_TRUE(refuses(finding(kind), hopper)) << kind;
  }
  EXPECT_FALSE(refuses(finding("uninitialized"), storing));
}

TEST(BlindSpots, AreNamedForWhatTheKernelUses) {
  const auto named = [](const char* ptx, const std::string& words) {
    for (const model::Evidence& spot : blind_spots(use_of(ptx))) {
      EXPECT_EQ(spot.kind, "blind_spot");
      EXPECT_NE(detail_of(spot, "tool"), "");
      if (spot.message.find(words) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(named(plain, "global memory"));
  EXPECT_FALSE(named(plain, "TMA"));
  EXPECT_FALSE(named(plain, "wgmma"));
  EXPECT_TRUE(named(hopper, "TMA"));
  EXPECT_TRUE(named(hopper, "wgmma"));
  EXPECT_TRUE(named(hopper, "mbarriers"));
  EXPECT_FALSE(named(hopper, "bulk stores"));
  EXPECT_TRUE(named(storing, "bulk stores"));
}

}  // namespace
}  // namespace evo::evaluators::sanitizer
