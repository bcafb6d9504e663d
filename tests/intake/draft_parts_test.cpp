// What is written a part a block, rows that two arrays say, and constants of a file that are choices.
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

/// Each block's result of its part of x, by `how` of a and b.
std::string part_of_each_block(const std::string& begin, const std::string& how) {
  return "__global__ void k(const float* x, float* parts, int n) {\n"
         "  __shared__ float all[BLOCK];\n  float a = " +
         begin +
         ";\n"
         "  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {\n"
         "    const float b = x[i];\n    a = " +
         how +
         ";\n  }\n"
         "  all[threadIdx.x] = a;\n  __syncthreads();\n"
         "  if (threadIdx.x > 0) return;\n"
         "  for (int t = 1; t < BLOCK; ++t) {\n    const float b = all[t];\n    a = " +
         how + ";\n  }\n  parts[blockIdx.x] = a;\n}\n";
}

std::string whole(const std::string& begin, const std::string& how) {
  return "__global__ void reference(const float* x, float* parts, int n) {\n  float a = " + begin +
         ";\n  for (int i = 0; i < n; ++i) {\n    const float b = x[i];\n    a = " + how +
         ";\n  }\n  parts[0] = a;\n}\n";
}

TEST_F(Drafts, PartsOfBlocksAreReducedAsTheReferenceHasThem) {
  request.grid = "6";
  for (const auto& [begin, how, reduce] : std::vector<std::array<std::string, 3>>{
           {"0", "a + b", "sum"}, {"-1e30f", "fmaxf(a, b)", "max"}, {"1e30f", "fminf(a, b)", "min"}}) {
    const Draft draft = of(part_of_each_block(begin, how), whole(begin, how), {"n=2000"});
    EXPECT_EQ(key_of(draft, "parts", "reduce"), reduce);
    EXPECT_EQ(shape_of(draft, "parts"), Sizes{"6"});
  }
}

TEST_F(Drafts, PartsThatNoReductionMakesTheReferencesAreNone) {
  request.grid = "6";
  const Draft draft = of(part_of_each_block("0", "a + b"), whole("0", "a + 2 * b"), {"n=2000"});
  EXPECT_EQ(key_of(draft, "parts", "reduce"), "");
}

const std::string sums_rows = own_element + "  if (i >= rows) return;\n  float sum = 0;\n";

TEST_F(Drafts, RowsThatBeginAndEndWhereTwoArraysSay) {
  const Draft draft =
      both("(const int* first, const int* last, const float* x, float* y, int rows)",
           sums_rows + "  for (int k = first[i]; k < last[i]; ++k) sum += x[k];\n  y[i] = sum;\n",
           {"rows=40", "items=100"}, {"x: [items]", "first: [rows]", "last: [rows]"});
  EXPECT_EQ(key_of(draft, "first", "fill"), "{integers: [0, items]}");
  EXPECT_EQ(key_of(draft, "last", "fill"), "{ends: [first, items]}");
}

TEST_F(Drafts, RowsThatBeginWhereOneArraySaysAndAreAsLongAsAnotherSays) {
  const Draft draft =
      both("(const int* first, const int* count, const float* x, float* y, int rows)",
           sums_rows + "  for (int k = 0; k < count[i]; ++k) sum += x[first[i] + k];\n  y[i] = sum;\n",
           {"rows=40", "items=100"}, {"x: [items]", "first: [rows]", "count: [rows]"});
  EXPECT_EQ(key_of(draft, "first", "fill"), "{integers: [0, items]}");
  EXPECT_EQ(key_of(draft, "count", "fill"), "{lengths: [first, items]}");
}

TEST_F(Drafts, TwoArraysOfIndicesAreNoRows) {
  const Draft draft = both("(const int* a, const int* b, const float* x, float* y, int rows)",
                           own_element + "  if (i < rows) y[i] = x[a[i]] + 2 * x[b[i]];\n",
                           {"rows=40", "items=100"}, {"x: [items]", "a: [rows]", "b: [rows]"});
  EXPECT_EQ(key_of(draft, "a", "fill"), "{integers: [0, items - 1]}");
  EXPECT_EQ(key_of(draft, "b", "fill"), "{integers: [0, items - 1]}");
}

TEST_F(Drafts, ConstantsOfTheFileMayBeChoicesAndSizes) {
  request.genes = {"TILE=8,16"};
  request.block = "TILE, TILE";
  request.grid = "N / TILE, N / TILE";
  const Draft draft =
      of("const int N = 1024;\nstatic constexpr unsigned int TILE = 32;  // a side\n"
         "__global__ void k(const float* x, float* y) {\n"
         "  const int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;\n"
         "  y[i * N + j] = x[j * N + i];\n}\n",
         "__global__ void reference(const float* x, float* y, int N) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "  if (i < N && j < N) y[i * N + j] = x[j * N + i];\n}\n",
         {"N=64 multiple_of=16"});
  EXPECT_TRUE(draft.axes.front().compile_time);
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"N", "N"}));
  EXPECT_NE(text_of(draft, "k.cu").find("/* const int N = 1024; */"), std::string::npos);
  EXPECT_NE(text_of(draft, "k.cu").find("/* static constexpr unsigned int TILE = 32; */"), std::string::npos);
  EXPECT_NE(text_of(draft, "reference.cu").find("#undef N\n"), std::string::npos)
      << "it has a parameter of that name, whatever the sizes of a launch define";
}

// As kernels in steps of one file have them, each its own; a class has another thing by the name.
TEST_F(Drafts, ConstantsOfAFunctionMayBeChoices) {
  request.genes = {"TILE=8,16"};
  request.block = "TILE";
  request.entry = "second";
  const Draft draft =
      of("struct S { static const int SIDE = 2; };\n"
         "__global__ void first(const float* x, float* y, int n) {\n  const int TILE = 32;\n"
         "  y[blockIdx.x * TILE + threadIdx.x] = n;\n}\n"
         "__global__ void second(const float* x, float* y, int n) {\n  constexpr int TILE = 16;\n"
         "  const int i = blockIdx.x * TILE + threadIdx.x;\n  if (i < n) y[i] = x[i] * S::SIDE;\n}\n",
         "__global__ void reference(const float* x, float* y, int n) {\n"
         "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n",
         {"n=100"});
  ASSERT_EQ(draft.genes.size(), 1U);
  EXPECT_EQ(draft.genes.front().initial, "16") << "the kernel's own";
  EXPECT_NE(text_of(draft, "k.cu").find("const int TILE_own = 32;\n  y[blockIdx.x * TILE_own"),
            std::string::npos)
      << "another kernel's keeps its value";
  EXPECT_NE(text_of(draft, "k.cu").find("/* constexpr int TILE = 16; */"), std::string::npos);
  EXPECT_NE(text_of(draft, "k.cu").find("{ static const int SIDE = 2; }"), std::string::npos);
}

// The cosines of both halves of a head are the same: of the last row the second half is read by nobody.
TEST_F(Drafts, TablesOneBehindTheOtherWhoseLastRowIsReadInPart) {
  const std::string code =
      own_element +
      "  if (i >= rows * width / 2) return;\n  const int row = i / (width / 2), c = i % (width / 2);\n"
      "  float sum = 0;\n  for (int t = 0; t < 3; ++t) sum += table[(t * rows + row) * width + c];\n"
      "  y[i] = sum;\n";
  const Draft draft = both("(const float* table, float* y, int rows, int width)", code,
                           {"rows=20", "width=16 multiple_of=2"});
  EXPECT_EQ(shape_of(draft, "table"), (Sizes{"3", "rows", "width"}));
}

}  // namespace
}  // namespace evo::intake
