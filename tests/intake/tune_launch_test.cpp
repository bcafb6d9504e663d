// The launch that evo tune infers from how a kernel finds its place, and genes whose values are texts.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

const std::string rows_reference =
    "__global__ void reference(const float* x, const float* b, float* y, int rows, int cols) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < rows * cols) y[i] = x[i] + b[i % cols];\n}\n";

TEST_F(Tune, BlocksMayCountAlongASideThatThreadsDoNot) {
  // One gene is the block's only side, though blockIdx.y is a row.
  expect_champion(
      tune("__global__ void k(const float* x, const float* b, float* y, int rows, int cols) {\n"
           "  const int row = blockIdx.y;\n"
           "  const int col = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (col < cols) y[row * cols + col] = x[row * cols + col] + b[col];\n}\n",
           rows_reference, {"--axis", "rows=8", "--axis", "cols=96", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(problem(), "block: [BLOCK]")) << problem();
}

TEST_F(Tune, ATileIsCopiedBySoManyRowsOfThreadsAtATime) {
  expect_champion(
      tune("__global__ void k(const float* in, float* out, int batch, int rows, int cols) {\n"
           "  __shared__ float tile[TILE][TILE + 1];\n"
           "  const int first = blockIdx.z * rows * cols;\n"
           "  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;\n"
           "  for (int j = 0; j < TILE; j += ROWS)\n"
           "    if (c < cols && r + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[first + (r + j) * cols "
           "+ c];\n"
           "  __syncthreads();\n"
           "  c = blockIdx.y * TILE + threadIdx.x, r = blockIdx.x * TILE + threadIdx.y;\n"
           "  for (int j = 0; j < TILE; j += ROWS)\n"
           "    if (c < rows && r + j < cols) out[first + (r + j) * rows + c] = "
           "tile[threadIdx.x][threadIdx.y + j];\n"
           "}\n",
           "__global__ void reference(const float* in, float* out, int batch, int rows, int cols) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= batch * rows * cols) return;\n"
           "  int b = i / (rows * cols), r = i / cols % rows, c = i % cols;\n"
           "  out[b * rows * cols + c * rows + r] = in[i];\n}\n",
           {"--axis", "batch=2", "--axis", "rows=24", "--axis", "cols=40", "--gene", "TILE=16", "--gene",
            "ROWS=4,8"}));
  EXPECT_TRUE(tells(problem(), "block: [TILE, ROWS]")) << problem();
  EXPECT_TRUE(tells(problem(), "\"ceil_div(rows, TILE)\", batch]")) << problem();
}

TEST_F(Tune, AWarpForEachRow) {
  expect_champion(
      tune("__global__ void k(const float* x, const float* w, float* y, int m, int n) {\n"
           "  const int lane = threadIdx.x % 32;\n"
           "  const int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;\n"
           "  if (row >= m) return;\n"
           "  float sum = 0;\n"
           "  for (int i = lane; i < n; i += 32) sum += x[row * n + i] * w[i];\n"
           "  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);\n"
           "  if (lane == 0) y[row] = sum;\n}\n",
           "__global__ void reference(const float* x, const float* w, float* y, int m, int n) {\n"
           "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (r >= m) return;\n"
           "  float s = 0;\n"
           "  for (int i = 0; i < n; ++i) s += x[r * n + i] * w[i];\n"
           "  y[r] = s;\n}\n",
           {"--axis", "m=24", "--axis", "n=96", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(problem(), "grid: [\"ceil_div(32 * m, BLOCK)\"]")) << problem();
}

TEST_F(Tune, AThreadForEachElementThoughItKnowsItsWarp) {
  expect_champion(
      tune("__global__ void k(const float* x, float* y, int n) {\n"
           "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  const int row = i / 32;\n"
           "  if (row * 32 + threadIdx.x % 32 < n) y[i] = 3 * x[i];\n}\n",
           "__global__ void reference(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = 3 * x[i];\n}\n",
           {"--axis", "n=4096", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(problem(), "grid: [\"ceil_div(n, BLOCK)\"]")) << problem();
}

TEST_F(Tune, ValuesThatNothingComparesStandForThemselves) {
  const Output output = tune(
      "__device__ float plain(float a, float b) { return a + b; }\n"
      "__device__ float wide(float a, float b) { return (float)((double)a + (double)b); }\n"
      "__global__ void k(const float* x, const float* b, float* y, int rows, int cols) {\n"
      "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
      "  if (i < rows * cols) y[i] = ADD(x[i], (TYPE)b[i % cols]);\n}\n",
      rows_reference,
      {"--axis", "rows=8", "--axis", "cols=96", "--gene", "ADD=plain,wide", "--gene", "TYPE=float,double",
       "--block", "128"});
  // The compiler makes one code of all: each is correct, and the same as the first.
  EXPECT_TRUE(tells(output.out, "\"counts\":{\"no_op\":3,\"proven\":1}")) << output.out << output.err;
  EXPECT_TRUE(tells(problem(), "ADD: {values: [plain, wide], as: text}")) << problem();
  EXPECT_TRUE(tells(problem(), "TYPE: {values: [float, double], as: text}")) << problem();
}

TEST_F(Tune, ValuesThatTheSourceComparesAreNumbers) {
  expect_champion(
      tune("__global__ void k(const float* x, const float* b, float* y, int rows, int cols) {\n"
           "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
           "#if WAY == WAY_left\n"
           "  if (i < rows * cols) y[i] = x[i] + b[i % cols];\n"
           "#else\n"
           "  if (i < rows * cols) y[i] = b[i % cols] + x[i];\n"
           "#endif\n}\n",
           rows_reference,
           {"--axis", "rows=8", "--axis", "cols=96", "--gene", "WAY=left,right", "--block", "128"}));
  EXPECT_TRUE(tells(problem(), "WAY: {values: [left, right]}")) << problem();
}

TEST_F(Tune, AGuessedBlockThatNoGenomeFitsIsNamed) {
  const Output output = tune(
      "__global__ void k(const float* x, const float* b, float* y, int rows, int cols) {\n"
      "  const int r = blockIdx.y * BLOCK + threadIdx.y, c = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (r < rows && c < cols) y[r * cols + c] = x[r * cols + c] + b[c];\n}\n",
      rows_reference, {"--axis", "rows=8", "--axis", "cols=96", "--gene", "BLOCK=64,128"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(tells(output.err, "--block")) << output.err;
}

}  // namespace
}  // namespace evo::intake
