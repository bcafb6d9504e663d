// Lines from evidence: the compiler's line table, and where a barrier belongs.
#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "diagnose/barrier_places.hpp"
#include "diagnose/code_lines.hpp"
#include "diagnose/rules.hpp"
#include "diagnose/suspect_patterns.hpp"
#include "tests/kernels/shipped.hpp"

namespace evo::diagnose {
namespace {

const char* const ptx =
    "\t.loc\t1 40 3\n"
    "\tmov.u32 %r1, 0;\n"
    "\t.loc\t2 7 5, function_name $L__info_string0, inlined_at 1 41 9\n"
    "\tst.shared.u32 [%r1], %r1;\n"
    "\t.loc\t1 12 5, function_name $L__info_string1, inlined_at 1 60 9\n"
    "\t.loc\t1 60 9, function_name $L__info_string2, inlined_at 1 90 1\n"
    "\t.file\t1 \"k.cu\"\n"
    "\t.file\t2 \"/tmp/x/helper.cuh\"\n";

TEST(CodeLines, AreThoseWithAnInstruction) {
  const CodeLines code = code_lines(ptx);
  EXPECT_EQ(code.lines.at("k.cu"), (std::set<int>{12, 40, 60}));
  EXPECT_EQ(code.lines.at("helper.cuh"), (std::set<int>{7}));
}

TEST(CodeLines, LeadFromInlinedCodeToTheKernelsOwnLine) {
  const CodeLines code = code_lines(ptx);
  EXPECT_EQ(code.outermost("k.cu", 12), (std::set<int>{90}));
  EXPECT_EQ(code.outermost("k.cu", 40), (std::set<int>{40}));
}

const std::string kernel =
    "kernel() {\n"                         // 1
    "  for (int t = 0; t < n; ++t) {\n"    // 2
    "    for (int i = 0; i < m; ++i) {\n"  // 3
    "      tile[i] = x[i];\n"              // 4
    "    }\n"                              // 5
    "    for (int i = 0; i < m; ++i) {\n"  // 6
    "      sum += tile[m - i];\n"          // 7
    "    }\n"                              // 8
    "    sum *= 2;\n"                      // 9
    "  }\n"                                // 10
    "}\n";

TEST(BarrierPlace, IsBehindTheLoopThatWrites) {
  EXPECT_EQ(barrier_place(kernel, {4}, {7}), 6);
  EXPECT_EQ(barrier_place(kernel, {7}, {4}), 6);
}

TEST(BarrierPlace, OfAnOverwriteIsBeforeIt) {
  std::string text = kernel;
  text.insert(text.find("    for (int i = 0; i < m; ++i) {\n      sum"), "    x();\n    y();\n");
  EXPECT_EQ(barrier_place(text, {4}, {9}), 6);
  EXPECT_EQ(barrier_place(text, {4}, {9}, {}, true), 8);
}

TEST(BarrierPlace, IsTheEndOfTheLoopWhereABarrierStandsBetween) {
  std::string guarded = kernel;
  guarded.replace(guarded.find("    }\n"), 6, "    } __syncthreads();\n");
  EXPECT_EQ(barrier_place(guarded, {4}, {7}), 10);
}

TEST(BarrierPlace, TakesTheNearestPairAndMayNotKnow) {
  EXPECT_EQ(barrier_place(kernel, {1, 4}, {7, 9}), 6);
  EXPECT_EQ(barrier_place(kernel, {4}, {4}), 0);
  EXPECT_EQ(barrier_place(kernel, {4}, {400}), 0);
}

TEST(WaitWithoutBarrier, IsTheWaitThatNothingPublishes) {
  const std::string source =
      "wait_copies<0>();\n__syncthreads();\nx();\nwait_copies<1>();\ny();\nz();\nq();\n";
  EXPECT_EQ(wait_without_barrier("k.cu", source, {{{"k.cu", {1, 2, 3, 4, 5}}}, {}}), 5);
  EXPECT_EQ(wait_without_barrier("k.cu", source, {{{"k.cu", {1, 2, 3}}}, {}}),
            0);  // no code was made of the second
  EXPECT_EQ(wait_without_barrier("other.cu", source, {{{"k.cu", {1, 2, 3, 4, 5}}}, {}}), 0);
}

TEST(WaitWithoutBarrier, StandsWhereItsFunctionIsCalled) {
  const std::string source =
      "void await() {\n  if (ASYNC) wait_copies<0>();\n}\n"
      "kernel() {\nx();\nawait();\n__syncthreads();\ny();\nawait();\nz();\nz();\nz();\n}\n";
  const CodeLines code{{{"k.cu", {2, 6, 9}}}, {{{"k.cu", 2}, {{"k.cu", 6}, {"k.cu", 9}}}}};
  EXPECT_EQ(wait_without_barrier("k.cu", source, code), 10);
}

TEST(SuspectPatterns, AreAboutRulesThatThereAreAndAreExpressions) {
  const model::CauseRules causes = tests::shipped_problem("attention_forward").causes;
  const std::vector<Rule> rules = rule_base(causes.rules);
  for (const SuspectPattern& suspect : suspect_patterns(causes.suspects)) {
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
      return rule.name == suspect.rule;
    })) << suspect.rule;
    if (!suspect.fact.empty()) {
      EXPECT_TRUE(is_fact_name(suspect.fact)) << suspect.fact;
    }
    EXPECT_NO_THROW(static_cast<void>(std::regex(suspect.pattern))) << suspect.pattern;
  }
}

}  // namespace
}  // namespace evo::diagnose
