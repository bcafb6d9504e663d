// What the compiler makes of the hopper template, for sm_90a.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/kernels/compiled.hpp"

namespace evo::tests {
namespace {

using I = std::int64_t;

class CompiledHopper : public AttentionTemplate {
 protected:
  CompiledHopper() : AttentionTemplate("hopper") {}
  [[nodiscard]] model::Space space(I head_dim) const { return AttentionTemplate::space(head_dim, "h200"); }
};

TEST_F(CompiledHopper, SampledGenomesCompileWithThePredictedSharedMemory) {
  std::mt19937 random(7);
  int serialised = 0, samples = 0;
  for (const I head_dim : {32, 64, 128}) {
    const model::Space bound = space(head_dim);
    for (int sample = 0; sample < 6; ++sample, ++samples) {
      const auto genome = random_legal_genome(bound, random, Barriers::any);
      ASSERT_TRUE(genome);
      SCOPED_TRACE(genome->text());
      const auto artifact = compile_genome(kernel_, bound, *genome, "sm_90a");
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.static_smem_bytes,
                model::predicted_static_smem(kernel_, bound, *genome).value());
      if (artifact->compiler_log.find("C7512") != std::string::npos) ++serialised;
    }
  }
  // The bound on registers in the constraints is an estimate; it must keep almost all of those away that do
  // not fit.
  EXPECT_LE(serialised, samples / 4);
}

TEST_F(CompiledHopper, WhatIsFastSpillsNothing) {
  const auto spills = [&](I head_dim, const Genes& genes) {
    const model::Space bound = space(head_dim);
    const model::Genome genome = with_genes(bound.initial(), genes);
    EXPECT_EQ(bound.violation(genome), std::nullopt) << genome.text();
    const auto artifact = compile_genome(kernel_, bound, genome, "sm_90a");
    EXPECT_TRUE(artifact) << words(artifact.error());
    return artifact ? artifact->resources.spill_store_bytes + artifact->resources.spill_load_bytes : -1;
  };
  const std::string warpgroup = "warpgroup";
  EXPECT_EQ(spills(64, {{"SPLIT_KV", I{2}}, {"STAGES", I{1}}, {"PINGPONG", I{1}}}), 0);
  EXPECT_EQ(spills(64, {{"WARPGROUPS_M", I{3}},
                        {"PRODUCER", warpgroup},
                        {"PRODUCER_REGISTERS", I{32}},
                        {"PINGPONG", I{1}}}),
            0);
  EXPECT_EQ(spills(64, {{"BLOCK_N", I{256}},
                        {"SPLIT_KV", I{2}},
                        {"STAGES", I{1}},
                        {"OVERLAP", I{0}},
                        {"PRODUCER", warpgroup},
                        {"EARLY_LOADS", I{1}},
                        {"QK_CHUNKS", I{4}},
                        {"PV_CHUNKS", I{4}}}),
            0);
  const Genes one_tile_a_part = {{"BLOCK_N", I{256}},     {"SPLIT_KV", I{2}},   {"STAGES", I{1}},
                                 {"OVERLAP", I{0}},       {"PRODUCER", "self"}, {"EARLY_LOADS", I{1}},
                                 {"COPY_ORDER", "parts"}, {"QK_CHUNKS", I{2}}};
  EXPECT_EQ(spills(64, also(one_tile_a_part, {{"PV_CHUNKS", I{8}}})), 0);
  EXPECT_EQ(spills(64, also(one_tile_a_part, {{"PV_CHUNKS", I{4}}, {"MASK_PLACE", "accumulators"}})), 0);
  EXPECT_EQ(spills(128, {{"WARPGROUPS_M", I{2}}, {"PRODUCER", warpgroup}}), 0);
}

TEST_F(CompiledHopper, NoStartSpillsOrWaitsForEachProduct) {
  int starts = 0;
  for (const I head_dim : {64, 128}) {
    const model::Space bound = space(head_dim);
    for (const model::TemplateDesign& start : kernel_.initial_designs) {
      if (bound.violation(start.genome)) continue;
      SCOPED_TRACE(fmt::format("{} at {}", start.name, head_dim));
      const auto artifact = compile_genome(kernel_, bound, start.genome, "sm_90a");
      ASSERT_TRUE(artifact) << words(artifact.error());
      EXPECT_EQ(artifact->resources.spill_store_bytes + artifact->resources.spill_load_bytes, 0);
      // ptxas: "wgmma.mma_async instructions are serialized", "warpgroup.wait is injected".
      EXPECT_EQ(artifact->compiler_log.find("C75"), std::string::npos) << artifact->compiler_log;
      ++starts;
    }
  }
  EXPECT_GE(starts, 6);
}

TEST_F(CompiledHopper, EveryGeneValueHasItsOwnMachineCode) {
  const model::Space bound = space(64);
  MachineCode code(kernel_, bound, "sm_90a");
  const std::string self = "self", warpgroup = "warpgroup";
  for (const model::Gene& gene : bound.genes()) {
    if (gene.name == "MIN_BLOCKS") continue;  // below the bound on registers it changes nothing
    model::Genome base = bound.initial();
    if (gene.name == "COPY") base = with_genes(base, {{"PRODUCER", self}});
    if (gene.name == "PRODUCER_REGISTERS") base = with_genes(base, {{"PRODUCER", warpgroup}});
    if (gene.name == "PINGPONG") base = with_genes(base, {{"SPLIT_KV", I{2}}});
    if (gene.name == "STAGES") base = with_genes(base, {{"BLOCK_N", I{64}}});
    if (gene.name.ends_with("_CHUNKS")) base = with_genes(base, {{"OVERLAP", I{0}}});
    if (gene.name == "COPY_ORDER")
      base = with_genes(base, {{"SPLIT_KV", I{2}}, {"OVERLAP", I{0}}, {"QK_CHUNKS", I{2}}});
    if (gene.name == "BLOCK_N") base = with_genes(base, {{"OVERLAP", I{0}}});
    EXPECT_GE(code.expect_own(base, gene), 2U) << gene.name;
  }
}

TEST_F(CompiledHopper, PlainSm90HasNoSuchInstructions) {
  const model::Space bound = space(64);
  EXPECT_FALSE(compile_genome(kernel_, bound, bound.initial(), "sm_90"));
}

}  // namespace
}  // namespace evo::tests
