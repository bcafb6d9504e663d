// evo tune on kernels whose arrays are read at what other arrays hold, and on loops that macros make.
#include <filesystem>

#include "tests/intake/files.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

const std::string own_element = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

struct Indices : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  /// The same code is the kernel and its reference: `head` its parameters, `body` what follows.
  Output tune(const std::string& head, const std::string& body, const std::vector<std::string>& more,
              const std::string& before = {}) {
    const std::string code = head + " {\n" + body + "}\n";
    std::vector<std::string> words{
        "tune",         write(scratch / "k.cu", before + "__global__ void k" + code),
        "--reference",  write(scratch / "r.cu", before + "__global__ void reference" + code),
        "--device",     "virtual",
        "--input-seed", "5",
        "--run-dir",    scratch / "run",
        "--trials",     "2",
        "-q",           "--json",
        "--gene",       "BLOCK=64,128",
        "--block",      "BLOCK"};
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(with_small_axes(std::move(words)));
  }
  void expect_champion(const Output& output) {
    EXPECT_EQ(output.exit_code, 0) << output.err << output.out << problem();
  }
  void expect_problem(const std::string& words) {
    EXPECT_NE(problem().find(words), std::string::npos) << words << "\n" << problem();
  }
  [[nodiscard]] std::string problem() const { return read_file(scratch / "run/problem/problem.yaml"); }
  Scratch scratch;
};

TEST_F(Indices, ATableIsAsLargeAsTheAxisThatNothingElseHas) {
  expect_champion(tune("(const long long* id, const float* table, float* out, int p, int f, int d)",
                       own_element + "  if (i < p * d) out[i] = 2 * table[id[i / d] * d + i % d];\n",
                       {"--axis", "p=300", "--axis", "f=40", "--axis", "d=6"}));
  expect_problem("shape: [f, d]");
  expect_problem("integers: [0, f - 1]");
}

TEST_F(Indices, RowsOfABatchByIndex) {
  expect_champion(tune("(const float* points, const int* id, float* out, int b, int n, int c, int m)",
                       own_element + "  if (i >= b * m * c) return;\n  const int row = i / c;\n"
                                     "  out[i] = points[(row / m * n + id[row]) * c + i % c];\n",
                       {"--axis", "b=2", "--axis", "n=50", "--axis", "c=6", "--axis", "m=20"}));
  expect_problem("shape: [b, n, c]");
  expect_problem("integers: [0, n - 1]");
}

TEST_F(Indices, RowsBetweenOffsetsAreAsLargeAsTheAxisThatNothingElseHas) {
  expect_champion(tune("(const float* x, const int* offsets, float* out, int p, int c, int n)",
                       own_element +
                           "  if (i >= p * c) return;\n  float sum = 0;\n"
                           "  for (int k = offsets[i / c]; k < offsets[i / c + 1]; ++k) sum += x[k * c "
                           "+ i % c];\n  out[i] = sum;\n",
                       {"--axis", "p=20", "--axis", "c=6", "--axis", "n=100"}));
  expect_problem("name: x, role: input, dtype: f32, shape: [c, n]");
  expect_problem("offsets: n");
}

TEST_F(Indices, APermutationIsOfARowsElements) {
  expect_champion(tune("(const int* order, int* first, int* out, int n)",
                       own_element + "  if (i >= n) return;\n  if (order[i] == 0) *first = i;\n"
                                     "  out[i] = 3 * order[i];\n",
                       {"--axis", "n=200", "--arg", "order: {fill: permutation}"}));
  expect_problem("permutation: n");
}

TEST_F(Indices, WhatLiesBehindIndicesBetweenOffsets) {
  expect_champion(tune("(const int* id, const int* row_ptr, const int* label, int* out, int p, int m, int n)",
                       own_element +
                           "  if (i >= p) return;\n  int sum = 0;\n"
                           "  for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += 3 * label[id[k]];\n"
                           "  out[i] = sum;\n",
                       {"--axis", "p=20", "--axis", "m=90", "--axis", "n=70", "--arg", "id: [m]"}));
  expect_problem("name: label, role: input, dtype: i32, shape: [n]");
  expect_problem("integers: [0, n - 1]");
  expect_problem("offsets: m");
}

TEST_F(Indices, LabelsThatAreNumbersThatFloat) {
  expect_champion(tune("(const float* score, const float* label, float* out, int n, int c)",
                       own_element + "  if (i < n) out[i] = 3 * score[i * c + (int)label[i]];\n",
                       {"--axis", "n=200", "--axis", "c=10"}));
  expect_problem("shape: [n, c]");
  expect_problem("integers: [0, c - 1]");
}

TEST_F(Indices, AConstantRangeIsFoundBesideAnAxisThatIsAMultipleOf105) {
  expect_champion(tune("(const float* table, const int* id, float* out, int n)",
                       own_element + "  if (i < n) out[i] = table[id[i]];\n",
                       {"--axis", "n=2100 multiple_of=105 min=105", "--arg", "table: [50]"}));
  expect_problem("integers: [0, 49]");
}

TEST_F(Indices, ALoopOverTheGridThatAMacroMakesHasOne) {
  const std::string loop =
      "#define OVER(i, n, type) for (type i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += \\\n"
      "  blockDim.x * gridDim.x)\n#define EACH(i, n) OVER(i, n, int)\n";
  expect_champion(tune("(const float* x, float* y, int n)", "  EACH(i, n) { y[i] = x[i] * x[i] + 3; }\n",
                       {"--axis", "n=5000"}, loop));
  expect_problem("ceil_div(n, BLOCK)");
}

TEST_F(Indices, ATableThatTwoAxesWouldFitIsAskedFor) {
  const Output asked = tune(
      "(const int* id, const float* table, const float* a, const float* b, float* out, int n, int m, int k)",
      own_element + "  if (i < n) out[i] = table[id[i]] + a[i % m] + b[i % k];\n",
      {"--axis", "n=300", "--axis", "m=40", "--axis", "k=50"});
  EXPECT_EQ(asked.exit_code, 2) << asked.out;
  EXPECT_NE(asked.err.find("--arg 'table"), std::string::npos) << asked.err;
}

TEST_F(Indices, RowsThatANameSaysBeginWhereOffsetsDo) {
  expect_champion(tune("(const int* row_ptr, const float* x, float* y, int n, int nnz)",
                       own_element + "  if (i >= n) return;\n  float s = 0;\n"
                                     "  for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) s += x[k];\n"
                                     "  y[i] = s;\n",
                       {"--axis", "n=60", "--axis", "nnz=200", "--arg", "x: [nnz]"}));
  expect_problem("name: row_ptr, role: input, dtype: i32, shape: [n + 1], fill: {offsets: nnz}");
}

TEST_F(Indices, RowsThatBeginWhereToldOffsetsDo) {
  expect_champion(
      tune("(const int* row_ptr, const float* x, float* y, int n, int nnz)",
           own_element + "  if (i >= n) return;\n  float s = 0;\n"
                         "  for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) s += x[k];\n"
                         "  y[i] = s;\n",
           {"--axis", "n=60", "--axis", "nnz=200", "--arg", "x: [nnz]", "--arg", "row_ptr: [n+1]"}));
  expect_problem("fill: {offsets: nnz}");
}

TEST_F(Indices, WhatOneThatSaysNoneLeavesIsKept) {
  expect_champion(tune("(const int* id, const float* table, float* out, int n, int m)",
                       own_element + "  if (i < n && id[i] >= 0) out[i] = 2 * table[id[i]];\n",
                       {"--axis", "n=300", "--axis", "m=40"}));
  expect_problem("fill: {integers: [-1, m - 1]}");
  expect_problem("before: zero, unwritten: keep");
}

TEST_F(Indices, RowsThatNoIndexLeadsToAreKeptAndTheReferenceCoversThem) {
  const std::string kernel =
      "__global__ void k(const float* x, const int* to, float* out, int n, int m, int d) {\n"
      "  for (int e = blockIdx.x; e < m; e += gridDim.x)\n"
      "    for (int c = threadIdx.x; c < d; c += blockDim.x) atomicAdd(out + to[e] * d + c, x[e * d + c]);\n"
      "}\n";
  // At 16 blocks of the kernel's it would leave the rows behind the first.
  const std::string reference =
      "__global__ void reference(const float* x, const int* to, float* out, int n, int m, int d) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n * d) return;\n"
      "  float s = 0;\n  for (int e = 0; e < m; ++e) if (to[e] == i / d) s += x[e * d + i % d];\n"
      "  out[i] += s;\n}\n";
  const Output output = run_evo({"tune",         write(scratch / "k.cu", kernel),
                                 "--reference",  write(scratch / "r.cu", reference),
                                 "--device",     "virtual",
                                 "--input-seed", "5",
                                 "--run-dir",    scratch / "run",
                                 "--trials",     "2",
                                 "-q",           "--json",
                                 "--gene",       "BLOCK=32,64",
                                 "--block",      "BLOCK",
                                 "--grid",       "16",
                                 "--axis",       "n=40",
                                 "--axis",       "m=100",
                                 "--axis",       "d=32",
                                 "--arg",        "out: {reproducible: false}"});
  expect_champion(output);
  expect_problem("reproducible: false, unwritten: keep");
}

TEST_F(Indices, AScalarThatFollowsFromSizesIsSaidToBeFixed) {
  const std::string head = "(const float* x, float* y, float rate, int n)";
  const std::string body = own_element + "  if (i < 2 * n) y[i] = x[(int)(rate * i)];\n";
  const std::vector<std::string> sizes{"--axis", "n=300", "--arg", "x: [n]", "--arg", "y: [2 * n]", "--arg"};
  std::vector<std::string> flags = sizes;
  flags.emplace_back("rate: 0.5");
  const Output refused = tune(head, body, flags);
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("--arg 'rate: {value: 0.5, fixed: true}'"), std::string::npos) << refused.err;
  std::filesystem::remove_all(scratch / "run");
  flags = sizes;
  flags.emplace_back("rate: {value: 0.5, fixed: true}");
  expect_champion(tune(head, body, flags));
}

TEST_F(Indices, ATableThatNoThreadCountsIsNoGrid) {
  const std::string head = "(int n, const unsigned* to, float* x, float* out";
  const std::string kernel =
      "__global__ void k" + head + ") {\n" + own_element + "  if (i < n) atomicAdd(out + to[i], x[i]);\n}\n";
  const std::string reference = "__global__ void reference" + head + ", int m) {\n" + own_element +
                                "  if (i >= m) return;\n  float s = 0;\n"
                                "  for (int e = 0; e < n; ++e) if (to[e] == i) s += x[e];\n"
                                "  out[i] += s;\n}\n";
  expect_champion(run_evo({"tune",         write(scratch / "k.cu", kernel),
                           "--reference",  write(scratch / "r.cu", reference),
                           "--device",     "virtual",
                           "--input-seed", "5",
                           "--run-dir",    scratch / "run",
                           "--trials",     "2",
                           "-q",           "--json",
                           "--gene",       "BLOCK=64,128",
                           "--block",      "BLOCK",
                           "--axis",       "n=400",
                           "--axis",       "m=100"}));
  expect_problem("ceil_div(n, BLOCK)");
  expect_problem("reproducible: false");
}

TEST_F(Indices, PairsOfAnAxisInEachOfOthers) {
  expect_champion(tune("(const float* x, float* y, int b, int s, int t)",
                       own_element + "  if (i >= b * s * t) return;\n"
                                     "  const int c = i % b, q = i / b % s, p = i / b / s;\n"
                                     "  y[i] = 3 * x[((p * b + c) * s + q) * b + c];\n",
                       {"--axis", "b=4", "--axis", "s=7", "--axis", "t=6"}));
  expect_problem("name: x, role: input, dtype: f32, shape: [s, t, b, b]");
}

TEST_F(Indices, ABoundThatDataIsComparedWithIsDrawn) {
  expect_champion(tune("(const int* x, int* y, int bound, int n)",
                       own_element + "  if (i < n) y[i] = x[i] < bound ? x[i] : 7;\n", {"--axis", "n=3000"}));
  expect_problem("value: 3");
}

TEST_F(Indices, ADistanceOfElementsIsStillAskedFor) {
  const Output asked =
      tune("(const int* x, int* y, int gap, int n)", own_element + "  if (i < n) y[i] = x[i * gap];\n",
           {"--axis", "n=3000", "--arg", "x: [4 * n]"});
  EXPECT_EQ(asked.exit_code, 2) << asked.out;
  EXPECT_NE(asked.err.find("gap"), std::string::npos) << asked.err;
}

TEST_F(Indices, WhyAFunctionIsMissedIsSaid) {
  const Output refused =
      tune("(int4* x, int n)", own_element + "  if (i < n) clear(x, i);\n", {"--axis", "n=3000"},
           "__device__ void clear(int4* x, int i) {\n  x[i] = make_int4(0);\n}\n");
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("k.cu:2"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace evo::intake
