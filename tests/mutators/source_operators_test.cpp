// Operators on loops and on what they compute: each text that they make, and where they keep away.
#include <gtest/gtest.h>

#include "mutators/edit_lists.hpp"
#include "mutators/race_repair.hpp"
#include "mutators/source_operators.hpp"
#include "source/apply.hpp"
#include "tests/mutators/made.hpp"

namespace evo::mutators {
namespace {

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

TEST(LoadAhead, ReadsForTheNextRound) {
  const auto texts = made<LoadAhead>(
      "  float sum = 0;\n  for (int i = 0; i < n; i += 2) {\n    const float v = y[i] * 2;\n    sum += v;\n  "
      "}\n  x[0] = sum;\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "float evo_ahead_v{}; { int i = 0; if (i < n) evo_ahead_v = y[i] * 2; } for ("));
  EXPECT_TRUE(has(texts[0],
                  "float v = evo_ahead_v; { const auto evo_now = i; { auto i = evo_now; i += 2; if (i < n) "
                  "evo_ahead_v = y[i] * 2; } }"));
}

// What a tile of a product is filled with, and what a sum adds: no name stands for the value.
TEST(LoadAhead, ReadsWhatAnAssignmentStoresOrAdds) {
  const auto tile = made<LoadAhead>(
      "  __shared__ float t[8], s[32];\n  for (int i = 0; i < n; i += 32) {\n    s[threadIdx.x] = i < 7 ? "
      "y[i + "
      "threadIdx.x] : 0.f;\n    __syncthreads();\n    x[i] = s[0];\n    __syncthreads();\n  }\n");
  ASSERT_EQ(tile.size(), 1u);
  EXPECT_TRUE(
      has(tile[0], "float evo_ahead_value_1_0_0{}; { int i = 0; if (i < n) evo_ahead_value_1_0_0 = i < 7 ?"));
  EXPECT_TRUE(
      has(tile[0], "{ const float evo_value_1_0_0 = evo_ahead_value_1_0_0; { const auto evo_now = i; {"));
  EXPECT_TRUE(has(tile[0], "s[threadIdx.x] = evo_value_1_0_0; }"));
  const auto sum = made<LoadAhead>("  float a = 0;\n  for (int i = 0; i < n; ++i) a += y[i] * y[i + n];\n");
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_TRUE(has(sum[0], "a += evo_value_1_0; }"));
  EXPECT_TRUE(made<LoadAhead>("  for (int i = 0; i < n; ++i) x[i + 1] = x[i];\n").empty());
  EXPECT_TRUE(made<LoadAhead>("  float a = 0;\n  for (int i = 0; i < n; ++i) a += y[n];\n").empty());
}

TEST(LoadAhead, KeepsWhatTheLoopWritesAndWhatARoundMaySkip) {
  const std::string head = "  for (int i = 0; i < n; ++i) {\n";
  EXPECT_TRUE(made<LoadAhead>(head + "    float v = x[i];\n    x[i + 1] = v;\n  }\n").empty());
  EXPECT_TRUE(
      made<LoadAhead>(head + "    if (i == 3) continue;\n    float v = y[i];\n    x[i] = v;\n  }\n").empty());
  EXPECT_TRUE(made<LoadAhead>(head + "    float v = y[n];\n    x[i] = v;\n  }\n").empty());
  EXPECT_TRUE(
      made<LoadAhead>(head + "    int k = i * 2;\n    float v = y[k + i];\n    x[i] = v;\n  }\n").empty());
  EXPECT_TRUE(made<LoadAhead>(head + "    float v = y[i];\n    x[i] = v;\n    ++i;\n  }\n").empty());
}

TEST(SumSplit, MakesTwoAndFourChains) {
  const auto texts =
      made<SumSplit>("  float sum = 0;\n  for (int i = 0; i < n; ++i) sum += y[i];\n  x[0] = sum;\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0],
                  "decltype(sum) evo_sum_1 = 0; for (int i = 0; i < n; ++i) { { sum += y[i]; } ++i; if "
                  "(!(i < n)) break; { evo_sum_1 += y[i]; } } sum += evo_sum_1; }"));
  EXPECT_TRUE(has(texts[1], "evo_sum_3"));
  // A sum that the round reads is no sum of independent parts.
  EXPECT_TRUE(
      made<SumSplit>("  float s = 0;\n  for (int i = 0; i < n; ++i) { s += y[i]; x[i] = s; }\n").empty());
  EXPECT_TRUE(made<SumSplit>("  for (int i = 0; i < n; ++i) x[i] += y[i];\n").empty());
  EXPECT_TRUE(
      made<SumSplit>("  float s = 0;\n  for (int i = 0; i < n; ++i) { if (y[i] < 0) break; s += y[i]; }\n")
          .empty());
}

TEST(SumSplit, GathersProductsAndExtremesLikewise) {
  const std::string head = "  float m = 1;\n  for (int i = 0; i < n; ++i) ", end = "  x[0] = m;\n";
  const auto first = [&](const std::string& statement) {
    const auto texts = made<SumSplit>(head + statement + end);
    return texts.empty() ? std::string() : texts[0];
  };
  const std::string greatest = first("m = fmaxf(m, y[i]);\n");
  EXPECT_TRUE(has(greatest, "decltype(m) evo_m_1 = m;"));
  EXPECT_TRUE(has(greatest, "{ evo_m_1 = fmaxf(evo_m_1, y[i]); } } m = fmaxf(m, evo_m_1); }"));
  EXPECT_TRUE(has(first("m = min(y[i], m);\n"), "m = min(m, evo_m_1);"));
  const std::string product = first("m *= y[i];\n");
  EXPECT_TRUE(has(product, "evo_m_1 = 1;"));
  EXPECT_TRUE(has(product, "m *= evo_m_1;"));
  const std::string sum = first("m = fmaf(y[i], y[n], m);\n");
  EXPECT_TRUE(has(sum, "evo_m_1 = 0;"));
  EXPECT_TRUE(has(sum, "m += evo_m_1;"));
  EXPECT_EQ(first("m = fmaf(m, y[i], y[n]);\n"), "");
  EXPECT_EQ(first("m = fmaxf(m, y[i]) + 1;\n"), "");
  EXPECT_EQ(first("m = fmaxf(m, y[i] - m);\n"), "");
}

TEST(StoreHint, KnowsStoresThroughParameters) {
  const auto texts = made<StoreHint>("  float v[2];\n  v[0] = 1;\n  x[n] = v[0] + 1;\n  x[0] += 1;\n");
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_TRUE(has(texts[0], "__stcg(&x[n], v[0] + 1);"));
}

TEST(VectorAccess, CopiesSeveralAtATime) {
  const auto texts = made<VectorAccess>(
      "  for (int i = threadIdx.x; i < n; i += 64) x[n + i] = y[i];\n  for (int i = 0; i < 8; ++i) x[i] = "
      "y[2 * n + i];\n");
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_TRUE(
      has(texts[1],
          "for (int i = (threadIdx.x) * 4; i < n; i += (64) * 4) *reinterpret_cast<uint4*>(&x[n + i]) = "
          "*reinterpret_cast<const uint4*>(&y[i]);"));
  EXPECT_TRUE(has(texts[2], "for (int i = 0; i < 8; i += 2) *reinterpret_cast<uint2*>"));
  EXPECT_TRUE(made<VectorAccess>("  for (int i = 0; i < n; ++i) x[i * 2] = y[i];\n").empty());
  EXPECT_TRUE(made<VectorAccess>("  for (int i = 0; i < n; ++i) x[i] = y[n - i];\n").empty());
  EXPECT_TRUE(made<VectorAccess>("  double d[8];\n  for (int i = 0; i < 8; ++i) d[i] = y[i];\n").empty());
}

TEST(LoopStride, ThreadsTakeTurns) {
  const auto index =
      made<LoopStride>("  for (int k = 0; k < 4; ++k) x[threadIdx.x * 4 + k] = y[threadIdx.x * 4 + k];\n");
  ASSERT_EQ(index.size(), 1u);
  EXPECT_TRUE(has(index[0], "x[k * blockDim.x + threadIdx.x] = y[k * blockDim.x + threadIdx.x];"));
  const auto named = made<LoopStride>(
      "  const int t = blockIdx.x * blockDim.x + threadIdx.x;\n  const int first = t * n;\n"
      "  for (int k = 0; k < n; ++k) x[first + k] = y[first + k];\n");
  ASSERT_EQ(named.size(), 1u);
  EXPECT_TRUE(has(named[0], "x[k * (gridDim.x * blockDim.x) + t]"));
  const auto chunk = made<LoopStride>(
      "  const int t = threadIdx.x;\n  const int first = t * 8;\n"
      "  for (int i = first; i < min(first + 8, n); ++i) x[i] = y[i];\n");
  ASSERT_EQ(chunk.size(), 1u);
  EXPECT_TRUE(has(chunk[0], "for (int i = t; i < min(blockDim.x * 8, n); i += blockDim.x) x[i] = y[i];"));
  const auto bracket = made<LoopStride>(
      "  const int first = (blockIdx.x * 64 + threadIdx.x) * 8;\n"
      "  for (int i = first; i < first + 8 && i < n; ++i) x[i] = y[i];\n");
  ASSERT_EQ(bracket.size(), 1u);
  EXPECT_TRUE(has(bracket[0],
                  "for (int i = (blockIdx.x * 64 + threadIdx.x); i < (gridDim.x * blockDim.x) * 8 && i < n; "
                  "i += (gridDim.x * blockDim.x)) x[i] = y[i];"));
  EXPECT_TRUE(made<LoopStride>("  for (int k = 0; k < 4; ++k) x[n * 4 + k] = y[k];\n").empty());
  EXPECT_TRUE(made<LoopStride>("  for (int k = 0; k < 4; ++k) x[threadIdx.x * 8 + k] = y[k];\n").empty());
}

TEST(ThreadAxes, ChangeTheirPlaces) {
  const auto texts = made<ThreadAxes>(
      "  const int row = threadIdx.x, column = threadIdx.y;\n  if (threadIdx.x < n) x[row * n + column] = "
      "1;\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "row = threadIdx.y, column = threadIdx.x;"));
  EXPECT_TRUE(has(texts[0], "if (threadIdx.y < n)"));
  EXPECT_TRUE(made<ThreadAxes>("  x[threadIdx.x] = 1;\n").empty());
}

TEST(ValueReuse, TakesTheNameThatStandsForIt) {
  const auto texts =
      made<ValueReuse>("  const float a = y[n + 1];\n  x[0] = a;\n  x[1] = 2 * y[n + 1] - expf(y[n + 1]);\n");
  // x is written in between, y is not.
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "x[1] = 2 * a - expf(y[n + 1]);"));
  EXPECT_TRUE(made<ValueReuse>("  float a = y[n];\n  ++n;\n  x[0] = y[n];\n").empty());
  EXPECT_TRUE(made<ValueReuse>("  float a = x[n];\n  x[n] = 2;\n  x[1] = x[n] + 1;\n").empty());
  EXPECT_TRUE(made<ValueReuse>("  float a = y[n];\n  a += 1;\n  x[0] = y[n];\n").empty());
  EXPECT_TRUE(made<ValueReuse>("  float a = y[n];\n  { int n = 1; x[0] = y[n]; }\n").empty());
  EXPECT_TRUE(made<ValueReuse>("  float a = y[n];\n  { float a = y[n]; x[0] = a; }\n").empty());
}

TEST(BarrierWeaken, KnowsBarriersOfGroupsAndScopesOfAtomics) {
  const auto texts =
      made<BarrierWeaken>("  __syncthreads();\n  atomicAdd(x, 1.f);\n  atomicAdd_system(x, 1.f);\n", 256);
  ASSERT_EQ(texts.size(), 5u);
  EXPECT_TRUE(has(texts[0], "__syncwarp();"));
  EXPECT_TRUE(has(texts[1], "/ 64), \"n\"(64) : \"memory\");"));
  EXPECT_TRUE(has(texts[2], "/ 128), \"n\"(128) : \"memory\");"));
  EXPECT_TRUE(has(texts[3], "atomicAdd_block(x, 1.f);"));
  EXPECT_TRUE(has(texts[4], "atomicAdd(x, 1.f);\n  atomicAdd(x, 1.f);"));
  EXPECT_EQ(made<BarrierWeaken>("  __syncthreads();\n", 64).size(), 1u);
  EXPECT_TRUE(has(made<BarrierStrengthen>("  atomicAdd_block(x, 1.f);\n").at(0), "  atomicAdd(x, 1.f);"));
}

TEST(BarrierSplit, LetsThreadsDoOtherWorkBetweenItsHalves) {
  const auto texts = made<BarrierSplit>("  int a = 1;\n  __syncthreads();\n  a = 2;\n  x[0] = a;\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_LT(texts[0].find("mbarrier.init"), texts[0].find("int a = 1;"));
  EXPECT_LT(texts[0].find("mbarrier.arrive"), texts[0].find("a = 2;"));
  EXPECT_LT(texts[0].find("a = 2;"), texts[0].find("mbarrier.test_wait"));
  EXPECT_LT(texts[0].find("mbarrier.test_wait"), texts[0].find("x[0] = a;"));
  EXPECT_LT(texts[1].find("x[0] = a;"), texts[1].find("mbarrier.test_wait"));
  EXPECT_TRUE(made<BarrierSplit>("  if (n > 1) return;\n  __syncthreads();\n  x[0] = 1;\n").empty());
  EXPECT_TRUE(made<BarrierSplit>("  int a = 1;\n  __syncthreads();\n  __syncthreads();\n").empty());
  EXPECT_TRUE(made<BarrierSplit>("  int a = 1;\n  __syncwarp();\n  x[0] = a;\n").empty());
}

TEST(FenceInsert, StandsBesideWhatOtherBlocksSee) {
  const auto texts = made<FenceInsert>("  x[0] = 1;\n  const float ticket = atomicAdd(x, 1.f);\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "__threadfence(); const float ticket"));
  EXPECT_TRUE(has(texts[1], "atomicAdd(x, 1.f); __threadfence();"));
}

TEST(StatementReplace, PutsAnotherStatementInPlace) {
  const auto texts = made<StatementReplace>("  x[0] = 1;\n  x[1] = y[0];\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "x[1] = y[0];\n  x[1] = y[0];"));
  EXPECT_TRUE(made<StatementReplace>("  { int a = 1; x[a] = 1; }\n  ++n;\n").size() == 1);
}

// A barrier behind a macro or a function of the text is one, and so is a wait with template arguments.
TEST(BarrierDelete, SeesBarriersThatTheTextNames) {
  const std::string text =
      "#define SYNC(strength) do { if ((strength) == 2) __syncthreads(); } while (0)\n"
      "#define ADD(a) do { a += 1; __syncthreads(); } while (0)\n"
      "__device__ void meet() { __syncwarp(); __threadfence(); }\n"
      "__global__ void k(float* x) {\n  SYNC(2);\n  meet();\n  cute::cp_async_wait<0>();\n  ADD(x[0]);\n}\n";
  EXPECT_EQ(BarrierDelete().changes(edited_source(text, {"k"}, 0)).size(), 5u);
}

// Macros without parameters, another name of the function, and functions of cooperative groups.
TEST(BarrierDelete, SeesMacrosWithoutParameters) {
  const std::string text =
      "#define SYNC __syncthreads()\n#define MEET asm volatile(\"bar.sync 0;\" ::: \"memory\")\n"
      "#define FENCE __threadfence\n#define GROUP cg::sync(block)\n#define WORK x[1] = 2; __syncthreads()\n"
      "#define CHECK(v)\n#define NOTHING\n"
      "__global__ void k(float* x) {\n  SYNC;\n  MEET;\n  FENCE();\n  GROUP;\n  WORK;\n  CHECK(1);\n  "
      "NOTHING;\n  x[0] = 1;\n}\n";
  EXPECT_EQ(BarrierDelete().changes(edited_source(text, {"k"}, 0)).size(), 4u);
}

/// The places whose barrier of the block becomes __syncwarp().
std::size_t weakened(const std::string& text) {
  std::size_t count = 0;
  for (const Change& change : BarrierWeaken().changes(edited_source(text, {"k"}, 64)))
    count += change.front().payload == "replace __syncwarp();" ? 1 : 0;
  return count;
}

TEST(BarrierWeaken, KnowsTheBlocksBarrierHoweverItIsWritten) {
  const auto of = [](const std::string& statements, const std::string& before = "") {
    return weakened(before + "__global__ void k(float* x) {\n" + statements + "\n  x[0] = 1;\n}\n");
  };
  EXPECT_EQ(of("  asm volatile(\"bar.sync 0;\\n\" ::: \"memory\");"), 1u);
  EXPECT_EQ(of("  asm volatile(\"barrier.sync.aligned 0;\");"), 1u);
  EXPECT_EQ(of("  cg::this_thread_block().sync();"), 1u);
  EXPECT_EQ(of("  auto b = cooperative_groups::this_thread_block();\n  b.sync();\n  cg::sync(b);"), 2u);
  EXPECT_EQ(of("  cg::thread_block b = cg::this_thread_block();\n  b.sync();"), 1u);
  EXPECT_EQ(of("  SYNC;", "#define SYNC __syncthreads()\n"), 1u);
  EXPECT_EQ(of("  SYNC;", "#define SYNC do { __syncthreads(); } while (0)\n"), 1u);
  EXPECT_EQ(of("  SYNC();", "#define SYNC __syncthreads\n"), 1u);
  EXPECT_EQ(of("  meet();", "__device__ void meet() { asm volatile(\"bar.sync 0;\"); }\n"), 2u)
      << "the function's own barrier, too";
  // Barriers of some of the threads, of more than the block, and what does more.
  EXPECT_EQ(of("  asm volatile(\"bar.sync 1, 64;\");\n  asm volatile(\"bar.sync 0, 64;\");"), 0u);
  EXPECT_EQ(of("  auto g = cg::this_grid();\n  g.sync();"), 0u);
  EXPECT_EQ(of("  auto t = cg::tiled_partition<32>(cg::this_thread_block());\n  t.sync();"), 0u);
  EXPECT_EQ(
      of("  SYNC;", "#ifdef A\n#define SYNC __syncthreads()\n#else\n#define SYNC __syncwarp()\n#endif\n"),
      0u);
  EXPECT_EQ(of("  SYNC(1);", "#define SYNC(s) if (s) __syncthreads()\n"), 0u);
}

TEST(FenceInsert, AFunctionNamedLoadSpeaksToNobody) {
  EXPECT_TRUE(made<FenceInsert>("  load(x, n);\n").empty());
  EXPECT_EQ(made<FenceInsert>("  flag.store(1);\n").size(), 2u);
}

TEST(LoadHint, FollowsNamesOfPlacesBehindParameters) {
  const auto texts = made<LoadHint>(
      "  const float* row = y + blockIdx.x * n;\n  const float* deep = &row[n];\n  x[0] = row[n] + "
      "deep[1];\n");
  ASSERT_EQ(texts.size(), 12u);
  EXPECT_TRUE(has(texts[0], "x[0] = __ldg(&row[n])+ deep[1];"));
  EXPECT_TRUE(has(texts[3],
                  "[&] { float evo_loaded; asm(\"ld.global.nc.L1::no_allocate.f32 %0, [%1];\" : "
                  "\"=f\"(evo_loaded) : \"l\"(&row[n])); return evo_loaded; }()"));
  EXPECT_TRUE(has(texts[6], "+ __ldg(&deep[1]);"));
  // Shared memory, a choice, what may be written, another thing of the name.
  EXPECT_TRUE(made<LoadHint>("  __shared__ float s[4];\n  const float* p = s;\n  x[0] = p[n];\n").empty());
  EXPECT_TRUE(
      made<LoadHint>("  __shared__ float s[4];\n  const float* p = n ? y : s;\n  x[0] = p[n];\n").empty());
  EXPECT_TRUE(made<LoadHint>("  float* p = x + 1;\n  x[0] = p[n];\n").empty());
  EXPECT_TRUE(made<LoadHint>("  { float y[2] = {1, 2}; x[0] = y[n]; }\n").empty());
  EXPECT_EQ(made<StoreHint>("  float* row = x + blockIdx.x * n;\n  row[n] = 1;\n").size(), 3u);
}

TEST(FastMath, TakesInverseRoots) {
  const auto texts = made<FastMath>("  float a = y[0];\n  x[0] = 1.0f / sqrtf(a + 1) * 2;\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "x[0] = rsqrtf(a + 1) * 2;"));
  EXPECT_TRUE(has(made<FastMath>("  x[0] = y[0] / sqrtf(y[1]);\n").at(0), "x[0] = y[0] * rsqrtf(y[1]);"));
  EXPECT_TRUE(has(made<FastMath>("  x[0] = y[1] - 1.0f / sqrtf(y[0]);\n").at(0), "1.0f * rsqrtf(y[0]);"));
  EXPECT_TRUE(made<FastMath>("  x[0] = sqrtf(y[0]);\n  double d = n;\n  d = 1 / sqrt(d);\n").empty());
}

TEST(Reassociate, TakesTermsTogether) {
  const auto texts = made<Reassociate>("  x[0] = y[0] + y[1] - y[2] + y[3];\n");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(texts[0], "x[0] = y[0] + (y[1] - y[2]) + y[3];"));
  EXPECT_TRUE(has(texts[1], "x[0] = y[0] + (y[1] - y[2] + y[3]);"));
  const auto products = made<Reassociate>("  float s = n;\n  x[0] = y[0] * s * y[n + 1 + 2] / y[1];\n");
  ASSERT_EQ(products.size(), 3u);
  EXPECT_TRUE(has(products[0], "y[0] * (s * y[n + 1 + 2]) / y[1];"));
  EXPECT_TRUE(has(products[2], "y[0] * s * (y[n + 1 + 2] / y[1]);"));
  EXPECT_TRUE(
      has(made<Reassociate>("  x[0] = expf(y[0] + y[1] + y[2]);\n").at(0), "expf(y[0] + (y[1] + y[2]))"));
}

TEST(Reassociate, KeepsValues) {
  EXPECT_TRUE(made<Reassociate>("  int a = n + 1 + n;\n  x[n + 1 + a] = 1;\n").empty()) << "integers";
  EXPECT_TRUE(made<Reassociate>("  x[0] = y[0] - y[1] - y[2];\n").empty());
  EXPECT_TRUE(made<Reassociate>("  x[0] = y[0] / y[1] * y[2];\n").empty());
  EXPECT_TRUE(made<Reassociate>("  x[0] = y[0] * n / 2;\n").empty()) << "n / 2 is rounded down";
  EXPECT_TRUE(made<Reassociate>("  x[0] = y[0] + y[1] * (float)*y;\n").empty());
  EXPECT_TRUE(made<Reassociate>("  x[0] = static_cast<float>(n) + y[1] < y[0];\n").empty());
}

// Between blocks a barrier orders nothing.
TEST(RaceRepair, PutsFencesBetweenBlocks) {
  const EditedSource source =
      edited_source("__global__ void k(float* x) {\n  x[0] = 1;\n  x[1] = 2;\n}\n", {"k"}, 0);
  model::Evidence evidence{"race_global", "two accesses", "k.cu", 2, {}};
  evidence.details = {{"thread", "block (0,0,0) thread (0,0,0)"},
                      {"other_thread", "block (1,0,0) thread (0,0,0)"},
                      {"other_file", "k.cu"},
                      {"other_line", "3"}};
  const auto races = races_of({evidence}, "k.cu");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_TRUE(races[0].blocks);
  const auto repairs = race_repairs(source, {}, races);
  ASSERT_EQ(repairs.size(), 3u);
  EXPECT_EQ(repairs[0].front().payload, "after __threadfence();");
  EXPECT_EQ(repairs[2].size(), 2u);
}

}  // namespace
}  // namespace evo::mutators
