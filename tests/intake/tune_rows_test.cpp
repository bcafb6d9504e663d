// evo tune on what published kernels do: rows that end early, references of one thread, entries of all rows.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

// Of a box without width nothing else is looked at: zeros do not reach the row's last member.
const std::string areas = R"(
__global__ void area(const float* boxes, float* out, int n, int m) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n * m) return;
  const float* a = boxes + i / m * 5;
  out[i] = a[2] < 0.01f ? 0.0f : a[2] * a[3] + a[0] * a[1] + (i % m) * a[4];
}
)";
const std::string areas_reference = R"(
__global__ void reference(const float* boxes, float* out, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      const float* a = boxes + i * 5;
      out[i * m + k] = a[2] < 0.01f ? 0.0f : a[2] * a[3] + a[0] * a[1] + k * a[4];
    }
}
)";

TEST_F(Tune, ARowThatSomeDataLeavesEarlyHasAllItsMembers) {
  const Output output = tune(areas, areas_reference,
                             {"--axis", "n=40", "--axis", "m=30", "--gene", "BLOCK=64,128", "--grid",
                              "ceil_div(n * m, BLOCK)", "--block", "BLOCK"});
  expect_champion(output);
  EXPECT_TRUE(tells(problem(), "boxes, role: input, dtype: f32, shape: [n, 5]")) << problem();
}

// All threads would write the same elements: a race.
TEST_F(Tune, AReferenceThatAsksForNoThreadIsRunByOne) {
  const std::string kernel =
      "__global__ void total(const float* x, float* sum, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) atomicAdd(sum, x[i]);\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* sum, int n) {\n"
      "  for (int i = 0; i < n; i++) sum[0] += x[i];\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "n=2000", "--gene", "BLOCK=64,128", "--grid", "ceil_div(n, BLOCK)"}));
  EXPECT_TRUE(tells(problem(), "grid: [1], block: [1]")) << problem();
}

// The sum of a block each, and what is compared is the sum of those: the reference writes one element.
TEST_F(Tune, OfWhatIsReducedTheReferenceNeedNotWriteAll) {
  const std::string kernel =
      "__global__ void sums(const float* x, float* out, int n) {\n  __shared__ float all;\n"
      "  if (threadIdx.x == 0) all = 0;\n  __syncthreads();\n"
      "  atomicAdd(&all, x[blockIdx.x * BLOCK + threadIdx.x]);\n  __syncthreads();\n"
      "  if (threadIdx.x == 0) out[blockIdx.x] = all;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* out, int n) {\n"
      "  float s = 0;\n  for (int i = 0; i < n; i++) s += x[i];\n  out[0] = s;\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "n=2048 multiple_of=128", "--gene", "BLOCK=64,128", "--grid", "n / BLOCK",
                        "--arg", "out: {shape: [n / BLOCK], reduce: sum, reproducible: false}"}));
}

TEST_F(Tune, AnInstantiationWithoutASemicolonAtTheEndHidesNoTypes) {
  const std::string kernel =
      "#include <vector>\ntemplate <typename data_type>\n"
      "__global__ void twice(const data_type* x, data_type* y, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "template <typename data_type>\nvoid run(std::vector<data_type>& x, int n) {\n"
      "  twice<data_type><<<(n + 63) / 64, 64>>>(x.data(), x.data(), n);\n}\n"
      "#define INSTANTIATE(T) template void run<T>(std::vector<T>&, int);\nINSTANTIATE(float)\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";
  expect_champion(
      tune(kernel, reference, {"--entry", "twice<float>", "--axis", "n=1000", "--gene", "BLOCK=64,128"}));
}

TEST_F(Tune, WhatLiesBetweenOffsetsIsAsManyAsTheAxisThatIsNamedSo) {
  const std::string kernel =
      "__global__ void spmv(const int* offsets, const int* column, const float* value, const float* x,\n"
      "                     float* y, int rows) {\n"
      "  const int r = blockIdx.x * BLOCK + threadIdx.x;\n  if (r >= rows) return;\n  float s = 0;\n"
      "  for (int k = offsets[r]; k < offsets[r + 1]; k++) s += value[k] * x[column[k]];\n  y[r] = s;\n}\n";
  std::string reference = kernel;
  for (const auto& [from, to] : {std::pair{"spmv", "reference"}, {"BLOCK", "blockDim.x"}})
    reference.replace(reference.find(from), std::string(from).size(), to);
  expect_champion(tune(kernel, reference,
                       {"--axis", "rows=100", "--axis", "cols=80", "--axis", "nnz=400", "--gene",
                        "BLOCK=64,128", "--block", "BLOCK", "--grid", "ceil_div(rows, BLOCK)"}));
  EXPECT_TRUE(tells(problem(), "column, role: input, dtype: i32, shape: [nnz]")) << problem();
  EXPECT_TRUE(tells(problem(), "value, role: input, dtype: f32, shape: [nnz]")) << problem();
  EXPECT_TRUE(tells(problem(), "x, role: input, dtype: f32, shape: [cols]")) << problem();
}

// Of the corner (nx - 1, ny - 1) five points need nothing.
TEST_F(Tune, AGridWhoseCornerNobodyReadsIsWhole) {
  const std::string kernel =
      "__global__ void five(const float* u, float* v, int nx, int ny) {\n"
      "  const int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y;\n"
      "  if (i >= nx || j >= ny) return;\n"
      "  const bool inside = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;\n"
      "  const float* p = u + j * nx + i;\n"
      "  v[j * nx + i] = inside ? p[1] + p[-1] + p[nx] + p[-nx] - 4 * p[0] : 0;\n}\n";
  std::string reference = kernel;
  reference.replace(reference.find("five"), 4, "reference");
  reference.replace(reference.find("BX"), 2, "blockDim.x");
  reference.replace(reference.find("* 4 +"), 5, "* blockDim.y +");
  const Output output = tune(kernel, reference,
                             {"--axis", "nx=64", "--axis", "ny=48", "--gene", "BX=16,32", "--block", "BX, 4",
                              "--grid", "ceil_div(nx, BX), ceil_div(ny, 4)"});
  expect_champion(output);
  EXPECT_TRUE(tells(problem(), "u, role: input, dtype: f32, shape: [nx, ny]")) << problem();
}

}  // namespace
}  // namespace evo::intake
