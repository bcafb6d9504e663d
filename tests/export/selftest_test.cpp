// Self-tests of exports, run: on the host, with a stand-in for the CUDA runtime (host_cuda/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "config/loader.hpp"
#include "export/exporter.hpp"

#include "tests/support/targets.hpp"

namespace evo::exporting {
namespace fs = std::filesystem;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* rows = R"yaml(
name: row_sums
axes: {m: {min: 1, max: 4096, initial: 7}, k: {min: 1, max: 4096, initial: 300}}
args:
  - {name: x, role: input, dtype: f32, shape: [m, k]}
  - {name: y, role: output, dtype: f32, shape: [m]}
  - {name: m, role: scalar, dtype: i32, value: m}
  - {name: k, role: scalar, dtype: i32, value: k}
ORACLE
input_sets: [{name: normal, kind: normal}]
TOLERANCE
work: {flops: 2 * m * k, bytes: 4 * m * k}
templates:
  plain:
    source: rows.cu
    entry: rows
    genes: {THREADS: {values: [32, 64]}}
    launch: {grid: ["ceil_div(m, THREADS)"], block: [THREADS]}
)yaml";

constexpr const char* kernel = R"(__global__ void rows(const float* x, float* y, int m, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0, other = 0;
  int j = 0;
  for (; j + 1 < k; j += 2) {
    sum += x[i * k + j] * x[i * k + j];
    other += x[i * k + j + 1] * x[i * k + j + 1];
  }
  if (j < k) sum += x[i * k + j] * x[i * k + j];
  y[i] = sum + other;
}
)";

constexpr const char* reference = R"(__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int m, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  EVO_REAL sum = 0;
  for (int j = 0; j < k; ++j) sum += x[i * k + j] * x[i * k + j];
  y[i] = sum;
}
)";

class SelfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo_selftest_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Of the problem with this oracle and tolerance (lines of problem.yaml).
  [[nodiscard]] ExportRequest request(const std::string& oracle, const std::string& tolerance) const {
    const fs::path problem = folder_ / "problem";
    fs::create_directories(problem);
    std::string yaml = rows;
    yaml.replace(yaml.find("ORACLE"), 6, oracle);
    yaml.replace(yaml.find("TOLERANCE"), 9, tolerance);
    std::ofstream(problem / "problem.yaml") << yaml;
    std::ofstream(problem / "rows.cu") << kernel;
    std::ofstream(problem / "reference.cu") << "// threads: m\n" << reference;
    auto loaded = config::load_problem(problem.string(), {});
    if (!loaded) throw std::runtime_error(loaded.error().text());
    ExportRequest request;
    request.problem = *loaded;
    request.kernel_template = request.problem.templates.at(0);
    request.target = tests::shipped_target("l4");
    request.bound_space = model::bind_space(request.problem, request.kernel_template, {}, request.target);
    request.variant =
        model::make_variant(request.kernel_template, request.bound_space, request.bound_space.initial());
    request.workloads = {{"one", 1, {{"m", 7}, {"k", 300}}}, {"odd", 1, {{"m", 70}, {"k", 33}}}};
    request.accuracy_class = request.problem.tolerances.at(0).accuracy_class;
    return request;
  }

  /// Exit code of the self-test in `out` after the kernel's text `from` was changed into `to` by hand.
  int run(const std::string& from = "", const std::string& to = "") {
    const fs::path out = folder_ / "out";
    std::string source = text_of(out / "rows.cu");
    if (!from.empty()) {
      const std::size_t at = source.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      source.replace(at, from.size(), to);
    }
    const fs::path host = folder_ / "host";
    fs::create_directories(host);
    fs::copy(out, host, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    std::ofstream(host / "rows.cu") << source;
    // A file that was compiled before with the same headers is not compiled again: the self-test itself,
    // mostly.
    std::string headers, line = "cd '" + host.string() + "'";
    for (const auto& file : fs::directory_iterator(host))
      if (file.path().extension() == ".h") headers += text_of(file.path());
    for (const auto& file : fs::directory_iterator(host)) {
      if (file.path().extension() != ".cu") continue;
      const std::string name = file.path().stem().string();
      std::string text = headers + text_of(file.path());
      if (compiled_[name] == text) continue;
      compiled_[name] = std::move(text);
      line +=
          " && c++ -std=c++17 -x c++ -w -D__CUDACC__ -include cuda_runtime.h -DEVO_HOST_PARAMETERS=4 "
          "-I'" EVO_SOURCE_DIR "/tests/export/host_cuda' -c -o " +
          name + ".o " + name + ".cu > out.txt 2>&1";
    }
    line += " && c++ -o selftest *.o > out.txt 2>&1 && ./selftest > out.txt 2>&1";
    const int status = std::system(line.c_str());
    printed_ = text_of(host / "out.txt");
    const bool judged = printed_.find("FAILED") != std::string::npos ||
                        printed_.find("within the bounds") != std::string::npos;
    EXPECT_TRUE(judged) << printed_;
    return WEXITSTATUS(status);
  }

  fs::path folder_;
  std::string printed_;
  std::map<std::string, std::string> compiled_;  ///< file: its text, behind that of all headers
};

TEST_F(SelfTest, WithoutATolerancesItHoldsTheKernelAgainstTheReferenceInFloat) {
  const auto written =
      write_export(request("oracle: {kernel: reference.cu}", "tolerance: auto"), folder_ / "out");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_THAT(text_of(folder_ / "out" / "provenance.json"), HasSubstr("measured anew"));
  EXPECT_EQ(run(), 0) << printed_;
  EXPECT_EQ(run("j + 1 < k; j += 2", "j + 3 < k; j += 2"), 1) << printed_ << "two terms are dropped";
  EXPECT_EQ(run("sum + other", "(sum + other) * 1.01f"), 1) << printed_;
  EXPECT_EQ(run("sum + other", "(sum + other) * 1.0001f"), 1) << printed_;
  EXPECT_EQ(run("y[i] = sum", "if (i != 3) y[i] = sum"), 1) << printed_ << "an element is not written";
}

TEST_F(SelfTest, WhatTensorCoresCutOffIsGrantedToAKernelThatUsesThem) {
  auto asked = request("oracle: {kernel: reference.cu}", "tolerance: auto");
  const auto run_off_by = [&](double cut_off) {
    asked.cut_off = {{"one", cut_off}, {"odd", cut_off}};
    const auto written = write_export(asked, folder_ / "out");
    EXPECT_TRUE(written) << written.error().text();
    return run("sum + other", "(sum + other) * (1 - 2e-5f)");
  };
  EXPECT_EQ(run_off_by(0), 1) << printed_;
  EXPECT_EQ(run_off_by(3e-5), 0) << printed_;
  EXPECT_EQ(run_off_by(1e-7), 1) << printed_;
}

TEST_F(SelfTest, WithWrittenBoundsThoseHold) {
  const auto written =
      write_export(request("oracle: {kernel: reference.cu}",
                           "tolerances: [{class: loose, relative_frobenius: 0.02, max_abs_over_rms: 0.1}]"),
                   folder_ / "out");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_FALSE(fs::exists(folder_ / "out" / "selftest_plain.cu"));
  EXPECT_EQ(run(), 0) << printed_;
  EXPECT_EQ(run("sum + other", "(sum + other) * 1.01f"), 0) << printed_;
  EXPECT_EQ(run("sum + other", "(sum + other) * 1.1f"), 1) << printed_;
}

RecordedAnswer answer_of(std::int64_t m, std::int64_t k) {
  RecordedAnswer answer;
  answer.workload = {"one", 1, {{"m", m}, {"k", k}}};
  answer.input_set = "normal";
  std::vector<float> x;
  std::vector<double> y(static_cast<std::size_t>(m), 0);
  for (std::int64_t e = 0; e < m * k; ++e) {
    x.push_back(std::sin(static_cast<float>(e)));
    y[static_cast<std::size_t>(e / k)] += static_cast<double>(x.back()) * static_cast<double>(x.back());
  }
  answer.inputs.resize(4);
  answer.inputs[0].resize(x.size() * sizeof(float));
  std::memcpy(answer.inputs[0].data(), x.data(), answer.inputs[0].size());
  answer.outputs.resize(4);
  answer.outputs[1] = y;
  answer.allowed = {{}, {1e-4, 2e-4}, {}, {}};
  return answer;
}

TEST_F(SelfTest, WhereTheOracleIsNoKernelItHoldsTheKernelAgainstItsAnswers) {
  auto asked = request("oracle: {expression: \"y[i] = sum(j, x[i, j] * x[i, j])\"}", "tolerance: auto");
  EXPECT_TRUE(needs_answers(asked.problem, asked.accuracy_class));
  asked.answers = {answer_of(7, 300)};
  const auto written = write_export(asked, folder_ / "out");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_TRUE(fs::exists(folder_ / "out" / "selftest_0.bin"));
  EXPECT_EQ(run(), 0) << printed_;
  EXPECT_EQ(run("j + 1 < k; j += 2", "j + 3 < k; j += 2"), 1) << printed_;
  EXPECT_EQ(run("sum + other", "(sum + other) * 1.0001f"), 1) << printed_;
}

TEST_F(SelfTest, SlicesAreAddedBeforeTheyAreCompared) {
  auto asked = request("oracle: {kernel: reference.cu}", "tolerance: auto");
  const std::string folder = asked.problem.folder;
  std::string yaml = text_of(fs::path(folder) / "problem.yaml");
  yaml.replace(yaml.find("shape: [m]}"), 11, "shape: [THREADS / 32, m], reduce: sum}");
  std::ofstream(fs::path(folder) / "problem.yaml") << yaml;
  // The initial genome has 32 threads: one slice. Take two.
  auto loaded = config::load_problem(folder, {});
  ASSERT_TRUE(loaded) << loaded.error().text();
  asked.problem = *loaded;
  asked.kernel_template = asked.problem.templates.at(0);
  std::string& source = asked.kernel_template.source;
  source.replace(source.find("y[i] = sum + other;"), 19, "y[i] = sum; y[m + i] = other;");
  asked.bound_space = model::bind_space(asked.problem, asked.kernel_template, {}, asked.target);
  model::Genome genome = asked.bound_space.initial();
  genome.set("THREADS", std::int64_t{64});
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, genome);
  const auto written = write_export(asked, folder_ / "out");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(run(), 0) << printed_;
  EXPECT_EQ(run("y[m + i] = other", "y[m + i] = other * 1.001f"), 1) << printed_;
  EXPECT_EQ(run("y[m + i] = other", "if (i != 2) y[m + i] = other"), 1) << printed_;
}

TEST_F(SelfTest, AnAnswerOfAnotherSizeIsRefused) {
  auto asked = request("oracle: {expression: \"y[i] = sum(j, x[i, j] * x[i, j])\"}", "tolerance: auto");
  asked.answers = {answer_of(7, 299)};
  EXPECT_FALSE(write_export(asked, folder_ / "out"));
}

TEST_F(SelfTest, WhereThereIsNoneProvenanceSaysWhy) {
  auto asked = request("oracle: {expression: \"y[i] = sum(j, x[i, j] * x[i, j])\"}", "tolerance: auto");
  asked.no_answers = "the oracle was asleep";
  ASSERT_TRUE(write_export(asked, folder_ / "out"));
  EXPECT_FALSE(fs::exists(folder_ / "out" / "selftest.cu"));
  EXPECT_THAT(text_of(folder_ / "out" / "provenance.json"), HasSubstr("the oracle was asleep"));
}

TEST_F(SelfTest, ItCompilesWithPlainNvcc) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  const auto compiles = [&](const ExportRequest& asked) {
    fs::remove_all(folder_ / "out");
    const auto written = write_export(asked, folder_ / "out");
    ASSERT_TRUE(written) << written.error().text();
    const std::string line = "cd '" + (folder_ / "out").string() +
                             "' && nvcc -arch=sm_89 -Werror all-warnings -o selftest *.cu > out.txt 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << text_of(folder_ / "out" / "out.txt");
  };
  compiles(request("oracle: {kernel: reference.cu}", "tolerance: auto"));
  auto recorded = request("oracle: {expression: \"y[i] = sum(j, x[i, j] * x[i, j])\"}", "tolerance: auto");
  recorded.answers = {answer_of(7, 300)};
  compiles(recorded);
  // A reference that `evo tune` widened calls functions of a double and a float.
  auto widened = request("oracle: {kernel: reference.cu}", "tolerance: auto");
  std::string& text = widened.problem.oracle_kernel->source;
  text.replace(text.find("y[i] = sum;"), 11,
               "y[i] = pow(fmax(sum, 1.0f), 1.0f) + copysign(sum, 0.0f) - fmin(0.0f, sum);");
  compiles(widened);
}

}  // namespace
}  // namespace evo::exporting
