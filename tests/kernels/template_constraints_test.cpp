// Each constraint of attention_forward's templates forbids what fails.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/kernels/attention_genomes.hpp"
#include "tests/kernels/ladder_checks.hpp"

namespace evo::tests {
namespace {

class TemplateConstraints : public NeedsNvrtc, public testing::WithParamInterface<const char*> {};

TEST_P(TemplateConstraints, EachForbidsWhatFails) {
  const std::vector<Breaker> breakers = constraint_breakers(GetParam());
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    model::Experiment experiment = small_attention_of(GetParam(), breakers[i].head_dim);
    const std::string constraint = take_out_constraint(experiment, i);
    const model::Genome genome = with_genes(experiment.baseline, breakers[i].genes);
    experiment.accuracy_class = accuracy_class_of(genome);
    OnLadder ladder(experiment);
    const auto report = ladder.prove(genome);
    ASSERT_FALSE(report.valid()) << "the constraint '" << constraint << "' forbids what works";
    const std::string& reason = report.failure()->reason;
    fmt::print("{}: {} at {}\n", constraint, reason, report.failed_gate());
    EXPECT_NE(reason, "constraint") << verdict(report);
    if (breakers[i].reason.empty()) continue;
    EXPECT_EQ(reason, breakers[i].reason) << verdict(report);
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, TemplateConstraints, testing::Values("scalar", "wmma", "mma"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace evo::tests
