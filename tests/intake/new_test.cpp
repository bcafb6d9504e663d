// evo new, through the real binary.
#include "tests/intake/files.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

struct New : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output make(const std::string& kernel, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"new", write(scratch / "k.cu", kernel), "-o", scratch / "p"};
    words.insert(words.end(), more.begin(), more.end());
    return cli::testing::run_evo(words);
  }
  /// --json, and it must succeed.
  boost::json::object described(const std::string& kernel, std::vector<std::string> more = {}) {
    more.push_back("--json");
    const Output output = make(kernel, more);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return parse_object(output.out);
  }
  Scratch scratch;
};

std::string role_of(const boost::json::object& document, const std::string& name) {
  for (const auto& argument : document.at("args").as_array()) {
    if (argument.at("name").as_string() == name) return std::string(argument.at("role").as_string());
  }
  return {};
}
bool has(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_F(New, AKernelBecomesAFolderThatValidatesOnceTheReferenceIsWritten) {
  const auto document = described(add_kernel);
  EXPECT_EQ(role_of(document, "a"), "input");
  EXPECT_EQ(role_of(document, "c"), "output");
  ASSERT_EQ(document.at("genes").as_array().size(), 2U);
  EXPECT_EQ(document.at("genes").at(0).at("name"), "BLOCK");
  ASSERT_EQ(document.at("todo").as_array().size(), 1U) << "the reference alone";
  EXPECT_EQ(document.at("todo").at(0).at("file"), "reference.cu");
  EXPECT_EQ(read_file(scratch / "p/k.cu"), add_kernel) << "unedited";
  write(scratch / "p/reference.cu", add_reference);
  const Output valid = run_evo({"validate", scratch / "p/experiment.yaml", "--device", "virtual"});
  EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.err;
}

TEST_F(New, NothingIsOverwrittenWithoutForce) {
  EXPECT_EQ(make(add_kernel).exit_code, 0);
  write(scratch / "p/reference.cu", "mine\n");
  const Output again = make(add_kernel);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(read_file(scratch / "p/reference.cu"), "mine\n");
  EXPECT_EQ(make(add_kernel, {"--force"}).exit_code, 0);
}

TEST_F(New, TheEntryIsChosenOrListed) {
  const std::string two =
      "__global__ void first(float* x) { x[0] = 1; }\nnamespace a { __global__ void second(float* x) { x[0] "
      "= 1; } }\n";
  const Output none = make(two);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(has(none.err, "k.cu:1: first") && has(none.err, "k.cu:2: a::second")) << none.err;
  const Output near = make(two, {"--entry", "frist"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_TRUE(has(near.err, "did you mean 'first'")) << near.err;
  EXPECT_EQ(described(two, {"--entry", "second"}).at("entry"), "a::second");
}

TEST_F(New, TypesComeFromTheCompiler) {
  const auto document = described(
      "typedef float real;\ntemplate <class T, int TILE> __global__ void k(const T* x, real* y, unsigned int "
      "n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * TILE;\n}\n");
  EXPECT_EQ(document.at("args").at(0).at("dtype"), "f32");
  EXPECT_EQ(document.at("args").at(1).at("dtype"), "f32");
  EXPECT_EQ(document.at("args").at(2).at("dtype"), "u32");
  EXPECT_TRUE(has(std::string(document.at("entry").as_string()), "k<float, {")) << document.at("entry");
}

TEST_F(New, HostCodeIsNoHindrance) {
  const std::string published =
      "#include <iostream>\n#include <vector>\n__global__ void k(float* y, int n) {\n  int i = blockIdx.x * "
      "blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = i;\n}\nint main() {\n  std::vector<float> v(4);\n  std::cout << v[0];\n  k<<<1, "
      "4>>>(nullptr, 4);\n}\n";
  EXPECT_EQ(role_of(described(published), "y"), "output");
  EXPECT_EQ(read_file(scratch / "p/k.cu"), published) << "unedited";
}

TEST_F(New, ChoicesOfTheSource) {
  const auto document = described(
      "#ifndef BLOCK\n#define BLOCK 128\n#endif\n__global__ void k(float* y, int n) {\n  int i = blockIdx.x "
      "* BLOCK + threadIdx.x;\n"
      "#if USE_TWO == 1\n  if (i < n) y[i] = 2;\n#else\n  if (i < n) y[i] = 2;\n#endif\n}\n");
  ASSERT_EQ(document.at("genes").as_array().size(), 2U);
  EXPECT_EQ(document.at("genes").at(0).at("name"), "USE_TWO");
  EXPECT_EQ(document.at("genes").at(1).at("initial"), "128");
}

TEST_F(New, WhatDoesNotCompileIsToldWithItsLine) {
  const Output output = make("__global__ void k(float* y) {\n  y[0] = nonsense(1);\n}\n");
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_TRUE(has(output.err, "k.cu:2:")) << output.err;
  EXPECT_EQ(make("int f();\n").exit_code, 2);
  EXPECT_EQ(run_evo({"new", scratch / "missing.cu"}).exit_code, 2);
}

std::string shape_of(const boost::json::object& document, const std::string& name) {
  for (const auto& argument : document.at("args").as_array()) {
    if (argument.at("name").as_string() == name) return boost::json::serialize(argument.at("shape"));
  }
  return {};
}

TEST_F(New, ShapesAreWhatTheKernelReaches) {
  const auto document = described(R"(
__global__ void gray(unsigned char* out, const unsigned char* in, float* sums, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  out[i] = in[3 * i] / 2 + in[3 * i + 2] / 2;
  if (x == 0) sums[y] = in[3 * i + 1];
}
)");
  EXPECT_EQ(shape_of(document, "in"), R"(["height","width","3"])");
  EXPECT_EQ(shape_of(document, "out"), R"(["height","width"])");
  EXPECT_EQ(shape_of(document, "sums"), R"(["height"])");
  EXPECT_EQ(document.at("todo").as_array().size(), 1U) << "the reference alone";
  ASSERT_EQ(document.at("genes").as_array().size(), 2U);
  EXPECT_EQ(document.at("genes").at(0).at("name"), "BLOCK_X");
}

TEST_F(New, VectorsAreAligned) {
  const Output output = make(R"(
__global__ void twice(float4* y, const float4* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = make_float4(2 * x[i].x, 2 * x[i].y, 2 * x[i].z, 2 * x[i].w);
}
)");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const std::string text = read_file(scratch / "p/problem.yaml");
  EXPECT_TRUE(has(text, "{name: x, role: input, dtype: f32, shape: [4 * n], align: 16}")) << text;
}

TEST_F(New, BlocksOfATemplateTileTheGrid) {
  const Output output = make(R"(
template <int BLOCK_SIZE> __global__ void multiply(float* C, float* A, float* B, int wA, int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE], Bs[BLOCK_SIZE][BLOCK_SIZE];
  float sum = 0;
  for (int k = 0; k < wA; k += BLOCK_SIZE) {
    As[threadIdx.y][threadIdx.x] = A[wA * (BLOCK_SIZE * by + threadIdx.y) + k + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[wB * (k + threadIdx.y) + BLOCK_SIZE * bx + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < BLOCK_SIZE; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  C[wB * (BLOCK_SIZE * by + threadIdx.y) + BLOCK_SIZE * bx + threadIdx.x] = sum;
}
)");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const std::string text = read_file(scratch / "p/problem.yaml");
  EXPECT_TRUE(has(text, R"x(grid: ["ceil_div(wB, BLOCK_SIZE)", "ceil_div(wA, BLOCK_SIZE)"])x")) << text;
}

TEST_F(New, ALineOfBlocksMayBeFolded) {
  const Output output = make(R"(
__global__ void half(float* y, const float* x, int n) {
  const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  if (i < n) y[i] = x[i] / 2;
}
)");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(
      has(read_file(scratch / "p/problem.yaml"), R"x(grid: ["ceil_div(n, THREADS)"], block: [THREADS])x"));
}

TEST_F(New, WordsOfTheHostThatKernelsUse) {
  const Output output = make(R"(
#include <cuda.h>
#include <cublas_v2.h>
__global__ void halve(__nv_bfloat16* y, const __nv_bfloat16* x, uint n) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * __float2bfloat16(0.5f);
}
)");
  EXPECT_EQ(output.exit_code, 0) << output.err;
}

TEST_F(New, AStructByValueIsItsMembersAsTheCompilerLaysThemOut) {
  const Output output = make(
      "struct Size { int rows, cols; };\n"
      "template <class T> class View {\n public:\n  __device__ T at(int i) const { return data[i]; }\n"
      "  const T* data;\n private:\n  char tag = 1;\n  Size size;\n  alignas(16) float scale[2];\n"
      "  friend __global__ void k(float* y, View<float> v, float2 shift);\n};\n"
      "enum Mode { plain, twice };\n"
      "__global__ void k(float* y, View<float> v, float2 shift) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < v.size.rows) y[i] = v.at(i) * v.scale[1] + shift.y + v.tag;\n}\n");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const std::string text = read_file(scratch / "p/problem.yaml");
  for (const char* line :
       {"- name: v\n    align: 16\n    struct:\n", "{name: data, role: input, dtype: f32",
        "{name: tag, role: scalar, dtype: i8", "{name: size_rows, role: scalar, dtype: i32",
        "{name: scale_0, role: scalar, dtype: f32, value: 0.75, "
        "align: 16}",
        "- name: shift\n    align: 8\n    struct:\n", "{name: shift_y, role: scalar"})
    EXPECT_TRUE(has(text, line)) << line << '\n' << text;
}

TEST_F(New, WhatCannotBeSaidIsSaid) {
  const Output structure = make(
      "struct P { int n; float a; float table[100]; };\n__global__ void k(float* y, P p) "
      "{ y[threadIdx.x] = p.n * p.a * p.table[0]; }\n");
  EXPECT_TRUE(has(structure.out, "table has 100 elements")) << structure.out << structure.err;
  const Output missing =
      make("#include \"mine.h\"\n__global__ void k(T* y, int n) { y[n] = FACTOR(n); }\n", {"--force"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_TRUE(has(missing.err, "k.cu:1: \"mine.h\" is not beside the file")) << missing.err;
}

}  // namespace
}  // namespace evo::intake
