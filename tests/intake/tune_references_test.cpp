// evo tune with references of many kinds: which parameter is which, and how they are launched.
#include <filesystem>

#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

TEST_F(Tune, AReferencesNamesCountAlsoWhereSomeAreOthers) {
  const std::string kernel =
      "__global__ void weigh(const float* values, float* out, int width, int factor, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < n) out[i] = values[i] * factor + i % width;\n}\n";
  // values and out go by their places, the numbers by their names.
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n, int factor, int width) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] * factor + i % width;\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "n=2000", "--axis", "width=7", "--gene", "BLOCK=64,128", "--arg", "factor: 3", "--arg",
            "values: [n]", "--arg", "out: [n]", "--grid", "ceil_div(n, BLOCK)"}));
}

TEST_F(Tune, AReferenceOfQuadraticCostKeepsSizesSmall) {
  small_axes = false;
  const std::string kernel =
      "__global__ void rank(const int* x, int* r, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i >= n) return;\n  int below = 0;\n"
      "  for (int k = 0; k < n; ++k) below += x[k] < x[i];\n  r[i] = below;\n}\n";
  const std::string reference =
      "__global__ void reference(const int* x, int* r, int n) {\n"
      "  if (blockIdx.x + threadIdx.x) return;\n"
      "  for (int i = 0; i < n; ++i) {\n    r[i] = 0;\n"
      "    for (int k = 0; k < n; ++k)\n      for (int t = 0; t < 16; ++t) r[i] += t == 0 && x[k] < x[i];\n  "
      "}\n}\n";
  const Output output = ask("check", kernel, reference, {"--axis", "n=200", "--gene", "BLOCK=64"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(tells(output.err, "power 2.")) << output.err;
  EXPECT_TRUE(tells(output.err, "sizes are drawn up to n ")) << output.err;
  const Output plain = ask("check", add_kernel, add_reference, add_flags);
  EXPECT_FALSE(tells(plain.err, "sizes are drawn up to")) << plain.err;
}

// At sizes of evo's own, too, of which only those beyond 300 are wrong.
TEST_F(Tune, PolesAreAskedForAtEverySize) {
  const auto kernel = [](const std::string& otherwise) {
    return "__global__ void k(const float* x, float* y, int n) {\n"
           "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] > 0 ? 1 / x[i] : " +
           otherwise + ";\n}\n";
  };
  const std::string reference =
      "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] > 0 ? 1 / x[i] : INFINITY;\n}\n";
  const std::vector<std::string> flags{"--axis", "n=200", "--gene", "BLOCK=64"};
  const Output correct = ask("check", kernel("INFINITY"), reference, flags);
  EXPECT_EQ(correct.exit_code, 0) << correct.err;
  EXPECT_EQ(ask("check", kernel("(i > 300 ? 0 : INFINITY)"), reference, flags).exit_code, 6);
}

// It would make an answer that nobody judges.
TEST_F(Tune, WhatTheReferenceWritesIsNoScratchMemory) {
  auto flags = add_flags;
  flags.insert(flags.end(), {"--arg", "c: {zeroed: true}"});
  EXPECT_EQ(tune(add_kernel, add_reference, flags).exit_code, 3);
}

TEST_F(Tune, AReferenceIsNotLaunchedAsAKernelWhoseBlocksCountAlongAnotherAxis) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int h, int w) {\n"
      "  const int c = blockIdx.y * 64 + threadIdx.x;\n"
      "  float sum = 0;\n  for (int r = 0; r < 8; ++r) sum += x[(blockIdx.x * 8 + r) * w + c];\n"
      "  atomicAdd(&y[c], sum);\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int h, int w) {\n"
      "  const int c = blockIdx.x * blockDim.x + threadIdx.x;\n  if (c >= w) return;\n"
      "  float sum = 0;\n  for (int r = 0; r < h; ++r) sum += x[r * w + c];\n  y[c] += sum;\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "h=16 multiple_of=8", "--axis", "w=256 multiple_of=64", "--grid", "h / 8, w / 64",
            "--block", "64", "--arg", "x: {shape: [h, w], fill: {uniform: [0, 1]}}", "--arg",
            "y: {shape: [w], reproducible: false, fill: {uniform: [0, 1]}}"}));
}

TEST_F(Tune, AReferenceWithoutBoundsGetsTheKernelsLaunch) {
  const std::string kernel =
      "__global__ void k(const float* x, const float* bias, float* y, const int* first, int w) {\n"
      "  const int b = blockIdx.x;\n"
      "  for (int i = first[b] + threadIdx.x; i < first[b + 1]; i += BLOCK)\n"
      "    y[i] = x[i] + bias[b * w + (i - first[b]) % w];\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, const float* bias, float* y, const int* first, int w) {\n"
      "  const int b = blockIdx.x;\n"
      "  for (int i = first[b] + threadIdx.x; i < first[b + 1]; i += blockDim.x)\n"
      "    y[i] = x[i] + bias[b * w + (i - first[b]) % w];\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "batch=20", "--axis", "w=12", "--gene", "BLOCK=32,64", "--block", "BLOCK",
                        "--grid", "batch", "--arg", "first: {shape: [batch + 1], fill: {sorted: [0, 400]}}",
                        "--arg", "x: [400]", "--arg", "y: [400]", "--arg", "bias: [batch, w]"}));
}

TEST_F(Tune, AReferenceInHalfComputesInDouble) {
  expect_champion(
      tune("#include <cuda_fp16.h>\n__global__ void k(const __half* x, __half* y, int n) {\n"
           "  int i = 2 * (blockIdx.x * BLOCK + threadIdx.x);\n  if (i >= n) return;\n"
           "  half2 v = *reinterpret_cast<const half2*>(x + i);\n"
           "  *reinterpret_cast<half2*>(y + i) = __hadd2(v, __float2half2_rn(1.0f));\n}\n",
           "#include <cuda_fp16.h>\n__global__ void reference(const half* x, half* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = __float2half(__half2float(x[i]) + 1.0f);\n}\n",
           {"--axis", "n=1000 multiple_of=2", "--gene", "BLOCK=64,128", "--grid", "ceil_div(n, 2 * BLOCK)"}));
}

TEST_F(Tune, TheKernelsOwnFileMayHaveTheReference) {
  // unsigned long is another type than unsigned long long, of the same kind and size.
  const std::string both =
      "__global__ void bits(const unsigned long* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = __popcll(x[i]);\n}\n"
      "__global__ void plain(const unsigned long* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  unsigned long left = x[i];\n  int count = 0;\n  for (; left != 0; left &= left - 1) count++;\n"
      "  y[i] = count;\n}\n";
  write(scratch / "both.cu", both);
  const Output output = run_evo({"tune",         scratch / "both.cu",
                                 "--entry",      "bits",
                                 "--reference",  scratch / "both.cu:plain",
                                 "--axis",       "n=1000",
                                 "--gene",       "BLOCK=64,128",
                                 "--block",      "BLOCK",
                                 "--device",     "virtual",
                                 "--input-seed", "5",
                                 "--run-dir",    scratch / "run",
                                 "--trials",     "3",
                                 "-q",           "--json"});
  expect_champion(output);
}

TEST_F(Tune, AReferenceOfArraysOfAnotherKindIsRefused) {
  const Output output = tune(add_kernel,
                             "__global__ void reference(const int* a, const int* b, int* c, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) c[i] = a[i] + b[i];\n}\n",
                             add_flags);
  EXPECT_EQ(output.exit_code, 3) << output.out;
  EXPECT_TRUE(tells(output.err, "r.cu:")) << output.err;
}

// Who launches the kernel by rows of a grid launches its reference so.
TEST_F(Tune, AReferenceMayHaveTheKernelsLaunch) {
  const std::string kernel =
      "__global__ void shift(int b, int c, int n, const float* x, float* y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n)\n"
      "    y[(blockIdx.z * c + blockIdx.y) * n + i] = x[(blockIdx.z * c + blockIdx.y) * n + i] + "
      "blockIdx.y;\n}\n";
  std::string reference = kernel;
  reference.replace(reference.find("shift"), 5, "reference");
  for (std::size_t at = 0; (at = reference.find("float", at)) != std::string::npos;)
    reference.replace(at, 5, "EVO_REAL");
  expect_champion(
      tune(kernel, reference,
           {"--axis", "b=2", "--axis", "c=3", "--axis", "n=200", "--gene", "BLOCK=64,128", "--block", "BLOCK",
            "--grid", "ceil_div(n, BLOCK), c, b", "--arg", "x: [b, c, n]", "--arg", "y: [b, c, n]"}));
}

// pow(1.0 - p, g) of a reference is computed in double and, for the plain form, in float.
TEST_F(Tune, ADoubleOfAReferenceIsThePlainTypeBesideAKernelWithoutOne) {
  const auto kernel = [](const std::string& type) {
    return "__global__ void k(const float* x, int* at, int n, int m) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  " +
           type + " best = 0;\n  int b = 0;\n  for (int j = 0; j < m; ++j) {\n    const " + type +
           " d = " + type +
           "(x[j]) - x[i + m];\n    if (j == 0 || d * d < best) { best = d * d; b = j; }\n  }\n"
           "  at[i] = b;\n}\n";
  };
  const std::string reference =
      "__global__ void reference(const float* x, int* at, int n, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  double best = 1e300;\n  int b = 0;\n  for (int j = 0; j < m; ++j) {\n"
      "    double d = x[j] - x[i + m];\n    if (d * d < best) { best = d * d; b = j; }\n  }\n"
      "  at[i] = b;\n}\n";
  const std::vector<std::string> flags{"--axis",       "n=200",   "--axis", "m=20",  "--gene",
                                       "BLOCK=64,128", "--block", "BLOCK",  "--arg", "x: [n + m]"};
  // Distances of points far from all others are the same in float, which only a plain answer shows.
  expect_champion(tune(kernel("float"), reference, flags));
  const auto is_plain = [&] {
    return tells(read_file(scratch / "run/problem/reference.cu"), "#define double evo_real");
  };
  EXPECT_TRUE(is_plain());
  std::filesystem::remove_all(scratch / "run");
  (void)tune(kernel("double"), reference, flags);
  EXPECT_FALSE(is_plain());
}

TEST_F(Tune, NumbersOfAReferenceTakeItsType) {
  const std::string kernel =
      "__global__ void loss(const float* x, float* y, float g, int n) {\n  int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n  if (i >= n) return;\n  float p = 1.f / (1.f + expf(-x[i]));\n"
      "  y[i] = -powf(1.f - p, g) * logf(fmaxf(1.f - p, 1.0e-30f));\n}\n";
  const std::string reference =
      "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL g, int n) {\n  int i = blockIdx.x "
      "* "
      "blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  EVO_REAL p = 1.0 / (1.0 + exp(-x[i]));\n"
      "  y[i] = -pow(1.0 - p, g) * log(fmax(1.0 - p, (EVO_REAL)1.0e-30));\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "n=3000", "--gene", "BLOCK=64,128", "--block", "BLOCK", "--arg", "g: 2"}));
}

/// Threads for n * c / 4 groups, which n blocks of 64 are only where c is small.
const std::string grouped_reference =
    "__global__ void r(float* y, int n, int c, int hw) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n * c / 4) return;\n"
    "  float* q = y + i * 4 * hw;\n  for (int j = 0; j < 4 * hw; ++j) q[j] = q[j] * 3 + 1;\n}\n";
std::string grouped_kernel(const std::string& condition) {
  return "__global__ void k(float* y, int n, int c, int hw) {\n  size_t row = (size_t)blockIdx.x * c * hw;\n"
         "  for (int j = threadIdx.x; j < c * hw; j += BLOCK)\n    if (" +
         condition + ") y[row + j] = y[row + j] * 3 + 1;\n}\n";
}
const std::vector<std::string> grouped_flags{
    "--axis", "n=3",      "--axis", "hw=20", "--axis",  "c=12 multiple_of=4",
    "--gene", "BLOCK=64", "--grid", "n",     "--block", "BLOCK"};

TEST_F(Tune, ALaunchLikeTheKernelsIsNotGuessedWhereOneLongAxisOutgrowsIt) {
  small_axes = false;
  auto flags = grouped_flags;
  flags.insert(flags.end(), {"--arg", "y: inout f32[n, hw, c]"});
  const Output correct = ask("check", grouped_kernel("true"), grouped_reference, flags);
  EXPECT_EQ(correct.exit_code, 0) << correct.err << correct.out;
  const std::string part = "row + j < (size_t)n * BLOCK * 4 * hw";  // what 64 threads a row do
  const Output wrong = ask("check", grouped_kernel(part), grouped_reference, flags);
  EXPECT_EQ(wrong.exit_code, 6) << wrong.err << wrong.out;
  flags.back() = "y: {role: inout, dtype: f32, shape: [n, hw, c], unwritten: keep}";
  EXPECT_EQ(ask("check", grouped_kernel(part), grouped_reference, flags).exit_code, 6);
}

TEST_F(Tune, AToldLaunchThatIsTooSmallMakesNothingKept) {
  small_axes = false;
  auto flags = grouped_flags;
  flags.insert(flags.end(),
               {"--arg", "y: inout f32[n, hw, c]", "--reference-grid", "n", "--reference-block", "64"});
  const Output output =
      ask("check", grouped_kernel("row + j < (size_t)n * BLOCK * 4 * hw"), grouped_reference, flags);
  EXPECT_EQ(output.exit_code, 3) << output.err << output.out;
  EXPECT_TRUE(tells(output.err, "--reference-grid")) << output.err;
  EXPECT_TRUE(tells(output.err, "r.cu ")) << "the user's file: " << output.err;
}

TEST_F(Tune, AnInoutThatSomeDataLeavesAloneIsKept) {
  const auto kernel = [](const std::string& limit) {
    return "__global__ void k(float* g, int n, float mx) {\n  __shared__ float total;\n"
           "  if (threadIdx.x == 0) {\n    float s = 0;\n    for (int i = 0; i < n; ++i) s += g[i] * g[i];\n"
           "    total = sqrtf(s);\n  }\n  __syncthreads();\n  float s = total;\n  if (s <= " +
           limit + ") return;\n  for (int i = threadIdx.x; i < n; i += BLOCK) g[i] *= mx / s;\n}\n";
  };
  const std::string reference =
      "__global__ void r(float* g, int n, float mx) {\n  if (threadIdx.x || blockIdx.x) return;\n"
      "  float s = 0;\n  for (int i = 0; i < n; ++i) s += g[i] * g[i];\n  s = sqrt(s);\n"
      "  float f = s > mx ? mx / s : 1;\n  for (int i = 0; i < n; ++i) g[i] = g[i] * f;\n}\n";
  const std::vector<std::string> flags{"--axis",
                                       "n=700",
                                       "--gene",
                                       "BLOCK=128",
                                       "--grid",
                                       "1",
                                       "--block",
                                       "BLOCK",
                                       "--arg",
                                       "g: inout f32[n]",
                                       "--arg",
                                       "mx: 1.0",
                                       "--reference-grid",
                                       "1",
                                       "--reference-block",
                                       "1"};
  const Output correct = ask("check", kernel("mx"), reference, flags);
  EXPECT_EQ(correct.exit_code, 0) << correct.err << correct.out;
  EXPECT_TRUE(tells(correct.err, "unwritten: keep")) << correct.err;
  EXPECT_EQ(ask("check", kernel("2 * mx"), reference, flags).exit_code, 6);
  // In a run the self-test, or else the proof of the baseline, is the first to say so.
  expect_champion(tune(kernel("mx"), reference, flags));
  EXPECT_TRUE(tells(problem(), "unwritten: keep")) << problem();
}

/// A block a row reaches the end of a short row; a thread an element has to be launched otherwise.
TEST_F(Tune, AReferencesLaunchReachesTheEndOfALongRow) {
  small_axes = false;
  expect_champion(
      tune("__global__ void k(const float* x, float* y, int rows, int n) {\n"
           "  for (int i = threadIdx.x; i < n; i += BLOCK)\n"
           "    y[blockIdx.x * n + i] = x[blockIdx.x * n + i] + i;\n}\n",
           "__global__ void reference(const float* x, float* y, int rows, int n) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < rows * n) y[i] = x[i] + i % n;\n}\n",
           {"--axis", "rows=3", "--axis", "n=40", "--gene", "BLOCK=64,128", "--block", "BLOCK", "--grid",
            "rows"}));
}

TEST_F(Tune, ATableThatAlwaysHoldsOneNumberIsNoneThatACandidateMayIgnore) {
  const auto text = [](const std::string& head) {
    return "__global__ void " + head +
           "(const float* x, const int* sides, float* y, int n) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] * sides[0] + sides[1];\n}\n";
  };
  const std::vector<std::string> flags{
      "--axis",  "n=300", "--gene", "BLOCK=64,128",
      "--block", "BLOCK", "--arg",  "sides: {shape: [2], fill: {integers: [8, 8]}}"};
  expect_champion(tune(text("k"), text("reference"), flags));
  // Where nothing else is given, every answer would do.
  const auto alone = [](const std::string& head) {
    return "__global__ void " + head +
           "(const int* sides, int* y, int n) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = i * sides[0] + sides[1];\n}\n";
  };
  EXPECT_NE(tune(alone("k"), alone("reference"), flags).exit_code, 0);
}

}  // namespace
}  // namespace evo::intake
