// The sources that a draft holds, and how its reference is launched.
#include <fmt/format.h>

#include "intake/reference_launch.hpp"
#include "tests/intake/drafted.hpp"

namespace evo::intake {
namespace {

const std::string twice =
    "(const float* x, float* y, int n) {\n  " + own_element + "  if (i < n) y[i] = 2 * x[i];\n}\n";

// It yields to the gene's own definition, so that it can stay as it is; one without a guard cannot.
TEST_F(Drafts, AGuardedDefinitionOfAGeneStays) {
  const std::string guarded = "#ifndef BLOCK\n#define BLOCK 128\n#endif\n__global__ void k" + twice;
  EXPECT_EQ(text_of(of(guarded, "__global__ void reference" + twice, {"n=300"}), "k.cu"), guarded);
  const std::string fixed = "#define BLOCK 128\n__global__ void k" + twice;
  EXPECT_NE(text_of(of(fixed, "__global__ void reference" + twice, {"n=300"}), "k.cu"), fixed);
}

TEST_F(Drafts, ADoubleOfAReferenceIsThePlainTypeBesideAKernelWithoutOne) {
  const auto nearest = [](const std::string& head, const std::string& type) {
    return "__global__ void " + head + "(const float* x, int* at, int n, int m) {\n  " + own_element +
           "  if (i >= n) return;\n  " + type +
           " best = 0;\n  int b = 0;\n  for (int j = 0; j < m; ++j) {\n    const " + type + " d = " + type +
           "(x[j]) - x[i + m];\n    if (j == 0 || d * d < best) { best = d * d; b = j; }\n  }\n"
           "  at[i] = b;\n}\n";
  };
  const auto is_plain = [&](const std::string& type) {
    const Draft draft =
        of(nearest("k", type), nearest("reference", "double"), {"n=200", "m=20"}, {"x: [n + m]"});
    return text_of(draft, "reference.cu").find("#define double evo_real") != std::string::npos;
  };
  EXPECT_TRUE(is_plain("float"));
  EXPECT_FALSE(is_plain("double"));
}

TEST_F(Drafts, AReferenceIsNotLaunchedAsAKernelWhoseBlocksCountAlongAnotherAxis) {
  request.genes.clear();
  request.grid = "h / 8, w / 64";
  request.block = "64";
  const Draft draft =
      of("__global__ void k(const float* x, float* y, int h, int w) {\n"
         "  const int c = blockIdx.y * 64 + threadIdx.x;\n"
         "  float sum = 0;\n  for (int r = 0; r < 8; ++r) sum += x[(blockIdx.x * 8 + r) * w + c];\n"
         "  atomicAdd(&y[c], sum);\n}\n",
         "__global__ void reference(const float* x, float* y, int h, int w) {\n"
         "  const int c = blockIdx.x * blockDim.x + threadIdx.x;\n  if (c >= w) return;\n"
         "  float sum = 0;\n  for (int r = 0; r < h; ++r) sum += x[r * w + c];\n  y[c] += sum;\n}\n",
         {"h=16 multiple_of=8 max=32", "w=256 multiple_of=64 max=512"},
         {"x: {shape: [h, w], fill: {uniform: [0, 1]}}",
          "y: {shape: [w], reproducible: false, fill: {uniform: [0, 1]}}"});
  EXPECT_NE(draft.reference_grid, (Sizes{"h / 8"}));
}

// Blocks of eight threads, as many as a * (b + c): enough for b * c elements where one of the three is long
// and the others are short, and where all are alike; too few where a alone is short.
TEST_F(Drafts, AReferencesLaunchCoversItWhereOneAxisIsShort) {
  Draft draft;
  for (const char* name : {"a", "b", "c"}) {
    DraftAxis axis;
    axis.name = name;
    axis.values = {40};
    draft.axes.push_back(axis);
    DraftArgument argument;
    argument.name = argument.value = name;
    argument.role = "scalar";
    argument.dtype = "i32";
    draft.arguments.push_back(argument);
  }
  DraftArgument output;
  output.name = "y";
  output.role = "output";
  output.dtype = "f32";
  output.shape = {"b", "c"};
  draft.arguments.push_back(output);
  draft.target = "l4";
  draft.launch.grid = {"a * (b + c)"};
  draft.launch.block = {"8"};
  const std::string body = "{ " + own_element;
  const auto launched = [&](const std::string& elements) {
    tests::InProcessCompiler compiler;
    evaluators::compile::CompileRequest asked;
    asked.source = "extern \"C\" __global__ void reference(int a, int b, int c, double* y) " + body +
                   "if (i < " + elements + ") y[i] = 3; }\n";
    asked.source_file = "r.cu";
    asked.entry = "reference";
    asked.arch = "sm_89";
    const auto artifact = compiler.compile(asked);
    EXPECT_TRUE(artifact.has_value());
    return launch_like_kernel(draft, *artifact, {}, body).has_value();
  };
  EXPECT_TRUE(launched("b"));
  EXPECT_FALSE(launched("b * c"));
}

TEST_F(Drafts, AReferenceWithoutBoundsGetsTheKernelsLaunch) {
  const auto rows = [](const std::string& head, const std::string& step) {
    return "__global__ void " + head +
           "(const float* x, const float* bias, float* y, const int* first, int w) {\n"
           "  const int b = blockIdx.x;\n  for (int i = first[b] + threadIdx.x; i < first[b + 1]; i += " +
           step + ")\n    y[i] = x[i] + bias[b * w + (i - first[b]) % w];\n}\n";
  };
  request.genes = {"BLOCK=32,64"};
  request.grid = "batch";
  const Draft draft = of(
      rows("k", "BLOCK"), rows("reference", "blockDim.x"), {"batch=20", "w=12"},
      {"first: {shape: [batch + 1], fill: {sorted: [0, 400]}}", "x: [400]", "y: [400]", "bias: [batch, w]"});
  EXPECT_EQ(draft.reference_grid, Sizes{"batch"});
  EXPECT_EQ(draft.reference_block, Sizes{"32"});
}

// At 16 blocks of the kernel's it would leave the rows behind the first ones, which shows where indices lead
// to all of them: two rows are less than its threads.
TEST_F(Drafts, AReferencesLaunchIsAskedOfAgainWhereIndicesAreKnown) {
  request.genes = {"BLOCK=32,64"};
  request.grid = "16";
  const Draft draft =
      of("__global__ void k(const float* x, const int* to, float* out, int n, int m) {\n"
         "  for (int e = blockIdx.x; e < m; e += gridDim.x)\n"
         "    for (int c = threadIdx.x; c < 8; c += blockDim.x) atomicAdd(out + to[e] * 8 + c, x[e * 8 + "
         "c]);\n}\n",
         "__global__ void reference(const float* x, const int* to, float* out, int n, int m) {\n  " +
             own_element +
             "  if (i >= n * 8) return;\n"
             "  float s = 0;\n  for (int e = 0; e < m; ++e) if (to[e] == i / 8) s += x[e * 8 + i % 8];\n"
             "  out[i] += s;\n}\n",
         {"n=400", "m=100"}, {"out: {shape: [n, 8], reproducible: false}"});
  EXPECT_NE(draft.reference_grid, Sizes{"16"});
  EXPECT_EQ(key_of(draft, "to", "fill"), "{integers: [0, n - 1]}");
}

// A namespace that a macro opens, code for nvcc alone, a loop that a framework's header has.
TEST_F(Drafts, WhatHeadersOfFrameworksDefineIsThere) {
  (void)written(
      "names.h",
      "#define LIB_BEGIN namespace lib {\n#define LIB_END }\n"
      "#ifdef __NVCC__\n#define BOTH __host__ __device__\n#else\n#define BOTH\n#endif\n"
      "LIB_BEGIN\nstd::string spoken();\nBOTH inline float twice(float x) { return 2 * x; }\nLIB_END\n");
  const Draft draft =
      of("#include <lost/base.h>\n#include \"names.h\"\nLIB_BEGIN\nvoid host(std::string s) {}\n"
         "__global__ void k(const float* x, float* y, int n) {\n"
         "  CUDA_KERNEL_LOOP(i, n) y[i] = twice(x[i]);\n}\nLIB_END\n",
         "__global__ void reference(const float* x, float* y, int n) {\n  " + own_element +
             "  if (i < n) y[i] = 2 * x[i];\n}\n",
         {"n=100"});
  EXPECT_EQ(draft.entry, "lib::k");
}

// What a header computes for a template, and says nothing of where it runs: nothing else is in the file.
TEST_F(Drafts, ConstantsThatHostCompilersCompute) {
  const std::string rest =
      "template <int N> __device__ float times(float x) { return N * x; }\n"
      "__global__ void k(const float* x, float* y, int n) {\n  " +
      own_element + "  if (i < n) y[i] = times<up(7)>(x[i]);\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int n) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 8 * x[i];\n}\n";
  const std::string plain = "static constexpr int up(unsigned n) { return 1 << (n < 8 ? 3 : 4); }\n";
  EXPECT_EQ(shape_of(of(plain + rest, reference, {"n=100"}), "y"), Sizes{"n"});
  const std::string builtin =
      "static constexpr int up(unsigned n) {\n"
      "  static_assert(__builtin_popcount(7) + __builtin_ctzll(8) + __builtin_ffs(0) + __builtin_clzll(1) == "
      "69, "
      "\"\");\n  return 1 << (32 - __builtin_clz(n - 1));\n}\n";
  EXPECT_EQ(shape_of(of(builtin + rest, reference, {"n=100"}), "y"), Sizes{"n"});
}

// Arrays of float beside a sum that is said to be EVO_REAL.
TEST_F(Drafts, AReferenceThatSaysBothFloatAndEvoReal) {
  const std::string kernel = "__global__ void k(const float* x, float* y, int n) {\n  " + own_element +
                             "  if (i < n) y[i] = 2 * x[i];\n}\n";
  const auto reference = [](const char* type) {
    return fmt::format(
        "__global__ void reference(const {0}* x, {0}* y, int n) {{\n"
        "  for (int i = 0; i < n; ++i) {{ EVO_REAL sum = x[i]; y[i] = sum + float(x[i]); }}\n}}\n",
        type);
  };
  EXPECT_NE(text_of(of(kernel, reference("float"), {"n=100"}), "reference.cu").find("#define float EVO_REAL"),
            std::string::npos);
  EXPECT_EQ(text_of(of(kernel, reference("EVO_REAL"), {"n=100"}), "reference.cu").find("#define float"),
            std::string::npos)
      << "a float of its own is meant";
}

// A power of double is a function: it asks for no thread.
TEST_F(Drafts, AReferenceThatCallsAFunctionIsStillAlone) {
  const Draft draft = of("__global__ void k(const float* x, float* y, int n, float e) {\n  " + own_element +
                             "  if (i < n) y[i] = powf(x[i] * x[i] + 1, e);\n}\n",
                         "__global__ void reference(const float* x, float* y, int n, float e) {\n"
                         "  for (int i = 0; i < n; ++i) y[i] = powf(x[i] * x[i] + 1, e);\n}\n",
                         {"n=100"});
  EXPECT_EQ(draft.reference_grid, Sizes{"1"});
  EXPECT_EQ(draft.reference_block, Sizes{"1"});
}

// Sixteen bytes at a time of what the reference says it is.
TEST_F(Drafts, AnArrayOfWideIntegersHoldsWhatTheReferenceSays) {
  const Draft draft =
      of("#include <cuda_fp16.h>\n__global__ void k(const int4* x, const unsigned* w, int4* y, int n) {\n  " +
             own_element +
             "  if (i >= n / 8) return;\n  int4 v = x[i];\n"
             "  half2* h = reinterpret_cast<half2*>(&v);\n"
             "  for (int j = 0; j < 4; ++j) h[j] = __hneg2(h[j]);\n  if (w[i] > 9) y[i] = v; else y[i] = "
             "x[i];\n}\n",
         "__global__ void reference(const half* x, const unsigned* w, half* y, int n) {\n"
         "  for (int i = 0; i < n; ++i) y[i] = w[i / 8] > 9 ? -x[i] : x[i];\n}\n",
         {"n=256 multiple_of=8 max=512"});
  for (const char* name : {"x", "y"}) {
    EXPECT_EQ(argument_of(draft, name).dtype, "f16") << name;
    EXPECT_EQ(argument_of(draft, name).lanes, 8) << name;
    EXPECT_EQ(shape_of(draft, name), Sizes{"n"}) << name;
  }
  EXPECT_EQ(argument_of(draft, "w").dtype, "u32");
  EXPECT_EQ(shape_of(draft, "w"), Sizes{"n / 8"});
}

}  // namespace
}  // namespace evo::intake
