// evo tune, and evo check without a problem, through the real binary on the virtual device.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

// What the self-test takes for a kernel that does no work is what these ask for.
std::string each(const std::string& value) {
  return "const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) "
         "y[i] = " +
         value + ";\n}\n";
}

TEST_F(Tune, ACopyIsAProblemToo) {
  expect_champion(tune("__global__ void k(" + each("x[i]"), "__global__ void reference(" + each("x[i]"),
                       {"--axis", "n=2000", "--gene", "BLOCK=64,128"}));
}

TEST_F(Tune, ADoubleIsAProblemToo) {
  expect_champion(tune("__global__ void k(" + each("2 * x[i]"),
                       "__global__ void reference(" + each("2 * x[i]"),
                       {"--axis", "n=2000", "--gene", "BLOCK=64,128"}));
}

TEST_F(Tune, VectorAdd) {
  expect_champion(tune(add_kernel, add_reference, add_flags));
  EXPECT_TRUE(tells(problem(), "ceil_div(n, BLOCK * ITEMS)"));
  const Output again = run_evo({"run", scratch / "run/problem/experiment.yaml", "--run-dir",
                                scratch / "second", "-q", "--json", "--device", "virtual"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(Tune, AnOverloadIsChosenByItsParameters) {
  const std::string kernel =
      "namespace ns {\n__global__ void twice(const int* x, int* y, int n) { (void)x; (void)y; (void)n; }\n"
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i] * x[i] + 1;\n}\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * x[i] + 1;\n}\n";
  std::vector<std::string> flags{"--axis", "n=4096", "--gene", "BLOCK=64,128", "--entry", "twice"};
  const Output open = tune(kernel, reference, flags);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_TRUE(tells(open.err, "ns::twice(const float*, float*, int)")) << open.err;
  flags.back() = "twice(const float*, float*, long)";
  EXPECT_EQ(tune(kernel, reference, flags).exit_code, 2);
  flags.back() = "ns::twice(const float *x, float *y, int n)";
  expect_champion(tune(kernel, reference, flags));
}

TEST_F(Tune, ACountThatTheCodeNamesIsASize) {
  const std::string kernel =
      "#define STREAMS 512\n__global__ void draw(const unsigned* seed, unsigned* out, int n) {\n"
      "  const int s = blockIdx.x * BLOCK + threadIdx.x;\n  unsigned x = seed[s];\n"
      "  for (int i = 0; i < n; ++i) { x = x * 69069u + 12345u; out[s + i * STREAMS] = x; }\n}\n";
  const std::string reference =
      "__global__ void reference(const unsigned* seed, unsigned* out, int n) {\n"
      "  const int s = blockIdx.x * blockDim.x + threadIdx.x;\n  if (s >= 512) return;\n"
      "  unsigned x = seed[s];\n"
      "  for (int i = 0; i < n; ++i) { x = x * 69069u + 12345u; out[s + i * 512] = x; }\n}\n";
  expect_champion(
      tune(kernel, reference, {"--axis", "n=6", "--gene", "BLOCK=64,128", "--grid", "512 / BLOCK"}));
  EXPECT_TRUE(tells(problem(), "seed, role: input, dtype: u32, shape: [512]")) << problem();
  EXPECT_TRUE(tells(problem(), "shape: [512 * n]")) << problem();
}

TEST_F(Tune, ShapesBetweenTwoAxesAreFound) {
  const std::string body =
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n - m + 1) return;\n"
      "  float sum = 0;\n  for (int j = 0; j < m; ++j) sum += x[i + j];\n  y[i] = sum;\n}\n";
  const std::string parameters = "(const float* x, float* y, int n, int m) {\n";
  expect_champion(tune("__global__ void slide" + parameters + body,
                       "__global__ void reference" + parameters + body,
                       {"--axis", "n=4096", "--axis", "m=16", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--grid", "ceil_div(n - m + 1, BLOCK)"}));
  EXPECT_TRUE(tells(problem(), "shape: [n - m + 1]")) << problem();
}

TEST_F(Tune, AShapeOfGroupsIsFound) {
  const std::string body =
      "(const float* x, const float* scale, float* y, int n, int m) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * scale[i / m];\n}\n";
  expect_champion(tune("__global__ void scaled" + body, "__global__ void reference" + body,
                       {"--axis", "n=4096", "--axis", "m=16", "--gene", "BLOCK=64,128", "--block", "BLOCK",
                        "--grid", "ceil_div(n, BLOCK)"}));
  EXPECT_TRUE(tells(problem(), "ceil_div(n, m)")) << problem();
}

TEST_F(Tune, AlignmentIsThatOfTheWidestGenome) {
  const std::string kernel =
      "template <int V> struct alignas(4 * V) Pack { float v[V]; };\n"
      "template <int V> __global__ void tripled(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i * V >= n) return;\n"
      "  Pack<V> p = reinterpret_cast<const Pack<V>*>(x)[i];\n  for (float& v : p.v) v *= 3;\n"
      "  reinterpret_cast<Pack<V>*>(y)[i] = p;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 3 * x[i];\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--entry", "tripled<{V}>", "--axis", "n=4096 multiple_of=4", "--gene", "V=1,2,4",
                        "--block", "128", "--grid", "ceil_div(n, 128 * V)"}));
  EXPECT_TRUE(tells(problem(), "align: 16")) << problem();
}

TEST_F(Tune, ASumThatBeginsWithZerosIsAnOutput) {
  const std::string kernel =
      "__global__ void count(const int* x, int* odd, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n && (x[i] & 1)) atomicAdd(odd, 1);\n}\n";
  const std::string reference =
      "__global__ void reference(const int* x, int* odd, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n && x[i] % 2 != 0) atomicAdd(odd, 1);\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "n=3000", "--gene", "BLOCK=64,128", "--arg", "odd: {before: zero, unwritten: keep}"}));
  EXPECT_TRUE(tells(problem(), "odd, role: output")) << problem();
}

TEST_F(Tune, ARunningSumOverSmallIntegersIsProven) {
  const std::string kernel =
      "__global__ void scan(unsigned* x, int n) {\n  if (threadIdx.x != 0) return;\n  unsigned sum = 0;\n"
      "  for (int i = 0; i < n; ++i) x[i] = sum += x[i];\n}\n";
  const std::string reference =
      "__global__ void reference(unsigned* x, int n) {\n  if (blockIdx.x + threadIdx.x) return;\n"
      "  for (int i = 1; i < n; ++i) x[i] += x[i - 1];\n}\n";
  expect_champion(tune(kernel, reference,
                       {"--axis", "n=500", "--gene", "BLOCK=32,64", "--grid", "1", "--block", "BLOCK",
                        "--arg", "x: {fill: {integers: [0, 9]}}"}));
}

TEST_F(Tune, CompoundLiteralsOfCAreTaken) {
  const std::string kernel =
      "#define one (float2){1, 1}\n__host__ __device__ float2 twice(float2 a) { return (float2){2 * a.x, 2 * "
      "a.y}; }\n"
      "__global__ void k(const float2* x, float2* y, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float2 t = twice(x[i]);\n  y[i] = (float2) {t.x + one.x, t.y};\n}\n";
  const std::string reference =
      "__global__ void reference(const float2* x, float2* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  y[i].x = 2 * x[i].x + 1;\n  y[i].y = 2 * x[i].y;\n}\n";
  expect_champion(tune(kernel, reference, {"--axis", "n=2000", "--gene", "BLOCK=64,128"}));
}

TEST_F(Tune, KernelsInIncludedFilesArraysOfStructsAndHeadersInAngles) {
  write(scratch / "kernel.cu",
        "__global__ void k(const Node* nodes, int* y, int n) {\n"
        "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "  if (i < n) y[i] = FACTOR * nodes[i].first + nodes[i].count;\n}\n");
  write(scratch / "factor.h", "#define FACTOR 3\n");
  const std::string kernel =
      "#include <factor.h>\nstruct Node { int first, count; };\n#include \"kernel.cu\"\nint main() {}\n";
  const std::string reference =
      "__global__ void reference(const int* nodes, int* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 3 * nodes[2 * i] + nodes[2 * i + 1];\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--axis", "n=300", "--gene", "BLOCK=32,64", "--arg", "nodes: {fill: {integers: [0, 99]}}"}));
  EXPECT_TRUE(tells(problem(), "{name: nodes, role: input, dtype: i32, shape: [2 * n]")) << problem();
}

TEST_F(Tune, SumsInAnyOrderNeedNotRepeatAndThatIsSaid) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) atomicAdd(&y[i % 3], x[i]);\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= 3) return;\n"
      "  float sum = 0;\n  for (int k = i; k < n; k += 3) sum += x[k];\n  y[i] += sum;\n}\n";
  const Output output =
      run_evo({"tune", write(scratch / "k.cu", kernel), "--reference", write(scratch / "r.cu", reference),
               "--device", "virtual", "--input-seed", "5", "--run-dir", scratch / "run", "--trials", "4",
               "--plain", "--axis", "n=3000 min=3", "--gene", "BLOCK=64", "--arg", "y: [3]"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(tells(output.out + output.err, "reproducible: false")) << output.err << output.out;
  EXPECT_TRUE(tells(problem(), "shape: [3], reproducible: false")) << problem();
}

TEST_F(Tune, SaxpyAgainstAReferenceInFloatWithAnotherOrder) {
  expect_champion(tune(saxpy_kernel, saxpy_reference,
                       {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "alpha: 2.5"}));
  EXPECT_TRUE(tells(problem(), "name: alpha, role: scalar, dtype: f32, value: 2.5"));
  // The kernel that calls the reference with the problem's arguments is one for nvcc, too.
  const std::string exported = scratch / "run/champion";
  EXPECT_TRUE(tells(read_file(exported + "/selftest_reference.cu"), "evo_call_reference"));
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) return;
  for (const char* file : {"selftest_reference", "selftest_plain"}) {
    const std::string compiled =
        std::string("cd ") + exported + " && nvcc -arch=sm_89 -c -o " + file + ".o " + file + ".cu";
    EXPECT_EQ(std::system(compiled.c_str()), 0) << file;
  }
}

TEST_F(Tune, SgemmByItsLetters) {
  expect_champion(tune(sgemm_kernel, sgemm_reference,
                       {"--axis", "m=40", "--axis", "n=48", "--axis", "k=24", "--gene", "TILE=8,16"}));
  EXPECT_TRUE(tells(problem(), "name: B, role: input, dtype: f32, shape: [k, n]"));
  EXPECT_TRUE(tells(problem(), "block: [TILE, TILE]"));
}

TEST_F(Tune, TransposeWithAMacroOfTheFile) {
  expect_champion(tune(
      transpose_kernel, transpose_reference,
      {"--axis", "rows=48", "--axis", "columns=80", "--gene", "TILE=8,16", "--arg", "source: [rows, columns]",
       "--arg", "target: [columns, rows]", "--grid", "ceil_div(columns, TILE), ceil_div(rows, TILE)"}));
  EXPECT_TRUE(tells(read_file(scratch / "run/problem/k.cu"), "// #define TILE 16"));
  EXPECT_TRUE(tells(problem(), "class: exact") || tells(problem(), "tolerance: auto"));
}

TEST_F(Tune, ThreadsThatAddToOneElementShareOutTheInput) {
  expect_champion(
      tune("__global__ void dot(float* a, float* b, float* y, int n) {\n"
           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (i < n) atomicAdd(y, a[i] * b[i]);\n"
           "}\n",
           "__global__ void reference(float* a, float* b, float* y, int n) {\n"
           "  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;\n"
           "  float s = 0;\n"
           "  for (int i = 0; i < n; ++i) s += a[i] * b[i];\n"
           "  y[0] = s;\n"
           "}\n",
           {"--axis", "n=1000", "--gene", "BLOCK=64,128", "--arg", "y: {reproducible: false}"}));
  EXPECT_TRUE(tells(problem(), "ceil_div(n, BLOCK)")) << problem();
}

constexpr const char* row_reference =
    R"(__global__ void reference(const float* x, float* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = 3 * x[i];
}
)";

TEST_F(Tune, HeadersAboveTheFileAndMacrosThatItStandsBehind) {
  const std::string root = scratch / "deep";
  std::filesystem::create_directories(root + "/a/b");
  std::filesystem::create_directories(root + "/common");
  std::filesystem::create_directories(root + "/a/include");
  write(root + "/common/three.h", "#define THREE 3.0f\n#include \"deeper.h\"\n");
  write(root + "/common/deeper.h", "#include <unistd.h>\nstatic int host() { return getpid(); }\n");
  write(root + "/a/include/index.h", "#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)\n");
  const std::string kernel = write(
      root + "/a/b/k.cu",
      "#include <fcntl.h>\n#include \"../../common/three.h\"\n#include \"index.h\"\n#ifdef USE_GPU\n"
      "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int i = INDEX;\n"
      "  if (i < rows * columns) y[i] = THREE * x[i];\n}\n#endif\nint main() { return open(\"x\", 0); }\n");
  const Output output = run_evo({"tune",         kernel,
                                 "--reference",  write(scratch / "r.cu", row_reference),
                                 "--axis",       "rows=20",
                                 "--axis",       "columns=30",
                                 "--gene",       "BLOCK=64,128",
                                 "--block",      "BLOCK",
                                 "--device",     "virtual",
                                 "--run-dir",    scratch / "run",
                                 "--trials",     "3",
                                 "-q",           "--json",
                                 "--input-seed", "5"});
  expect_champion(output);
  EXPECT_TRUE(tells(problem(), "defines: {USE_GPU: 1}")) << problem();
  const std::string copy = read_file(scratch / "run/problem/k.cu");
  EXPECT_TRUE(tells(copy, "#include \"three.h\"") && !tells(copy, "..")) << copy;
}

TEST_F(Tune, ConstantMemoryThatTheHostFills) {
  expect_champion(tune(
      "__constant__ float weight[3];\n__constant__ float known[2] = {1, 2};\n"
      "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < n) y[i] = weight[i % 3] * x[i] + known[i & 1];\n}\n",
      "__global__ void reference(const float* x, float* y, int n, const float* weight) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = weight[i % 3] * x[i] + 1 + i % 2;\n}\n",
      {"--axis", "n=1000", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(problem(), "{name: weight, role: input, dtype: f32, shape: [3], symbol: weight}"))
      << problem();
}

TEST_F(Tune, TheGridGoesTheWayTheKernelDoes) {
  // The first axis is the one along x.
  expect_champion(tune(
      "__global__ void k(const float* x, float* y, int rows, int columns) {\n"
      "  int r = blockIdx.x * BX + threadIdx.x, c = blockIdx.y * BY + threadIdx.y;\n"
      "  if (r < rows && c < columns) y[r * columns + c] = 3 * x[r * columns + c];\n}\n",
      row_reference, {"--axis", "rows=20", "--axis", "columns=70", "--gene", "BX=8,16", "--gene", "BY=4,8"}));
  EXPECT_TRUE(tells(problem(), "grid: [\"ceil_div(rows, BX)\", \"ceil_div(columns, BY)\"]") ||
              tells(problem(), "grid: [ceil_div(rows, BX), ceil_div(columns, BY)]"))
      << problem();
}

TEST_F(Tune, ASizeThatOnlyTheReferenceTakes) {
  expect_champion(
      tune("__global__ void k(const float* x, float* y, int columns) {\n"
           "  for (int c = threadIdx.x; c < columns; c += BLOCK)\n"
           "    y[blockIdx.x * columns + c] = 3 * x[blockIdx.x * columns + c];\n}\n",
           row_reference, {"--axis", "rows=20", "--axis", "columns=70", "--gene", "BLOCK=32,64"}));
  EXPECT_TRUE(tells(problem(), "args: [x, y, columns]")) << problem();
}

TEST_F(Tune, WhatTheReferenceLeavesAloneIsKept) {
  expect_champion(
      tune("__global__ void k(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + "
           "1];\n}\n",
           "__global__ void reference(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i >= 1 && i + 1 < n) y[i] = x[i + 1] + x[i - 1];\n}\n",
           {"--axis", "n=1000", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(problem(), "before: zero, unwritten: keep")) << problem();
}

TEST_F(Tune, VectorAccessesOfPlainPointersAreAligned) {
  expect_champion(
      tune("__global__ void k(const float* x, float* y, int n) {\n"
           "  int i = 4 * (blockIdx.x * BLOCK + threadIdx.x);\n  if (i >= n) return;\n"
           "  float4 v = *reinterpret_cast<const float4*>(x + i);\n"
           "  y[i] = 3 * v.x; y[i + 1] = 3 * v.y; y[i + 2] = 3 * v.z; y[i + 3] = 3 * v.w;\n}\n",
           "__global__ void reference(const float* x, float* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 3 * x[i];\n}\n",
           {"--axis", "n=1000 multiple_of=4", "--gene", "BLOCK=64,128", "--grid", "ceil_div(n, 4 * BLOCK)"}));
  EXPECT_TRUE(tells(problem(), "{name: x, role: input, dtype: f32, shape: [n], align: 16}")) << problem();
}

TEST_F(Tune, WhatHostHeadersBringAlong) {
  expect_champion(tune(
      "#include <iostream>\n\n__global__ void k(const float* x, float* y, uint32_t n) {\n"
      "  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < n) y[i] = std::min(std::sqrt(std::abs(x[i])), std::numeric_limits<float>::max());\n}\n"
      "int main() { std::cout << 1; }\n",
      "__global__ void reference(const float* x, float* y, uint32_t n) {\n"
      "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = sqrtf(fabsf(x[i]));\n}\n",
      {"--axis", "n=1000", "--gene", "BLOCK=64,128"}));
  EXPECT_TRUE(tells(read_file(scratch / "run/problem/k.cu"), "#include <cstdint>"));
}

TEST_F(Tune, TypesOfAHeaderThatOnlyOtherFilesInclude) {
  write(scratch / "types.h", "#pragma once\n#include <chrono>\ntypedef unsigned char uchar;\n");
  expect_champion(
      tune("// Is included by others.\n\n__global__ void k(const uchar* x, uchar* y, int n) {\n"
           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) y[i] = x[i] ^ 1;\n}\n",
           "__global__ void reference(const unsigned char* x, unsigned char* y, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] ^ 1;\n}\n",
           {"--axis", "n=1000", "--gene", "BLOCK=64,128"}));
}

TEST_F(Tune, AFileWithoutKernelsIsReadWithThoseThatItIncludes) {
  write(scratch / "inner.cu", add_kernel);
  expect_champion(tune("#include \"inner.cu\"\nint main() {}\n", add_reference, add_flags));
  const Output none = tune("#include \"none.cu\"\nint main() {}\n", add_reference, add_flags);
  EXPECT_EQ(none.exit_code, 2) << none.err;
}

// A published file: a mode that is one of two, an array that may be left out, rows that are never empty.
TEST_F(Tune, CodeForOtherArgumentsNeedNotRun) {
  const std::string kernel =
      "template <class T> __global__ void rows(int n, const T* x, const T* bias, T* y, int width, int mode) "
      "{\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  T best = x[i * width];\n"
      "  for (int k = 1; k < width; ++k)\n    if (mode == 0) best = max(best, x[i * width + k]);\n"
      "    else best += x[i * width + k];\n"
      "  if (bias == nullptr) y[i] = best * 2; else y[i] = best + bias[i];\n}\n";
  const std::string reference =
      "__global__ void reference(int n, const EVO_REAL* x, const EVO_REAL* bias, EVO_REAL* y, int width, int "
      "mode) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  EVO_REAL s = 0.0;\n"
      "  for (int k = 0; k < width; ++k) s += x[i * width + k];\n  y[i] = s + bias[i];\n}\n";
  const std::vector<std::string> flags{"--entry",   "rows<float>", "--axis",   "n=500",         "--axis",
                                       "width=7",   "--gene",      "BLOCK=64", "--block",       "BLOCK",
                                       "--arg",     "mode: 1",     "--arg",    "x: [n, width]", "--arg",
                                       "bias: [n]", "--arg",       "y: [n]"};
  expect_champion(tune(kernel, reference, flags));
}

// Of a file whose host code does not compile, and of its header, only what the kernel leads to is read.
TEST_F(Tune, OnlyWhatTheKernelLeadsToHasToCompile) {
  write(scratch / "k.h",
        "#ifndef K_H\n#define K_H\n\n#include <unknown/library.hpp>\n#define LOOP(i, n) for (int i = "
        "blockIdx.x * "
        "blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)\n"
        "library::Status report(library::Handle h, int code);\n#endif\n");
  const std::string kernel =
      "#include \"k.h\"\n#include <vector>\n\n"
      "template <class T> struct Layer : public library::Base<T> { std::vector<T> x; void run(); };\n"
      "__device__ int64_t at(int i) { return i; }\n"
      "__global__ void twice(const float* x, float* y, int n) { LOOP(i, n) { y[at(i)] = x[i] * 3 + 1; } }\n"
      "__global__ void other(library::View<float> v) { v[0] = 1; }\n"
      "template <class T> void Layer<T>::run() { twice<<<1, 256>>>(0, 0, 1); }\ntemplate struct "
      "Layer<float>;\n";
  const std::string reference =
      "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int n) {\n  int i = blockIdx.x * blockDim.x "
      "+ "
      "threadIdx.x;\n  if (i < n) y[i] = x[i] * 3 + 1;\n}\n";
  expect_champion(
      tune(kernel, reference,
           {"--entry", "twice", "--axis", "n=5000", "--gene", "BLOCK=64,128", "--block", "BLOCK"}));
}

}  // namespace
}  // namespace evo::intake
