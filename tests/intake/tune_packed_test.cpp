// evo tune on arrays that hold several of an axis' elements in one, that computed numbers lead into, and on
// names of published files that one cannot say.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace cli::testing;

const std::vector<std::string> blocks{"--gene", "BLOCK=64,128", "--block", "BLOCK"};

std::vector<std::string> with(std::vector<std::string> flags) {
  flags.insert(flags.end(), blocks.begin(), blocks.end());
  return flags;
}

struct Packed : Tune {
  /// The same code is the kernel and its reference.
  Output both(const std::string& code, const std::vector<std::string>& flags) {
    std::string reference = code;
    for (std::size_t at; (at = reference.find(" k(")) != std::string::npos;)
      reference.replace(at, 3, " reference(");
    return tune(code, reference, with(flags));
  }
  void expect_problem(const std::string& words) {
    EXPECT_NE(problem().find(words), std::string::npos) << words << "\n" << problem();
  }
};

const std::string own = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST_F(Packed, WordsOfBitsAreAsManyAsTheRowNeeds) {
  const Output asked = both("__global__ void k(const float* x, unsigned long long* mask, int n) {\n" + own +
                                "  if (i >= n) return;\n  const int words = (n + 63) / 64;\n"
                                "  for (int w = 0; w < words; ++w) {\n    unsigned long long bits = 0;\n"
                                "    for (int b = 0; b < 64 && w * 64 + b < n; ++b)\n"
                                "      if (x[i] > x[w * 64 + b]) bits |= 1ull << b;\n"
                                "    mask[i * words + w] = bits;\n  }\n}\n",
                            {"--axis", "n=100 max=200", "--arg", "x: [n]", "--grid", "ceil_div(n, BLOCK)"});
  expect_champion(asked);
  expect_problem("name: mask, role: output, dtype: u64, shape: [n, \"ceil_div(n, 64)\"]");
}

// A transposed convolution of stride 3, of boxes whose score nobody reads.
TEST_F(Packed, AnOutputHasWhatIsWrittenAndRowsOfAnInputHaveTheirRest) {
  const Output found = both("__global__ void k(const float* boxes, float* y, int n) {\n" + own +
                                "  if (i >= 3 * n - 2) return;\n"
                                "  y[i] = i % 3 == 0 ? boxes[i / 3 * 5] - boxes[i / 3 * 5 + 3] : 0.0f;\n}\n",
                            {"--axis", "n=100 max=200", "--grid", "ceil_div(3 * n, BLOCK)"});
  expect_champion(found);
  expect_problem("name: boxes, role: input, dtype: f32, shape: [n, 5]");
  expect_problem("name: y, role: output, dtype: f32, shape: [3 * n - 2]");
}

TEST_F(Packed, RowsThatIndicesBetweenOffsetsLeadTo) {
  const std::string code =
      "__global__ void k(const int* offs, const int* id, const float* table, float* y, int bags, int d) {\n" +
      own +
      "  if (i >= bags * d) return;\n  float sum = 0;\n"
      "  for (int j = offs[i / d]; j < offs[i / d + 1]; ++j) sum += table[id[j] * d + i % d];\n"
      "  y[i] = sum;\n}\n";
  expect_champion(both(code, {"--axis", "bags=9", "--axis", "words=40", "--axis", "d=8", "--axis", "nnz=60",
                              "--grid", "ceil_div(bags * d, BLOCK)"}));
  expect_problem("name: table, role: input, dtype: f32, shape: [words, d]");
  expect_problem("name: id, role: input, dtype: i32, shape: [nnz], fill: {integers: [0, words - 1]}");
  expect_problem("shape: [bags + 1], fill: {offsets: nnz}");
}

struct LongReference : Packed {
  const std::string code = "__global__ void k(const float* x, float* y, int a, int b, int c) {\n" + own +
                           "  if (i >= a * b) return;\n  float sum = 0;\n"
                           "  for (int j = 0; j < b; ++j)\n    for (int l = 0; l < c; ++l)\n"
                           "      for (int o = 0; o < b; ++o) sum += x[i * c + l] * (j == o);\n"
                           "  y[i] = sum;\n}\n";
};

TEST_F(LongReference, IsLookedAtAtTheLeastSizes) {
  expect_champion(both(code, {"--axis", "a=2 max=4", "--axis", "b=32 multiple_of=32", "--axis", "c=4 max=8",
                              "--grid", "ceil_div(a * b, BLOCK)"}));
  expect_problem("name: x, role: input, dtype: f32, shape: [a, b, c]");
}

// 64 of each would be 2^30 rounds of the loop in each of a hundred cases.
TEST_F(LongReference, KeepsSizesToWhatItIsSeenToTake) {
  std::string reference = code;
  reference.replace(reference.find(" k("), 3, " reference(");
  const Output made =
      run_evo({"new", write(scratch / "k.cu", code), "--reference", write(scratch / "r.cu", reference),
               "--axis", "a=2", "--axis", "b=32 multiple_of=32", "--axis", "c=4", "--gene", "BLOCK=64,128",
               "--block", "BLOCK", "--grid", "ceil_div(a * b, BLOCK)", "-o", scratch / "made"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const std::string written = read_file(scratch / "made/problem.yaml");
  for (const char* axis : {"a: {min: 1, max: 32", "b: {min: 1, max: 32", "c: {min: 1, max: 32"})
    EXPECT_NE(written.find(axis), std::string::npos) << axis << "\n" << written;
  EXPECT_NE(written.find("name: x, role: input, dtype: f32, shape: [a, b, c]"), std::string::npos) << written;
}

TEST_F(Packed, TwoWeightsAreInAByte) {
  expect_champion(
      both("__global__ void k(const float* a, const unsigned char* b, float* c, int m, int k) {\n" + own +
               "  if (i >= k) return;\n  float sum = 0;\n"
               "  for (int j = 0; j < m; ++j) sum += a[j] * ((b[i * (m / 2) + j / 2] >> (j % 2 * 4)) & 15);\n"
               "  c[i] = sum;\n}\n",
           {"--axis", "m=64 multiple_of=4", "--axis", "k=40"}));
  expect_problem("name: b, role: input, dtype: u8, shape: [k, m / 2]");
}

TEST_F(Packed, PairsOfAnOddSizeLeaveItsRest) {
  const std::string code =
      "__global__ void k(const float* x, float* y, int n, int c) {\n" + own +
      "  const int half = n / 2;\n  if (i >= c * half) return;\n"
      "  y[i] = x[i / half * n + 2 * (i % half)] + 3 * x[i / half * n + 2 * (i % half) + 1];\n}\n";
  (void)both(code, {"--axis", "n=60 min=2", "--axis", "c=7", "--arg", "x: [c, n]"});
  expect_problem("name: y, role: output, dtype: f32, shape: [c, n / 2]");
}

TEST_F(Packed, AShapeThatHoldsInOneOrderOfSizesAloneIsAskedFor) {
  const Output asked = both(
      "__global__ void k(const float* x, const float* y, float* out, int d, int h, int g, int at) {\n" + own +
          "  if (i >= h * d) return;\n  float v = x[i];\n"
          "  if (i < g * d) v += y[at * g * d + i];\n  out[i] = v;\n}\n",
      {"--axis", "d=16", "--axis", "h=6", "--axis", "g=2", "--arg", "at: 3", "--grid",
       "ceil_div(h * d, BLOCK)"});
  EXPECT_EQ(asked.exit_code, 2) << asked.out << problem();
  EXPECT_TRUE(tells(asked.err, "--arg 'y: ")) << asked.err;
}

TEST_F(Packed, SumsOfClustersAreAsManyAsThereAreClusters) {
  expect_champion(
      both("__global__ void k(const double* x, const double* centre, int* counts, int n, int c) {\n" + own +
               "  if (i >= n) return;\n  int best = 0;\n"
               "  for (int j = 1; j < c; ++j)\n"
               "    if (fabs(x[i] - centre[j]) < fabs(x[i] - centre[best])) best = j;\n"
               "  atomicAdd(&counts[best], 1);\n}\n",
           {"--axis", "n=300", "--axis", "c=5", "--grid", "ceil_div(n, BLOCK)"}));
  expect_problem("name: counts, role: inout, dtype: i32, shape: [c]");
}

TEST_F(Packed, ATableOfAllThatAByteCanSay) {
  const std::string head = "(const float* code, const unsigned char* a, float* out, int n) {\n" + own;
  expect_champion(tune("__global__ void k" + head +
                           "  const int q = i < n ? a[i] : 128;\n  const float v = code[q];\n"
                           "  if (i < n) out[i] = 2 * v;\n}\n",
                       "__global__ void reference" + head + "  if (i < n) out[i] = 2 * code[a[i]];\n}\n",
                       with({"--axis", "n=1000"})));
  expect_problem("shape: [256]");
}

TEST_F(Packed, ADeviceFunctionHasTheKernelsName) {
  const std::string enumeration = "enum Kind { up, down };\n";
  const std::string device =
      "__device__ float shift(float v, float by, Kind kind) { return kind == up ? v + by : v - by; }\n";
  const std::string head = "(const float* x, float* y, float by, Kind kind, int n) {\n" + own;
  expect_champion(tune(enumeration + device + "__global__ void shift" + head +
                           "  if (i < n) y[i] = shift(x[i], by, kind);\n}\n",
                       "__global__ void reference(const float* x, float* y, float by, int kind, int n) {\n" +
                           own + "  if (i < n) y[i] = kind == 0 ? x[i] + by : x[i] - by;\n}\n",
                       with({"--axis", "n=1000", "--entry", "shift", "--arg", "kind: 1"})));
}

TEST_F(Packed, ConstantMemoryInANamespaceWithoutAName) {
  const std::string head = "(const float* x, float* y, int n";
  expect_champion(tune("namespace grid {\nnamespace {\n__constant__ float taps[3];\n__global__ void k" +
                           head + ") {\n" + own +
                           "  if (i < n) y[i] = taps[0] * x[i] + taps[1] + taps[2] * i;\n}\n}\n}\n",
                       "__global__ void reference" + head + ", const float* taps) {\n" + own +
                           "  if (i < n) y[i] = taps[0] * x[i] + taps[1] + taps[2] * i;\n}\n",
                       with({"--axis", "n=1000", "--entry", "grid::k"})));
  expect_problem("symbol: grid::taps");
}

TEST_F(Packed, ATextureReferenceIsNamedAsTheCause) {
  const std::string reference =
      "__global__ void reference(float* y, int n) {\n" + own + "  if (i < n) y[i] = i;\n}\n";
  const Output output = tune(
      "texture<float, 1> positions;\nstruct Reader { __device__ float operator()(int i) { return "
      "tex1Dfetch(positions, i); } };\n"
      "template <class R> __global__ void k(float* y, int n) {\n" +
          own + "  R read;\n  if (i < n) y[i] = read(i);\n}\n",
      reference, with({"--axis", "n=100", "--entry", "k<Reader>"}));
  EXPECT_EQ(output.exit_code, 3) << output.err;
  EXPECT_TRUE(tells(output.err, "k.cu:1: a texture reference")) << output.err;
  EXPECT_FALSE(tells(output.err, "Reader=1")) << output.err;
}

TEST_F(Packed, AnIntrinsicWithoutAMaskIsNamedWithItsSuccessor) {
  const std::string head = "(const float* x, float* y, int n) {\n" + own;
  const Output output = tune(
      "__global__ void k" + head + "  const float v = __shfl_down(x[i % n], 1);\n  if (i < n) y[i] = v;\n}\n",
      "__global__ void reference" + head + "  if (i < n) y[i] = x[i];\n}\n", with({"--axis", "n=100"}));
  EXPECT_EQ(output.exit_code, 3) << output.err;
  EXPECT_TRUE(tells(output.err, "__shfl_down_sync")) << output.err;
}

TEST_F(Packed, AHeaderThatIsNotThereIsLeftOutOfAllWhoAskForIt) {
  // The second is hidden by the guard of the first.
  std::filesystem::create_directories(scratch / "lib");
  const std::string guarded =
      "#ifndef TYPES_H\n#define TYPES_H\n#include <lib/config.h>\ntypedef float real;\n";
  write(scratch / "lib/a.h", guarded + "#endif\n");
  write(scratch / "lib/b.h", guarded + "typedef double wide;\n#endif\n");
  const std::string head = "(const float* x, float* y, int n) {\n" + own;
  expect_champion(tune("#include <vector>\n#include \"lib/a.h\"\n#include \"lib/b.h\"\n__global__ void k" +
                           head + "  if (i < n) y[i] = 2 * (real)x[i];\n}\n",
                       "__global__ void reference" + head + "  if (i < n) y[i] = 2 * x[i];\n}\n",
                       with({"--axis", "n=100"})));
  for (const auto& file : std::filesystem::recursive_directory_iterator(scratch / "run/problem")) {
    if (file.path().extension() != ".h") continue;
    const std::string text = read_file(file.path());
    EXPECT_FALSE(tells(text, "config.h")) << file.path();
  }
}

TEST_F(Packed, AHeaderUnderTwoNamesIsCutAlike) {
  // What the kernel calls like a name of the host's is not cut before the compiler sees it.
  std::filesystem::create_directories(scratch / "lib");
  write(scratch / "lib/types.h",
        "#ifndef TYPES_H\n#define TYPES_H\n#include <string>\nusing std::string;\ntypedef float "
        "real;\n#endif\n");
  write(scratch / "lib/more.h", "#include \"types.h\"\n#include <vector>\ntypedef real number;\n");
  const std::string head = "(const float* x, float* y, int n) {\n" + own;
  expect_champion(tune("#include \"lib/more.h\"\n#include \"lib/types.h\"\n__global__ void k" + head +
                           "  if (i >= n) return;\n  const number string = x[i];\n  y[i] = 2 * string;\n}\n",
                       "__global__ void reference" + head + "  if (i < n) y[i] = 2 * x[i];\n}\n",
                       with({"--axis", "n=100"})));
  for (const auto& file : std::filesystem::recursive_directory_iterator(scratch / "run/problem")) {
    if (file.path().extension() != ".h") continue;
    const std::string text = read_file(file.path());
    EXPECT_FALSE(tells(text, "using std::string")) << file.path();
  }
}

TEST_F(Packed, ABoolThatTheReferenceDoesNotTakeIsAskedForAsOne) {
  const Output output = tune("__global__ void k(const float* x, float* y, bool skip, int n) {\n" + own +
                                 "  if (i < n) y[i] = skip && x[i] == 0 ? 0 : 2 * x[i];\n}\n",
                             "__global__ void reference(const float* x, float* y, int n) {\n" + own +
                                 "  if (i < n) y[i] = 2 * x[i];\n}\n",
                             with({"--axis", "n=1000"}));
  EXPECT_EQ(output.exit_code, 2) << output.out;
  EXPECT_TRUE(tells(output.err, "--arg 'skip: 0'")) << output.err;
}

TEST_F(Packed, BitsOfFewBoolsAreDrawnAnew) {
  const std::string code =
      "__global__ void k(const bool* x, unsigned char* y, int n) {\n" + own +
      "  if (8 * i >= n) return;\n  int word = 0;\n"
      "  for (int b = 0; b < 8; ++b)\n    if (8 * i + b < n && x[8 * i + b]) word |= 128 >> b;\n"
      "  y[i] = word;\n}\n";
  expect_champion(both(code, {"--axis", "n=500"}));
  expect_problem("ceil_div(n, 8)");
}

TEST_F(Packed, TensorsWithTheirSizesAsPyTorchHasThem) {
  expect_champion(tune(
      "#include <ATen/cuda/detail/TensorInfo.cuh>\n"
      "__global__ void k(const float* x, const at::cuda::detail::TensorInfo<int64_t, int> rows, float* y, "
      "int n, "
      "int m) {\n" +
          own +
          "  if (i >= n) return;\n  const int at = at::cuda::detail::IndexToOffset<int64_t, int, -1>::get(i, "
          "rows);\n"
          "  float s = 0;\n"
          "  for (int64_t j = rows.data[at]; j < rows.data[at + rows.strides[rows.dims - 1]]; ++j) s += "
          "x[j];\n"
          "  y[i] = s;\n}\n",
      "__global__ void reference(const float* x, const long long* data, float* y, int n, int m) {\n" + own +
          "  if (i >= n) return;\n  float s = 0;\n  for (long long j = data[i]; j < data[i + 1]; ++j) s += "
          "x[j];\n  y[i] = s;\n}\n",
      with({"--axis", "n=60", "--axis", "m=200", "--arg",
            "rows.data: {shape: [n + 1], fill: {offsets: m}}"})));
}

}  // namespace
}  // namespace evo::intake
