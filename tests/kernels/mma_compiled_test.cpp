// What the compiler makes of the mma template: predictions hold, no gene value is dead.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/kernels/compiled.hpp"
#include "tests/kernels/mma_genomes.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class CompiledMma : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template("mma");
};

TEST_F(CompiledMma, StaticSharedMemoryIsWhatWasPredicted) {
  std::mt19937 random(7);
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "mma", head_dim);
    for (int sample = 0; sample < 3; ++sample) {
      const auto genome = random_mma_genome(space, random);
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
  const Genes groups{{"NUM_WARPS", I{8}}, {"KV_WARPS", I{2}}, {"BLOCK_N", I{64}}, {"COPY_WARPS", "group"}};
  if (gene == "KEY_STEPS") return {{"BLOCK_N", I{128}}};
  // More registers than two blocks leave.
  if (gene == "MIN_BLOCKS") return {{"BLOCK_M", I{128}}, {"NUM_WARPS", I{8}}};
  if (gene == "OVERLAP") return {{"KEY_STEPS", I{2}}};
  if (gene == "PREFETCH") return {{"KV_COMMITS", "split"}};
  if (gene == "KV_WARPS") return {{"NUM_WARPS", I{8}}, {"BLOCK_M", I{128}}, {"BLOCK_N", I{128}}};
  if (gene == "SYNC_V_READY") return {{"NUM_WARPS", I{8}}, {"KV_WARPS", I{2}}, {"KV_COMMITS", "split"}};
  if (gene == "SYNC_STAGE_FREE") return {{"NUM_WARPS", I{8}}, {"KV_WARPS", I{2}}, {"PREFETCH", "bottom"}};
  if (gene == "COPY_WARPS" || gene == "WARP_ORDER" || gene == "MERGE_SPACE" || gene.starts_with("SYNC_"))
    return groups;
  return {};
}

TEST_F(CompiledMma, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space space = bound_space(problem_, "mma", 64, "h200");
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
    EXPECT_GE(tried, std::min<std::size_t>(gene.values.size(), 2)) << gene.name;
  }
}

TEST_F(CompiledMma, InitialGenomeSpillsNothing) {
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "mma", head_dim);
    for (const std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
      const auto artifact = compile_genome(kernel_, space, space.initial(), arch);
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.spill_store_bytes, 0) << arch << " " << head_dim;
    }
  }
}

}  // namespace
}  // namespace evo::tests
