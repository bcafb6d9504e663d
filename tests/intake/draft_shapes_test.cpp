// Shapes of arrays, and what they hold, from where a kernel and its reference go at small sizes.
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

TEST_F(Drafts, AToldRangeSaysHowFarIndicesLead) {
  const Draft draft = both("(const int* id, const float* table, float* out, int n, int m)",
                           own_element + "  if (i < n) out[i] = 2 * table[id[i]];\n", {"n=300", "m=40"},
                           {"id: {shape: [n], fill: {integers: [0, 2 * m - 1]}}"});
  EXPECT_EQ(shape_of(draft, "table"), Sizes{"2 * m"});
}

// Sizes that were told of a scalar are sizes of arrays, whatever the number in them.
TEST_F(Drafts, AProductWithANumberOfItsOwn) {
  request.grid = "n";
  request.genes = {};
  request.block = "32";
  const Draft draft = both("(const int* x, int* sums, int len, int n)",
                           "  int i = blockIdx.x, sum = 0;\n  if (threadIdx.x > 0 || i >= n) return;\n"
                           "  for (int k = 0; k < 512; ++k) if (i * 512 + k < len) sum += x[i * 512 + k];\n"
                           "  sums[i] = sum;\n",
                           {"n=20"}, {"len: 512 * n"});
  EXPECT_EQ(shape_of(draft, "x"), Sizes{"512 * n"});
  EXPECT_EQ(shape_of(draft, "sums"), Sizes{"n"});
}

TEST_F(Drafts, AProductWithANumberThatTheCodeDoesNotName) {
  request.grid = "ceil_div(m * len, BLOCK)";
  const Draft draft =
      both("(const int* x, int* y, int m, int len)", own_element + "  if (i < m * len) y[i] = 3 * x[i];\n",
           {"m=20", "n=6"}, {"len: 80 * n"});
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"m", "80 * n"}));
}

// What an output holds before is another byte in each launch that looks for what is left alone.
TEST_F(Drafts, BytesThatAreWrittenAreNotLeftAlone) {
  const Draft draft =
      both("(const float* x, unsigned char* y, int n, int m)",
           own_element + "  if (i < n * m) y[i] = (unsigned char)(i % 7 + (x[i] > 9));\n", {"n=40", "m=30"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"n", "m"}));
  EXPECT_EQ(key_of(draft, "y", "unwritten"), "");
}

TEST_F(Drafts, SevenAxes) {
  const Draft draft =
      both("(const float* x, float* y, int a, int b, int c, int d, int e, int f, int g)",
           own_element + "  if (i < c * e) y[i] = x[(i % c * a + a - 1) * f + f - 1] * 2 + b + d * g;\n",
           {"a=4", "b=5", "c=6", "d=3", "e=7", "f=8", "g=9"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"c", "e"}));
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"a", "c", "f"}));
}

TEST_F(Drafts, AFewTimesANumberThatWasTold) {
  const Draft draft = both("(const float* qkv, float* q, int n, int d, int heads)",
                           own_element +
                               "  if (i >= n * heads * d) return;\n"
                               "  int h = i / d % heads, t = i / d / heads;\n"
                               "  q[i] = qkv[(t * 3 * heads + 2 * heads + h) * d + i % d];\n",
                           {"n=20", "d=16"}, {"heads: 5"});
  EXPECT_EQ(shape_of(draft, "qkv"), (Sizes{"n", "d", "15"}));
  EXPECT_EQ(shape_of(draft, "q"), (Sizes{"n", "d", "5"}));
}

// At 2048 the reference would take a day: what it costs there is seen from a few of its blocks.
TEST_F(Drafts, AReferenceOfTheThirdPowerIsNotRunWhereItIsLarge) {
  request.genes = {"TILE=8,16"};
  request.block = "TILE, TILE";
  request.grid = "ceil_div(n, TILE), ceil_div(n, TILE)";
  const std::string body =
      "  unsigned sum = 0;\n  for (int k = 0; k < n; ++k) sum += (unsigned)a[y * n + k] * b[k * n + x];\n"
      "  c[y * n + x] = sum;\n}\n";
  const Draft draft =
      of("__global__ void product(const int* a, const int* b, int* c, int n) {\n"
         "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
         "  if (x >= n || y >= n) return;\n" +
             body,
         "__global__ void reference(const int* a, const int* b, int* c, int n) {\n"
         "  int t = blockIdx.x * blockDim.x + threadIdx.x, x = t % n, y = t / n;\n  if (y >= n) return;\n" +
             body,
         {"n=100 multiple_of=1"});
  const auto keys = draft.axes.at(0).keys;
  EXPECT_TRUE(std::ranges::any_of(keys, [](const auto& key) { return key.first == "max"; }));
}

TEST_F(Drafts, NumbersThatLeadNowhereHaveNoRange) {
  const Draft draft = both("(const unsigned char* x, int* y, int n)",
                           own_element + "  if (i < n) y[i] = x[i] * 3 + 1;\n", {"n=300"});
  EXPECT_EQ(key_of(draft, "x", "fill"), "");
}

// 32 and 96 times a multiple of 96 are one size: what is as great at both need not be a constant.
TEST_F(Drafts, IndicesOfAnAxisThatIsAMultipleOfThree) {
  request.genes = {"BLOCK=64,96"};
  const Draft draft = both("(const int* index, const float* table, float* out, int n)",
                           own_element + "  if (i < n) out[i] = table[index[i]] * 2 + 1;\n",
                           {"n=960 multiple_of=96 max=1920"});
  EXPECT_EQ(key_of(draft, "index", "fill"), "{integers: [0, n - 1]}");
}

// Where looks are costly an axis that is a multiple of the most has one size in all of them.
TEST_F(Drafts, IndicesOfAnAxisThatHasOneSizeInAllLooks) {
  const Draft draft =
      both("(const float* x, const int* id, const float* table, float* y, int a, int b, int k)",
           own_element +
               "  if (i >= a * b) return;\n  float s = table[id[i]];\n"
               "  for (int t = 0; t < a * b * k; ++t) s += x[i] * t;\n  y[i] = s;\n",
           {"a=8", "b=10", "k=64 multiple_of=32 max=128"}, {"x: [a, b]", "id: [a, b]", "table: [k]"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "");
}

TEST_F(Drafts, WhatOnesReachFurtherThanZerosHangsOnTheData) {
  const std::string said = asked([&] {
    return both("(const int* id, const float* table, const float* b, float* out, int n, int m)",
                own_element + "  if (i < n) out[i] = 2 * table[id[i] * (n - 7) + 6] + b[i % m];\n",
                {"n=300", "m=40"});
  });
  EXPECT_NE(said.find("'table: "), std::string::npos) << said;
}

// A transposed convolution of stride 3: nobody writes the last two of 3 * n, and they are none of the
// output's.
TEST_F(Drafts, AnOutputIsAsLargeAsItIsWritten) {
  request.grid = "ceil_div(3 * n, BLOCK)";
  const Draft draft = both("(const float* x, float* y, int n)",
                           own_element +
                               "  if (i >= 3 * n - 2) return;\n"
                               "  y[i] = i % 3 == 0 ? x[i / 3] : 0.0f;\n",
                           {"n=100"});
  EXPECT_EQ(shape_of(draft, "y"), Sizes{"3 * n - 2"});
}

TEST_F(Drafts, OneMoreThanAnAxisHoweverItIsWritten) {
  const Draft draft = both("(const int* row_ptr, const float* x, float* y, int n, int nnz)",
                           own_element +
                               "  if (i >= n) return;\n  float s = 0;\n"
                               "  for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) s += x[k];\n"
                               "  y[i] = s;\n",
                           {"n=60", "nnz=200"}, {"x: [nnz]", "row_ptr: [n+1]"});
  EXPECT_EQ(key_of(draft, "row_ptr", "fill"), "{offsets: nnz}");
}

TEST_F(Drafts, RowsBetweenOffsets) {
  const Draft draft =
      both("(const float* x, const int* offsets, float* out, int p, int c, int n)",
           own_element +
               "  if (i >= p * c) return;\n  float sum = 0;\n"
               "  for (int k = offsets[i / c]; k < offsets[i / c + 1]; ++k) sum += x[k * c + i % c];\n"
               "  out[i] = sum;\n",
           {"p=20", "c=6", "n=100"});
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"c", "n"}));
  EXPECT_EQ(key_of(draft, "offsets", "fill"), "{offsets: n}");
}

TEST_F(Drafts, WhatLiesBehindIndicesBetweenOffsets) {
  const Draft draft =
      both("(const int* id, const int* row_ptr, const int* label, int* out, int p, int m, int n)",
           own_element +
               "  if (i >= p) return;\n  int sum = 0;\n"
               "  for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += 3 * label[id[k]];\n"
               "  out[i] = sum;\n",
           {"p=20", "m=90", "n=70"}, {"id: [m]"});
  EXPECT_EQ(shape_of(draft, "label"), Sizes{"n"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "{integers: [0, n - 1]}");
}

TEST_F(Drafts, SumsOfClustersAreAsManyAsThereAreClusters) {
  request.grid = "ceil_div(n, BLOCK)";
  const Draft draft = both("(const double* x, const double* centre, int* counts, int n, int c)",
                           own_element +
                               "  if (i >= n) return;\n  int best = 0;\n"
                               "  for (int j = 1; j < c; ++j)\n"
                               "    if (fabs(x[i] - centre[j]) < fabs(x[i] - centre[best])) best = j;\n"
                               "  atomicAdd(&counts[best], 1);\n",
                           {"n=300", "c=5"});
  EXPECT_EQ(shape_of(draft, "counts"), Sizes{"c"});
}

TEST_F(Drafts, AShapeThatHoldsInOneOrderOfSizesAloneIsAskedFor) {
  request.grid = "ceil_div(h * d, BLOCK)";
  const std::string said = asked([&] {
    return both("(const float* x, const float* y, float* out, int d, int h, int g, int at)",
                own_element +
                    "  if (i >= h * d) return;\n  float v = x[i];\n"
                    "  if (i < g * d) v += y[at * g * d + i];\n  out[i] = v;\n",
                {"d=16", "h=6", "g=2"}, {"at: 3"});
  });
  EXPECT_NE(said.find("--arg 'y: "), std::string::npos) << said;
}

TEST_F(Drafts, PairsOfAnOddSizeLeaveItsRest) {
  const Draft draft =
      both("(const float* x, float* y, int n, int c)",
           own_element +
               "  const int half = n / 2;\n  if (i >= c * half) return;\n"
               "  y[i] = x[i / half * n + 2 * (i % half)] + 3 * x[i / half * n + 2 * (i % half) + 1];\n",
           {"n=60 min=2", "c=7"}, {"x: [c, n]"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"c", "n / 2"}));
}

// Where all indices say "none", all of the output is as it was.
TEST_F(Drafts, WhatOneThatSaysNoneLeavesIsKept) {
  const Draft draft =
      both("(const int* id, const float* table, float* out, int n, int m)",
           own_element + "  if (i < n && id[i] >= 0) out[i] = 2 * table[id[i]];\n", {"n=300", "m=40"});
  EXPECT_EQ(key_of(draft, "id", "fill"), "{integers: [-1, m - 1]}");
  EXPECT_EQ(key_of(draft, "out", "unwritten"), "keep");
}

TEST_F(Drafts, AVoidPointerPointsToTheOneTypeThatItIsCastTo) {
  const Draft draft = of("__global__ void k(const void* x, void* y, int n) {\n  " + own_element +
                             "  if (i < n) ((float*)y)[i] = ((const unsigned char*)x)[i] * 2.0f;\n}\n",
                         "__global__ void reference(const unsigned char* x, float* y, int n) {\n  " +
                             own_element + "  if (i < n) y[i] = x[i] * 2.0f;\n}\n",
                         {"n=300"});
  EXPECT_EQ(argument_of(draft, "x").dtype, "u8");
  EXPECT_EQ(argument_of(draft, "y").dtype, "f32");
}

// The third of five axes has 11 elements where sizes are looked at, and rows of 11 are none of its.
TEST_F(Drafts, ANumberIsNoMiddleAxis) {
  const Draft draft = both("(const float* x, const float* rows, float* y, int a, int b, int c, int d, int e)",
                           own_element +
                               "  if (i >= a) return;\n  float s = x[i] + b + c + d + e;\n"
                               "  for (int k = 0; k < 11; ++k) s += rows[i * 11 + k];\n  y[i] = s;\n",
                           {"a=2", "b=3", "c=4", "d=2", "e=3"});
  EXPECT_EQ(shape_of(draft, "rows"), (Sizes{"a", "11"}));
}

// Fields on the edges of a grid of cells: rows of nx + 1, of which neither the first nor the last is written.
TEST_F(Drafts, RowsOfOneMoreThanAnAxis) {
  request.grid = "ceil_div(nx, BLOCK), ny";
  const Draft draft =
      both("(float* e, const float* h, float c, int nx, int ny)",
           own_element +
               "  const int j = blockIdx.y;\n  if (i < 1 || i >= nx || j < 1 || j >= ny) return;\n"
               "  e[j * (nx + 1) + i] += c * (h[j * nx + i] - h[j * nx + i - 1]);\n",
           {"nx=40", "ny=30"}, {"c: 0.5"});
  EXPECT_EQ(shape_of(draft, "e"), (Sizes{"ny", "nx + 1"}));
  EXPECT_EQ(shape_of(draft, "h"), (Sizes{"nx", "ny"}));
}

// Cells with a border of their own: rows of nx + 4, of which the first and the last are not touched. Others
// on the edges of the cells have rows of one more, and what is written is as large as what is read.
TEST_F(Drafts, RowsWithABorder) {
  request.grid = "ceil_div((nx + 4) * (ny + 4), BLOCK)";
  const Draft draft = both("(const float* v, const float* p, float* out, int nx, int ny)",
                           own_element +
                               "  const int r = i / (nx + 4), c = i % (nx + 4);\n"
                               "  if (r < 2 || r > ny + 1 || c < 2 || c > nx + 1) return;\n"
                               "  out[i] = 2 * p[i] + v[i + r] - v[i + r + 1 + nx + 5];\n",
                           {"nx=40", "ny=30"});
  EXPECT_EQ(shape_of(draft, "p"), (Sizes{"ny + 2", "nx + 4"}));
  EXPECT_EQ(shape_of(draft, "out"), (Sizes{"ny + 2", "nx + 4"}));
  EXPECT_EQ(key_of(draft, "out", "unwritten"), "keep");
  EXPECT_EQ(shape_of(draft, "v"), (Sizes{"ny + 3", "nx + 5"}));
}

// What leads along a row are indices, and no data that ends it early.
TEST_F(Drafts, ALabelLeadsAlongARow) {
  const Draft draft =
      both("(const float* score, const float* label, float* out, int n, int c)",
           own_element + "  if (i < n) out[i] = 3 * score[i * c + (int)label[i]];\n", {"n=200", "c=10"});
  EXPECT_EQ(shape_of(draft, "score"), (Sizes{"n", "c"}));
  EXPECT_EQ(key_of(draft, "label", "fill"), "{integers: [0, c - 1]}");
}

// Of the last row of a triangle the end is not read where the matrix is wider than high.
TEST_F(Drafts, TheTriangleOfAMatrixIsOfTheMatrix) {
  const Draft draft =
      both("(const float* x, float* y, int n, int m)",
           own_element + "  if (i < n * m) y[i] = i % m > i / m ? -1.0f : x[i];\n", {"n=40", "m=30"});
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"n", "m"}));
}

TEST_F(Drafts, AnOutputEndsWhereASumOfProductsDoes) {
  request.grid = "ceil_div(m, BLOCK), n";
  const Draft draft = both("(const float* x, float* y, int n, int m)",
                           own_element +
                               "  const int j = blockIdx.y;\n  if (i >= m) return;\n"
                               "  y[j * (m + 2) + i] = 2 * x[j * m + i];\n",
                           {"n=40", "m=30"});
  EXPECT_EQ(shape_of(draft, "y"), Sizes{"n * m + 2 * n - 2"});
}

// Which row is read hangs on what others hold, the last one or the first: no row's end is told by it.
TEST_F(Drafts, RowsThatDataLeadsToAreAskedFor) {
  const std::string said = asked([&] {
    return both("(const float* flag, const float* p, float* y, int n, int f)",
                own_element + "  if (i < n) y[i] = 2 * p[(flag[i] > 0.5f ? 0 : n - 1) * f + f / 2];\n",
                {"n=40", "f=6"});
  });
  EXPECT_NE(said.find("--arg 'p: "), std::string::npos) << said;
}

// How much of a row is read hangs on what it holds, and is never more than the row.
TEST_F(Drafts, RowsOfAnAxisThatDataEndsEarly) {
  const Draft draft = both("(const float* points, int* inside, int n, int f)",
                           own_element +
                               "  if (i >= n) return;\n  const float* p = points + i * f;\n"
                               "  inside[i] = p[0] > 0.5f ? 0 : p[1] > 0.5f ? 1 : p[2] > 0.5f ? 2 : 3;\n",
                           {"n=40", "f=6 min=3"});
  EXPECT_EQ(shape_of(draft, "points"), (Sizes{"n", "f"}));
}

// Zeros of 4 bits, eight columns in a word, for each 32 rows.
TEST_F(Drafts, GroupsOfBothSides) {
  const Draft draft =
      both("(const unsigned* z, float* y, int k, int m)",
           own_element +
               "  if (i < k * m) y[i] = (z[i / m / 32 * (m / 8) + i % m / 8] >> i % m % 8 * 4 & 15) + 1;\n",
           {"k=64 multiple_of=32 max=128", "m=48 multiple_of=8 max=96"});
  EXPECT_EQ(shape_of(draft, "z"), (Sizes{"k / 32", "m / 8"}));
}

// Of five axes all, and two numbers for each tap of a filter of three by three.
TEST_F(Drafts, ProductsOfFiveAxesAndTheTapsOfAFilter) {
  request.grid = "ceil_div(a * b * c * d * e, BLOCK)";
  const Draft draft = both(
      "(const float* x, const float* taps, float* y, int a, int b, int c, int d, int e, int kh, int kw)",
      own_element +
          "  if (i >= a * b * c * d * e) return;\n  float sum = x[i];\n"
          "  for (int t = 0; t < 2 * kh * kw; ++t) sum += taps[i / e * 2 * kh * kw + t];\n  y[i] = sum;\n",
      {"a=2", "b=3", "c=4", "d=5", "e=6"}, {"kh: 3", "kw: 3"});
  EXPECT_EQ(shape_of(draft, "x"), (Sizes{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(shape_of(draft, "taps"), (Sizes{"a", "b", "c", "d", "18"}));
}

// At sizes that tell one axis from its multiples a square of it is more than a look has room for.
TEST_F(Drafts, SixteenTimesASquareOfTheOnlyAxis) {
  request.grid = "ceil_div(16 * n * n, BLOCK)";
  const Draft draft = both("(const float* x, float* y, int n)",
                           own_element + "  if (i < 16 * n * n) y[i] = 2 * x[i];\n", {"n=16"});
  EXPECT_EQ(shape_of(draft, "y"), (Sizes{"n", "n", "16"}));
}

}  // namespace
}  // namespace evo::intake
