#include "intake/host_code.hpp"

#include "intake/constexpr_marks.hpp"
#include "intake/user_headers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

bool cut_says(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(HostCode, HostFunctionsGoAndLinesStay) {
  const std::string source =
      "#include <stdio.h>\n__device__ int f() { return 1; }\ntemplate <class T>\nvoid launch(T x) {\n  "
      "g<<<1, 1>>>(x);\n}\n"
      "struct S { int a; };\nconstexpr int h() { return 2; }\n__global__ void k(int n) { }\nint main() {\n  "
      "return 0;\n}\n"
      "namespace a { void host() { } __global__ void m() { } }\n";
  std::vector<Cut> cuts;
  const std::string device = without_host_functions(source, cuts);
  EXPECT_EQ(device.size(), source.size());
  EXPECT_EQ(std::count(device.begin(), device.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  for (const char* gone : {"launch", "main", "host", "template"})
    EXPECT_FALSE(cut_says(device, gone)) << gone;
  for (const char* kept : {"__device__ int f", "struct S", "constexpr int h", "__global__ void k",
                           "__global__ void m", "#include"})
    EXPECT_TRUE(cut_says(device, kept)) << kept;
  ASSERT_EQ(cuts.size(), 3U);
  EXPECT_EQ(cuts[0].what, "launch");
  EXPECT_EQ(cuts[0].first, 3);
  EXPECT_EQ(cuts[0].last, 6);
}

TEST(HostCode, AMacroMayMarkDeviceCode) {
  const std::string source =
      "#define BOTH __device__ __host__ inline\n#define QUICK inline\n"
      "BOTH\nint halves(int a) { return a / 2; }\nQUICK int thirds(int a) { return a / 3; }\n";
  std::vector<Cut> cuts;
  const std::string device = without_host_functions(source, cuts);
  EXPECT_TRUE(cut_says(device, "BOTH\nint halves(int a) { return a / 2; }"));
  EXPECT_FALSE(cut_says(device, "thirds"));
}

TEST(HostCode, Includes) {
  const std::string source = "#include <vector>\n#include \"a.h\"\nint x;\n";
  EXPECT_EQ(includes_of(source), (std::vector<std::string>{"vector", "a.h"}));
  std::vector<Cut> cuts;
  EXPECT_FALSE(cut_says(without_include(source, "vector", cuts), "vector"));
  EXPECT_EQ(without_include(source, "b.h", cuts), source);
  EXPECT_TRUE(is_host_header("iostream"));
  EXPECT_TRUE(is_host_header("cublas_v2.h"));
  EXPECT_FALSE(is_host_header("cuda_fp16.h"));
  EXPECT_FALSE(is_host_header("cooperative_groups/reduce.h"));
  EXPECT_FALSE(is_host_header("cmath"));
}

TEST(HostCode, Declarations) {
  const std::string source = "cublasHandle_t handle;\ntypedef float real;\n__constant__ float c[4];\n";
  std::vector<Cut> cuts;
  EXPECT_FALSE(cut_says(without_declarations(source, {1}, false, cuts), "handle"));
  EXPECT_EQ(without_declarations(source, {2}, false, cuts), source);
  cuts.clear();
  const std::string both = without_declarations(source, {1, 1, 2}, true, cuts);
  EXPECT_FALSE(cut_says(both, "handle") || cut_says(both, "real"));
  EXPECT_EQ(cuts.size(), 2U) << "each once";
  EXPECT_FALSE(cut_says(without_declarations(source, {2}, true, cuts), "real"));
  EXPECT_EQ(without_declarations(source, {3}, true, cuts), source);
}

TEST(HostCode, Sides) {
  EXPECT_TRUE(asks_for_side("int i = threadIdx . y;", 'y'));
  EXPECT_FALSE(asks_for_side("int i = threadIdx.x; // threadIdx.y", 'y'));
}

TEST(HostCode, AFunctionThatDoesNotCompileGoesUnlessItIsTheKernel) {
  const std::string source = "__device__ int f() {\n  return wrong;\n}\n__global__ void k() { f(); }\n";
  std::vector<Cut> cuts;
  const std::string without = without_functions(source, {2}, "k", cuts);
  EXPECT_FALSE(cut_says(without, "wrong"));
  EXPECT_TRUE(cut_says(without, "__global__ void k"));
  EXPECT_EQ(cuts.size(), 1U);
  EXPECT_EQ(without_functions(source, {4}, "k", cuts), source);
}

TEST(HostCode, AMemberForTheHostAloneGoesAndItsNeighboursStay) {
  const std::string text =
      "struct A {\n  __device__ int kept() const { return n; }\n"
      "  template <class T>\n  __host__ A(int k, T t) : n{k}, m(t) { fill(); }\n"
      " public:\n  __host__ void declared();\n  int n, m;\n};\n";
  std::vector<Cut> cuts;
  const std::string once = without_host_member(text, 4, cuts);
  EXPECT_EQ(once.find("fill"), std::string::npos);
  EXPECT_EQ(once.find("template"), std::string::npos);
  const std::string twice = without_host_member(once, 6, cuts);
  EXPECT_EQ(twice.find("declared"), std::string::npos);
  for (const char* kept : {"int kept() const { return n; }", "public:", "int n, m;"})
    EXPECT_NE(twice.find(kept), std::string::npos) << kept << twice;
  EXPECT_EQ(std::ranges::count(twice, '\n'), std::ranges::count(text, '\n'));
  EXPECT_EQ(without_host_member(twice, 7, cuts), twice) << "no function stands there";
}

TEST(HostCode, MembersForTheHostAloneGoTogether) {
  const std::string text =
      "struct A {\n  __host__ A(std::initializer_list<int> n);\n  __host__ __device__ A();\n"
      "  __host__ void copy(std::vector<int>& to) { to = all(); }\n  BOTH __host__ int size() const;\n"
      "  __device__ __host__ int at(int i) const { return data[i]; }\n  int* data;\n};\n";
  const std::string left = without_host_members(text);
  for (const char* gone : {"initializer_list", "vector"})
    EXPECT_EQ(left.find(gone), std::string::npos) << left;
  for (const char* kept :
       {"__host__ __device__ A();", "BOTH __host__ int size() const;", "int at(int i)", "int* data;"})
    EXPECT_NE(left.find(kept), std::string::npos) << kept << left;
  EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(text, '\n'));
}

TEST(HostCode, ConstexprFunctionsAreForDeviceCodeToo) {
  const std::string mark = "__host__ __device__ constexpr";
  for (const char* text : {"constexpr int log2(int n) { return n > 1 ? 1 + log2(n / 2) : 0; }",
                           "template <int N> static constexpr bool odd() { return N % 2; }",
                           "struct A { constexpr bool operator==(A) const { return true; } };"}) {
    EXPECT_NE(with_constexpr_marked(text).find(mark), std::string::npos) << text;
  }
  for (const char* text :
       {"constexpr int n = f(3);", "__device__ constexpr int f() { return 1; }",
        "HOST_DEVICE constexpr int f() { return 1; }", "constexpr int all[2] = {1, 2};",
        "__device__ void k() { if constexpr (N > 1) f(); }", "constexpr __device__ int f() { return 1; }"}) {
    EXPECT_EQ(with_constexpr_marked(text), text);
  }
}

TEST(HostCode, ARepositorysOwnStandardHeaderIsNotTaken) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "evo_own_stdint";
  std::filesystem::create_directories(folder / "src");
  std::filesystem::create_directories(folder / "include");
  std::ofstream(folder / "include/stdint.h") << "#error for another compiler\n";
  const UserHeaders found =
      user_headers(folder / "src/k.cu", "#include <stdint.h>\n__global__ void k() {}\n");
  EXPECT_TRUE(found.headers.empty());
  std::filesystem::remove_all(folder);
}

TEST(HostCode, AHeaderInAngleBracketsBesideTheFileIsTheUsers) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "evo_user_headers";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "own.h") << "#define N 3\n";
  const UserHeaders found =
      user_headers(folder / "k.cu", "#include <own.h>\n#include <cuda_fp16.h>\n__global__ void k() {}\n");
  EXPECT_EQ(found.source, "#include \"own.h\"\n#include <cuda_fp16.h>\n__global__ void k() {}\n");
  EXPECT_TRUE(found.headers.contains("own.h"));
  std::filesystem::remove_all(folder);
}

TEST(HostCode, AHeaderInAngleBracketsOfTheRepositorysOwnFolderIsTheUsers) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "evo_own_library";
  std::filesystem::create_directories(folder / "src");
  std::filesystem::create_directories(folder / "include/lib");
  std::filesystem::create_directories(folder / "include/cub");
  std::ofstream(folder / "include/lib/types.h") << "typedef int size;\n";
  std::ofstream(folder / "include/cub/cub.cuh") << "// its own copy\n";
  const UserHeaders found =
      user_headers(folder / "src/k.cu", "#include <lib/types.h>\n#include <cub/cub.cuh>\n");
  EXPECT_EQ(found.source, "#include \"lib/types.h\"\n#include <cub/cub.cuh>\n");
  EXPECT_TRUE(found.headers.contains("lib/types.h"));
  std::filesystem::remove_all(folder);
}

TEST(HostCode, AHeaderOfAnotherModuleIsFoundInTheWholeRepository) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "evo_modules";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "mapper/src");
  for (const char* module : {"common", "other", "mapper/tests"})
    std::filesystem::create_directories(folder / module / "include/lib");
  std::ofstream(folder / "common/include/lib/types.h") << "typedef int size;\n";
  for (const char* module : {"common", "other"})
    std::ofstream(folder / module / "include/lib/twice.h") << "typedef int twice;\n";
  for (const char* module : {"common", "mapper/tests"})
    std::ofstream(folder / module / "include/lib/near.h") << "// " << module << "\n";
  const std::string text = "#include \"lib/types.h\"\n#include \"lib/twice.h\"\n#include \"lib/near.h\"\n";
  EXPECT_TRUE(user_headers(folder / "mapper/src/k.cu", text, true).headers.empty()) << "no repository";
  std::filesystem::create_directories(folder / ".git");
  EXPECT_TRUE(user_headers(folder / "mapper/src/k.cu", text).headers.empty());
  const UserHeaders found = user_headers(folder / "mapper/src/k.cu", text, true);
  EXPECT_TRUE(found.headers.contains("lib/types.h"));
  EXPECT_FALSE(found.headers.contains("lib/twice.h")) << "two are equally near";
  ASSERT_TRUE(found.headers.contains("lib/near.h"));
  EXPECT_EQ(found.headers.at("lib/near.h"), "// mapper/tests\n");
  std::filesystem::remove_all(folder);
}

TEST(HostCode, AHeaderDeclaresWhatACFileRepeats) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "evo_declaring";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "types.c") << "struct Cell { int a; };\n";
  EXPECT_EQ(header_declaring(folder, "Cell"), folder / "types.c");
  std::ofstream(folder / "types.h") << "struct Cell { int a; };\n";
  EXPECT_EQ(header_declaring(folder, "Cell"), folder / "types.h");
  std::filesystem::remove_all(folder);
}

// Each function stands behind a condition that ends within the next one.
TEST(HostCode, ConditionsThatOthersStandBehindStay) {
  const std::string source =
      "#ifdef A\nvoid host() {\n  run();\n#else\nvoid host() {\n#endif\n}\n__global__ void k() {}\n";
  std::vector<Cut> cuts;
  const std::string device = without_host_functions(source, cuts);
  const auto count = [&](const std::string& word) {
    std::size_t times = 0;
    for (std::size_t at = device.find(word); at != std::string::npos; at = device.find(word, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count("#ifdef"), count("#endif")) << device;
  EXPECT_FALSE(cut_says(device, "host"));
}

// A class that a kernel takes by value, whose constructor takes what NVRTC has not.
TEST(HostCode, AMemberOfTheHostGoesAlone) {
  const std::string source =
      "class Solution {\npublic:\n  Solution(\n      std::string name);\n  __device__ int size(std::size_t "
      "n);\n"
      "  float* h = nullptr;\n};\nstd::string free_one(int n);\n";
  std::vector<Cut> cuts;
  const std::string without = without_unmarked_member(source, 4, cuts);
  EXPECT_FALSE(cut_says(without, "std::string name"));
  EXPECT_TRUE(cut_says(without, "class Solution {\npublic:"));
  EXPECT_TRUE(cut_says(without, "float* h"));
  EXPECT_EQ(cuts.size(), 1U);
  for (const int other : {5, 6, 8}) EXPECT_EQ(without_unmarked_member(source, other, cuts), source) << other;
}

// What is left out of a function's body would be another kernel.
TEST(HostCode, AStatementOfAMemberStays) {
  const std::string source =
      "#define hd __host__ __device__\nstruct Op {\n  __device__ float of(float x) const {\n    x = "
      "fancy(x);\n    return 2 * x;\n  }\n  static const int k = f(3);\n  float w[taps];\n  hd int "
      "n(Own m);\n  int host(Own m);\n};\n";
  std::vector<Cut> cuts;
  for (const int line : {4, 5, 7, 8, 9})
    EXPECT_EQ(without_unmarked_member(source, line, cuts), source) << line;
  EXPECT_FALSE(cut_says(without_unmarked_member(source, 10, cuts), "int host"));
}

}  // namespace
}  // namespace evo::intake
