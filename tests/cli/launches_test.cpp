// Candidates of several kernels, and with data in variables of the module: what is correct passes, and each
// way to cheat or to get it wrong that the new things open is refused, with its reason.
#include <filesystem>
#include <fstream>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

std::string text_of(const std::string& path) {
  std::ifstream stream(source_path(path));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

struct LaunchesCheck : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Scratch scratch;
  std::string folder, problem, source;

  void use(const std::string& example) {
    folder = example;
    problem = text_of("examples/" + example + "/problem.yaml");
    source = text_of("examples/" + example + "/" + example + ".cu");
  }
  void edit(const std::string& from, const std::string& to) { source = with(source, from, to); }
  /// "valid", or the reason.
  std::string verdict() {
    const std::filesystem::path own = scratch / folder;
    std::filesystem::copy(
        source_path("examples/" + folder), own,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    std::ofstream(own / "problem.yaml") << problem;
    std::ofstream(own / (folder + ".cu")) << source;
    const Output output =
        run_evo({"check", (own / (folder + ".cu")).string(), "--problem", own.string(), "--json"});
    last = output.out;
    if (output.exit_code != 0 && output.exit_code != 6) return output.err;
    const boost::json::object report = parse_object(output.out);
    if (report.at("valid") == true) return "valid";
    return std::string(report.at("reason").as_string());
  }
  std::string last;
};

struct Reduction : LaunchesCheck {
  Reduction() { use("reduction"); }
};
struct Convolution : LaunchesCheck {
  Convolution() { use("convolution"); }
};

TEST_F(Reduction, TwoKernelsAreOneCandidate) {
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Reduction, TheSecondMayNotReadWhatTheFirstDidNotWrite) {
  edit("if (threadIdx.x == 0) partial", "if (threadIdx.x == 0 && blockIdx.x % 2 == 0) partial");
  EXPECT_EQ(verdict(), "uninitialized") << last;
  EXPECT_NE(last.find("of 2, "), std::string::npos) << "which of the launches";
}

TEST_F(Reduction, NothingIsLeftFromALaunchBefore) {
  edit("  float value = 0;\n  for (int item",
       "  if (partial[blockIdx.x] == 1.0f) return;\n  float value = 0;\n  for (int item");
  EXPECT_EQ(verdict(), "uninitialized") << last;
}

TEST_F(Reduction, ARaceInTheFirstIsNotHiddenByTheSecond) {
  edit("partial[blockIdx.x] = sum", "partial[blockIdx.x / 2] = sum");
  EXPECT_EQ(verdict(), "race_global") << last;
}

TEST_F(Reduction, AVariableCarriesNothingFromLaunchToLaunch) {
  edit("__global__ void partial_sums", "__device__ float kept[4096];\n__global__ void partial_sums");
  edit("partial[blockIdx.x] = sum", "partial[blockIdx.x] = kept[blockIdx.x] = sum");
  edit("value += partial[i]", "value += kept[i]");
  EXPECT_EQ(verdict(), "mutable_global") << last;
}

TEST_F(Reduction, AVariableCarriesNothingFromRepetitionToRepetition) {
  edit("__global__ void total", "__device__ int done;\n__global__ void total");
  edit("if (threadIdx.x == 0) sum[0] = all;",
       "if (threadIdx.x == 0 && done == 0) sum[0] = all;\n  if (threadIdx.x == 0) done = 1;");
  EXPECT_EQ(verdict(), "mutable_global") << last;
}

TEST_F(Reduction, ALaunchThatIsLeftOutIsMissed) {
  problem = with(problem, "{entry: total, ", "{entry: total, when: ITEMS > 1, ");
  EXPECT_EQ(verdict(), "unwritten") << last;
}

TEST_F(Reduction, TheFirstMayNotPrepareTheInputsForTheSecond) {
  edit("__global__ void partial_sums(const float* x", "__global__ void partial_sums(float* x");
  edit("partial[blockIdx.x] = sum", "x[blockIdx.x] = partial[blockIdx.x] = sum");
  EXPECT_EQ(verdict(), "input_written") << last;
}

TEST_F(Reduction, OrderIsThatOfTheFile) {
  const std::size_t first = problem.find("      - {entry: partial_sums"),
                    second = problem.find("      - {entry: total");
  problem = problem.substr(0, first) + problem.substr(second) + problem.substr(first, second - first);
  EXPECT_EQ(verdict(), "uninitialized") << last;
}

TEST_F(Reduction, AWrongArgumentListIsTold) {
  problem = with(problem, "args: [partial, sum, n]", "args: [partial, n]");
  EXPECT_EQ(verdict(), "arguments") << last;
}

TEST_F(Reduction, EveryKernelIsCovered) {
  edit("if (threadIdx.x == 0) sum[0] = all;",
       "if (threadIdx.x == 0 && (n ^ 371) * 7919 % 1000003 == 12345) sum[0] = partial[1];\n  else if "
       "(threadIdx.x == 0) sum[0] = all;");
  EXPECT_EQ(verdict(), "incomplete_coverage") << last;
}

TEST_F(Reduction, StaticSharedMemoryIsPredictedOfEachKernel) {
  problem =
      with(problem, "static_smem: 4 * THREADS, args: [partial", "static_smem: 8 * THREADS, args: [partial");
  EXPECT_EQ(verdict(), "static_smem_mismatch") << last;
}

TEST_F(Reduction, AKernelThatDoesNotExistIsTold) {
  problem = with(problem, "{entry: total, ", "{entry: totl, ");
  EXPECT_EQ(verdict(), "no_entry") << last;
}

TEST_F(Convolution, ConstantsAreFilledAndOtherKernelsDoNotMatter) {
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Convolution, AnotherKernelMayDoWhatItLikes) {
  edit("__global__ void convolution_naive(", "__device__ int calls;\n__global__ void convolution_naive(");
  edit("  float sum = 0;\n", "  calls += clock();\n  printf(\"%d\", calls);\n  float sum = 0;\n");
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Convolution, AnUnfilledConstantIsToldByName) {
  edit("__constant__ float d_filter", "__constant__ float scale;\n__constant__ float d_filter");
  edit("output[(top + y) * w + left + x] = sum", "output[(top + y) * w + left + x] = sum + scale");
  EXPECT_EQ(verdict(), "unfilled_constant") << last;
  EXPECT_NE(last.find("variable scale,"), std::string::npos) << last;
}

TEST_F(Convolution, AConstantThatIsSaidToBeZeroIsFilled) {
  edit("__constant__ float d_filter",
       "namespace n { __constant__ float scale = 0; }\n__constant__ float d_filter");
  edit("output[(top + y) * w + left + x] = sum", "output[(top + y) * w + left + x] = sum + n::scale");
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Convolution, AMisspeltSymbolLeavesTheVariableUnfilled) {
  problem = with(problem, "symbol: d_filter", "symbol: d_filtr");
  EXPECT_EQ(verdict(), "unfilled_constant") << last;
}

TEST_F(Convolution, AConstantOfAnotherSizeIsTold) {
  problem = with(problem, "shape: [5, 5]", "shape: [6, 5]");
  EXPECT_EQ(verdict(), "symbol_size") << last;
}

TEST_F(Convolution, ConstantsInNamespacesAreFound) {
  edit("__constant__ float d_filter[WIDTH * WIDTH];",
       "namespace conv { __constant__ float d_filter[WIDTH * WIDTH]; }");
  edit("* d_filter[i", "* conv::d_filter[i");
  problem = with(problem, "symbol: d_filter", "symbol: conv::d_filter");
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Convolution, AFilterInDeviceMemoryIsFilledToo) {
  edit("__constant__ float d_filter", "__device__ float d_filter");
  EXPECT_EQ(verdict(), "valid") << last;
}

TEST_F(Convolution, ACandidateMayNotWriteItsConstants) {
  edit("__syncthreads();\n",
       "if (threadIdx.x + threadIdx.y == 0)\n    asm volatile(\"st.f32 [%0], %1;\" ::\"l\"(d_filter), "
       "\"f\"(1.0f) : \"memory\");\n"
       "  __syncthreads();\n");
  const std::string reason = verdict();
  EXPECT_TRUE(reason == "mutable_global" || reason == "out_of_bounds") << reason << last;
}

TEST_F(Convolution, ACandidateMayNotWriteItsFilledVariables) {
  edit("__constant__ float d_filter", "__device__ float d_filter");
  edit("__syncthreads();\n", "if (threadIdx.x + threadIdx.y == 0) d_filter[0] = 1;\n  __syncthreads();\n");
  EXPECT_EQ(verdict(), "mutable_global") << last;
}

}  // namespace
}  // namespace evo::cli
