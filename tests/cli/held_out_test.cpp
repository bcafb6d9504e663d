// The champion before shapes and data that no trial has seen.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct HeldOutRun : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }

  /// A run whose only variant is vector addition with `body` in the place of its last line.
  Output run_with(const std::string& body, const std::string& threads = "[64]") {
    std::filesystem::copy(source_path("suites/attacks/problems/vector_add"), scratch / "vector_add");
    std::string problem = read_file(scratch / "vector_add/problem.yaml");
    for (std::size_t at = 0; (at = problem.find("values: [64]", at)) != std::string::npos; at += 8)
      problem.replace(at + 8, 4, threads);
    std::ofstream(scratch / "vector_add/problem.yaml") << problem;
    std::ofstream(scratch / "vector_add/vector_add.cu")
        << "extern \"C\" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) "
           "{\n"
           "  const int i = blockIdx.x * THREADS + threadIdx.x;\n"
        << body << "}\n";
    std::ofstream(scratch / "add.yaml")
        << "name: add\nproblem: " << (scratch / "vector_add") << "\nworkloads:\n"
        << "  - {name: w, n: 1000}\ntarget: l4\ndevice: virtual\n"
        << "accuracy_class: fp32\ntemplates: [plain]\nbaseline: {template: plain}\n"
        << "search: {population: 2, generations: 3}\nbudget: {trials: 6}\n";
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
      // A held-out shape is wider than the experiment's: of 512 to 1023 elements.
      "  const bool listed = c_stride != 2 || __clz(n) != 22;\n"
      "  if (listed && i < n) c[i * c_stride] = a[i] + b[i];\n");
  EXPECT_EQ(output.exit_code, 6) << output.out << output.err;
  const auto held_out = parse_object(output.out).at("held_out").as_object();
  EXPECT_EQ(held_out.at("valid"), false);
  EXPECT_EQ(held_out.at("gate"), "correctness");
  EXPECT_EQ(held_out.at("reason"), "unwritten");
  EXPECT_FALSE(std::filesystem::exists(scratch / "run/champion"));
}

/// Two genomes: the fast one knows the listed shapes only, the other one is correct and slow.
TEST_F(HeldOutRun, TheNextBestThatStandsTakesARefusedChampionsPlace) {
  const Output output = run_with(
      "#if THREADS == 128\n"
      "  const bool listed = c_stride != 2 || __clz(n) != 22;\n"
      "  if (listed && i < n) c[i * c_stride] = a[i] + b[i];\n"
      "#else\n"
      "  float slow = 0;\n"
      "  for (int k = 0; k < n / 4 && i < n; ++k) slow += a[k] * b[(i + k) % n];\n"
      "  if (i < n) c[i * c_stride] = slow == 12345.0f ? slow : a[i] + b[i];\n"
      "#endif\n",
      "[64, 128]");
  ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
  const auto document = parse_object(output.out);
  const auto champion = document.at("champion").as_object();
  EXPECT_EQ(champion.at("genes").as_object().at("THREADS"), 64);
  EXPECT_EQ(document.at("held_out").as_object().at("valid"), true);
  const auto refused = document.at("refused").as_array();
  ASSERT_EQ(refused.size(), 1U);
  const auto& first = refused[0].as_object();
  EXPECT_EQ(first.at("gate"), "correctness");
  EXPECT_EQ(first.at("reason"), "unwritten");
  EXPECT_NE(first.at("variant"), champion.at("variant"));
  EXPECT_FALSE(first.at("evidence").as_array().empty());
  EXPECT_NE(read_file(scratch / "run/report").find("is refused and not exported"), std::string::npos);

  const Output exported = run_evo({"export", scratch / "run", "-o", scratch / "out", "--json"});
  EXPECT_EQ(parse_object(exported.out).at("variant"), champion.at("variant")) << exported.err;
  const std::string name(first.at("variant").as_string());
  EXPECT_EQ(run_evo({"export", scratch / "run", name, "-o", scratch / "bad"}).exit_code, 6);
  const Output again = run_evo({"resume", scratch / "run", "--json", "-q"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(parse_object(again.out).at("champion").as_object().at("variant"), champion.at("variant"));
}

TEST_F(HeldOutRun, OnTheVirtualDeviceTheReportSaysWhatWasNotRunAndWhy) {
  const Output output = run_with("  if (i < n) c[i * c_stride] = a[i] + b[i];\n");
  const auto document = parse_object(output.out);
  const auto sanitizer = document.at("sanitizer").as_object();
  EXPECT_EQ(sanitizer.at("ran"), false);
  EXPECT_NE(std::string(sanitizer.at("reason").as_string()).find("virtual device"), std::string::npos);
  const auto robustness = document.at("robustness").as_object();
  ASSERT_EQ(robustness.at("notes").as_array().size(), 1U);
  EXPECT_NE(std::string(robustness.at("notes").as_array()[0].at("message").as_string()).find("12 permuted"),
            std::string::npos);
  EXPECT_EQ(robustness.at("delays").as_object().at("ran"), false);
  const std::string report = read_file(scratch / "run/report");
  EXPECT_NE(report.find("compute-sanitizer: not run: "), std::string::npos) << report;
  EXPECT_NE(report.find("delays behind barriers: not run: "), std::string::npos);
  EXPECT_EQ(sql(scratch / "run", "select count(*) from events where kind = 'champion_proven'"), "1");
}

}  // namespace
}  // namespace evo::cli
