// evo check without a problem: sizes beyond those that were told, and parts that are left as they are.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

// Each of several axes is shown far beyond what was told, where the reference is cheap and nobody says how
// far.
TEST_F(Tune, AKernelWithRoomForSoManyIsRefusedUnlessItsAxisSaysSo) {
  small_axes = false;
  const std::string kernel =
      "__global__ void sums(const float* x, float* y, int rows, int n) {\n"
      "  float sum = 0;\n  for (int i = threadIdx.x; i < min(n, 4096); i += 32) sum += x[blockIdx.x * n + "
      "i];\n"
      "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);\n"
      "  if (threadIdx.x == 0) y[blockIdx.x] = sum;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int rows, int n) {\n"
      "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n  if (r >= rows) return;\n"
      "  float sum = 0;\n  for (int i = 0; i < n; ++i) sum += x[r * n + i];\n  y[r] = sum;\n}\n";
  const auto check = [&](const std::string& text, const std::string& axis) {
    return ask("check", text, reference,
               {"--axis", "rows=20", "--axis", axis, "--grid", "rows", "--block", "32", "--reference-grid",
                "ceil_div(rows, 64)", "--reference-block", "64"});
  };
  const Output cut = check(kernel, "n=300");
  EXPECT_EQ(cut.exit_code, 6) << cut.out << cut.err;
  EXPECT_TRUE(tells(cut.out, "max=")) << "what to say where it is for fewer";
  EXPECT_EQ(check(kernel, "n=300 max=4096").exit_code, 0);
  std::string whole = kernel;
  whole.replace(whole.find("min(n, 4096)"), 12, "n");
  const Output found = check(whole, "n=300");
  EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
  EXPECT_TRUE(tells(found.out, "the other sizes small")) << found.out;
}

/// A product of halves by fragments of tensor cores, in whole tiles of 16, and what it is held against.
const std::string tensor_product =
    "#include <mma.h>\n#include <cuda_fp16.h>\nusing namespace nvcuda;\n\n"
    "__global__ void product(const __half* A, const __half* B, float* C, int m, int n, int k) {\n"
    "  int x = blockIdx.x * 16, y = blockIdx.y * 16;\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;\n  wmma::fill_fragment(c, 0.0f);\n"
    "  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;\n"
    "  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;\n"
    "  for (int l = 0; l < k; l += 16) {\n"
    "    wmma::load_matrix_sync(a, A + (size_t)y * k + l, k);\n"
    "    wmma::load_matrix_sync(b, B + (size_t)l * n + x, n);\n    wmma::mma_sync(c, a, b, c);\n  }\n"
    "  wmma::store_matrix_sync(C + (size_t)y * n + x, c, n, wmma::mem_row_major);\n}\n";
const std::string half_product =
    "#include <cuda_fp16.h>\n"
    "__global__ void ref(const __half* A, const __half* B, float* C, int m, int n, int k) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= m * n) return;\n  float s = 0;\n"
    "  for (int j = 0; j < k; ++j) s += (float)A[i / n * k + j] * (float)B[j * n + i % n];\n"
    "  C[i] = s;\n}\n";

// Fragments of tensor cores, loaded from arrays as they are: 32 bytes, which evo finds by itself.
TEST_F(Tune, FragmentsFromGlobalMemoryAreAtThirtyTwoBytes) {
  const auto check = [&](const std::string& text) {
    return ask("check", text, half_product,
               {"--axis", "m=32 multiple_of=16", "--axis", "n=32 multiple_of=16", "--axis",
                "k=32 multiple_of=16", "--block", "32", "--grid", "n/16,m/16", "--reference-grid",
                "ceil_div(m*n,64)", "--reference-block", "64"});
  };
  const Output correct = check(tensor_product);
  EXPECT_EQ(correct.exit_code, 0) << correct.out << correct.err;
  std::string wrong = tensor_product;
  wrong.replace(wrong.find("* k + l, k)"), 11, "* k + l, n)");
  EXPECT_EQ(check(wrong).exit_code, 6) << "another leading dimension";
}

// Sizes that are whole tiles say as well what the reference costs, and along which axis outputs are sums: a
// long sum is shown, and what tensor cores cut off of one is granted.
TEST_F(Tune, AProductOfWholeTilesIsShownWithLongSums) {
  small_axes = false;
  const auto check = [&](const std::string& text) {
    return ask("check", text, half_product,
               {"--axis", "m=32 multiple_of=16", "--axis", "n=32 multiple_of=16", "--axis",
                "k=32 multiple_of=16", "--block", "32", "--grid", "n/16,m/16"});
  };
  const Output correct = check(tensor_product);
  EXPECT_EQ(correct.exit_code, 0) << correct.out << correct.err;
  EXPECT_TRUE(tells(correct.out, "the other sizes small")) << correct.out;
  std::string wrong = tensor_product;
  wrong.replace(wrong.find("l < k;"), 6, "l < min(k, 2048);");
  EXPECT_EQ(check(wrong).exit_code, 6) << "terms beyond the 2048th are left out";
}

// Names that host headers bring along, in a file without a blank line for their header.
TEST_F(Tune, AFileWithoutABlankLineGetsItsHeader) {
  const std::string kernel =
      "__global__ void clipped(const int* x, int* y, int n) {\n"
      "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] == INT_MIN ? INT_MAX : abs(x[i]);\n}\n";
  const std::string reference =
      "__global__ void reference(const int* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i] == -2147483647 - 1 ? 2147483647 : abs(x[i]);\n}\n";
  const Output found =
      ask("check", kernel, reference, {"--axis", "n=900", "--grid", "ceil_div(n, 128)", "--block", "128"});
  EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
}

// A reference that writes zeros writes: who leaves them out leaves what the user's array held.
TEST_F(Tune, ZerosThatAreWrittenAreNotLeftAlone) {
  small_axes = false;
  const std::string kernel =
      "__global__ void above(const float* x, int* y, int n) {\n"
      "  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n && x[i] > 0) y[i] = 1;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] > 0;\n}\n";
  const std::vector<std::string> flags{"--axis", "n=900", "--grid", "ceil_div(n, 128)", "--block", "128"};
  const Output found = ask("check", kernel, reference, flags);
  EXPECT_EQ(found.exit_code, 6) << found.out << found.err;
  EXPECT_TRUE(tells(found.out, "unwritten")) << found.out;
}

// What an output holds before is another byte in each launch that looks for what is left alone: of a row's
// largest number a quantiser makes the same byte whatever the row holds.
TEST_F(Tune, BytesThatAreWrittenAreNotLeftAlone) {
  small_axes = false;
  const std::string kernel =
      "__global__ void whole(const float* x, signed char* q, float* s, int n, int d) {\n"
      "  float most = 0;\n"
      "  for (int j = threadIdx.x; j < d; j += 32) most = fmaxf(most, fabsf(x[blockIdx.x * d + j]));\n"
      "  for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));\n"
      "  const float scale = most / 127.f, by = scale > 0 ? 1.f / scale : 0.f;\n"
      "  if (threadIdx.x == 0) s[blockIdx.x] = scale;\n"
      "  for (int j = threadIdx.x; j < d; j += 32)\n"
      "    q[blockIdx.x * d + j] = (signed char)max(-127, min(127, __float2int_rn(x[blockIdx.x * d + j] * "
      "by)));\n"
      "}\n";
  const std::string reference =
      "__global__ void reference(const float* x, signed char* q, float* s, int n, int d) {\n"
      "  int i = blockIdx.x;\n  if (i >= n) return;\n  float most = 0;\n"
      "  for (int j = 0; j < d; ++j) most = fabs(x[i * d + j]) > most ? fabs(x[i * d + j]) : most;\n"
      "  float scale = most / 127.0f, by = scale > 0 ? 1.0f / scale : 0;\n  s[i] = scale;\n"
      "  for (int j = 0; j < d; ++j) {\n    float v = rint(x[i * d + j] * by);\n"
      "    q[i * d + j] = (signed char)(int)(v > 127 ? 127 : v < -127 ? -127 : v);\n  }\n}\n";
  const Output found = ask("check", kernel, reference,
                           {"--axis", "n=9", "--axis", "d=130", "--grid", "n", "--block", "32",
                            "--reference-grid", "n", "--reference-block", "1", "--arg", "x: input f32[n, d]",
                            "--arg", "q: output i8[n, d]", "--arg", "s: output f32[n]"});
  EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
  EXPECT_FALSE(tells(found.err, "leaves part of it as it is")) << found.err;
}

// Taps of a filter: the reference reads no more of them than the signal is long, the kernel all.
TEST_F(Tune, AnInputIsAsLargeAsTheKernelReads) {
  const std::string kernel =
      "__global__ void filter(const float* x, const float* h, float* y, int n, int taps) {\n"
      "  __shared__ float hs[64];\n  if (threadIdx.x < taps) hs[threadIdx.x] = h[threadIdx.x];\n"
      "  __syncthreads();\n  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i >= n) return;\n"
      "  float sum = 0;\n  for (int k = 0; k < taps && k <= i; ++k) sum += hs[k] * x[i - k];\n"
      "  y[i] = sum;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, const float* h, float* y, int n, int taps) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float sum = 0;\n"
      "  for (int k = 0; k < taps; ++k)\n    if (i - k >= 0) sum += h[k] * x[i - k];\n  y[i] = sum;\n}\n";
  const Output found =
      ask("check", kernel, reference,
          {"--axis", "n=700", "--axis", "taps=31 max=64", "--grid", "ceil_div(n, 128)", "--block", "128"});
  EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
}

// A loop that never ends at a size that nobody told is no launch that takes long.
TEST_F(Tune, ALoopWithoutAnEndAtADrawnSizeIsFound) {
  small_axes = false;
  const std::string kernel =
      "__global__ void place(const int* x, int* y, int n) {\n  __shared__ int s[256];\n"
      "  s[threadIdx.x] = threadIdx.x < n ? 1 : 0;\n  __syncthreads();\n  if (threadIdx.x == 0) {\n"
      "    int u = 0;\n    while (s[u] != 0) u = (u + 1) & 255;\n    s[u] = 2;\n  }\n  __syncthreads();\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] + s[threadIdx.x];\n}\n";
  const std::string reference =
      "__global__ void reference(const int* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] + 1;\n}\n";
  const auto flags = [](const char* axis) {
    return std::vector<std::string>{"--axis", axis, "--grid", "1", "--block", "256"};
  };
  const Output found = ask("check", kernel, reference, flags("n=200 max=256"));
  EXPECT_EQ(found.exit_code, 6) << found.out << found.err;
  EXPECT_EQ(ask("check", kernel, reference, flags("n=200 max=255")).exit_code, 0);
}

// A matrix of ones is eliminated in one step, which says nothing of what others cost.
TEST_F(Tune, AReferenceWhoseCostHangsOnTheDataKeepsSizesSmall) {
  small_axes = false;
  const std::string reference =
      "__global__ void r(float* A, int b, int n) {\n  float* a = A + blockIdx.x * n * n;\n"
      "  for (int k = 0; k < n; ++k) {\n    if (a[k*n+k] == 0) continue;\n"
      "    for (int i = k + 1; i < n; ++i) {\n      a[i*n+k] /= a[k*n+k];\n"
      "      for (int j = k + 1; j < n; ++j) a[i*n+j] -= a[i*n+k] * a[k*n+j];\n    }\n  }\n}\n";
  const Output output = run_evo({"new",
                                 write(scratch / "k.cu", reference),
                                 "--reference",
                                 write(scratch / "r.cu", reference),
                                 "--axis",
                                 "b=20",
                                 "--axis",
                                 "n=9",
                                 "--grid",
                                 "b",
                                 "--block",
                                 "1",
                                 "--arg",
                                 "A: {role: inout, dtype: f32, shape: [b, n, n], unwritten: keep}",
                                 "--reference-grid",
                                 "b",
                                 "--reference-block",
                                 "1",
                                 "-o",
                                 scratch / "made"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const std::string text = read_file(scratch / "made/problem.yaml");
  EXPECT_EQ(text.find("n: {min: 1, max: 64,"), std::string::npos) << text;
  EXPECT_NE(text.find("max: "), std::string::npos) << text;
  // Beyond a warp all the same, and no further than n * n * n affords.
  const std::size_t alone = text.find("alone: ", text.find("\n  n: {"));
  ASSERT_LT(alone, text.find("initial: 9")) << text;
  const int longest = std::stoi(text.substr(alone + 7));
  EXPECT_GT(longest, 32) << text;
  EXPECT_LT(longest, 512) << text;
}

TEST_F(Tune, ATableOf64AnArrayOfAnotherTypeWithABorderAndABoolAreInferred) {
  const auto text = [](const std::string& head) {
    return "__global__ void " + head +
           "(unsigned long long* bits, const unsigned char* image, const unsigned* table, bool loud, int h, "
           "int w) {\n"
           "  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
           "threadIdx.y;\n"
           "  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;\n"
           "  const unsigned char one = image[y * w + x], other = image[(y + 1) * w + x + 1];\n"
           "  unsigned sum = 0;\n  for (int k = 0; k < 64; ++k) sum += table[k];\n"
           "  bits[y * w + x] = (loud ? 3 : 2) * (one > other) + 8ULL * sum;\n}\n";
  };
  expect_champion(tune(text("k"), text("reference"),
                       {"--axis", "h=20", "--axis", "w=30", "--gene", "BX=16,32", "--block", "BX, 4",
                        "--grid", "ceil_div(w, BX), ceil_div(h, 4)"}));
  EXPECT_TRUE(tells(problem(), "name: bits, role: output, dtype: u64, shape: [h, w]")) << problem();
  EXPECT_TRUE(tells(problem(), "shape: [64]")) << problem();
  EXPECT_TRUE(tells(problem(), "name: loud, role: scalar, dtype: bool, value: 1")) << problem();
}

TEST_F(Tune, SixAxesAreToldApart) {
  const auto text = [](const std::string& head) {
    return "__global__ void " + head +
           "(const float* x, float* y, int a, int b, int c, int d, int e, int f) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < a * b * c * d) y[i] = 3 * x[i % (e * f)] + 1;\n}\n";
  };
  expect_champion(tune(text("k"), text("reference"),
                       {"--axis", "a=2", "--axis", "b=3", "--axis", "c=2", "--axis", "d=3", "--axis", "e=2",
                        "--axis", "f=4", "--gene", "BLOCK=64,128", "--block", "BLOCK"}));
  EXPECT_TRUE(tells(problem(), "name: x, role: input, dtype: f32, shape: [e, f]")) << problem();
  EXPECT_TRUE(tells(problem(), "name: y, role: output, dtype: f32, shape: [a, b, c, d]")) << problem();
}

TEST_F(Tune, AnAxisThatIsRoundedUpIsNotTakenForANumber) {
  const auto text = [](const std::string& head) {
    return "__global__ void " + head +
           "(const float* x, const float* z, float* y, int m, int n) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x, wide = (n + 15) / 16 * 16;\n"
           "  if (i < m * wide) y[i] = x[i / wide] + (i % wide < n ? z[i % wide] : 0);\n}\n";
  };
  std::vector<std::string> flags{
      "--axis",       "m=20",    "--axis", "n=30",   "--gene",
      "BLOCK=64,128", "--block", "BLOCK",  "--grid", "ceil_div(m * ceil_div(n, 16) * 16, BLOCK)"};
  const Output open = tune(text("k"), text("reference"), flags);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_TRUE(tells(open.err, "'y: [")) << open.err;
  flags.insert(flags.end(), {"--arg", "y: [m, ceil_div(n, 16) * 16]"});
  expect_champion(tune(text("k"), text("reference"), flags));
}

}  // namespace
}  // namespace evo::intake
