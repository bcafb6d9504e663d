// evo tune of kernels that take textures, structs by value and indices.
#include <filesystem>

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

TEST_F(Tune, WhatVoidPointsToIsWhatTheKernelCastsItTo) {
  const std::string kernel =
      "struct P { void* x; const void* w; void* y; int n; };\n"
      "template <class T> struct Traits { using weight = unsigned char; using result = T; };\n"
      "__device__ float first(P p, int i) { return ((const float*)p.x)[i]; }\n"
      "template <class K> __global__ void k(P p) {\n  using weight_t = typename K::weight;\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i >= p.n) return;\n"
      "  reinterpret_cast<typename K::result*>(p.y)[i] = first(p, i) * reinterpret_cast<const "
      "weight_t*>(p.w)[i];\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, const unsigned char* w, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * w[i];\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--entry", "k<Traits<float>>", "--axis", "n=500", "--gene", "BLOCK=64,128", "--block", "BLOCK"}));
  EXPECT_TRUE(tells(problem(), "name: x, role: input, dtype: f32")) << problem();
  EXPECT_TRUE(tells(problem(), "name: w, role: input, dtype: u8")) << problem();
  EXPECT_TRUE(tells(problem(), "name: y, role: output, dtype: f32")) << problem();
}

TEST_F(Tune, MembersOfAStructWithinAStructAreToldInOneMap) {
  const std::string kernel =
      "struct P { const float* x; float* y; dim3 size; int dims[2]; };\n__global__ void k(P p) {\n"
      "  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < p.size.x * p.dims[1] && i < p.dims[0]) p.y[i] = p.size.z + p.x[i];\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 3 + x[i];\n}\n";
  const std::vector<std::string> flags{"--axis", "n=500", "--gene",   "BLOCK=64,128", "--block",
                                       "BLOCK",  "--arg", "p.y: [n]", "--arg",        "p.dims: [n, 1]"};
  std::vector<std::string> told = flags;
  told.insert(told.end(), {"--arg", "p.size: {x: n, y: 1, z: {value: 3, fixed: true}}"});
  expect_champion(tune(kernel, reference, told));
  std::filesystem::remove_all(scratch / "run");
  told.back() = "p.size: {x: n, y: 1, depth: 3}";
  const Output wrong = tune(kernel, reference, told);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(tells(wrong.err, "p.size.depth")) << wrong.err;
}

const std::string point_struct =
    "struct Point { float3 at; unsigned char colour[3]; unsigned char label; double weight; };\n";

TEST_F(Tune, ArraysOfStructsWithMembersOfSeveralTypes) {
  const std::string body =
      "  if (i >= n) return;\n  Point p = in[i];\n  p.at.x = p.at.x * 2 + p.colour[1];\n  p.label = "
      "p.colour[0] + p.label;\n  p.weight = p.weight + p.at.y * p.at.z;\n  out[i] = p;\n}\n";
  const std::string kernel = point_struct +
                             "__global__ void k(const Point* in, Point* out, int n) {\n"
                             "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n" +
                             body;
  const std::string reference = point_struct +
                                "__global__ void reference(const Point* in, Point* out, int n) {\n"
                                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                                body;
  const std::vector<std::string> flags{"--axis", "n=300", "--gene", "BLOCK=64,128", "--block", "BLOCK"};
  expect_champion(tune(kernel, reference, flags));
  EXPECT_TRUE(tells(problem(), "{name: \"in[].at_x\", role: input, dtype: f32, shape: [n, 3]")) << problem();
  EXPECT_TRUE(tells(problem(), "{name: \"out[].colour\", role: output, dtype: u8, shape: [n, 4]}"))
      << problem();
  EXPECT_TRUE(tells(problem(), "{name: \"out[].weight\", role: output, dtype: f64, shape: [n, 1]}"))
      << problem();
  EXPECT_TRUE(tells(read_file(scratch / "run/champion/k.h"), "const unsigned char* in, unsigned char* out"));
  // One member wrong, and no other.
  std::string wrong = kernel;
  wrong.replace(wrong.find("p.colour[0] + p.label"), 11, "p.colour[1]");
  std::filesystem::remove_all(scratch / "run");
  const Output found = tune(wrong, reference, flags);
  EXPECT_EQ(found.exit_code, 6) << found.err;
  EXPECT_TRUE(tells(found.out, "out[].colour")) << found.out;
}

TEST_F(Tune, FieldsThatNothingReadsAndWhatIndicesInThemMayBe) {
  const std::string text = "struct Edge { int from; float weight; short unread[4]; };\n";
  const std::string kernel =
      text +
      "__global__ void k(const Edge* edges, const float* x, float* y, int m, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < m) y[i] = edges[i].weight * x[edges[i].from];\n}\n";
  const std::string reference =
      text +
      "__global__ void reference(const Edge* edges, const float* x, float* y, int m, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < m) y[i] = edges[i].weight * x[edges[i].from];\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "m=300", "--axis", "n=50", "--gene", "BLOCK=64,128", "--block", "BLOCK", "--arg",
            "x: [n]", "--arg", "edges: [m]", "--arg", "edges.from: {fill: {integers: [0, n - 1]}}"}));
  EXPECT_TRUE(tells(problem(), "dtype: i16, shape: [m, 4], unused: true")) << problem();
  EXPECT_TRUE(tells(problem(), "integers: [0, n - 1]")) << problem();
}

}  // namespace
}  // namespace evo::intake
