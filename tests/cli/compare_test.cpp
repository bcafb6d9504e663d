// evo compare and evo baseline save: what a continuous integration sees, on the virtual device.
#include <fstream>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct Compare : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  /// The example's kernel, which multiplies by 3 and by its inverse modulo 2^32 `rounds` times besides.
  std::string kernel(const std::string& name, int rounds) const {
    std::string text = read_file(source_path("examples/vector_add/vector_add.cu"));
    const std::string from = "c[i] = a[i] + b[i];";
    const std::string to =
        "{\n unsigned s = __float_as_uint(a[i] + b[i]);\n#pragma unroll 1\n for (int k = 0; k < 2 * " +
        std::to_string(rounds) + "; ++k) s *= k % 2 ? 0xAAAAAAABu : 3u;\n c[i] = __uint_as_float(s);\n }";
    text.replace(text.find(from), from.size(), to);
    std::ofstream(scratch / name) << text;
    return scratch / name;
  }
  Output compare(const std::string& a, const std::string& b, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"compare", a, b, "--device", "virtual", "--input-seed", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_evo(arguments);
  }
  Scratch scratch;
  const std::string problem = source_path("examples/vector_add");
  /// The example's with an eighth of its elements.
  const std::string experiment = [this] {
    std::string text = read_file(source_path("examples/vector_add/experiment.yaml"));
    text.replace(text.find("n: 65536"), 8, "n: 8192");
    text.replace(text.find("problem: ."), 10, "problem: " + problem);
    std::ofstream(scratch / "experiment.yaml") << text;
    return scratch / "experiment.yaml";
  }();
};

TEST_F(Compare, TheSameKernelIsTheSame) {
  const Output output = compare(experiment, source_path("examples/vector_add/vector_add.cu"), {"--json"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("verdict").as_string(), "same");
  EXPECT_EQ(document.at("latency_kind").as_string(), "modelled");
  EXPECT_EQ(document.at("workloads").at(0).at("ratio").as_double(), 1);
  EXPECT_TRUE(document.at("workloads").at(0).at("interval").is_null());
}

TEST_F(Compare, MoreWorkIsARegressionAndTheOtherWayAnImprovement) {
  const std::string slow = kernel("slow.cu", 25);
  const Output worse = compare(experiment, slow, {"--json"});
  EXPECT_EQ(worse.exit_code, 7) << worse.out << worse.err;
  EXPECT_EQ(parse_object(worse.out).at("exit_code").as_int64(), 7);
  const Output better = compare(slow, experiment, {"--markdown"});
  EXPECT_EQ(better.exit_code, 0) << better.out << better.err;
  EXPECT_EQ(better.out.substr(0, 25), "### evo compare: improved");
  EXPECT_EQ(compare(experiment, slow, {"--threshold", "900"}).exit_code, 0) << "within the threshold";
}

TEST_F(Compare, AWrongKernelIsNotCompared) {
  std::string text = read_file(source_path("examples/vector_add/vector_add.cu"));
  text.replace(text.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  std::ofstream(scratch / "wrong.cu") << text;
  const Output output = compare(experiment, scratch / "wrong.cu", {"--json"});
  EXPECT_EQ(output.exit_code, 6);
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("verdict").as_string(), "not_valid");
  EXPECT_EQ(document.at("refused").at("side").as_string(), "b");
}

TEST_F(Compare, AStoredBaselineAndAnExportRememberTheirSource) {
  const std::string stored = scratch / "main.json", slow = kernel("slow.cu", 100);
  ASSERT_EQ(run_evo({"baseline", "save", slow, "--problem", problem, "--workload", "n=8192", "--device",
                     "virtual", "-o", stored})
                .exit_code,
            0);
  std::ofstream(slow) << "this file has changed since";
  const Output back = compare(stored, experiment, {"--json"});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(parse_object(back.out).at("verdict").as_string(), "improved");
  EXPECT_EQ(parse_object(back.out).at("a").at("kind").as_string(), "baseline");

  ASSERT_EQ(run_evo({"run", experiment, "--run-dir", scratch / "run", "--input-seed", "5", "-q"}).exit_code,
            0);
  ASSERT_EQ(run_evo({"export", scratch / "run", "-o", scratch / "kernel"}).exit_code, 0);
  const Output exported = compare(scratch / "kernel", scratch / "run", {"--json"});
  EXPECT_EQ(parse_object(exported.out).at("verdict").as_string(), "same") << exported.err;
  const Output gain = compare(std::string(scratch / "run") + "@baseline", scratch / "kernel", {"--json"});
  EXPECT_EQ(parse_object(gain.out).at("verdict").as_string(), "improved") << gain.err;
}

TEST_F(Compare, WhatIsNoKernelIsAUsageError) {
  EXPECT_EQ(compare(scratch / "nothing", experiment).exit_code, 2);
  EXPECT_EQ(compare(experiment, source_path("examples/sgemm/experiment.yaml")).exit_code, 2)
      << "they do not compute the same";
  EXPECT_EQ(compare(experiment + "@champion", experiment).exit_code, 2) << "no run";
  EXPECT_EQ(compare(kernel("a.cu", 1), kernel("b.cu", 1)).exit_code, 2) << "no problem";
  std::ofstream(scratch / "other.json") << "{}";
  EXPECT_EQ(compare(scratch / "other.json", experiment).exit_code, 3);
  EXPECT_EQ(run_evo({"baseline"}).exit_code, 2);
  EXPECT_EQ(compare(experiment, experiment, {"--threshold", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace evo::cli
