// The champion before shapes and data that no trial has seen.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct HeldOutRun : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }

  /// A run whose only variant is vector addition with `body` in the place of its last line.
  Output run_with(const std::string& body) {
    std::filesystem::copy(source_path("tests/attacks/problems/vector_add"), scratch / "vector_add");
    std::ofstream(scratch / "vector_add/vector_add.cu")
        << "extern \"C\" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) "
           "{\n"
           "  const int i = blockIdx.x * THREADS + threadIdx.x;\n"
        << body << "}\n";
    std::ofstream(scratch / "add.yaml")
        << "name: add\nproblem: " << (scratch / "vector_add") << "\nworkloads:\n"
        << "  - {name: w, n: 1000}\ntarget: l4\ndevice: virtual\n"
        << "accuracy_class: fp32\ntemplates: [plain]\nbaseline: {template: plain}\n"
        << "search: {population: 2, generations: 1}\nbudget: {trials: 2}\n";
    return run_evo({"run", scratch / "add.yaml", "--json", "-q", "--run-dir", scratch / "run"});
  }
  Scratch scratch;
};

TEST_F(HeldOutRun, AnHonestChampionIsExported) {
  const Output output = run_with("  if (i < n) c[i * c_stride] = a[i] + b[i];\n");
  EXPECT_NE(output.exit_code, 6) << output.err;
  const auto held_out = parse_object(output.out).at("held_out").as_object();
  EXPECT_EQ(held_out.at("valid"), true);
  EXPECT_EQ(held_out.at("shapes").as_array().size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(scratch / "run/champion"));
}

TEST_F(HeldOutRun, AChampionThatKnowsTheListedShapesOnlyIsRefused) {
  const Output output = run_with(
      "  const bool listed = n == 1 || n == 33 || n == 64 || n == 130 || n == 1000 || n == 133 || n == 63;\n"
      "  if (listed && i < n) c[i * c_stride] = a[i] + b[i];\n");
  EXPECT_EQ(output.exit_code, 6) << output.out << output.err;
  const auto held_out = parse_object(output.out).at("held_out").as_object();
  EXPECT_EQ(held_out.at("valid"), false);
  EXPECT_EQ(held_out.at("gate"), "correctness");
  EXPECT_EQ(held_out.at("reason"), "unwritten");
  EXPECT_FALSE(std::filesystem::exists(scratch / "run/champion"));
}

}  // namespace
}  // namespace evo::cli
