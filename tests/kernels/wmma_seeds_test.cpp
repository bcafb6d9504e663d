// The seeds' configurations are in the space of attention_forward's wmma template.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/wmma_genomes.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

TEST(WmmaSpace, SeedsAreLegalWithin48KiB) {
  const model::Problem problem = shipped_problem("attention_forward");
  const model::Template& kernel = *problem.find_template("wmma");
  const model::Space space =
      model::bind_space(problem, kernel, {{"head_dim", 64}}, tests::shipped_target("l4"), 49152);
  for (const NamedGenome& seed : wmma_seeds()) {
    const model::Genome genome = with_genes(space.initial(), seed.genes);
    EXPECT_EQ(space.violation(genome), std::nullopt) << seed.name;
    const auto bound =
        model::bind_case(problem, kernel, space, genome,
                         {"s512", 1, {{"batch", 2}, {"heads", 8}, {"seq", 512}, {"head_dim", 64}}});
    ASSERT_TRUE(bound) << bound.error().text();
    fmt::print("{}: {} bytes of shared memory\n", seed.name, bound->launch.dynamic_smem);
    if (seed.name.ends_with("48_kib")) {
      EXPECT_EQ(bound->launch.dynamic_smem, 49152);
    }
  }
}

}  // namespace
}  // namespace evo::tests
