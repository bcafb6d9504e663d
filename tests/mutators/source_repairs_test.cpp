// Operators that mend what is slow: arrays, quotients, precision, rows of neighbours, groups of copies.
#include <algorithm>

#include "mutators/source_operators.hpp"
#include "tests/mutators/made.hpp"

namespace evo::mutators {
namespace {

TEST(ArrayPad, MakesRowsOfSharedArraysLonger) {
  const auto texts = made<ArrayPad>("  __shared__ float t[8][n ? 4 : 8];\n  x[0] = t[n][1];\n");
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_TRUE(has(texts[0], "t[8][(n ? 4 : 8) + 1];"));
  EXPECT_TRUE(has(texts[2], "t[8][(n ? 4 : 8) + 8];"));
  EXPECT_TRUE(
      made<ArrayPad>("  __shared__ float t[8];\n  float u[8][4];\n  x[0] = t[n] + u[n][1];\n").empty());
}

TEST(ArrayRegisters, UnrollsEveryLoopThatCountsAlongTheArray) {
  const auto texts = made<ArrayRegisters>(
      "  float a[4];\n  for (int i = 0; i < 4; ++i) a[i] = y[i];\n  for (int j = 0; j < n; ++j) x[j] = "
      "y[j];\n"
      "  for (int i = 0; i < 4; ++i) x[i] = a[3 - i];\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "_Pragma(\"unroll\") for (int i = 0; i < 4; ++i) a[i]"));
  EXPECT_TRUE(has(texts[0], "_Pragma(\"unroll\") for (int i = 0; i < 4; ++i) x[i]"));
  EXPECT_FALSE(has(texts[0], "_Pragma(\"unroll\") for (int j"));
  const std::string loop = "  for (int i = 0; i < 4; ++i) x[i] = a[i];\n";
  EXPECT_TRUE(made<ArrayRegisters>("  __shared__ float a[4];\n" + loop).empty());
  EXPECT_TRUE(made<ArrayRegisters>("  const float a[2] = {1, 2};\n" + loop).empty());
  EXPECT_TRUE(made<ArrayRegisters>("  float a[4];\n  x[0] = a[n];\n").empty());
}

TEST(ArrayShared, GivesEachThreadItsPart) {
  const std::string body = "  int a[4] = {};\n  for (int i = 0; i < n; ++i) a[i % 4] += i;\n  x[0] = a[n];\n";
  const auto texts = made<ArrayShared>(body, 64);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(
      has(texts[0], "__shared__ int a[4][64]; for (int evo_each = 0; evo_each < (4); ++evo_each) a["));
  EXPECT_TRUE(has(texts[0], "a[i % 4][threadIdx.x + "));
  EXPECT_TRUE(has(texts[0], "x[0] = a[n][threadIdx.x + "));
  EXPECT_TRUE(made<ArrayShared>(body).empty()) << "the block's size is not known";
  EXPECT_TRUE(made<ArrayShared>("  int a[4];\n  a[n] = 1;\n  f(a);\n", 64).empty());
  EXPECT_TRUE(made<ArrayShared>("  int a[4];\n  a[n] = 1;\n  g(&a[1]);\n", 64).empty());
  EXPECT_TRUE(made<ArrayShared>("  int a[2] = {1, 2};\n  x[0] = a[n];\n", 64).empty());
  EXPECT_TRUE(made<ArrayShared>("  int a[2], b[2];\n  x[0] = a[n] + b[n];\n", 64).empty());
}

TEST(QuotientInverse, InvertsInFrontOfTheLoopWhatDoesNotChangeInIt) {
  const auto texts = made<QuotientInverse>(
      "  float s = y[0];\n  for (int i = 0; i < n; ++i) {\n    x[i] = y[i] * 2 / s + 1;\n  }\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "const auto evo_inverse_0_0 = 1.0f / (s); for ("));
  EXPECT_TRUE(has(texts[0], "x[i] = y[i] * 2 * evo_inverse_0_0 + 1;"));
  EXPECT_TRUE(has(texts[1], "x[i] = y[i] * 2 * __fdividef(1.0f, s) + 1;"));
}

TEST(QuotientInverse, KnowsWhatItDividesBy) {
  const auto only = [](const std::string& body) {
    const auto texts = made<QuotientInverse>(body);
    return texts.size() == 1 ? texts[0] : std::to_string(texts.size());
  };
  EXPECT_TRUE(
      has(only("  float s = 2;\n  for (int i = 0; i < n; ++i) {\n    s += 1;\n    x[i] = y[i] / s;\n  }\n"),
          "x[i] = y[i] * __fdividef(1.0f, s);"));
  EXPECT_TRUE(
      has(only("  x[0] = y[0] / (y[1] + 1) - 2;\n  ++n;\n"), "y[0] * __fdividef(1.0f, (y[1] + 1)) - 2;"));
  EXPECT_TRUE(has(only("  x[0] = 1.0f / -expf(y[1]);\n"), "1.0f * __fdividef(1.0f, -expf(y[1]));"));
  EXPECT_TRUE(has(only("  x[0] = 2.f / (float)n;\n"), "2.f * __fdividef(1.0f, (float)n);"));
  EXPECT_TRUE(has(only("  x[0] /= y[1] + y[2];\n"), "x[0] *= __fdividef(1.0f, y[1] + y[2]);"));
  EXPECT_EQ(only("  int m = n / 3;\n  m /= 5;\n"), "0");
  EXPECT_EQ(only("  int d = n + 1, q = 0;\n  for (int i = 0; i < n; ++i) {\n    q += i / d;\n  }\n"), "0");
  EXPECT_EQ(only("  x[n / 3] = y[(n + 1) / 5];\n"), "0") << "an index is an integer";
  // The fast one is single.
  EXPECT_EQ(only("  double d = n;\n  d = 1 / d;\n"), "0");
  EXPECT_TRUE(has(only("  double d = n, e = 1;\n  for (int i = 0; i < n; ++i) {\n    e += e / d;\n  }\n"),
                  "const auto evo_inverse_0_0 = 1.0 / (d); for ("));
}

TEST(SinglePrecision, MakesFloatsOfLiteralsAndNames) {
  const auto texts = made<SinglePrecision>(
      "  double d = y[0] * 0.5;\n  if (d > 1e-6) x[0] = d + 2;\n  for (int i = 0; i < 1.5f; ++i) x[i] = "
      "0.25f;\n");
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_TRUE(has(texts[0], "double d = y[0] * 0.5f;"));
  EXPECT_TRUE(has(texts[1], "if (d > 1e-6f)"));
  EXPECT_TRUE(has(texts[2], "double d = y[0] * 0.5f;"));
  EXPECT_TRUE(has(texts[2], "if (d > 1e-6f)"));
  EXPECT_TRUE(has(texts[3], "float d = y[0] * 0.5f;"));
  EXPECT_TRUE(made<SinglePrecision>("  x[0] = y[0] * 0.5f + 2;\n").empty());
  // All of them or none: the head of a loop with preprocessor lines inside cannot be edited.
  EXPECT_TRUE(made<SinglePrecision>("  for (int i = 0; i < 1.5; ++i) {\n#if 1\n    x[i] = 1;\n#endif\n  }\n"
                                    "  x[1] = 0.25;\n")
                  .empty());
}

TEST(VectorLoop, WalksSeveralElementsAtATime) {
  const auto texts =
      made<VectorLoop>("  for (int i = n; i < n + 8 && i < 99; ++i) x[i] = y[i] + y[i] * i;\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[1],
                  "for (int i = n; i < n + 8 && i < 99; i += 4) { const auto evo_at = i; if (((i + 3) < "
                  "n + 8 && (i + 3) < 99) && (unsigned long long)&x[i] % 16 == 0"));
  EXPECT_TRUE(
      has(texts[1], "*reinterpret_cast<uint4*>(evo_row_y) = *reinterpret_cast<const uint4*>(&y[i]);"));
  EXPECT_TRUE(
      has(texts[1], "*reinterpret_cast<uint4*>(&x[i]) = *reinterpret_cast<const uint4*>(evo_row_x);"));
  EXPECT_FALSE(has(texts[1], "*reinterpret_cast<uint4*>(evo_row_x)")) << "nobody reads what x was";
  EXPECT_TRUE(has(texts[0], "uint2"));
}

TEST(VectorLoop, TakesTurnsAndReadsWhatItMayNotWrite) {
  const auto texts = made<VectorLoop>(
      "  for (int i = threadIdx.x; i < n; i += 32) {\n    if (y[i] > 0) x[i] = y[i] - y[0];\n  }\n"
      "  for (int i = 0; i < n; ++i) x[i] += 1;\n");
  ASSERT_EQ(texts.size(), 4u);
  for (const std::string& text : texts) {
    EXPECT_TRUE(has(text, "(evo_row_x) = "));
    EXPECT_FALSE(has(text, "evo_row_y")) << "y is used otherwise too";
  }
  const auto sum =
      made<VectorLoop>("  float s = 0;\n  for (int i = threadIdx.x; i < n; i += 32) s += y[i];\n");
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_TRUE(has(sum[0], "for (int i = (threadIdx.x) * 2; i < n; i += (32) * 2)"));
}

TEST(VectorLoop, AlignsSharedArraysAndLeavesTheThreadsOwnAlone) {
  const auto texts = made<VectorLoop>(
      "  __shared__ float s[64];\n  float own[4];\n  for (int c = 0; c < 4; ++c) own[c] = s[4 * n + c];\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[1], "__align__(16) __shared__ float s[64];"));
  EXPECT_TRUE(has(texts[1], "own[c] = evo_row_s[evo_each]"));
  EXPECT_FALSE(has(texts[1], "% 16"));
}

TEST(VectorLoop, KeepsAwayFromWhatRoundsNeedOfEachOther) {
  const std::string head = "  for (int i = 0; i < n; ++i) ";
  EXPECT_TRUE(made<VectorLoop>(head + "x[i] = x[i - 1] + 1;\n").empty());
  EXPECT_TRUE(made<VectorLoop>(head + "{ x[i] = 1; if (y[i] > 2) break; }\n").empty());
  EXPECT_TRUE(made<VectorLoop>(head + "{ x[2 * i] = 1; }\n").empty());
  EXPECT_TRUE(made<VectorLoop>(head + "{ int k = i; x[k + i] = 1; }\n").empty());
  EXPECT_TRUE(made<VectorLoop>(head + "{ x[i] = 1; ++i; }\n").empty());
  EXPECT_TRUE(made<VectorLoop>("  double d[8];\n  for (int i = 0; i < 8; i *= 2) d[i] = 1;\n").empty());
}

TEST(AsyncGroup, KnowsWhereGroupsAreClosed) {
  for (const std::string commit : {"asm volatile(\"cp.async.commit_group;\" ::: \"memory\");",
                                   "__pipeline_commit();", "pipe.producer_commit();", "commit_copies();"}) {
    const auto texts = made<AsyncGroup>("  x[0] = 1;\n  " + commit + "\n  x[1] = 2;\n");
    ASSERT_EQ(texts.size(), 3u) << commit;  // behind, in front, deleted
    EXPECT_LT(texts[0].find("x[1] = 2;"), texts[0].find(commit));
    EXPECT_LT(texts[1].find(commit), texts[1].find("x[0] = 1;"));
    EXPECT_FALSE(has(texts[2], commit));
  }
  EXPECT_TRUE(made<AsyncGroup>("  x[0] = 1;\n  warpgroup_commit_batch();\n  x[1] = 2;\n").empty());
  EXPECT_TRUE(made<AsyncGroup>("  x[0] = 1;\n  commit(x);\n  x[1] = 2;\n").empty());
}

TEST(AsyncGroup, SeesGroupsBehindFunctionsOfTheText) {
  const std::string text =
      "__device__ void close() { if (n) commit_copies(); }\n__device__ void other() { x[0] = 1; "
      "commit_copies(); }\n"
      "__global__ void k(float* x) {\n  x[0] = 1;\n  close();\n  other();\n}\n";
  std::size_t moves = 0;
  for (const Change& change : AsyncGroup().changes(edited_source(text, {"k"}, 0))) {
    if (!change.front().anchor.starts_with("k/")) continue;
    EXPECT_TRUE(change.front().anchor.starts_with("k/1#")) << change.front().anchor;
    ++moves;
  }
  EXPECT_EQ(moves, 3U);  // behind, in front, deleted
}

TEST(AsyncGroup, WaitsFollowTheNumberOfGroups) {
  const std::string body =
      "  x[0] = 1;\n  x[1] = 1;\n  __pipeline_commit();\n  __pipeline_wait_prior(1);\n  x[2] = 2;\n";
  bool joined = false, divided = false;
  for (const std::string& text : made<AsyncGroup>(body)) {
    joined = joined || (!has(text, "__pipeline_commit();") && has(text, "__pipeline_wait_prior(0);"));
    divided = divided || (text.find("__pipeline_commit();") != text.rfind("__pipeline_commit();") &&
                          has(text, "__pipeline_wait_prior(2);"));
  }
  EXPECT_TRUE(joined);
  EXPECT_TRUE(divided);
}

TEST(AsyncGroup, LeavesALoopAndEntersOne) {
  const std::string loop = "  for (int i = 0; i < n; ++i) {\n    x[i] = 1;\n    __pipeline_commit();\n  }\n";
  const auto out = made<AsyncGroup>(loop);
  EXPECT_TRUE(std::ranges::any_of(out, [](const std::string& text) {
    return text.find("__pipeline_commit();") > text.find("  }\n") - 3;
  }));
  const auto in =
      made<AsyncGroup>("  for (int i = 0; i < n; ++i) {\n    x[i] = 1;\n  }\n  __pipeline_commit();\n");
  EXPECT_TRUE(std::ranges::any_of(
      in, [](const std::string& text) { return has(text, "x[i] = 1; __pipeline_commit();"); }));
}

TEST(AsyncWait, CountsInEveryForm) {
  for (const std::string wait :
       {"asm volatile(\"cp.async.wait_group 2;\" ::);",
        "asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(2));", "__pipeline_wait_prior(2);",
        "cuda::pipeline_consumer_wait_prior<2>(pipe);", "wait_copies<2>();",
        "asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(STAGES - 2));"}) {
    const auto texts = made<AsyncWait>("  x[0] = 1;\n  " + wait + "\n");
    ASSERT_EQ(texts.size(), 2u) << wait;
    EXPECT_TRUE(has(texts[0], "3"));
    EXPECT_TRUE(has(texts[1], "1)") || has(texts[1], "1;") || has(texts[1], "<1>")) << texts[1];
  }
  EXPECT_TRUE(made<AsyncWait>("  mbarrier_wait(bar, 1);\n").empty());
}

}  // namespace
}  // namespace evo::mutators
