// evo tune of kernels that take textures, structs by value and indices.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

TEST_F(Tune, ATextureIsSampledAsItIsToldOrAsTheHostCodeSays) {
  const std::string kernel =
      "__global__ void halves(cudaTextureObject_t image, float* out, int h, int w) {\n"
      "  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;\n"
      "  if (x < w && y < h) out[y * w + x] = tex2D<float>(image, x + 1.0f, y + 0.5f);\n}\n";
  const std::string reference =
      "__global__ void reference(const float* image, float* out, int h, int w) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= h * w) return;\n"
      "  out[i] = (image[i] + image[i % w == w - 1 ? i : i + 1]) / 2;\n}\n";
  const std::vector<std::string> flags{"--axis",  "h=24",        "--axis", "w=40",
                                       "--gene",  "BLOCK=32,64", "--grid", "ceil_div(w, BLOCK), h",
                                       "--block", "BLOCK"};
  const Output open = tune(kernel, reference, flags);
  EXPECT_NE(open.exit_code, 0);
  EXPECT_TRUE(tells(open.err, "texture(")) << open.err;
  std::vector<std::string> told = flags;
  told.insert(told.end(), {"--arg", "image: input f32[h, w] texture(linear, clamp)"});
  expect_champion(tune(kernel, reference, told));
  EXPECT_TRUE(tells(problem(), "texture: {filter: linear, address: clamp}"));
}

constexpr const char* struct_kernel =
    "typedef struct Dim_ { int rows; int cols; int stride; } Dim;\n"
    "enum Mode { plain, twice };\n"
    "struct Twice { __device__ float operator()(float x) const { return 2 * x; } };\n"
    "template <class F> __global__ void k(float* y, const float* x, Dim d_out, Dim d_in, Mode mode, F f) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x, r = blockIdx.y;\n"
    "  if (i < d_out.cols && r < d_out.rows)\n"
    "    y[r * d_out.stride + i] = (mode == twice ? f(1) : 1) * x[r * d_in.stride + i % d_in.cols];\n}\n";
const std::vector<std::string> struct_flags{"--entry", "k<Twice>",
                                            "--axis",  "m=20",
                                            "--axis",  "n=48",
                                            "--gene",  "BLOCK=32,64",
                                            "--block", "BLOCK",
                                            "--grid",  "ceil_div(2 * n, BLOCK), m",
                                            "--arg",   "d_out: {rows: m, cols: 2 * n, stride: 2 * n}",
                                            "--arg",   "d_in.rows: m",
                                            "--arg",   "d_in.cols: n",
                                            "--arg",   "d_in.stride: n",
                                            "--arg",   "mode: {value: 1, fixed: true}",
                                            "--arg",   "x: [m, n]",
                                            "--arg",   "y: [m, 2 * n]"};

TEST_F(Tune, MembersOfStructsByValueAreToldByTheirPath) {
  const std::string by_members =
      "__global__ void reference(float* y, const float* x, int d_out_rows, int d_out_cols, int d_in_cols) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < d_out_rows * d_out_cols) y[i] = 2 * x[i / d_out_cols * d_in_cols + i % d_out_cols % "
      "d_in_cols];\n"
      "}\n";
  expect_champion(tune(struct_kernel, by_members, struct_flags));
  EXPECT_TRUE(tells(problem(), "{name: d_in_stride, role: scalar, dtype: i32, value: n"));
}

TEST_F(Tune, AReferenceMayTakeTheStructs) {
  const std::string by_structs =
      "struct Dim { int rows, cols, stride; };\n"
      "__global__ void reference(float* y, const float* x, Dim d_out, Dim d_in, int mode) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x, r = i / d_out.cols, c = i % d_out.cols;\n"
      "  if (r < d_out.rows) y[r * d_out.stride + c] = (mode + 1) * x[r * d_in.stride + c % d_in.cols];\n}\n";
  expect_champion(tune(struct_kernel, by_structs, struct_flags));
}

TEST_F(Tune, AccessorsOfTensorsHaveTheSizesOfTheirShape) {
  const std::string kernel =
      "#include <torch/extension.h>\ntemplate <class T>\n__global__ void k(\n"
      "    const torch::PackedTensorAccessor32<T, 3, torch::RestrictPtrTraits> x,\n"
      "    torch::PackedTensorAccessor64<T, 2> y) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = x.size(0), m = x.size(1);\n"
      "  if (i < n * m) y[i / m][i % m] = x[i / m][i % m][0] + 2 * x[i / m][i % m][x.size(2) - 1];\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n, int m, int d) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n * m) y[i] = x[i * d] + 2 * x[i * d + d - 1];\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--entry", "k<float>", "--axis", "n=30", "--axis", "m=20", "--axis", "d=5", "--gene",
                        "BLOCK=64,128", "--block", "BLOCK", "--grid", "ceil_div(n * m, BLOCK)", "--arg",
                        "x: [n, m, d]", "--arg", "y: [n, m]"}));
}

TEST_F(Tune, APointerToldToBeNullIsOne) {
  const std::string kernel =
      "struct P { const void* x; const void* b; const void* mask; void* y; int n, m; };\n__global__ void k(P "
      "p) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= p.n) return;\n"
      "  float v = ((const float*)p.x)[i] + ((const float*)p.b)[i / 7 % p.m];\n  if (p.mask) v *= ((const "
      "float*)p.mask)[i];\n"
      "  ((float*)p.y)[i] = 3 * v;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, const float* b, float* y, int n, int m) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 3 * (x[i] + b[i / 7 % m]);\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "n=3000", "--axis", "m=10", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--grid", "ceil_div(n, BLOCK)", "--arg", "p.x: f32[n]", "--arg", "p.b: f32[m]",
                        "--arg", "p.y: f32[n]", "--arg", "p.mask: 0"}));
}

TEST_F(Tune, AMemberThatThereIsNotIsNamedWithTheNearest) {
  std::vector<std::string> flags = struct_flags;
  flags.insert(flags.end(), {"--arg", "d_in.colls: n"});
  const Output output = tune(struct_kernel, add_reference, flags);
  EXPECT_EQ(output.exit_code, 2) << output.err;
  EXPECT_TRUE(tells(output.err, "'d_in.cols'")) << output.err;
}

TEST_F(Tune, WhatAnArrayOfIndicesHoldsSaysHowFarTheyReach) {
  const std::string kernel =
      "__global__ void k(const int* at, const float* x, float* y, int n, int m) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[at[i]];\n}\n";
  const std::string reference =
      "__global__ void reference(const int* at, const float* x, float* y, int n, int m) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[at[i]];\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "n=300", "--axis", "m=50", "--gene", "BLOCK=32,64", "--grid", "ceil_div(n, BLOCK)",
            "--block", "BLOCK", "--arg", "at: {fill: {integers: [0, m - 1]}}"}));
  EXPECT_TRUE(tells(problem(), "{name: x, role: input, dtype: f32, shape: [m]")) << problem();
}

}  // namespace
}  // namespace evo::intake
