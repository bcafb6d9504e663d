// Operators on loops and on what they compute: each text that they make, and where they keep away.
#include <gtest/gtest.h>

#include "mutators/source_operators.hpp"
#include "source/apply.hpp"

namespace evo::mutators {
namespace {

/// Texts of a kernel's body after each change of the operator; all edits must apply.
template <class Operator>
std::vector<std::string> made(const std::string& body) {
  const EditedSource source =
      edited_source("__global__ void k(float* x, const float* y, int n) {\n" + body + "}\n", {"k"}, 0);
  std::vector<std::string> texts;
  for (const Change& change : Operator().changes(source)) {
    const source::Edited edited = source::apply_edits(source.program, change);
    EXPECT_TRUE(edited.dropped.empty()) << source::text_of(change.front());
    texts.push_back(edited.text);
  }
  return texts;
}

bool has(const std::string& where, std::string_view what) {
  return where.find(what) != std::string::npos;
}

TEST(StatementHoist, MovesWhatTheLoopDoesNotChange) {
  const auto texts =
      made<StatementHoist>("  for (int i = 0; i < n; ++i) {\n    float f = y[n] * 2;\n    x[i] = f;\n  }\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_LT(texts[0].find("float f"), texts[0].find("for ("));
}

TEST(StatementHoist, KeepsWhatDependsOnTheRound) {
  const std::string rest = "    x[i] = f;\n  }\n", head = "  for (int i = 0; i < n; ++i) {\n";
  EXPECT_TRUE(made<StatementHoist>(head + "    float f = y[i];\n" + rest).empty());  // its counter
  EXPECT_TRUE(made<StatementHoist>(head + "    float f = x[0];\n" + rest).empty());  // written in the loop
  EXPECT_TRUE(made<StatementHoist>(head + "    float f = y[n];\n    f += 1;\n" + rest).empty());
  EXPECT_TRUE(made<StatementHoist>("  float f = 1;\n" + head + "    float f = y[n];\n" + rest).empty());
  EXPECT_TRUE(made<StatementHoist>(head + "    x[n] = x[n] + 1;\n  }\n").empty());
}

TEST(LoopInterchange, SwapsHeadsThatDoNotNeedEachOther) {
  const auto texts = made<LoopInterchange>(
      "  for (int i = 0; i < n; ++i) {\n    for (int j = 0; j < 4; ++j) x[i] += y[j];\n  }\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_LT(texts[0].find("int j"), texts[0].find("int i"));
  EXPECT_TRUE(made<LoopInterchange>(
                  "  for (int i = 0; i < n; ++i) {\n    for (int j = 0; j < i; ++j) x[i] += y[j];\n  }\n")
                  .empty());
}

TEST(LoopFuse, PutsTwoBodiesUnderOneHead) {
  const std::string head = "  for (int i = 0; i < n; ++i) ";
  const auto texts = made<LoopFuse>(head + "{ x[i] = 1; }\n" + head + "x[i] += y[i];\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].find("for ("), texts[0].rfind("for ("));
  EXPECT_LT(texts[0].find("x[i] = 1;"), texts[0].find("x[i] += y[i];"));
  EXPECT_TRUE(made<LoopFuse>(head + "{ x[i] = 1; }\n  for (int i = 1; i < n; ++i) x[i] = 2;\n").empty());
  EXPECT_TRUE(made<LoopFuse>(head + "{ if (i) continue; x[i] = 1; }\n" + head + "x[i] = 2;\n").empty());
}

TEST(LoopSplit, DividesStatementsThatShareNoDeclaration) {
  const std::string head = "  for (int i = 0; i < n; ++i) ";
  const auto texts = made<LoopSplit>(head + "{ x[i] = 1; x[i] += y[i]; }\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_NE(texts[0].find("for ("), texts[0].rfind("for ("));
  EXPECT_TRUE(made<LoopSplit>(head + "{ float f = y[i]; x[i] = f; }\n").empty());
  // The second loop would begin where the first one ended.
  EXPECT_TRUE(made<LoopSplit>("  int i = 0;\n  for (i += 1; i < n; ++i) { x[i] = 1; x[i] += 2; }\n").empty());
}

TEST(LoopPeel, RunsTheFirstRoundInFront) {
  const auto texts = made<LoopPeel>("  for (int i = 0; i < n; ++i) { x[i] = 1; }\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "{ int i = 0; if (i < n) { { x[i] = 1; } ++i; for (; i < n; ++i)"));
  EXPECT_TRUE(made<LoopPeel>("  for (int i = 0; i < n; ++i) { if (y[i] > 0) break; }\n").empty());
  EXPECT_TRUE(made<LoopPeel>("  for (;;) { x[0] = 1; }\n").empty());
}

TEST(StrengthReduce, ShiftsAndMasksByPowersOfTwo) {
  const auto texts = made<StrengthReduce>("  int a = threadIdx.x / 32 + n;\n  int b = n % 8;\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "(threadIdx.x >> 5)"));
  EXPECT_TRUE(has(texts[1], "(n & 7)"));
  EXPECT_TRUE(made<StrengthReduce>("  int a = 3 * n / 32;\n").empty());  // another value
  EXPECT_TRUE(made<StrengthReduce>("  int a = n % 12;\n").empty());
  EXPECT_TRUE(made<StrengthReduce>("  float f = y[0];\n  x[0] = f / 2;\n").empty());
}

}  // namespace
}  // namespace evo::mutators
