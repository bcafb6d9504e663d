// What the compiler makes of the wmma template: predictions hold, no gene value is dead.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/kernels/compiled.hpp"
#include "tests/kernels/wmma_genomes.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class CompiledWmma : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template("wmma");
};

TEST_F(CompiledWmma, StaticSharedMemoryIsWhatWasPredicted) {
  std::mt19937 random(7);
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "wmma", head_dim);
    for (int sample = 0; sample < 2; ++sample) {
      const auto genome = random_full_strength_genome(space, random);
      ASSERT_TRUE(genome);
      SCOPED_TRACE(genome->text());
      const auto artifact = compile_genome(kernel_, space, *genome, sample % 2 == 0 ? "sm_89" : "sm_90");
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.static_smem_bytes,
                model::predicted_static_smem(kernel_, space, *genome).value());
    }
  }
}

// Each gene where it has a say: the values that the initial genome cannot have, and what else must be set for
// a gene to matter.
Genes context_of(const std::string& gene) {
  if (gene == "NUM_WARPS" || gene == "COL_WARPS") return {{"BLOCK_M", I{32}}, {"NUM_WARPS", I{8}}};
  // More registers than two blocks leave.
  if (gene == "MIN_BLOCKS")
    return {{"BLOCK_M", I{128}}, {"NUM_WARPS", I{8}}, {"THREADS_PER_ROW", I{1}}, {"UNROLL", I{8}}};
  if (gene == "UNROLL") return {{"BLOCK_N", I{128}}, {"THREADS_PER_ROW", I{8}}};
  if (gene == "P_PAD") return {{"P_PLACE", "apart"}};
  if (gene == "SCORE_READS") return {{"P_PLACE", "apart"}};
  // Enough elements of a thread that every sixteenth is not the first alone.
  if (gene == "POLYNOMIAL_EVERY") return {{"THREADS_PER_ROW", I{1}}};
  if (gene == "PAIR_STORES") return {{"EPILOGUE", "direct"}};
  if (gene == "SYNC_K_FREE") return {{"COL_WARPS", I{2}}, {"KV_BUFFER", "shared"}};
  if (gene == "WARP_ORDER" || gene.starts_with("SYNC_")) return {{"COL_WARPS", I{2}}};
  return {};
}

TEST_F(CompiledWmma, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space space = bound_space(problem_, "wmma", 64, "h200");
  for (const model::Gene& gene : space.genes()) {
    std::set<std::string> codes;
    std::size_t tried = 0;
    const model::Genome base = with_genes(space.initial(), context_of(gene.name));
    for (const model::Value& value : gene.values) {
      const model::Genome genome = with_genes(base, {{gene.name, value}});
      if (!space.legal(genome)) continue;
      ++tried;
      const auto artifact = compile_genome(kernel_, space, genome, "sm_90");
      ASSERT_TRUE(artifact) << genome.text() << words(artifact.error());
      EXPECT_TRUE(codes.insert(artifact->code_hash).second)
          << gene.name << "=" << model::to_string(value) << " makes the code of another value";
    }
    EXPECT_GE(tried, gene.name == "MIN_BLOCKS" ? 2 : gene.values.size()) << gene.name;
  }
}

TEST_F(CompiledWmma, InitialGenomeSpillsNothing) {
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "wmma", head_dim);
    for (const std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
      const auto artifact = compile_genome(kernel_, space, space.initial(), arch);
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.spill_store_bytes, 0) << arch << " " << head_dim;
    }
  }
}

}  // namespace
}  // namespace evo::tests
