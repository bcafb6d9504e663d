#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "source/apply.hpp"
#include "source/text_gene.hpp"

namespace evo::source {
namespace {

const std::string text =
    "__global__ void k(float* x, int n) {\n"
    "  __shared__ float s[32];\n"
    "  s[threadIdx.x] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    x[i] += s[i];  // sum\n"
    "    if (i > 1) x[i] = 0;\n"
    "  }\n"
    "}\n";

std::size_t node(const Program& program, std::string_view begin) {
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].kind != NodeKind::block && program.flat(program.nodes[i].span).starts_with(begin))
      return i;
  }
  throw std::runtime_error("no such statement");
}

std::string at(std::string_view begin) {
  const Program program = read_program(text);
  return anchor_of(program, node(program, begin));
}

std::string edited(const Edits& edits) {
  const Edited result = apply_edits(text, edits);
  EXPECT_TRUE(result.dropped.empty());
  EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
  return result.text;
}

bool has(const std::string& where, std::string_view what) {
  return where.find(what) != std::string::npos;
}

TEST(SourceEdits, NothingLeavesTheText) {
  EXPECT_EQ(edited({}), text);
}

TEST(SourceEdits, AStatementIsLeftOut) {
  const std::string result = edited({{"d", at("__syncthreads"), "delete"}});
  EXPECT_FALSE(has(result, "__syncthreads"));
  EXPECT_TRUE(has(result, "  ;\n#pragma unroll\n"));
  // The pragma goes with its loop.
  EXPECT_FALSE(has(edited({{"d", at("for"), "delete"}}), "pragma"));
}

TEST(SourceEdits, TextGoesInFrontAndBehind) {
  EXPECT_TRUE(has(edited({{"i", at("x[i] += "), "before f();"}}), "    f(); x[i] += s[i];  // sum"));
  EXPECT_TRUE(has(edited({{"i", at("x[i] += "), "after f();"}}), "x[i] += s[i]; f();  // sum"));
  // In front of a pragma, not between it and its loop.
  EXPECT_TRUE(has(edited({{"i", at("for"), "before f();"}}), "__syncthreads(); f();\n#pragma unroll"));
}

TEST(SourceEdits, AStatementMovesAndIsCopied) {
  const std::string moved = edited({{"m", at("__syncthreads"), "move after " + at("x[i] += ")}});
  EXPECT_TRUE(has(moved, "x[i] += s[i]; __syncthreads();"));
  EXPECT_TRUE(has(moved, "  ;\n#pragma"));
  const std::string copied = edited({{"c", at("__syncthreads"), "copy before " + at("x[i] += ")}});
  EXPECT_TRUE(has(copied, "__syncthreads(); x[i] += s[i];"));
  EXPECT_TRUE(has(copied, "  __syncthreads();\n#pragma"));
  EXPECT_TRUE(has(edited({{"s", at("s[threadIdx"), "swap " + at("__sync")}}),
                  "  __syncthreads();\n  s[threadIdx.x] = x[threadIdx.x];\n"));
}

TEST(SourceEdits, LoopsAndFunctions) {
  EXPECT_TRUE(has(edited({{"u", at("for"), "pragma unroll 2"}}), "_Pragma(\"unroll 2\") for (int i"));
  EXPECT_FALSE(has(edited({{"u", at("for"), "pragma unroll 2"}}), "#pragma"));
  EXPECT_TRUE(has(edited({{"h", at("if"), "head i > 2"}}), "if (i > 2) x[i] = 0;"));
  const Program program = read_program(text);
  const std::string function = anchor_of(program, program.functions[0]);
  EXPECT_TRUE(
      has(edited({{"b", function, "bounds __launch_bounds__(64)"}}), "void __launch_bounds__(64) k("));
  EXPECT_TRUE(has(edited({{"r", function, "head float* __restrict__ x, int n"}}),
                  "k(float* __restrict__ x, int n) {"));
}

TEST(SourceEdits, WhatDoesNotApplyIsDropped) {
  const std::string barrier = at("__syncthreads");
  const auto dropped = [](const Edits& edits) { return apply_edits(text, edits).dropped; };
  using Positions = std::vector<std::size_t>;
  EXPECT_EQ(dropped({{"d", "k/2#00000000", "delete"}}), Positions{0});                     // gone
  EXPECT_EQ(dropped({{"d", "other/2#1", "delete"}}), Positions{0});                        // no such function
  EXPECT_EQ(dropped({{"d", barrier, "delete"}, {"d", barrier, "delete"}}), Positions{1});  // touched already
  EXPECT_EQ(dropped({{"d", at("for"), "delete"}, {"d", at("x[i] +="), "delete"}}), Positions{1});
  EXPECT_EQ(dropped({{"m", at("for"), "move before " + at("x[i] +=")}}), Positions{0});  // into itself
  EXPECT_EQ(dropped({{"i", at("x[i] = 0"), "before f();"}}), Positions{0});              // no block around it
  EXPECT_EQ(dropped({{"i", barrier, "before f();\ng();"}}), Positions{0});               // lines would move
  EXPECT_EQ(dropped({{"x", barrier, "explode"}}), Positions{0});
}

TEST(SourceEdits, AnAnchorFindsItsStatementWhereOthersCameOrWent) {
  const std::string anchor = at("x[i] += ");
  std::string other = text;
  other.insert(other.find("  __syncthreads"), "  if (n == 0) return;\n");
  const Program program = read_program(other);
  EXPECT_EQ(node_at(program, anchor), node(program, "x[i] += "));
  EXPECT_EQ(node_at(read_program("__global__ void k(float* x) { x[0] = 1; }"), anchor), none);
}

TEST(SourceEdits, AnEditIsALineAndComesBackFromIt) {
  const Edit edit{"barrier_move", at("__syncthreads"), "move after " + at("for")};
  EXPECT_EQ(edit_from_text(text_of(edit)), edit);
  EXPECT_EQ(edit_from_text("no edit"), std::nullopt);
  EXPECT_EQ(edit_from_text("a b c"), std::nullopt);
}

TEST(TextGenes, AreALineAndComeBackFromIt) {
  const TextGene gene{"TILE", 8, {4, 8, 16}, "TILE <= 2 * BLOCK", "replace x[0] = TILE;"};
  const Edit edit{"g", at("__sync"), payload_of(gene)};
  EXPECT_EQ(gene_of(*edit_from_text(text_of(edit))), gene);
  EXPECT_EQ(gene_of(with_value(edit, 16))->value, 16);
  const TextGene alone{"TILE", 8, {4, 8}, {}, {}};
  EXPECT_EQ(gene_of({"g", gene_anchor("TILE"), payload_of(alone)}), alone);
  for (const char* bad : {"gene TILE=3 of 4,8", "gene TILE=x of 4,8", "gene TI LE=4 of 4,8",
                          "gene TILE=4 of 4,", "gene TILE=4", "delete"})
    EXPECT_FALSE(gene_of({"g", "@gene#TILE", bad})) << bad;
}

TEST(TextGenes, AreMacrosInFrontOfTheTextAndMoveNoLine) {
  const Edit size{"g", anchor_of(read_program(text), read_program(text).functions.front()),
                  payload_of({"SIZE", 64, {32, 64}, {}, "literal 32 SIZE"})};
  const std::string head = "#define N 1\n#line 1 \"k.cu\"\n";
  const Edited behind = apply_edits(head + text, {size});
  EXPECT_TRUE(behind.text.starts_with("#define SIZE 64\n" + head)) << behind.text;
  EXPECT_TRUE(has(behind.text, "__shared__ float s[SIZE];"));
  // Without macros in front the text has to say itself where its lines begin.
  EXPECT_TRUE(apply_edits(text, {size}).text.starts_with("#define SIZE 64\n#line 1\n__global__"));
  // A barrier of the same function can go, too; a second gene of the name cannot come.
  EXPECT_TRUE(apply_edits(text, {size, {"d", at("__sync"), "delete"}}).dropped.empty());
  const Edit again{"g", gene_anchor("SIZE"), payload_of({"SIZE", 8, {8, 16}, {}, {}})};
  EXPECT_EQ(apply_edits(text, {size, again}).dropped, std::vector<std::size_t>{1});
  // One whose edit does not apply, or that stands at another gene's place, leaves nothing.
  EXPECT_EQ(apply_edits(text, {{"g", "k/9#00000000", payload_of({"A", 1, {1, 2}, {}, "delete"})}}).text,
            text);
  EXPECT_EQ(apply_edits(text, {{"g", gene_anchor("B"), payload_of({"A", 1, {1, 2}, {}, {}})}}).text, text);
}

TEST(TextGenes, ARepeatedNumberTakesItsPaddedRowAlong) {
  const std::string tile =
      "__global__ void k(float* x) {\n  __shared__ float s[32][33];\n  x[33] = s[0][32 - 1];\n}\n";
  const Program program = read_program(tile);
  const Edited edited = apply_edits(program, {{"g", anchor_of(program, program.functions.front()),
                                               payload_of({"T", 16, {16, 32}, {}, "literal 32 T"})}});
  EXPECT_TRUE(has(edited.text, "s[T][(T + 1)];\n  x[(T + 1)] = s[0][T - 1];")) << edited.text;
}

std::vector<std::string> sources() {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(EVO_SOURCE_DIR) /
                                                               "tests/diagnose/foreign")) {
    if (entry.path().extension() != ".cu") continue;
    std::ifstream file(entry.path());
    std::ostringstream content;
    content << file.rdbuf();
    result.push_back(content.str());
  }
  std::sort(result.begin(), result.end());
  return result;
}

RC_GTEST_PROP(SourceEdits, AnyListGivesOneTextAndKeepsTheLines, ()) {
  static const std::vector<std::string> all = sources();
  const std::string& source = *rc::gen::elementOf(all);
  const Program program = read_program(source);
  Edits edits;
  const int count = *rc::gen::inRange(0, 8);
  const auto any = [&] {
    return anchor_of(program, *rc::gen::inRange<std::size_t>(0, program.nodes.size()));
  };
  for (int i = 0; i < count; ++i) {
    const int what = *rc::gen::inRange(0, 6);
    const std::string payloads[] = {"delete",       "before f();",  "after f();",
                                    "replace f();", "move before ", "swap "};
    edits.push_back({"any", any(), payloads[what] + (what > 3 ? any() : "")});
  }
  const Edited once = apply_edits(source, edits), again = apply_edits(source, edits);
  RC_ASSERT(once.text == again.text);
  RC_ASSERT(once.dropped == again.dropped);
  RC_ASSERT(std::count(once.text.begin(), once.text.end(), '\n') ==
            std::count(source.begin(), source.end(), '\n'));
  // What was dropped has no part in the text.
  Edits kept;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (std::find(once.dropped.begin(), once.dropped.end(), i) == once.dropped.end())
      kept.push_back(edits[i]);
  }
  RC_ASSERT(apply_edits(source, kept).text == once.text);
  RC_ASSERT(apply_edits(source, kept).dropped.empty());
}

}  // namespace
}  // namespace evo::source
