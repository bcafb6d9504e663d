// T1 files and FlashInfer-Bench definitions as drafts.
#include "intake/import.hpp"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "intake/folder.hpp"
#include "model/error.hpp"

namespace evo::intake {
namespace {

struct Import : ::testing::Test {
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
    return (folder.path() / name).string();
  }
  /// A T1 file around these parts, with its kernel beside it.
  std::string t1(const std::string& values = "[64, 128]", const std::string& memory = "Vector",
                 const std::string& condition = "BLOCK // 2 >= 32", const std::string& language = "CUDA") {
    put("add.cu", "extern \"C\" __global__ void add(const float* a, float* c, float s) {}\n");
    return put(
        "add.json",
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "uint", "Values": ")" +
            values + R"("}], "Conditions": [{"Parameters": ["BLOCK"], "Expression": ")" + condition +
            R"("}]}, "KernelSpecification": {"Language": ")" + language +
            R"(", "KernelName": "add", "KernelFile": "add.cu", "SharedMemory": 16,
                   "GlobalSize": {"X": "4096 // BLOCK"}, "LocalSize": {"X": "BLOCK"}, "Arguments": [
                   {"Name": "a", "Type": "float", "Size": 4096, "FillType": "Random", "FillValue": 20.0, "AccessType": "ReadOnly", "MemoryType": ")" +
            memory +
            R"("}, {"Name": "c", "Type": "float", "Size": 4096, "FillType": "Constant", "FillValue": 0.0, "AccessType": "WriteOnly", "MemoryType": "Vector"},
                   {"Name": "s", "Type": "float", "FillValue": 3, "MemoryType": "Scalar"}]}})");
  }
  static std::string refusal(const std::string& file) {
    try {
      (void)import_draft(file, "");
    } catch (const model::Exception& error) {
      EXPECT_EQ(error.code(), model::ExitCode::invalid_configuration);
      return error.what();
    }
    return {};
  }
  TemporaryFolder folder;
};

bool contains_text(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_F(Import, AT1FileBecomesAProblemThatConfigReads) {
  const Draft draft = import_draft(t1(), "");
  EXPECT_EQ(draft.entry, "add");
  EXPECT_EQ(draft.constraints, (std::vector<std::string>{"BLOCK / 2 >= 32"}));
  EXPECT_EQ(draft.launch.grid, (std::vector<std::string>{"4096 / BLOCK"}));
  EXPECT_EQ(draft.launch.dynamic_smem, "16");
  ASSERT_EQ(draft.arguments.size(), 3U);
  EXPECT_EQ(draft.arguments[0].role, "input");
  EXPECT_EQ(draft.arguments[1].role, "output");
  EXPECT_EQ(draft.arguments[2].value, "3.0");
  (void)write_folder(draft, folder.path() / "out", false);
  const auto problem = config::load_problem((folder.path() / "out").string(), {});
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  EXPECT_EQ(problem->axes.at(0).allowed, (std::vector<std::int64_t>{4096}));
}

TEST_F(Import, WhatCannotBeCarriedIsToldByItsPath) {
  EXPECT_TRUE(contains_text(refusal(t1("[random() for i in range(4)]")), "TuningParameters[0].Values"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Local")), "Arguments[0].MemoryType"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Vector", "lambda p: p")), "Conditions[0].Expression"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Vector", "BLOCKS > 1")), "did you mean 'BLOCK'?"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Vector", "BLOCK > 1", "OpenCL")), "'OpenCL' is not CUDA"));
  EXPECT_TRUE(contains_text(refusal(put("x.json", "{}")), "neither a T1 file"));
  EXPECT_TRUE(contains_text(refusal(put("y.json", "{")), "no JSON"));
  EXPECT_TRUE(contains_text(refusal(put("z.json", R"({"ConfigurationSpace": {}})")),
                            "'KernelSpecification' is missing"));
  const std::string file = t1();
  std::filesystem::remove(folder.path() / "add.cu");
  EXPECT_TRUE(contains_text(refusal(file), "there is no file"));
}

/// As Kernel Tuner's own benchmarks are written: programs as values, sizes over ProblemSize, divisors of the
/// grid, constant memory and options.
constexpr const char* hub = R"json({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "bx", "Type": "int", "Values": "[16] + list(range(32, 97, 32))"},
  {"Name": "ty", "Type": "int", "Values": "[2**i for i in range(0, 3)]"},
  {"Name": "taps", "Type": "int", "Values": "[15]"}], "Conditions": []},
  "KernelSpecification": {"Language": "CUDA", "KernelName": "blur", "KernelFile": "src/blur.cu",
  "CompilerOptions": ["-std=c++17", "-use_fast_math", "-lineinfo", ""], "GlobalSizeType": "CUDA",
  "LocalSize": {"X": "bx", "Y": "1"}, "GlobalSize": {"X": "262144 // bx", "Y": "262144 // ty"},
  "GridDivX": ["bx"], "GridDivY": ["ty", "2"], "ProblemSize": [100, 50], "SharedMemory": "4 * bx",
  "Arguments": [
  {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
   "Size": "ProblemSize[0]*ProblemSize[1]"},
  {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 1.0,
   "Size": "(ProblemSize[0]+max(taps)-1) * ProblemSize[1]"},
  {"Name": "filter", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "MemType": "Constant",
   "FillType": "Random", "FillValue": 1.0, "Size": "max(taps)"}]}})json";

TEST_F(Import, AFileOfKernelTunersBenchmarksBecomesAProblem) {
  std::filesystem::create_directory(folder.path() / "src");
  put("src/blur.cu",
      "#include \"sizes.h\"\n__constant__ float filter[TAPS];\n"
      "__global__ void blur(float* out, const float* in) {}\n");
  put("src/sizes.h", "#define TAPS 15\n");
  const Draft draft = import_draft(put("hub.json", hub), "");
  EXPECT_EQ(draft.genes.at(0).values, (std::vector<std::string>{"16", "32", "64", "96"}));
  EXPECT_EQ(draft.genes.at(1).values, (std::vector<std::string>{"1", "2", "4"}));
  EXPECT_EQ(draft.launch.grid, (std::vector<std::string>{"ceil_div(100, bx)", "ceil_div(50, ty * 2)"}));
  EXPECT_EQ(draft.launch.dynamic_smem, "4 * bx");
  EXPECT_EQ(draft.arguments.at(1).shape, (std::vector<std::string>{"5700"}));
  EXPECT_EQ(draft.arguments.at(2).shape, (std::vector<std::string>{"15"}));
  EXPECT_EQ(draft.options, (std::vector<std::string>{"--std=c++17", "--use_fast_math"}));
  ASSERT_EQ(std::ranges::count(draft.notes, "compiler options are left to you: -lineinfo"), 1);
  (void)write_folder(draft, folder.path() / "out", false);
  const auto problem = config::load_problem((folder.path() / "out").string(), {});
  ASSERT_TRUE(problem.has_value()) << problem.error().text();
  EXPECT_EQ(problem->arguments.at(2).symbol, "filter");
  EXPECT_EQ(problem->templates.at(0).options, draft.options);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "sizes.h"));
}

TEST_F(Import, ARefusalNamesTheLineAndTheNearestWord) {
  const std::string text = std::string(hub).replace(std::string(hub).find("\"float\""), 7, "\"flaot\"");
  std::filesystem::create_directory(folder.path() / "src");
  put("src/blur.cu", "__global__ void blur(float* out, const float* in) {}\n");
  const std::string why = refusal(put("hub.json", text));
  EXPECT_TRUE(contains_text(why, "hub.json:10: ")) << why;
  EXPECT_TRUE(contains_text(why, "did you mean 'float'?")) << why;
  const std::string name = std::string(hub).replace(std::string(hub).find("\"blur\""), 6, "\"blurr\"");
  EXPECT_TRUE(contains_text(refusal(put("hub.json", name)), "hub.json:5: KernelSpecification.KernelName"));
}

TEST_F(Import, ASizeThatHangsOnAChoiceIsRefused) {
  std::filesystem::create_directory(folder.path() / "src");
  put("src/blur.cu", "__global__ void blur(float* out, const float* in) {}\n");
  const std::string text = std::string(hub).replace(std::string(hub).find("\"max(taps)\""), 11, "\"4 * bx\"");
  EXPECT_TRUE(contains_text(refusal(put("hub.json", text)), "Arguments[2].Size"));
}

TEST_F(Import, ADefinitionKeepsItsAxesAndWorkloads) {
  const std::string file =
      put("d.json", R"({"name": "gemm", "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 64}},
    "inputs": {"A": {"shape": ["M", "N"], "dtype": "float16"}, "eps": {"shape": null, "dtype": "float32"}},
    "outputs": {"C": {"shape": ["M"], "dtype": "float32"}}, "reference": "def run(A, eps):\n    return A.sum(-1)\n"})");
  const std::string workloads =
      put("w.jsonl", "{\"workload\": {\"axes\": {\"M\": 7}}}\n\n{\"workload\": {\"axes\": {\"M\": 12}}}\n");
  const Draft draft = import_draft(file, workloads);
  EXPECT_EQ(draft.axes.at(0).values, (std::vector<std::int64_t>{7, 12}));
  EXPECT_TRUE(draft.axes.at(1).compile_time);
  EXPECT_EQ(draft.arguments.at(0).dtype, "f16");
  EXPECT_EQ(draft.arguments.at(1).role, "scalar");
  EXPECT_EQ(draft.arguments.at(2).role, "output");
  EXPECT_EQ(draft.oracle_command, (std::vector<std::string>{"python3", "reference.py"}));
  EXPECT_TRUE(contains_text(draft.files.at(0).text, "def run(A, eps)"));
  try {
    (void)import_draft(file, put("bad.jsonl", "{\"workload\": {\"axes\": {}}}\n"));
    FAIL();
  } catch (const model::Exception& error) {
    EXPECT_TRUE(contains_text(error.what(), "bad.jsonl:1")) << error.what();
  }
}

}  // namespace
}  // namespace evo::intake
