// T1 files and FlashInfer-Bench definitions as drafts.
#include "intake/import.hpp"

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
  EXPECT_TRUE(contains_text(refusal(t1("[2**i for i in range(4)]")), "TuningParameters[0].Values"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Symbol")), "Arguments[0].MemoryType"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Vector", "lambda p: p")), "Conditions[0].Expression"));
  EXPECT_TRUE(contains_text(refusal(t1("[64]", "Vector", "BLOCK > 1", "OpenCL")), "'OpenCL' is not CUDA"));
  EXPECT_TRUE(contains_text(refusal(put("x.json", "{}")), "neither a T1 file"));
  EXPECT_TRUE(contains_text(refusal(put("y.json", "{")), "no JSON"));
  EXPECT_TRUE(contains_text(refusal(put("z.json", R"({"ConfigurationSpace": {}})")),
                            "'KernelSpecification' is missing"));
  const std::string file = t1();
  std::filesystem::remove(folder.path() / "add.cu");
  EXPECT_TRUE(contains_text(refusal(file), "there is no file"));
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
