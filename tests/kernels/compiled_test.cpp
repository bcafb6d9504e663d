// What the compiler makes of the scalar template: predictions hold, no gene value is dead, and what the
// constraints on the thread grid forbid does not even compile.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/kernels/compiled.hpp"

namespace evo::tests {
namespace {

class CompiledScalar : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  }

  model::Problem problem_ = shipped_problem("attention_forward");
  const model::Template& kernel_ = *problem_.find_template("scalar");
  model::Space space_ = bound_space(problem_, "scalar", 64);
};

TEST_F(CompiledScalar, StaticSharedMemoryIsWhatWasPredicted) {
  std::mt19937 random(7);
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "scalar", head_dim);
    for (int sample = 0; sample < 6;) {
      model::Genome genome;
      for (const model::Gene& gene : space.genes()) {
        genome.set(gene.name, gene.values[random() % gene.values.size()]);
      }
      if (!space.legal(genome)) continue;
      ++sample;
      SCOPED_TRACE(genome.text());
      const auto artifact = compile_genome(kernel_, space, genome, sample % 2 == 0 ? "sm_89" : "sm_90");
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.static_smem_bytes,
                model::predicted_static_smem(kernel_, space, genome).value());
    }
  }
}

TEST_F(CompiledScalar, EveryGeneValueHasItsOwnMachineCode) {
  using I = std::int64_t;
  for (const model::Gene& gene : space_.genes()) {
    model::Genome base = space_.initial();
    // Every padding of Q, K and V is legal for single elements; the bound on registers bites where many are
    // wanted.
    if (gene.name == "SMEM_PAD") base = with_genes(base, {{"VEC", I{1}}, {"READ_VEC", I{1}}});
    if (gene.name == "P_VEC") base = with_genes(base, {{"S_PAD", I{4}}});
    if (gene.name == "MIN_BLOCKS") {
      base = with_genes(base, {{"BLOCK_M", I{128}},
                               {"BLOCK_N", I{64}},
                               {"NUM_WARPS", I{8}},
                               {"ROWS_PER_THREAD", I{8}},
                               {"COLS_PER_THREAD", I{4}},
                               {"READ_VEC", I{8}},
                               {"UNROLL", I{2}}});
    }
    std::set<std::string> codes;
    for (const model::Value& value : gene.values) {
      const model::Genome genome = with_genes(base, {{gene.name, value}});
      ASSERT_EQ(space_.violation(genome), std::nullopt);
      const auto artifact = compile_genome(kernel_, space_, genome);
      ASSERT_TRUE(artifact) << genome.text() << words(artifact.error());
      EXPECT_TRUE(codes.insert(artifact->code_hash).second)
          << gene.name << "=" << model::to_string(value) << " makes the code of another value";
    }
  }
}

TEST_F(CompiledScalar, InitialGenomeSpillsNothing) {
  for (const std::int64_t head_dim : {32, 64, 128}) {
    const model::Space space = bound_space(problem_, "scalar", head_dim);
    for (const std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
      const auto artifact = compile_genome(kernel_, space, space.initial(), arch);
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.spill_store_bytes, 0) << arch << " " << head_dim;
    }
  }
}

// The first two constraints: a grid of threads without columns, and one without columns of O.
TEST_F(CompiledScalar, GridsWithoutThreadsOrColumnsDoNotCompile) {
  for (const std::size_t constraint : {0, 1}) {
    const model::Genome genome = with_genes(space_.initial(), scalar_constraint_breakers()[constraint]);
    const auto artifact = compile_genome(kernel_, space_, genome);
    ASSERT_FALSE(artifact) << "the constraint '" << space_.constraints()[constraint].reason
                           << "' forbids what works";
    EXPECT_EQ(artifact.error().status, model::Status::compile_error);
    ASSERT_FALSE(artifact.error().evidence.empty());
    EXPECT_EQ(artifact.error().evidence.front().file, "scalar.cu") << words(artifact.error());
  }
}

}  // namespace
}  // namespace evo::tests
