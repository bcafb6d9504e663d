#include "mutators/coded_space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/random.hpp"
#include "tests/support/small_experiment.hpp"

namespace evo::mutators {
namespace {

using evo::testing::expression;
using evo::testing::integer_gene;
using evo::testing::tiled_space;

Code any_code(const CodedSpace& space, model::RandomStream& random) {
  Code code;
  for (std::size_t gene = 0; gene < space.genes(); ++gene)
    code.push_back(static_cast<std::uint16_t>(random.below(space.values(gene))));
  return code;
}

RC_GTEST_PROP(CodedSpace, SaysWhatTheSpaceSaysOfEveryGenome, (std::uint64_t seed)) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::RandomStream random({seed, 0, 0, "codes"});
  for (int i = 0; i < 50; ++i) {
    const Code code = any_code(coded, random);
    const model::Genome genome = coded.decode(code);
    RC_ASSERT(coded.encode(genome) == code);
    RC_ASSERT(coded.legal(code) == space.legal(genome));
    // The second answer comes from memory.
    RC_ASSERT(coded.legal(code) == space.legal(genome));
  }
}

TEST(CodedSpace, NamesTheGenesOfTheConstraintThatIsViolated) {
  const model::Space space = tiled_space();
  const CodedSpace coded(space);
  model::Genome genome = space.initial();
  EXPECT_EQ(coded.violated(coded.encode(genome)), nullptr);
  genome.set("BLOCK_M", std::int64_t{128});
  genome.set("BLOCK_N", std::int64_t{128});
  const auto* genes = coded.violated(coded.encode(genome));
  ASSERT_NE(genes, nullptr);
  EXPECT_EQ(*genes, (std::vector<std::size_t>{0, 1}));
}

TEST(CodedSpace, AConstraintThatCannotBeEvaluatedHoldsNowhere) {
  const model::Space space({integer_gene("A", {0, 1}, 1)}, {{expression("4 / A > 0"), "divides"}});
  const CodedSpace coded(space);
  EXPECT_FALSE(coded.legal({0}));
  EXPECT_TRUE(coded.legal({1}));
}

TEST(CodedSpace, ListsTheGenesThatHaveAChoiceByRole) {
  const model::Space space({integer_gene("A", {1, 2}, 1), integer_gene("B", {7}, 7),
                            evo::testing::symbol_gene("S", {"none", "block"}, "block", model::GeneRole::sync),
                            evo::testing::symbol_gene("T", {"block"}, "block", model::GeneRole::sync)},
                           {});
  const CodedSpace coded(space);
  EXPECT_EQ(coded.tuning(), (std::vector<std::size_t>{0}));
  EXPECT_EQ(coded.barriers(), (std::vector<std::size_t>{2}));
}

}  // namespace
}  // namespace evo::mutators
