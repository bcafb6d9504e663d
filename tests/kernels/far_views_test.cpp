// Offsets beyond 32 bits: the templates keep theirs, and an index that is cut off is refused.
#include <gtest/gtest.h>

#include <array>

#include "tests/kernels/on_ladder.hpp"

namespace evo::tests {
namespace {

/// Of the checks only the views with 64-bit strides.
model::Experiment far_attention(const std::string& kernel) {
  model::Experiment experiment = small_attention();
  std::erase_if(experiment.problem.check_workloads,
                [](const model::Workload& workload) { return !workload.name.starts_with("far_"); });
  EXPECT_EQ(experiment.problem.check_workloads.size(), 3U);
  experiment.templates = {kernel};
  experiment.baseline_template = kernel;
  experiment.gates.permuted_runs = 0;
  return experiment;
}

/// The verdict on the template with `from` replaced by `to` in its source or a header.
std::string verdict_with(const std::string& kernel, const std::string& from, const std::string& to) {
  model::Experiment experiment = far_attention(kernel);
  int places = 0;
  for (model::Template& candidate : experiment.problem.templates) {
    if (candidate.name != kernel) continue;
    std::vector<std::string*> texts{&candidate.source};
    for (auto& [name, text] : candidate.headers) texts.push_back(&text);
    for (std::string* text : texts) {
      for (std::size_t at = text->find(from); at != std::string::npos && !from.empty();
           at = text->find(from, at + to.size())) {
        text->replace(at, from.size(), to);
        ++places;
      }
    }
  }
  EXPECT_EQ(places > 0, !from.empty()) << from;
  OnLadder ladder(experiment);
  return verdict(ladder.prove(ladder.space().initial()));
}

class FarViews : public NeedsNvrtc {};

TEST_F(FarViews, TheTemplatesAreRightOnThem) {
  EXPECT_EQ(verdict_with("scalar", "", ""), "");
  EXPECT_EQ(verdict_with("mma", "", ""), "");
}

TEST_F(FarViews, AnOffsetIn32BitsIsRefused) {
  const std::vector<std::array<std::string, 3>> cut{
      {"scalar", "blockIdx.z * batch_stride", "static_cast<int>(blockIdx.z * batch_stride)"},
      {"scalar", "blockIdx.y * head_stride", "static_cast<unsigned>(blockIdx.y * head_stride)"},
      {"scalar", "(first_row + row) * row_stride", "static_cast<int>((first_row + row) * row_stride)"},
      {"scalar", "blockIdx.z * o_batch_stride", "static_cast<unsigned>(blockIdx.z * o_batch_stride)"},
      {"scalar", "(first_query + row) * o_row_stride",
       "static_cast<int>((first_query + row) * o_row_stride)"},
      {"mma", "batch * batch_stride", "static_cast<int>(batch * batch_stride)"},
      {"mma", "head * o_head_stride", "static_cast<unsigned>(head * o_head_stride)"},
      {"mma", "row * o_row_stride", "static_cast<int>(row * o_row_stride)"},
  };
  for (const auto& [kernel, from, to] : cut) {
    const std::string said = verdict_with(kernel, from, to);
    EXPECT_TRUE(said.starts_with("correctness ")) << from << ": " << said;
  }
}

}  // namespace
}  // namespace evo::tests
