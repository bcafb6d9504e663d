// evo tune, and evo check without a problem, through the real binary on the virtual device.
#include "tests/intake/files.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

struct Tune : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output ask(const std::string& verb, const std::string& kernel, const std::string& reference,
             const std::vector<std::string>& more) {
    std::vector<std::string> words{verb,           write(scratch / "k.cu", kernel),
                                   "--reference",  write(scratch / "r.cu", reference),
                                   "--device",     "virtual",
                                   "--input-seed", "5"};
    if (verb == "tune")
      words.insert(words.end(), {"--run-dir", scratch / "run", "--trials", "4", "-q", "--json"});
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(words);
  }
  Output tune(const std::string& kernel, const std::string& reference, const std::vector<std::string>& more) {
    return ask("tune", kernel, reference, more);
  }
  void expect_champion(const Output& output) {
    EXPECT_EQ(output.exit_code, 0) << output.err << output.out;
    const auto report = parse_object(output.out);
    EXPECT_TRUE(report.at("champion").is_object()) << output.out;
    EXPECT_EQ(report.at("latency_kind"), "modelled");
  }
  [[nodiscard]] std::string problem() const { return read_file(scratch / "run/problem/problem.yaml"); }
  Scratch scratch;
};

bool tells(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

const std::vector<std::string> add_flags{"--axis", "n=4096", "--gene", "BLOCK=64,128", "--gene", "ITEMS=1,2"};

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

TEST_F(Tune, AReferenceOfQuadraticCostKeepsSizesSmall) {
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

// It would make an answer that nobody judges.
TEST_F(Tune, WhatTheReferenceWritesIsNoScratchMemory) {
  auto flags = add_flags;
  flags.insert(flags.end(), {"--arg", "c: {zeroed: true}"});
  EXPECT_EQ(tune(add_kernel, add_reference, flags).exit_code, 3);
}

TEST_F(Tune, AStepOfNoughtIsAnError) {
  EXPECT_EQ(tune(add_kernel, add_reference,
                 {"--axis", "n=4096 multiple_of=0", "--gene", "BLOCK=64,128", "--gene", "ITEMS=1,2"})
                .exit_code,
            3);
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

TEST_F(Tune, SumsInAnyOrderAreToldToBeSaid) {
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
  EXPECT_EQ(output.exit_code, 6) << output.err;
  EXPECT_TRUE(tells(output.out + output.err, "y: {reproducible: false}")) << output.err << output.out;
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

// A factor of 0.999 is asked about at twice of it, too, where the root has no answer.
TEST_F(Tune, AScalarMayHaveNoAnswerBeyondItsOwnValue) {
  expect_champion(
      tune("__global__ void scale(const float* x, float* y, float decay, int n) {\n"
           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] / sqrtf(1.0f - decay);\n"
           "}\n",
           "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL decay, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] / sqrt(1 - decay);\n"
           "}\n",
           {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "decay: 0.9"}));
  // Its value counts all the same.
  EXPECT_NE(tune("__global__ void scale(const float* x, float* y, float decay, int n) {\n"
                 "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                 "  if (i < n) y[i] = x[i] / sqrtf(1.0f - 0.9f);\n"
                 "}\n",
                 "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL decay, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) y[i] = x[i] / sqrt(1 - decay);\n"
                 "}\n",
                 {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "decay: 0.9"})
                .exit_code,
            0);
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

TEST_F(Tune, AWrongKernelEndsWithSix) {
  std::string wrong = add_kernel;
  wrong.replace(wrong.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  const Output output = tune(wrong, add_reference, add_flags);
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_EQ(parse_object(output.out).at("gate"), "correctness") << output.out;
}

TEST_F(Tune, AnOverrunEndsWithSixAndTheFinding) {
  std::string wrong = add_kernel;
  wrong.replace(wrong.find(" && i < n"), 9, "");
  const Output output =
      tune(wrong, add_reference, {"--axis", "n=4001", "--gene", "BLOCK=64,128", "--gene", "ITEMS=2"});
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_EQ(parse_object(output.out).at("reason"), "out_of_bounds") << output.out;
}

TEST_F(Tune, WhatIsNotKnownIsAskedForByFlag) {
  const Output none = tune(add_kernel, add_reference, {"--gene", "BLOCK=64", "--gene", "ITEMS=1"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(tells(none.err, "--axis n=SIZE")) << none.err;
  const Output gene = tune(add_kernel, add_reference, {"--axis", "n=64", "--gene", "BLOCK=64"});
  EXPECT_EQ(gene.exit_code, 2);
  EXPECT_TRUE(tells(gene.err, "k.cu:2: ITEMS is not defined") && tells(gene.err, "--gene ITEMS="))
      << gene.err;
  const Output shape = tune(transpose_kernel, transpose_reference,
                            {"--axis", "rows=48", "--axis", "columns=80", "--arg", "size: 4"});
  EXPECT_EQ(shape.exit_code, 2);
}

TEST_F(Tune, MisspeltWordsNameTheNearest) {
  const auto refused = [&](std::vector<std::string> more, const char* nearest) {
    const Output output = tune(add_kernel, add_reference, more);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_TRUE(tells(output.err, nearest)) << output.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "run")) << "no run folder is left";
  };
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), add_flags.begin(), add_flags.end());
    return more;
  };
  refused({"--axis", "n=64", "--gene", "BLOCK=64", "--gene", "ITEM=1,2"}, "ITEMS");
  refused(with({"--arg", "aa: f32[n]"}), "'a'");
  refused(with({"--grid", "ceil_div(n, BLOK)"}), "did you mean 'BLOCK'");
  refused(with({"--constraint", "BLOCK * ITEM <= 128"}), "did you mean 'ITEMS'");
  refused(with({"--constraint", "BLOCK > 1000"}), "BLOCK > 1000");
  refused(with({"--gene", "BLOCK=1"}), "given twice");
  refused(with({"--axis", "n=1"}), "given twice");
  refused(with({"--refernce", "x"}), "--reference");
}

TEST_F(Tune, AReferenceThatDoesNotFitIsToldWithItsLine) {
  const auto refused = [&](const std::string& reference, int code, const char* what) {
    const Output output = tune(add_kernel, reference, add_flags);
    EXPECT_EQ(output.exit_code, code) << output.out;
    EXPECT_TRUE(tells(output.err, what)) << output.err;
  };
  refused("__global__ void reference(const EVO_REAL* a, EVO_REAL* d) {}\n", 3, "r.cu:1: reference takes 'd'");
  refused("__global__ void reference(const EVO_REAL* a, EVO_REAL* c) { c[0] = nonsense; }\n", 3, "r.cu:1:");
  refused("int x;\n", 2, "no __global__");
  refused("__global__ void p() {}\n__global__ void q() {}\n", 2, "--reference FILE:ENTRY");
}

TEST_F(Tune, CheckNeedsNoProblemFolder) {
  const Output right = ask("check", add_kernel, add_reference, add_flags);
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  std::string wrong = add_kernel;
  wrong.replace(wrong.find("c[i] ="), 6, "if (i % 7) c[i] =");
  EXPECT_EQ(ask("check", wrong, add_reference, add_flags).exit_code, 6);
  EXPECT_EQ(run_evo({"check", scratch / "k.cu"}).exit_code, 2);
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

// Each of several axes is shown far beyond what was told, where the reference is cheap and nobody says how
// far.
TEST_F(Tune, AKernelWithRoomForSoManyIsRefusedUnlessItsAxisSaysSo) {
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
  const Output right = check(whole, "n=300");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_TRUE(tells(right.out, "the other sizes small")) << right.out;
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
  const Output right =
      ask("check", kernel, reference, {"--axis", "n=900", "--grid", "ceil_div(n, 128)", "--block", "128"});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
}

// A reference that writes zeros writes: who leaves them out leaves what the user's array held.
TEST_F(Tune, ZerosThatAreWrittenAreNotLeftAlone) {
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
  const Output right =
      ask("check", kernel, reference,
          {"--axis", "n=700", "--axis", "taps=31 max=64", "--grid", "ceil_div(n, 128)", "--block", "128"});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
}

// A loop that never ends at a size that nobody told is no launch that takes long.
TEST_F(Tune, ALoopWithoutAnEndAtADrawnSizeIsFound) {
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

// pow(1.0 - p, g) of a reference is computed in double and, for the yardstick, in float.
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

}  // namespace
}  // namespace evo::intake
