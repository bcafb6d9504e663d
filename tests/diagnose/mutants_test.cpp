// A kernel's text as tokens, what flows where in it, and changes of one place.
#include "diagnose/mutants.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/origin.hpp"

namespace evo::diagnose {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Token>& tokens) {
  std::vector<std::string> all;
  for (const Token& token : tokens) all.push_back(token.text);
  return all;
}

TEST(Tokens, LeaveCommentsOutAndKeepLines) {
  const auto tokens = tokens_of("a /* b\n c */ += 1.5e-3f; // d\n\"//e\" >>= x");
  EXPECT_THAT(texts(tokens), ElementsAre("a", "+=", "1.5e-3f", ";", "\"//e\"", ">>=", "x"));
  EXPECT_EQ(tokens[1].line, 2);
  EXPECT_EQ(tokens[4].line, 3);
}

TEST(Tokens, KnowFunctionsAndStatements) {
  const SourceText text = read_source(
      "#define N 4\n"
      "__device__ float twice(float x) { return 2 * x; }\n"
      "extern \"C\" __global__ void k(const float* a, float* b, int n) {\n"
      "  for (int i = 0; i < n; ++i) b[i] = twice(a[i]);\n"
      "}\n");
  ASSERT_EQ(text.functions.size(), 2U);
  EXPECT_EQ(text.functions[0].name, "twice");
  EXPECT_THAT(text.functions[1].parameters, ElementsAre("a", "b", "n"));
  ASSERT_EQ(text.statements.size(), 3U);
  EXPECT_EQ(text.statements[1].kind, StatementKind::header);
}

TEST(Tokens, WithoutUnrollingEveryLoopIsALoop) {
  EXPECT_EQ(without_unrolling("for (;;) {}"), "_Pragma(\"unroll 1\") for (;;) {}");
  EXPECT_EQ(without_unrolling("#pragma unroll 8\nfor (;;) {}"), "#pragma unroll 1\nfor (;;) {}");
}

TEST(Variables, ArePassedOnOverCallsAndPointers) {
  const SourceText text = read_source(
      "__device__ float at(const float* p, int i) { return p[i]; }\n"
      "__global__ void k(const float* a, float* b, int n) {\n"
      "  const float* row = a + 4 * n;\n"
      "  const float value = at(row, 1);\n"
      "  b[0] = value;\n"
      "}\n");
  const std::set<Place> names = aliases_of(text, {{1, "a"}});
  EXPECT_TRUE(names.contains({1, "row"}));
  EXPECT_TRUE(names.contains({0, "p"}));
  EXPECT_FALSE(names.contains({1, "value"})) << "an element is no array";
  EXPECT_FALSE(aliases_of(text, {{1, "n"}}).contains({1, "row"}));
}

std::vector<std::string> changed(const std::string& body, const std::string& kind) {
  const std::string head =
      "__global__ void k(const float* a, const float* b, float* c, int n, long long step, float s) {\n";
  KernelNames names;
  names.float_scalars = {"s"};
  std::vector<std::string> all;
  for (const Mutant& mutant : mutants_of(head + body + "\n}\n", names, {kind})) {
    EXPECT_EQ(mutant.kind, kind);
    EXPECT_EQ(mutant.line, 2);
    all.push_back(mutant.source.substr(head.size(), mutant.source.size() - head.size() - 3));
  }
  return all;
}

TEST(Mutants, UndoSlipsOfThePen) {
  EXPECT_THAT(changed("if (n <= 4) c[n] = 0;", "comparison"), ElementsAre("if (n < 4) c[n] = 0;"));
  EXPECT_THAT(changed("const int i = n / 4;", "bound"), ElementsAre("const int i = ((n) + (4) - 1) / (4);"));
  EXPECT_THAT(changed("float x = a[n] + b[n];", "factor"), Contains("float x = (a[n] + b[n]) * s;"));
  EXPECT_THAT(changed("c[n] = s * (a[n] + b[n]);", "grouping"), Contains("c[n] = s * a[n] + b[n];"));
  EXPECT_THAT(changed("c[n] = f(s, b[n], a[n]);", "arguments"), Contains("c[n] = f(s, a[n], b[n]);"));
  EXPECT_THAT(changed("c[n] = a[n] + a[n];", "operand"), Contains("c[n] = a[n] + b[n];"));
  EXPECT_THAT(changed("c[n] = a[n];", "index"), Contains("c[(n) * step] = a[n];"));
  EXPECT_THAT(changed("c[n] = a[n];", "guard"), ElementsAre("if (n < step) c[n] = a[n];"));
  EXPECT_THAT(changed("const int d = (int)step;", "width"), Contains("const long long d = (long long)step;"));
  EXPECT_THAT(changed("float x;", "initialiser"), ElementsAre("float x = {};"));
  EXPECT_THAT(changed("float m = 0.f;", "start"), Contains("float m = -INFINITY;"));
  EXPECT_THAT(changed("int i = 0;", "start"), IsEmpty());
  EXPECT_THAT(changed("float f = expf(s), x = 0; x += f * s;", "rescale"),
              Contains("float f = expf(s), x = 0; x = x * f +  f * s;"));
}

TEST(Mutants, ExchangeTwoNamesOfATest) {
  EXPECT_THAT(changed("if (n < 4 && step < 8) c[n] = 0;", "exchange"),
              ElementsAre("if (step < 4 && n < 8) c[n] = 0;"));
  EXPECT_THAT(changed("c[n] = step;", "exchange"), IsEmpty()) << "no test";
}

TEST(Mutants, TakePowersOfTwoWhereALoopHalves) {
  EXPECT_THAT(changed("for (int d = 16; d > 0; d /= 2) f(d);", "constant"),
              Contains("for (int d = 4; d > 0; d /= 2) f(d);"));
  EXPECT_THAT(changed("for (int d = 16; d > 0; --d) f(d);", "constant"),
              testing::Not(Contains("for (int d = 4; d > 0; --d) f(d);")));
}

TEST(Mutants, SetARunningValueBack) {
  EXPECT_THAT(
      changed("float x = 1 + s; for (int i = 0; i < n; ++i) { x += a[i]; c[i] = x; }", "reset"),
      ElementsAre("float x = 1 + s; for (int i = 0; i < n; ++i) { x = 1 + s; x += a[i]; c[i] = x; }"));
  EXPECT_THAT(changed("float x = 0; for (int i = 0; i < n; ++i) { c[i] = x; }", "reset"), IsEmpty())
      << "nothing is carried on";
  EXPECT_THAT(changed("for (int i = 0; i < n; ++i) { float x = 0; x += a[i]; c[i] = x; }", "reset"),
              IsEmpty());
}

TEST(Mutants, CountInElementsOfWhatWasCast) {
  EXPECT_THAT(
      changed("const float2* p = reinterpret_cast<const float2*>(a); c[n] = p[n + 1].x;", "index"),
      Contains("const float2* p = reinterpret_cast<const float2*>(a); c[n] = (*(decltype(&p[0]))(a + (n + "
               "1))).x;"));
}

TEST(Mutants, ExchangeTheCoordinatesOfAThread) {
  EXPECT_THAT(changed("c[threadIdx.y * n + threadIdx.x] = 0;", "index"),
              Contains("c[threadIdx.x * n + threadIdx.y] = 0;"));
}

TEST(Mutants, TakeABarrierOutOfItsBranch) {
  EXPECT_THAT(
      changed("if (n) { __syncthreads(); c[0] = 1; }", "hoist"),
      ElementsAre("__syncthreads(); if (n) { ; c[0] = 1; }", "if (n) { ; c[0] = 1; } __syncthreads();"));
  EXPECT_THAT(changed("__syncthreads(); if (n) { c[0] = 1; }", "hoist"), IsEmpty());
}

TEST(Mutants, WidenWhatAFunctionTakesButNoKernel) {
  const std::string source =
      "__device__ float at(const float* p, unsigned i) { return p[i]; }\n"
      "__global__ void k(const float* a, float* c, int n) { c[n] = at(a, n); }\n";
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants_of(source, {}, {"width"})) texts.push_back(mutant.source);
  EXPECT_THAT(texts,
              ElementsAre("__device__ float at(const float* p, long long i) { return p[i]; }\n"
                          "__global__ void k(const float* a, float* c, int n) { c[n] = at(a, n); }\n"));
}

TEST(Mutants, UpdateAWordAtOnce) {
  EXPECT_THAT(changed("c[n]++;", "atomic"), ElementsAre("atomicAdd(&(c[n]), 1);"));
  EXPECT_THAT(changed("--c[n];", "atomic"), ElementsAre("atomicSub(&(c[n]), 1);"));
  EXPECT_THAT(changed("c[n] += a[n];", "atomic"), ElementsAre("atomicAdd(&(c[n]), a[n]);"));
  EXPECT_THAT(changed("c[n] -= a[n];", "atomic"), ElementsAre("atomicAdd(&(c[n]), -(a[n]));"));
  EXPECT_THAT(changed("c[n] = c[n] + 2;", "atomic"), ElementsAre("atomicAdd(&(c[n]), 2);"));
  EXPECT_THAT(changed("c[n] = max(c[n], n);", "atomic"), ElementsAre("atomicMax(&(c[n]), n);"));
  EXPECT_THAT(changed("c[n] = a[n] + 2;", "atomic"), IsEmpty());
  EXPECT_THAT(changed("__shared__ int all; all += n;", "atomic"),
              ElementsAre("__shared__ int all; atomicAdd(&(all), n);"));
  EXPECT_THAT(changed("n += 2;", "atomic"), IsEmpty()) << "nobody else has it";
}

TEST(Mutants, FenceWhatStandsAlone) {
  EXPECT_THAT(changed("c[0] = 1; if (n) c[1] = 2;", "fence"),
              ElementsAre("__threadfence(); c[0] = 1; if (n) c[1] = 2;"));
}

TEST(Mutants, AreAllDifferentFromTheSource) {
  for (const char* kind :
       {"comparison", "constant", "bound", "condition", "guard", "start", "factor", "function", "arithmetic",
        "grouping", "operand", "arguments", "index", "order", "removal", "width"}) {
    const std::string body = "int i = 2 * n; if (i < n && n > 0) c[i] = a[i] * s; c[n] = fmaxf(a[n], b[n]);";
    const auto all = changed(body, kind);
    EXPECT_THAT(all, testing::Not(Contains(body))) << kind;
    const std::set<std::string> once(all.begin(), all.end());
    EXPECT_EQ(once.size(), all.size()) << kind;
  }
}

TEST(Similarity, TellsEditsFromOtherKernels) {
  const std::string known = "for (int i = t; i < n; i += 32) c[i] = a[i] + b[i];\n";
  EXPECT_EQ(similarity(known, known), 1);
  EXPECT_GT(similarity(known + known, known + "for (int i = t; i <= n; i += 32) c[i] = a[i] + b[i];\n"),
            edit_similarity);
  EXPECT_LT(similarity(known, "if (first < count) result[first] = left[first] + right[first];\n"),
            edit_similarity);
  EXPECT_EQ(similarity("", "x"), 0);
}

}  // namespace
}  // namespace evo::diagnose
