// What the compiler makes of attention_forward's templates: the shared memory that was predicted, no spills
// where a search begins, and machine code of its own for every gene value.
#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "tests/kernels/attention_genomes.hpp"
#include "tests/kernels/compiled.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

struct Sampled {
  const char* kernel;
  int samples;  ///< a head_dim
  Barriers barriers;
};
void PrintTo(const Sampled& one, std::ostream* out) {
  *out << one.kernel;
}

class CompiledTemplate : public AttentionTemplate, public testing::WithParamInterface<Sampled> {
 protected:
  CompiledTemplate() : AttentionTemplate(GetParam().kernel) {}
};

TEST_P(CompiledTemplate, StaticSharedMemoryIsWhatWasPredicted) {
  std::mt19937 random(7);
  for (const I head_dim : {32, 64, 128}) {
    const model::Space bound = space(head_dim);
    for (int sample = 0; sample < GetParam().samples; ++sample) {
      const auto genome = random_legal_genome(bound, random, GetParam().barriers);
      ASSERT_TRUE(genome);
      SCOPED_TRACE(genome->text());
      const auto artifact = compile_genome(kernel_, bound, *genome, sample % 2 == 0 ? "sm_89" : "sm_90");
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.static_smem_bytes,
                model::predicted_static_smem(kernel_, bound, *genome).value());
    }
  }
}

TEST_P(CompiledTemplate, InitialGenomeSpillsNothing) {
  for (const I head_dim : {32, 64, 128}) {
    const model::Space bound = space(head_dim);
    for (const std::string arch : {"sm_80", "sm_89", "sm_90a"}) {
      const auto artifact = compile_genome(kernel_, bound, bound.initial(), arch);
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.spill_store_bytes, 0) << arch << " " << head_dim;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Templates, CompiledTemplate,
                         testing::Values(Sampled{"scalar", 6, Barriers::any},
                                         Sampled{"wmma", 2, Barriers::full_strength},
                                         Sampled{"mma", 3, Barriers::full_strength}),
                         [](const auto& one) { return std::string(one.param.kernel); });

class CompiledScalar : public AttentionTemplate {
 protected:
  CompiledScalar() : AttentionTemplate("scalar") {}
  /// Each gene where it has a say: the values that the initial genome cannot have, and what else must be set
  /// for a gene to matter.
  static Genes context_of(const std::string& gene) {
    // Every padding of Q, K and V is legal for single elements; the bound on registers bites where many are
    // wanted.
    if (gene == "SMEM_PAD") return {{"VEC", I{1}}, {"READ_VEC", I{1}}};
    if (gene == "P_VEC") return {{"S_PAD", I{4}}};
    if (gene == "MIN_BLOCKS") {
      return {{"BLOCK_M", I{128}},       {"BLOCK_N", I{64}}, {"NUM_WARPS", I{8}}, {"ROWS_PER_THREAD", I{8}},
              {"COLS_PER_THREAD", I{4}}, {"READ_VEC", I{8}}, {"UNROLL", I{2}}};
    }
    return {};
  }
};

TEST_F(CompiledScalar, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space bound = space(64);
  MachineCode code(kernel_, bound, "sm_89");
  for (const model::Gene& gene : bound.genes()) {
    const model::Genome base = with_genes(bound.initial(), context_of(gene.name));
    EXPECT_EQ(code.expect_own(base, gene), gene.values.size()) << gene.name;
  }
}

// The first two constraints: a grid of threads without columns, and one without columns of O.
TEST_F(CompiledScalar, GridsWithoutThreadsOrColumnsDoNotCompile) {
  const model::Space bound = space(64);
  for (const std::size_t constraint : {0, 1}) {
    const model::Genome genome = with_genes(bound.initial(), scalar_constraint_breakers()[constraint].genes);
    const auto artifact = compile_genome(kernel_, bound, genome);
    ASSERT_FALSE(artifact) << "the constraint '" << bound.constraints()[constraint].reason
                           << "' forbids what works";
    EXPECT_EQ(artifact.error().status, model::Status::compile_error);
    ASSERT_FALSE(artifact.error().evidence.empty());
    EXPECT_EQ(artifact.error().evidence.front().file, "scalar.cu") << words(artifact.error());
  }
}

class CompiledWmma : public AttentionTemplate {
 protected:
  CompiledWmma() : AttentionTemplate("wmma") {}
  static Genes context_of(const std::string& gene) {
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
};

TEST_F(CompiledWmma, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space bound = space(64, "h200");
  MachineCode code(kernel_, bound, "sm_90");
  for (const model::Gene& gene : bound.genes()) {
    const model::Genome base = with_genes(bound.initial(), context_of(gene.name));
    EXPECT_GE(code.expect_own(base, gene), gene.name == "MIN_BLOCKS" ? 2 : gene.values.size()) << gene.name;
  }
}

class CompiledMma : public AttentionTemplate {
 protected:
  CompiledMma() : AttentionTemplate("mma") {}
  static Genes context_of(const std::string& gene) {
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
};

TEST_F(CompiledMma, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space bound = space(64, "h200");
  MachineCode code(kernel_, bound, "sm_90");
  for (const model::Gene& gene : bound.genes()) {
    const model::Genome base = with_genes(bound.initial(), context_of(gene.name));
    EXPECT_GE(code.expect_own(base, gene), std::min<std::size_t>(gene.values.size(), 2)) << gene.name;
  }
}

}  // namespace
}  // namespace evo::tests
