// The accuracy class with the rule reference_factor on the virtual device: real kernels with S in FP16 pass
// every input set of it, negative logits too, and three faults of the catalogue in the same kernels do not.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/on_ladder.hpp"
#include "tests/suites/seeded.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

model::Experiment in_the_class(const std::string& kernel) {
  model::Experiment experiment = small_attention();
  experiment.accuracy_class = "fp16-softmax-2x";
  tests::set_shipped_target(experiment, "h200");
  experiment.baseline_template = kernel;
  experiment.baseline =
      with_genes(find_template(experiment.problem, kernel).space.initial(), {{"S_DTYPE", "half"}});
  return experiment;
}

class ReferenceFactorOnLadder : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }
};

TEST_F(ReferenceFactorOnLadder, SInHalfIsProven) {
  for (const char* kernel : {"scalar", "wmma"}) {
    const model::Experiment experiment = in_the_class(kernel);
    OnLadder ladder(experiment);
    for (const char* exponential : {"expf", "exp2"}) {
      const auto report = ladder.prove(with_genes(experiment.baseline, {{"EXP_VARIANT", exponential}}));
      EXPECT_TRUE(report.valid()) << kernel << " " << exponential << "\n" << verdict(report);
    }
  }
}

TEST_F(ReferenceFactorOnLadder, FixedBoundsThatServeNormalDataRefuseItOnNegativeLogits) {
  model::Experiment experiment = in_the_class("scalar");
  experiment.accuracy_class = "fp16-softmax";
  for (model::Tolerance& tolerance : experiment.problem.tolerances)
    tolerance.input_sets = {"negative_logits"};
  OnLadder ladder(experiment);
  const auto report = ladder.prove(experiment.baseline);
  ASSERT_FALSE(report.valid());
  EXPECT_EQ(report.failure()->reason, "mismatch") << verdict(report);
}

TEST_F(ReferenceFactorOnLadder, SeededFaultsAreRefused) {
  // On a late spike an inverse factor overflows; what the others lose is small everywhere.
  const std::map<std::string, std::string> faults{{"O rescaled inversely", "non_finite"},
                                                  {"one key left out of PV", "mismatch"},
                                                  {"exponential of degree 2", "mismatch"}};
  std::size_t tried = 0;
  for (const suites::SeededBug& bug : seeded_bugs()) {
    const auto fault = faults.find(bug.name);
    if (fault == faults.end()) continue;
    model::Experiment experiment = in_the_class("scalar");
    static_cast<void>(or_throw(suites::seed_bug(find_template(experiment.problem, "scalar"), bug)));
    OnLadder ladder(experiment);
    const auto report = ladder.prove(experiment.baseline);
    ASSERT_FALSE(report.valid()) << bug.name;
    EXPECT_EQ(report.failed_gate(), "correctness") << verdict(report);
    EXPECT_EQ(report.failure()->reason, fault->second) << verdict(report);
    ++tried;
  }
  EXPECT_EQ(tried, faults.size());
}

}  // namespace
}  // namespace evo::tests
