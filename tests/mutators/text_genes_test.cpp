// Numbers of a text that become genes.
#include "mutators/text_genes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mutators/edit_lists.hpp"
#include "mutators/source_operators.hpp"
#include "source/apply.hpp"
#include "source/text_gene.hpp"
#include "tests/mutators/made.hpp"

namespace evo::mutators {
namespace {

/// What the operator declares for a text: "NAME=VALUE" each.
std::vector<std::string> genes_of(const std::string& text, int threads = 0) {
  const EditedSource source = edited_source(text, {"k"}, threads);
  std::vector<std::string> list;
  for (const Change& change : ConstantGene().changes(source)) {
    EXPECT_TRUE(source::apply_edits(source.program, change).dropped.empty());
    const auto gene = source::gene_of(change.front());
    if (!gene) {
      ADD_FAILURE() << source::text_of(change.front());
      continue;
    }
    list.push_back(gene->name + "=" + std::to_string(gene->value));
  }
  return list;
}

TEST(ConstantGene, FindsNumbersThatHaveANameOrStandInSeveralPlaces) {
  using List = std::vector<std::string>;
  const std::string body = "__global__ void k(float* x) {\n  for (int i = 0; i < TILE; ++i) x[i] = 0;\n}\n";
  EXPECT_EQ(genes_of("#define TILE 8\n" + body),
            (List{"GENE_TILE=4", "GENE_TILE=16", "GENE_TILE=2", "GENE_TILE=32"}));
  EXPECT_EQ(genes_of("#define TILE (6)\n" + body),
            (List{"GENE_TILE=7", "GENE_TILE=5", "GENE_TILE=3", "GENE_TILE=12", "GENE_TILE=24"}));
  EXPECT_EQ(genes_of("constexpr int TILE = 8;\n" + body).size(), 4u);
  EXPECT_EQ(genes_of("__global__ void k(float* x) {\n  const int n = 4;\n  x[n] = 0;\n}\n").size(), 4u);
  EXPECT_EQ(genes_of("__global__ void k(float* x) {\n  x[16] = x[threadIdx.x * 16];\n}\n"),
            (List{"GENE_k_16=8", "GENE_k_16=32", "GENE_k_16=4", "GENE_k_16=64"}));
}

TEST(ConstantGene, LeavesAloneWhatEvoGivesOrNobodyKnows) {
  const std::string body = "__global__ void k(float* x) {\n  for (int i = 0; i < TILE; ++i) x[i] = 0;\n}\n";
  EXPECT_TRUE(genes_of("#define TILE 8\n#line 1 \"k.cu\"\n" + body).empty());
  EXPECT_TRUE(
      genes_of("#define TILE 8\n#line 1 \"k.cu\"\n#ifndef TILE\n#define TILE 4\n#endif\n" + body).empty());
  EXPECT_TRUE(genes_of("#ifdef A\n#define TILE 8\n#else\n#define TILE 4\n#endif\n" + body).empty());
  EXPECT_TRUE(genes_of("#define TILE 8\n" + body, 8).empty()) << "the block's size";
  EXPECT_TRUE(genes_of("__global__ void k(float* x) {\n  x[8] = x[threadIdx.x * 8];\n}\n", 8).empty());
  EXPECT_TRUE(genes_of("__global__ void k(float* x) {\n  x[2] = x[threadIdx.x / 2];\n}\n").empty());
  EXPECT_TRUE(genes_of("#define TILE(x) 8\n__global__ void k(float* x) { x[TILE(1)] = 0; }\n").empty());
  EXPECT_TRUE(genes_of("#define TILE 8 + 1\n" + body).empty());
  EXPECT_TRUE(genes_of("#define OTHER 8\n__global__ void k(float* x) { x[0] = 0; }\n").empty());
}

TEST(TextGenes, StepCrossAndStayLegal) {
  const auto edit = [](std::int64_t value) {
    return source::Edit{"constant_gene", source::gene_anchor("T"),
                        source::payload_of({"T", value, {4, 8, 16}, {}, {}})};
  };
  const source::Edits list{edit(8)};
  const auto steps = gene_steps(list);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(source::gene_of(steps[0].front())->value, 4);
  const auto below = [](std::int64_t most) {
    return [most](const source::Edits& edits) {
      return edits.empty() || source::gene_of(edits[0])->value <= most;
    };
  };
  EXPECT_EQ(with_legal_genes(list, below(8)), list);
  EXPECT_EQ(with_legal_genes(list, below(5)), source::Edits{edit(4)});
  EXPECT_TRUE(with_legal_genes(list, below(1)).empty());
  for (const char* salt : {"a", "b", "c", "d", "e", "f"})
    EXPECT_LE(crossed({edit(8)}, {edit(16)}, salt).size(), 1u) << salt;
}

}  // namespace
}  // namespace evo::mutators
