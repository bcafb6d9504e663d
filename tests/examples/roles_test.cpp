// Arguments that are read and written, begin with zeros, or hold indices: what a kernel may get away with
// there, and does not. Each kernel is asked with `evo check` against a shipped example.
#include <fstream>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct Roles : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }

  /// "" where the kernel is proven, else the status and the reason: "wrong mismatch".
  std::string verdict(const std::string& problem, const std::string& source) {
    std::ofstream(scratch / "kernel.cu") << source;
    const Output output = run_evo({"check", scratch / "kernel.cu", "--problem",
                                   source_path("examples/" + problem), "--json", "--input-seed", "5"});
    const boost::json::object report = parse_object(output.out);
    if (report.at("valid").as_bool()) return "";
    return std::string(report.at("status").as_string()) + " " + std::string(report.at("reason").as_string());
  }
  static std::string relax(const std::string& body) {
    return "extern \"C\" __global__ void relax(float* u, const float* heat, int height, int width, float "
           "omega) {\n"
           "  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;\n"
           "  const bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1, red = (x + y) % 2 == "
           "0;\n"
           "  const long long i = (long long)y * width + x;\n" +
           body + "}\n";
  }
  static std::string histogram(const std::string& body) {
    return "extern \"C\" __global__ void histogram(const int* numbers, unsigned* counts, int n, int bins) {\n"
           "  const int t = blockIdx.x * BLOCK + threadIdx.x;\n" +
           body + "}\n";
  }
  Scratch scratch;

  static constexpr const char* step = "0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + heat[i])";
};

TEST_F(Roles, ARightKernelInPlaceIsProven) {
  EXPECT_EQ(verdict("stencil_in_place",
                    relax(std::string("if (inside && red) u[i] += omega * (") + step + " - u[i]);\n")),
            "");
}

TEST_F(Roles, WhoIgnoresTheInitialContentsIsWrong) {
  EXPECT_EQ(verdict("stencil_in_place", relax("if (inside && red) u[i] = omega * heat[i];\n")),
            "wrong mismatch");
}

TEST_F(Roles, WhoWritesNothingIsSeen) {
  EXPECT_EQ(verdict("stencil_in_place", relax("")), "wrong unwritten");
  EXPECT_EQ(verdict("histogram", histogram("")), "wrong unwritten");
}

TEST_F(Roles, WhoLeavesElementsThatHappenToBeRightIsSeen) {
  // Points that are nearly what they would become: on some data there are none, on other data all matter.
  EXPECT_EQ(verdict("stencil_in_place",
                    relax(std::string("if (!inside || !red) return;\n  const float next = u[i] + omega * (") +
                          step + " - u[i]);\n  if (fabsf(next - u[i]) > 30) u[i] = next;\n")),
            "wrong unwritten");
}

TEST_F(Roles, WhoTouchesWhatIsToBeKeptIsWrong) {
  EXPECT_EQ(verdict("stencil_in_place", relax(std::string("if (inside && red) u[i] += omega * (") + step +
                                              " - u[i]);\n  else if (x == 0 && y < height) u[i] = 0;\n")),
            "wrong mismatch");
}

TEST_F(Roles, WhoWaitsForAFlagFromTheLaunchBeforeIsWrong) {
  // Once a corner holds its mark the work is done: true of the second launch only if nobody restores it.
  EXPECT_EQ(verdict("stencil_in_place",
                    relax(std::string("if (u[0] == -1) return;\n  if (x == 0 && y == 0) u[0] = -1;\n"
                                      "  if (inside && red) u[i] += omega * (") +
                          step + " - u[i]);\n"))
                .substr(0, 5),
            "sanit")
      << "others read the mark while it is set";
}

TEST_F(Roles, WhoCountsOnTheLaunchBeforeIsWrong) {
  // A counter of launches in the module: only the first launch counts.
  EXPECT_NE(verdict("histogram", "__device__ int launches;\n" +
                                     histogram("for (int k = t; k < n; k += gridDim.x * BLOCK)\n"
                                               "    if (launches == 0) atomicAdd(&counts[numbers[k]], 1u);\n"
                                               "  if (t == 0) launches = 1;\n")),
            "");
}

TEST_F(Roles, WhoWritesAnInputIsSeen) {
  EXPECT_EQ(verdict("histogram", histogram("for (int k = t; k < n; k += gridDim.x * BLOCK) {\n"
                                           "    atomicAdd(&counts[numbers[k]], 1u);\n"
                                           "    const_cast<int*>(numbers)[k] = 0;\n  }\n")),
            "sanitizer_fail input_written");
}

TEST_F(Roles, WhoCountsOnZerosThatNobodyPromisedIsSeen) {
  // y of spmv is a plain output.
  EXPECT_EQ(
      verdict(
          "spmv",
          "extern \"C\" __global__ void spmv(const int* starts, const int* columns, const float* entries,\n"
          "    const float* x, float* y, int rows) {\n"
          "  const long long row = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES;\n"
          "  if (row >= rows || threadIdx.x % LANES != 0) return;\n"
          "  for (int i = starts[row]; i < starts[row + 1]; ++i) y[row] += entries[i] * x[columns[i]];\n}\n"),
      "sanitizer_fail uninitialized");
}

TEST_F(Roles, WhoForgetsEmptyRowsIsSeen) {
  EXPECT_EQ(
      verdict(
          "spmv",
          "extern \"C\" __global__ void spmv(const int* starts, const int* columns, const float* entries,\n"
          "    const float* x, float* y, int rows) {\n"
          "  const long long row = ((long long)blockIdx.x * BLOCK + threadIdx.x) / LANES;\n"
          "  if (row >= rows || threadIdx.x % LANES != 0 || starts[row] == starts[row + 1]) return;\n"
          "  float sum = 0;\n"
          "  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += entries[i] * x[columns[i]];\n"
          "  y[row] = sum;\n}\n"),
      "wrong unwritten");
}

TEST_F(Roles, WhoLosesCountsWhereAllFallIntoOneBinIsSeen) {
  // Eight bits a bin and block are enough for even data only.
  EXPECT_EQ(
      verdict(
          "histogram",
          histogram("__shared__ unsigned packed[1024];\n"
                    "  for (int k = threadIdx.x; k < 1024; k += BLOCK) packed[k] = 0;\n  __syncthreads();\n"
                    "  for (int k = blockIdx.x * BLOCK * ITEMS + threadIdx.x;\n"
                    "       k < n && k < (blockIdx.x + 1) * BLOCK * ITEMS; k += BLOCK)\n"
                    "    if (packed[numbers[k] / 4] >> 8 * (numbers[k] % 4) & 255u ? true : true)\n"
                    "      atomicAdd(&packed[numbers[k] / 4], 1u << 8 * (numbers[k] % 4));\n"
                    "  __syncthreads();\n"
                    "  for (int bin = threadIdx.x; bin < bins; bin += BLOCK) {\n"
                    "    const unsigned found = packed[bin / 4] >> 8 * (bin % 4) & 63u;\n"
                    "    if (found > 0) atomicAdd(&counts[bin], found);\n  }\n"))
          .substr(0, 5),
      "wrong");
}

}  // namespace
}  // namespace evo::cli
