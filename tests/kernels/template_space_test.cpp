// What holds of the spaces of attention_forward's templates that run on every target: their size, that no
// gene value is dead, and that each constraint can be broken alone.
#include <algorithm>
#include <ostream>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/attention_genomes.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

struct SpaceCase {
  const char* kernel;
  const char* target;  ///< where its space is looked at
};
void PrintTo(const SpaceCase& one, std::ostream* out) {
  *out << one.kernel;
}

class TemplateSpace : public testing::TestWithParam<SpaceCase> {
 protected:
  [[nodiscard]] model::Space space(std::int64_t head_dim, const std::string& target) const {
    return bound_space(problem_, GetParam().kernel, head_dim, target);
  }
  [[nodiscard]] model::Space space(std::int64_t head_dim = 64) const {
    return space(head_dim, GetParam().target);
  }

  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template(GetParam().kernel);
};

TEST_P(TemplateSpace, InitialGenomeIsLegalForEveryHeadDimAndTarget) {
  for (const std::string& target : model::target_names(tests::shipped_targets())) {
    for (const std::int64_t head_dim : {32, 64, 128}) {
      const model::Space bound = space(head_dim, target);
      EXPECT_EQ(bound.violation(bound.initial()), std::nullopt) << target << " " << head_dim;
      EXPECT_FALSE(bound.weakened(bound.initial()));
    }
  }
}

TEST_P(TemplateSpace, HasAtLeastFiveThousandGenomesWithAllBarriersForEveryHeadDim) {
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space bound = space(head_dim);
    const std::uint64_t legal = bound.count_legal().full_sync;
    fmt::print(
        "head_dim {}: {} legal genomes with every barrier at full strength, of {} combinations in all\n",
        head_dim, legal, bound.count_all());
    EXPECT_GE(legal, 5000u);
  }
}

TEST_P(TemplateSpace, EveryValueOfEveryGeneOccursInALegalGenome) {
  const model::Space bound = space();
  std::mt19937 random(1);
  for (const model::Gene& gene : bound.genes()) {
    for (const model::Value& value : gene.values) {
      EXPECT_TRUE(random_full_strength_genome(bound, random, {{gene.name, value}}))
          << gene.name << "=" << model::to_string(value);
    }
  }
}

TEST_P(TemplateSpace, EachConstraintIsBrokenAlone) {
  const std::vector<Breaker> breakers = constraint_breakers(GetParam().kernel);
  ASSERT_EQ(breakers.size(), kernel_.space.constraints().size())
      << "every constraint needs a genome that fails without it";
  for (std::size_t i = 0; i < breakers.size(); ++i) {
    const model::Space bound = space(breakers[i].head_dim, "l4");
    const std::string& reason = bound.constraints()[i].reason;
    const model::Genome genome = with_genes(bound.initial(), breakers[i].genes);
    EXPECT_EQ(broken_constraints(bound, genome), std::vector<std::size_t>{i}) << reason;
    const auto violation = bound.violation(genome);
    ASSERT_TRUE(violation);
    EXPECT_NE(violation->find(reason), std::string::npos) << *violation;
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, TemplateSpace,
                         testing::Values(SpaceCase{"scalar", "l4"}, SpaceCase{"wmma", "l4"},
                                         SpaceCase{"mma", "h200"}),
                         [](const auto& one) { return std::string(one.param.kernel); });

/// The templates that fetch tiles in stages.
class StagedSpace : public TemplateSpace {};

TEST_P(StagedSpace, SanitizeShapesTurnEveryLoop) {
  const model::Space bound = space();
  std::mt19937 random(2);
  for (int sample = 0; sample < 50; ++sample) {
    const auto genome = random_full_strength_genome(bound, random);
    ASSERT_TRUE(genome);
    SCOPED_TRACE(genome->text());
    model::Environment environment = bound.fixed();
    for (const auto& [name, value] : genome->values()) environment.insert_or_assign(name, value);
    const auto gene = [&](const char* name) { return std::get<std::int64_t>(genome->at(name)); };
    std::int64_t most_tiles = 0;
    std::set<std::int64_t> layouts, causal;
    for (const auto& shape : kernel_.sanitize_shapes) {
      const auto value = [&](const char* axis) {
        return shape.find(axis)->second.evaluate_integer(environment).value();
      };
      const std::int64_t seq = value("seq");
      EXPECT_NE(seq % gene("BLOCK_M"), 0) << "no tail of queries";
      EXPECT_NE(seq % gene("BLOCK_N"), 0) << "no tail of keys";
      EXPECT_GT(seq, gene("BLOCK_M")) << "a single block";
      most_tiles = std::max(most_tiles, (seq + gene("BLOCK_N") - 1) / gene("BLOCK_N"));
      layouts.insert(value("layout"));
      causal.insert(value("causal"));
    }
    EXPECT_GE(most_tiles, gene("STAGES") + 2);
    EXPECT_EQ(layouts.size(), 3u);
    EXPECT_EQ(causal.size(), 2u);
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, StagedSpace,
                         testing::Values(SpaceCase{"wmma", "l4"}, SpaceCase{"mma", "h200"}),
                         [](const auto& one) { return std::string(one.param.kernel); });

}  // namespace
}  // namespace evo::tests
