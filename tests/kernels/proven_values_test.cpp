// A gene that is exposed works: each of its values occurs in a variant that the ladder proves correct on the
// virtual device. Barriers stay at full strength here; where they may be weakened, the tests of the templates
// show.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <optional>
#include <random>
#include <set>

#include "tests/kernels/ladder_checks.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

using Uncovered = std::set<std::pair<std::string, std::string>>;

/// A legal genome with one value, and else with as many uncovered values as legality lets through.
std::optional<model::Genome> draw(const model::Space& space, std::mt19937& random, const Uncovered& uncovered,
                                  const std::pair<std::string, std::string>& wanted) {
  for (int attempt = 0; attempt < 50000; ++attempt) {
    model::Genome genome;
    for (const model::Gene& gene : space.genes()) {
      std::vector<model::Value> choices;
      for (const model::Value& value : gene.values) {
        if (gene.role != model::GeneRole::sync && uncovered.contains({gene.name, model::to_string(value)}))
          choices.push_back(value);
      }
      // Fewer wishes the longer it takes: together they may be illegal.
      if (choices.empty() || static_cast<int>(random() % 1000) < attempt) choices = gene.values;
      if (gene.role == model::GeneRole::sync) choices = {gene.values.back()};
      model::Value value = choices[random() % choices.size()];
      for (const model::Value& one : gene.values) {
        if (gene.name == wanted.first && model::to_string(one) == wanted.second) value = one;
      }
      genome.set(gene.name, value);
    }
    if (space.legal(genome)) return genome;
  }
  return std::nullopt;
}

class ProvenValues : public NeedsNvrtc, public testing::WithParamInterface<const char*> {};

TEST_P(ProvenValues, EveryValueOfEveryGeneOccursInAProvenVariant) {
  model::Experiment experiment = small_attention_of(GetParam());
  tests::set_shipped_target(experiment, "h200");
  experiment.accuracy_class = "fp16-softmax";
  OnLadder ladder(experiment);
  const model::Space space = ladder.space();
  Uncovered uncovered;
  for (const model::Gene& gene : space.genes()) {
    for (const model::Value& value : gene.values) {
      if (gene.role != model::GeneRole::sync) uncovered.emplace(gene.name, model::to_string(value));
    }
  }
  const std::size_t values = uncovered.size();
  std::mt19937 random(23);
  int proven = 0, over_budget = 0;
  while (!uncovered.empty()) {
    const auto wanted = *uncovered.begin();
    for (int attempt = 0; attempt < 12 && uncovered.contains(wanted); ++attempt) {
      const auto genome = draw(space, random, uncovered, wanted);
      ASSERT_TRUE(genome) << "no legal genome has " << wanted.first << "=" << wanted.second;
      const auto report = ladder.prove(*genome);
      if (!report.valid() && report.failure()->status == model::Status::over_budget) {
        ++over_budget;
        continue;
      }
      ASSERT_TRUE(report.valid()) << genome->text() << "\n" << verdict(report);
      ++proven;
      for (const auto& [name, value] : genome->values()) uncovered.erase({name, model::to_string(value)});
    }
    ASSERT_FALSE(uncovered.contains(wanted))
        << wanted.first << "=" << wanted.second << " is in no proven variant";
  }
  fmt::print("{}: {} values in {} proven variants, {} over budget\n", GetParam(), values, proven,
             over_budget);
}

INSTANTIATE_TEST_SUITE_P(Templates, ProvenValues, testing::Values("scalar", "wmma", "mma"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace evo::tests
