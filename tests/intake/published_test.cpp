// evo tune on kernels as they are published: what a first line leaves out is inferred, or named with its
// flag.
#include "tests/intake/files.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

const std::string element = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

struct Published : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output tune(const std::string& kernel, const std::string& reference, const std::vector<std::string>& more,
              bool json = true) {
    std::vector<std::string> words{"tune",         write(scratch / "k.cu", kernel),
                                   "--reference",  write(scratch / "r.cu", reference),
                                   "--device",     "virtual",
                                   "--input-seed", "5",
                                   "--run-dir",    scratch / "run",
                                   "--trials",     "3"};
    if (json) words.insert(words.end(), {"-q", "--json"});
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(with_small_axes(std::move(words)));
  }
  void expect_champion(const Output& output) {
    EXPECT_EQ(output.exit_code, 0) << output.err << output.out << problem();
    EXPECT_TRUE(parse_object(output.out).at("champion").is_object()) << output.out;
  }
  [[nodiscard]] std::string problem() const { return read_file(scratch / "run/problem/problem.yaml"); }
  Scratch scratch;
};

bool names(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

const std::vector<std::string> one_axis{"--axis", "n=3000", "--gene", "BLOCK=64,128", "--block", "BLOCK"};

TEST_F(Published, AReferenceMayBeInDouble) {
  const std::string body = element + "  if (i < n) y[i] = x[i] * dt + sqrt(x[i] * x[i] + 1.0);\n}\n";
  const std::string head = "(const double* x, double* y, double dt, int n) {\n  ";
  expect_champion(
      tune("__global__ void step" + head + body, "__global__ void reference" + head + body, one_axis));
}

TEST_F(Published, AHalfParameterIsNoVariable) {
  const std::string kernel =
      "#include <cuda_fp16.h>\n__global__ void twice(const half* x, half* y, int n) {\n  " + element +
      "  if (i < n) y[i] = __float2half(3.0f * __half2float(x[i]) + 1.0f);\n}\n";
  const std::string reference = "__global__ void reference(const half* x, half* y, int n) {\n  " + element +
                                "  if (i < n) y[i] = 3.0f * (float)x[i] + 1.0f;\n}\n";
  expect_champion(tune(kernel, reference, one_axis));
}

TEST_F(Published, AnArrayMayBeAnyMultipleOfTheAxisAndAFewNumbers) {
  const std::string body =
      element +
      "  if (i >= n) return;\n  float s = box[0] - box[5];\n"
      "  for (int v = 0; v < 5; ++v) s += state[i + v * n] * (v + 1);\n  out[i] = s;\n}\n";
  const std::string head = "(const float* state, const float* box, float* out, int n) {\n  ";
  expect_champion(
      tune("__global__ void sum" + head + body, "__global__ void reference" + head + body, one_axis));
  EXPECT_TRUE(names(problem(), "shape: [5 * n]")) << problem();
  EXPECT_TRUE(names(problem(), "shape: [6]")) << problem();
}

TEST_F(Published, WhatAScalarWasToldIsASizeOfArrays) {
  const std::string body = element +
                           "  if (i >= n * c) return;\n  const int k = i % c;\n"
                           "  y[i] = k < d ? x[i / c * d + k] : x[i / c * d + k % d] * (k / d);\n}\n";
  const std::string head = "(const float* x, float* y, int n, int d, int c) {\n  ";
  expect_champion(tune("__global__ void widen" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "n=200", "--axis", "d=3", "--arg", "c: 2 * d + 1", "--gene", "BLOCK=64,128",
                        "--block", "BLOCK"}));
  EXPECT_TRUE(names(problem(), "shape: [n, 2 * d + 1]")) << problem();
  EXPECT_TRUE(names(problem(), "ceil_div(n * (2 * d + 1), BLOCK)")) << problem();
}

// One array has twice as many elements as the scalar says.
TEST_F(Published, TwiceWhatAScalarWasToldIsASize) {
  const std::string body = element + "  if (i < c) y[i] = x[2 * i] * 3 + x[2 * i + 1];\n}\n";
  const std::string head = "(const float* x, float* y, int n, int c) {\n  ";
  expect_champion(
      tune("__global__ void fold" + head + body, "__global__ void reference" + head + body,
           {"--axis", "n=200", "--arg", "c: n + 1", "--gene", "BLOCK=64,128", "--block", "BLOCK"}));
  EXPECT_TRUE(names(problem(), "shape: [2 * (n + 1)]")) << problem();
}

TEST_F(Published, ThreadsCountVectorsAndStructs) {
  const std::string kernel =
      "struct Point { float x, y, z; };\n__global__ void move(Point* p, float4* v, int n) {\n  " + element +
      "  if (i < n) { v[i].x += p[i].x; v[i].y += p[i].y; v[i].z += p[i].z; p[i].x += 1; }\n}\n";
  std::string reference = kernel;
  reference.replace(reference.find("move"), 4, "reference");
  expect_champion(tune(kernel, reference, one_axis));
  EXPECT_TRUE(names(problem(), "\"ceil_div(n, BLOCK)\"")) << problem();
  EXPECT_TRUE(names(problem(), "shape: [4 * n]")) << problem();
}

TEST_F(Published, IndicesAreDrawnWithinTheirArray) {
  const std::string head = "(const int* index, const float* table, float* out, int m, int n) {\n  ";
  const std::string body = element + "  if (i < m) out[i] = table[index[i]] * 2 + 1;\n}\n";
  expect_champion(tune("__global__ void gather" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "m=3000", "--axis", "n=500", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--arg", "table: [n]"}));
  EXPECT_TRUE(names(problem(), "{integers: [0, n - 1]}")) << problem();
}

// 32 and 96 times a multiple of 96 are one size: what is as great at both need not be a constant.
TEST_F(Published, IndicesOfAnAxisThatIsAMultipleOfThree) {
  const std::string head = "(const int* index, const float* table, float* out, int n) {\n  ";
  const std::string body = element + "  if (i < n) out[i] = table[index[i]] * 2 + 1;\n}\n";
  expect_champion(tune("__global__ void gather" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "n=9600 multiple_of=96", "--gene", "BLOCK=64,96", "--block", "BLOCK"}));
  EXPECT_TRUE(names(problem(), "{integers: [0, n - 1]}")) << problem();
}

// 256 times 2^24 is 0 in 32 bits: such an index would seem to be good.
TEST_F(Published, IndicesOfRowsOf256) {
  const std::string head = "(const int* index, const float* table, float* out, int m, int n) {\n  ";
  const std::string body = element + "  if (i < m) out[i] = table[index[i] * 256] * 2 + 1;\n}\n";
  expect_champion(tune("__global__ void rows" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "m=600", "--axis", "n=50", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--arg", "table: [n, 256]"}));
  EXPECT_TRUE(names(problem(), "{integers: [0, n - 1]}")) << problem();
}

TEST_F(Published, IndicesBelowZeroThatAreSkippedAreDrawn) {
  const std::string head = "(const int* index, const float* table, float* out, int m, int n) {\n  ";
  const std::string body =
      element + "  if (i < m) out[i] = index[i] < 0 ? 0.5f : table[index[i]] * 2 + 1;\n}\n";
  expect_champion(tune("__global__ void gather" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "m=3000", "--axis", "n=500", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--arg", "table: [n]"}));
  EXPECT_TRUE(names(problem(), "{integers: [-1, n - 1]}")) << problem();
}

// A table of m * (n + 1) numbers: the last index is no m * n + 1.
TEST_F(Published, IndicesOfATableThatIsAProductOfASum) {
  const std::string head = "(const int* index, const float* table, float* out, int m, int n, int c) {\n  ";
  const std::string body = element + "  if (i < m * c) out[i] = table[index[i]] * 2 + 1;\n}\n";
  expect_champion(tune("__global__ void gather" + head + body, "__global__ void reference" + head + body,
                       {"--axis", "m=60", "--axis", "n=50", "--arg", "c: n + 1", "--gene", "BLOCK=64,128",
                        "--block", "BLOCK", "--arg", "table: [m, n + 1]"}));
  EXPECT_TRUE(names(problem(), "{integers: [0, m * (n + 1) - 1]}")) << problem();
}

TEST_F(Published, NumbersThatAreNoIndicesHoldAnything) {
  const std::string head = "(const int* x, int* y, int n) {\n  ";
  const std::string body = element + "  if (i < n) y[i] = x[i] * 3 + 1;\n}\n";
  expect_champion(
      tune("__global__ void triple" + head + body, "__global__ void reference" + head + body, one_axis));
  EXPECT_FALSE(names(problem(), "fill:")) << problem();
}

TEST_F(Published, AReferenceWithoutAnswerGetsPositiveNumbers) {
  const std::string head = "(const float* x, float* y, int n) {\n  ";
  const Output output =
      tune("__global__ void root" + head + element + "  if (i < n) y[i] = sqrtf(x[i]) + logf(x[i]);\n}\n",
           "__global__ void reference" + head + element + "  if (i < n) y[i] = sqrt(x[i]) + log(x[i]);\n}\n",
           one_axis);
  expect_champion(output);
  EXPECT_TRUE(names(problem(), "{uniform: [0.1, 2]}")) << problem();
}

TEST_F(Published, AScalarThatChangesNothingIsNeutralUnlessItWasTold) {
  const std::string head = "(const float* x, float* y, float least, int n) {\n  ";
  const std::string body =
      element + "  if (i < n) y[i] = x[i] * x[i] + 1 < least - 9 ? least : x[i] * 3 + 1;\n}\n";
  expect_champion(
      tune("__global__ void clip" + head + body, "__global__ void reference" + head + body, one_axis));
  EXPECT_TRUE(names(problem(), "neutral: true")) << problem();
  std::vector<std::string> told(one_axis);
  told.insert(told.end(), {"--arg", "least : 1.5", "--run-dir", scratch / "told"});
  told.insert(told.begin(), {"tune", scratch / "k.cu", "--reference", scratch / "r.cu", "--device", "virtual",
                             "--input-seed", "5"});
  const Output refused = run_evo(told);
  EXPECT_EQ(refused.exit_code, 6);
  EXPECT_TRUE(names(refused.err, "--arg 'least: {value: ..., neutral: true}'")) << refused.err;
}

TEST_F(Published, AKernelThatAMacroMakes) {
  const std::string kernel =
      "#define SCALE_OP(TYPE, NAME, FACTOR) \\\n  extern \"C\" __global__ void NAME##_kernel(const TYPE* x, "
      "TYPE* y, "
      "int n) { \\\n    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* one each */ \\\n"
      "    if (i < n) y[i] = x[i] * FACTOR + 1; \\\n  }\n\nSCALE_OP(float, scale2_f32, 2)\nSCALE_OP(double, "
      "scale3_f64, 3)\n";
  const std::string reference = "__global__ void reference(const float* x, float* y, int n) {\n  " + element +
                                "  if (i < n) y[i] = x[i] * 2 + 1;\n}\n";
  std::vector<std::string> named(one_axis);
  named.insert(named.end(), {"--entry", "scale2_f32_kernel"});
  expect_champion(tune(kernel, reference, named));
  const Output open = tune(kernel, reference, one_axis);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_TRUE(names(open.err, "scale3_f64_kernel")) << open.err;
}

// Six and six parameters, but not the same ones: rows is the axis, not what stands in its place.
TEST_F(Published, AReferenceThatTakesAnAxisInThePlaceOfAnotherNumber) {
  const std::string kernel =
      "__global__ void scale(const float* x, float* y, int cols, int threads) {\n"
      "  for (int c = threadIdx.x; c < cols; c += threads) y[blockIdx.x * cols + c] = x[blockIdx.x * cols + "
      "c] * 2 + "
      "1;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int rows, int cols) {\n  " + element +
      "  if (i < rows * cols) y[i] = x[i] * 2 + 1;\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "rows=40", "--axis", "cols=300", "--gene", "BLOCK=32,64", "--block",
                        "BLOCK", "--grid", "rows", "--arg", "threads: BLOCK"}));
  EXPECT_TRUE(names(problem(), "shape: [rows, cols]")) << problem();
}

TEST_F(Published, WhoIncludesAPartIsNamed) {
  write(scratch / "whole.cu", "struct Cell { float a; };\n#include \"k.cu\"\nint main() { return 0; }\n");
  const Output output = tune("__global__ void get(const Cell* x, float* y, int n) {\n  " + element +
                                 "  if (i < n) y[i] = x[i].a;\n}\n",
                             "__global__ void reference(const float* x, float* y, int n) {}\n", one_axis);
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_TRUE(names(output.err, "whole.cu --entry get")) << output.err;
}

TEST_F(Published, AFileForSomeVersionOfTheToolkit) {
  const std::string text =
      "(const float* x, float* y, int n) {\n  " + element + "  if (i < n) y[i] = x[i] * 3 + 1;\n}\n";
  expect_champion(
      tune("#include <cuda.h>\n#if CUDA_VERSION >= 10010 && CUDA_VERSION < 99000\nnamespace ns {\n"
           "__global__ void triple" +
               text + "}\n#endif\n",
           "__global__ void reference" + text, one_axis));
}

TEST_F(Published, ARefusedBaselineNamesWhatToType) {
  const std::string head = "(const int* x, int* y, int n) {\n  ";
  const Output unguarded =
      tune("__global__ void copy" + head + element + "  y[i] = x[i] + 1;\n}\n",
           "__global__ void reference" + head + element + "  if (i < n) y[i] = x[i] + 1;\n}\n",
           {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--block", "BLOCK"}, false);
  EXPECT_EQ(unguarded.exit_code, 6);
  EXPECT_TRUE(names(unguarded.out, "--axis 'n=4096 multiple_of=256 min=256'")) << unguarded.out;
}

TEST_F(Published, NumbersOfFewBitsAreAskedFor) {
  const std::string head = "(const int* x, int* y, int n) {\n  ";
  const Output wide =
      tune("__global__ void low" + head + element + "  if (i < n) y[i] = x[i] * 3;\n}\n",
           "__global__ void reference" + head + element + "  if (i < n) y[i] = (x[i] & 1023) * 3;\n}\n",
           one_axis, false);
  EXPECT_EQ(wide.exit_code, 6);
  EXPECT_TRUE(names(wide.out, "--arg 'x: {fill: ")) << wide.out;
}

TEST_F(Published, AReferenceThatLeavesAnArrayNamesItsShape) {
  const std::string kernel = "__global__ void sum(const float* x, float* y, int n, int m) {\n  " + element +
                             "  if (i < n) y[i] = x[i] + 1;\n}\n";
  const std::string reference = "__global__ void reference(const float* x, float* y, int n, int m) {\n  " +
                                element + "  if (i < n) y[i] = x[i + m] + 1;\n}\n";
  const Output output = tune(kernel, reference,
                             {"--axis", "n=3000", "--axis", "m=200", "--arg", "x: [n]", "--arg", "y: [n]",
                              "--gene", "BLOCK=64", "--block", "BLOCK"});
  EXPECT_NE(output.exit_code, 0);
  EXPECT_TRUE(names(output.err, "--arg 'x: [...]'")) << output.err;
}

TEST_F(Published, AWidenedReferenceMixesItsNumbersWithIntegers) {
  const std::string body = "(const float* x, float* y, int n) {\n  " + element +
                           "  if (i < n) y[i] = fminf(x[i], 1) + fmaxf(0, x[i]);\n}\n";
  expect_champion(tune("__global__ void k" + body, "__global__ void reference" + body, one_axis));
}

}  // namespace
}  // namespace evo::intake
