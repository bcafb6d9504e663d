#include "export/exporter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>

#include "config/loader.hpp"
#include "export/kernel_source.hpp"
#include "model/hash.hpp"

#include "tests/export/exported.hpp"

namespace evo::exporting {
namespace fs = std::filesystem;
namespace json = boost::json;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Export, WritesTheFilesItPromises) {
  const auto asked = request();
  const auto done = write_export(asked, folder_ / "new" / "folder");
  ASSERT_TRUE(done) << done.error().text();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "new" / "folder"))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "attention_forward_scalar.cu", "attention_forward_scalar.h", "evo_half.cuh",
                         "evo_probe.cuh", "evo_sync.cuh", "selftest.cu", "reference.cuh", "CMakeLists.txt",
                         "README.md", "provenance.json"));
}

TEST_F(Export, EveryExampleOfTheirOwnOracleCompilesWithPlainNvcc) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  for (const char* name : {"sgemm", "layer_norm", "transpose", "reduction", "convolution", "texture"}) {
    const auto asked = example(name);
    ASSERT_TRUE(write_export(asked, folder_ / name));
    std::string output;
    EXPECT_EQ(shell(std::string("cd ") + name + " && nvcc -arch=sm_89 -Werror all-warnings -o selftest *.cu",
                    &output),
              0)
        << output;
    EXPECT_TRUE(fs::exists(folder_ / name / "selftest"));
  }
}

TEST_F(Export, TheReadmesCallCompiles) {
  ASSERT_TRUE(write_export(example("sgemm"), folder_ / "sgemm"));
  const std::string readme = read(folder_ / "sgemm" / "README.md");
  const auto begin = readme.find("```cpp\n") + 7;
  std::string code = readme.substr(begin, readme.find("```", begin) - begin);
  const auto call = code.find("cudaError_t");
  ASSERT_NE(call, std::string::npos) << readme;
  code.insert(call,
              "cudaError_t use(cudaStream_t stream, long long m, long long n, long long k, const float* A,\n"
              "                const float* B, float* C) {\n");
  std::ofstream(folder_ / "sgemm" / "use.cu") << code << "return failed;\n}\n";
  // Python's call has what the C function takes.
  EXPECT_THAT(readme, HasSubstr("sgemm_launch(stream, L(m), L(n), L(k), P(A.data_ptr()), P(B.data_ptr()), "
                                "P(C.data_ptr()))"));
  EXPECT_THAT(readme, HasSubstr("./selftest"));
  EXPECT_THAT(readme, HasSubstr("`m`: 1 to "));
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  std::string output;
  EXPECT_EQ(shell("cd sgemm && nvcc -arch=sm_89 -c use.cu", &output), 0) << output << code;
}

TEST_F(Export, HeadersOfAFrameworkAreLeftOutWhereThereAreNone) {
  EXPECT_EQ(with_optional_includes("#include <ATen/ATen.h>\n#include <cuda_fp16.h>\n#include \"a/own.h\"\n"
                                   "#include <vector>\n#include NAME\n# include \"far.h\"\nint x;",
                                   {"own.h"}),
            "#if __has_include(<ATen/ATen.h>)  // proven without it\n#include <ATen/ATen.h>\n#endif\n"
            "#include <cuda_fp16.h>\n#include \"a/own.h\"\n#include <vector>\n#include NAME\n"
            "#if __has_include(\"far.h\")  // proven without it\n# include \"far.h\"\n#endif\nint x;");
  auto asked = example("vector_add");
  asked.kernel_template.source = "#include <ATen/ATen.h>\n" + asked.kernel_template.source;
  asked.variant = model::make_variant(asked.kernel_template, asked.bound_space, asked.bound_space.initial());
  ASSERT_TRUE(write_export(asked, folder_));
  EXPECT_THAT(read(folder_ / "add.cu"), HasSubstr("#if __has_include(<ATen/ATen.h>)"));
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  std::string output;
  EXPECT_EQ(shell("nvcc -arch=sm_89 -c add.cu", &output), 0) << output;
}

TEST_F(Export, TheCppHeaderKnowsTheBoundsOfTheAxes) {
  ASSERT_TRUE(write_export(example("sgemm"), folder_));
  std::string output;
  std::ofstream(folder_ / "use.cpp") << R"(#include "sgemm.h"
static_assert(sgemm_plan::supported({1, 8192, 64}) && !sgemm_plan::supported({0, 1, 1}) &&
              !sgemm_plan::supported({1, 8193, 64}));
static_assert(sgemm_plan::bytes_of_A({3, 5, 7}) == 4 * 3 * 7 && sgemm_plan::bytes_of_A({0, 5, 7}) == 0);
)";
  EXPECT_EQ(shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp", &output), 0) << output;
}

TEST_F(Export, TheCppHeaderCountsNoBytesOfAnEmptyArrayWithGaps) {
  auto asked = example("sgemm");
  asked.problem.arguments[0].strides[0] = *model::Expression::parse("k + 8", "problem.yaml", 1);
  ASSERT_TRUE(write_export(asked, folder_));
  std::string output;
  std::ofstream(folder_ / "use.cpp") << R"(#include "sgemm.h"
static_assert(sgemm_plan::bytes_of_A({3, 5, 7}) == 4 * (2 * 15 + 7) && sgemm_plan::bytes_of_A({0, 5, 7}) == 0);
)";
  EXPECT_EQ(shell("c++ -std=c++17 -fsyntax-only use.cpp", &output), 0) << output;
}

TEST_F(Export, ThePackageConfigures) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  ASSERT_TRUE(write_export(example("transpose"), folder_));
  std::string output;
  EXPECT_EQ(shell("cmake -B build && cmake --build build && cmake --install build --prefix there", &output),
            0)
      << output;
  EXPECT_TRUE(fs::exists(folder_ / "there" / "include" / "transpose.h"));
  EXPECT_TRUE(fs::exists(folder_ / "build" / "selftest"));
  fs::create_directories(folder_ / "user");
  std::ofstream(folder_ / "user" / "main.cpp")
      << "#include \"transpose.h\"\n"
         "int main() { return transpose_launch(nullptr, 0, 0, nullptr, nullptr) == 0; }\n";
  std::ofstream(folder_ / "user" / "CMakeLists.txt")
      << "cmake_minimum_required(VERSION 3.23)\nproject(user LANGUAGES CXX CUDA)\nfind_package(transpose "
         "REQUIRED)\n"
         "add_executable(user main.cpp)\ntarget_link_libraries(user PRIVATE transpose::transpose)\n";
  EXPECT_EQ(shell("cmake -S user -B user/build -DCMAKE_PREFIX_PATH=$PWD/there && cmake --build user/build",
                  &output),
            0)
      << output;
}

TEST_F(Export, OneFileNeedsNoOther) {
  auto asked = request("hopper", "h200");
  asked.form = Form::one_file;
  ASSERT_TRUE(write_export(asked, folder_));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("attention_forward_hopper.cu", "provenance.json"));
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  std::string output;
  EXPECT_EQ(shell("nvcc -gencode arch=compute_90a,code=sm_90a -c attention_forward_hopper.cu", &output), 0)
      << output;
}

TEST(ExportSource, IncludesAreInlined) {
  const std::map<std::string, std::string> files{{"once.cuh", "#pragma once\nint once;\n"},
                                                 {"twice.cuh", "#include \"once.cuh\"\nX\n"}};
  EXPECT_EQ(with_includes("#include \"once.cuh\"\n#include <cuda_fp16.h>\n # include \"twice.cuh\"\n"
                          "#include \"twice.cuh\"\n#include \"other.h\"\n",
                          files),
            "int once;\n#include <cuda_fp16.h>\nX\nX\n#include \"other.h\"\n");
}

TEST(ExportSource, UnrollPragmasAreExpanded) {
  EXPECT_EQ(
      with_plain_unrolls("#define U 4\n#define V (2 * U)  // twice\n #  pragma  unroll V\nfor (;;) U;\n"),
      "#define U 4\n#define V (2 * U)  // twice\n #  pragma  unroll (2 * 4)\nfor (;;) U;\n");
  EXPECT_EQ(with_plain_unrolls("#define U 4\n#undef U\n#pragma unroll U"),
            "#define U 4\n#undef U\n#pragma unroll U");
  EXPECT_EQ(
      with_plain_unrolls("#define F(x) x\n#define L L\n#pragma unroll F\n#pragma unroll L\n#pragma once\n"),
      "#define F(x) x\n#define L L\n#pragma unroll F\n#pragma unroll L\n#pragma once\n");
}

TEST_F(Export, TheSourceHasItsGenesFixed) {
  ASSERT_TRUE(write_export(request(), folder_));
  const std::string source = read(folder_ / "attention_forward_scalar.cu");
  EXPECT_THAT(source, HasSubstr("#define BLOCK_M 32\n"));
  EXPECT_THAT(source, HasSubstr("#define HEAD_DIM 64\n"));
  EXPECT_THAT(source, HasSubstr("#include \"attention_forward_scalar.h\""));
  EXPECT_THAT(source, HasSubstr("fp32-softmax"));
  EXPECT_THAT(source, Not(HasSubstr("#line")));
  EXPECT_THAT(source, Not(HasSubstr(EVO_SOURCE_DIR)));
}

TEST_F(Export, TheHeaderIsPlainCppAndChecksThePlan) {
  ASSERT_TRUE(write_export(request(), folder_));
  std::string output;
  std::ofstream(folder_ / "use.cpp") << R"(#include "attention_forward_scalar.h"
namespace plan = attention_forward_scalar_plan;
static_assert(plan::grid_x({1, 1, 33, 0, 0, 0}) == 2 && plan::block_x({}) == 128 && plan::BLOCK_N == 32);
static_assert(plan::S_DTYPE == plan::symbol_float);
)";
  EXPECT_EQ(shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp", &output), 0) << output;
  // A plan that is not the proven one does not compile.
  std::string header = read(folder_ / "attention_forward_scalar.h");
  const std::string gene = "constexpr long long BLOCK_M = 32;";
  ASSERT_NE(header.find(gene), std::string::npos) << header;
  header.replace(header.find(gene), gene.size(), "constexpr long long BLOCK_M = 64;");
  std::ofstream(folder_ / "attention_forward_scalar.h") << header;
  std::ofstream(folder_ / "use.cpp") << "#include \"attention_forward_scalar.h\"\n";
  EXPECT_NE(shell("c++ -std=c++17 -fsyntax-only use.cpp", &output), 0);
  EXPECT_THAT(output, HasSubstr("not the plan that was proven"));
}

TEST_F(Export, APlanBeyondTheTargetsSharedMemoryDoesNotCompile) {
  auto asked = request("mma");
  const std::string compile = "c++ -std=c++17 -fsyntax-only use.cpp";
  std::string output;
  const auto write = [&] {
    const auto written = write_export(asked, folder_);
    ASSERT_TRUE(written) << written.error().text();
    std::ofstream(folder_ / "use.cpp") << "#include \"" << asked.kernel_template.entry << ".h\"\n";
  };
  write();
  EXPECT_EQ(shell(compile, &output), 0) << output;
  asked.target.smem_per_block_optin = -1;
  write();
  EXPECT_NE(shell(compile, &output), 0);
  EXPECT_THAT(output, HasSubstr("more shared memory than the target has"));
}

TEST_F(Export, TheSelfTestJudgesByEveryBound) {
  ASSERT_TRUE(write_export(request(), folder_));
  const std::string selftest = read(folder_ / "selftest.cu");
  for (const char* part :
       {"finite && inside", "over_rms <= max_abs_over_rms", "frobenius <= relative_frobenius"})
    EXPECT_THAT(selftest, HasSubstr(part));
}

// Problems may share a name, as kernels/vector_add and examples/vector_add do.
TEST_F(Export, ProvenanceSaysWhereTheProblemStood) {
  auto asked = request();
  const auto stood = [&](const fs::path& folder) {
    asked.problem.folder = folder.string();
    EXPECT_TRUE(write_export(asked, folder_));
    return std::string(
        json::parse(read(folder_ / "provenance.json")).at("kernel").at("problem_folder").as_string());
  };
  EXPECT_EQ(stood(fs::current_path() / "problems/add"), "problems/add");
  EXPECT_EQ(stood(fs::current_path().parent_path() / "elsewhere"), "");
  const auto kernel = json::parse(read(folder_ / "provenance.json")).at("kernel");
  EXPECT_EQ(kernel.at("problem_path").as_string(),
            fs::relative(fs::current_path().parent_path() / "elsewhere", folder_).generic_string());
  EXPECT_EQ(kernel.at("problem_sha256").as_string(), asked.problem.content_hash);
}

TEST_F(Export, ProvenanceSaysHowEachNumberWasObtained) {
  const auto asked = request();
  ASSERT_TRUE(write_export(asked, folder_));
  const auto document = json::parse(read(folder_ / "provenance.json")).as_object();
  EXPECT_EQ(document.at("variant").as_string(), asked.variant.id);
  EXPECT_EQ(document.at("genes").at("BLOCK_M").as_int64(), 32);
  EXPECT_EQ(document.at("genes").at("S_DTYPE").as_string(), "float");
  EXPECT_EQ(document.at("accuracy").at("class").as_string(), "fp32-softmax");
  EXPECT_EQ(document.at("accuracy").at("input_sets").as_array().size(), asked.problem.input_sets.size());
  EXPECT_EQ(document.at("toolchain").as_string(), "NVRTC 13.0.88");
  const auto& mine = document.at("measurements").at("variant");
  EXPECT_EQ(mine.at("kind").as_string(), "modelled");
  EXPECT_EQ(mine.at("workloads").as_array().at(0).at("method").as_string(), "virtual model v2");
  EXPECT_TRUE(mine.at("ci95").is_null());
  EXPECT_NEAR(document.at("measurements").at("speedup").as_double(), 1.5, 1e-9);
  EXPECT_EQ(document.at("lineage").as_array().size(), 2U);
  EXPECT_EQ(document.at("lineage").as_array().at(1).at("parents").as_array().at(0).as_string(), "aaaa");
  for (const auto& [file, sum] : document.at("files_sha256").as_object()) {
    EXPECT_EQ(sum.as_string(), model::sha256(read(folder_ / std::string(file)))) << file;
  }
}

TEST_F(Export, NoSpeedupAcrossKindsOfLatency) {
  auto asked = request();
  asked.provenance.latencies[0].latency.kind = model::LatencyKind::measured;
  ASSERT_TRUE(write_export(asked, folder_));
  const auto document = json::parse(read(folder_ / "provenance.json")).as_object();
  EXPECT_TRUE(document.at("measurements").at("speedup").is_null());
}

TEST_F(Export, TheSelfTestCompilesWithPlainNvcc) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  ASSERT_TRUE(write_export(request(), folder_));
  std::string output;
  EXPECT_EQ(shell("nvcc -arch=sm_89 -Werror all-warnings -o selftest selftest.cu attention_forward_scalar.cu",
                  &output),
            0)
      << output;
  EXPECT_TRUE(fs::exists(folder_ / "selftest"));
  const std::string text = read(folder_ / "selftest.cu");
  EXPECT_THAT(text, HasSubstr("\"seventeen_causal\", {2, 3, 17, 1, 1, 0}"));  // a tail, a view
}

TEST_F(Export, TheHeaderMakesTheTensorMaps) {
  ASSERT_TRUE(write_export(request("hopper", "h200"), folder_));
  const std::string header = read(folder_ / "attention_forward_hopper.h");
  EXPECT_THAT(header, HasSubstr(R"(
/// The kernel's parameter k_map, a view of K.
inline bool make_k_map([[maybe_unused]] const Axes& axes, const void* K, TensorMap* map) {
  const unsigned long long sizes[] = {static_cast<unsigned long long>(head_dim),
                                      static_cast<unsigned long long>(axes.seq),
                                      static_cast<unsigned long long>(axes.heads),
                                      static_cast<unsigned long long>(axes.batch)};
)"));
  EXPECT_THAT(
      header,
      HasSubstr("return encode_tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, K, 4, sizes, strides, "));
  const std::string selftest = read(folder_ / "selftest.cu");
  EXPECT_THAT(selftest, HasSubstr("-gencode arch=compute_90a,code=sm_90a"));
  EXPECT_THAT(read(folder_ / "attention_forward_hopper.cu"),
              HasSubstr("if (!make_v_map(axes, arg_V, &v_map)) return"));
  EXPECT_TRUE(fs::exists(folder_ / "evo_tma.cuh"));
  // Without nvcc it is a header of plain C++ like any other.
  std::string output;
  std::ofstream(folder_ / "use.cpp") << "#include \"attention_forward_hopper.h\"\n";
  EXPECT_EQ(shell("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only use.cpp", &output), 0) << output;
}

TEST_F(Export, TheSelfTestWithTensorMapsCompilesWithPlainNvcc) {
  if (shell("nvcc --version") != 0) GTEST_SKIP() << "no nvcc on the PATH";
  ASSERT_TRUE(write_export(request("hopper", "h200"), folder_));
  std::string output;
  EXPECT_EQ(shell("nvcc -gencode arch=compute_90a,code=sm_90a -Werror all-warnings -o selftest selftest.cu "
                  "attention_forward_hopper.cu",
                  &output),
            0)
      << output;
}

TEST_F(Export, ARuleThatTheSelfTestCannotKnowIsSaid) {
  auto asked = request();
  ASSERT_TRUE(write_export(asked, folder_ / "fixed"));
  asked.accuracy_class = "fp16-softmax-2x";
  ASSERT_TRUE(write_export(asked, folder_ / "rule"));
  const auto accuracy = [&](const char* name) {
    return json::parse(read(folder_ / name / "provenance.json")).at("accuracy").as_object();
  };
  EXPECT_EQ(accuracy("rule").at("reference_factor").at("factor").to_number<double>(), 2);
  EXPECT_FALSE(accuracy("fixed").contains("reference_factor"));
  EXPECT_THAT(read(folder_ / "rule" / "selftest.cu"), HasSubstr("its ceiling only"));
  EXPECT_THAT(read(folder_ / "fixed" / "selftest.cu"), HasSubstr("// Bounds of the accuracy class.\n"));
}

TEST_F(Export, WithoutAReferenceThereIsNoSelfTest) {
  auto asked = request();
  asked.problem.reference.clear();
  ASSERT_TRUE(write_export(asked, folder_ / "out"));
  EXPECT_FALSE(fs::exists(folder_ / "out" / "selftest.cu"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "provenance.json"));
}

TEST_F(Export, WhatCannotBeDoneIsAnError) {
  auto asked = request();
  asked.accuracy_class = "no-such-class";
  EXPECT_FALSE(write_export(asked, folder_));
  asked.problem.folder = folder_.string();  // where there is no self-test, which would object too
  const auto unknown = write_export(asked, folder_ / "unknown");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text(), HasSubstr("no-such-class"));
  EXPECT_FALSE(fs::exists(folder_ / "unknown")) << "nothing is written before it is told";
  asked = request();
  std::ofstream(folder_ / "file") << "in the way";
  const auto failed = write_export(asked, folder_ / "file");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("file"));
  asked.workloads[0].axes["causal"] = 1;
  asked.kernel_template.launch.grid[0] = *model::Expression::parse("seq / (causal - 1)", "problem.yaml", 3);
  const auto unbound = write_export(asked, folder_ / "out");
  ASSERT_FALSE(unbound);
  EXPECT_EQ(unbound.error().line, 3);
}

}  // namespace
}  // namespace evo::exporting
