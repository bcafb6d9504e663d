#include "intake/standard_names.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "intake/host_builtins.hpp"
#include "intake/probe_text.hpp"

#include "intake/torch_names.hpp"

namespace evo::intake {
namespace {

TEST(StandardNames, TheCompilersMessageNamesAHeader) {
  EXPECT_EQ(standard_header_for("identifier \"uint64_t\" is undefined"), "cstdint");
  EXPECT_EQ(standard_header_for("identifier \"FLT_MAX\" is undefined"), "cfloat");
  EXPECT_EQ(standard_header_for("identifier \"half2\" is undefined"), "cuda_fp16.h");
  EXPECT_EQ(standard_header_for("identifier \"INT_MAX\" is undefined"), "climits");
  EXPECT_EQ(standard_header_for("namespace \"std\" has no member \"numeric_limits\""), "limits");
  EXPECT_EQ(standard_header_for("namespace \"std\" has no member \"is_same_v\""), "type_traits");
  EXPECT_EQ(standard_header_for("namespace \"std\" has no member \"uint8_t\""), "cstdint");
  EXPECT_EQ(standard_header_for("identifier \"numeric_limits\" is undefined"), "") << "the file's own";
  EXPECT_EQ(standard_header_for("identifier \"TILE\" is undefined"), "");
  EXPECT_EQ(standard_header_for("expected a \";\""), "");
}

TEST(StandardNames, IncludesOfAReference) {
  EXPECT_EQ(standard_includes({"uint8_t", "std", "numeric_limits"}, {}),
            "#include <cstdint>\n#include <limits>\n");
  EXPECT_EQ(standard_includes({"uint8_t"}, {"cstdint"}), "");
  EXPECT_EQ(standard_includes({"array", "pair"}, {}), "") << "without std they are anything";
}

TEST(StandardNames, TypesOfAHeader) {
  const std::string header =
      "typedef unsigned char uchar;\nusing real = float;\nstruct Pixel { int a; };\nint count(uchar x);\n"
      "typedef struct { float3 at; int cells; } Params;\n#define fp float\n#define CELLS 4\n";
  for (const char* type : {"uchar", "real", "Pixel", "Params", "fp"})
    EXPECT_TRUE(declares_type(header, type)) << type;
  for (const char* other : {"count", "x", "a", "float", "at", "cells", "CELLS"})
    EXPECT_FALSE(declares_type(header, other)) << other;
}

TEST(StandardNames, ALineGoesWhereNothingStandsAndNumbersStay) {
  const std::string source = "/* a\n\n b */\n#if 0\n\n#endif\n// c\n\n__global__ void k() {\n\n}\n";
  const std::string with = with_line(source, "#include <cstdint>");
  EXPECT_EQ(with, "/* a\n\n b */\n#if 0\n\n#endif\n// c\n#include <cstdint>\n__global__ void k() {\n\n}\n");
  EXPECT_EQ(std::count(with.begin(), with.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  EXPECT_EQ(with_line("// c\n#ifndef A_CUH\n#define A_CUH\n\nint a;\n#endif\n", "x"),
            "// c\n#ifndef A_CUH\n#define A_CUH\nx\nint a;\n#endif\n")
      << "the guard of a header is no condition";
  EXPECT_EQ(with_line("#ifndef A\n\n#define B\n#endif\nint a;\n", "x"),
            "#ifndef A\n\n#define B\n#endif\nint a;\n");
  EXPECT_EQ(with_line("int a;\nvoid f() {\n\n}\n", "x"), "int a;\nvoid f() {\n\n}\n") << "not in a body";
}

TEST(TorchNames, StandInThePlaceOfTheFirstInclude) {
  const std::string source =
      "#include <ATen/ATen.h>\n#include <c10/cuda/CUDAGuard.h>\nvoid f() { CUDA_KERNEL_LOOP(i, 3) {} }\n";
  const std::string with = with_torch_names(source);
  EXPECT_EQ(with.find("#include \"evo_torch.cuh\"\n#include <c10/cuda/CUDAGuard.h>\n"), 0U) << with;
  const std::string other = "#include <ATen/ATen.h>\nvoid f();\n";
  EXPECT_EQ(with_torch_names(other), other) << "mentions nothing of it";
  EXPECT_EQ(with_torch_names("int at(int);\n"), "int at(int);\n");
}

TEST(TorchNames, AHeaderHasThemForTheFileThatIncludesIt) {
  const std::string header = "#include <torch/extension.h>\nint f();\n";
  EXPECT_EQ(with_torch_names(header, "void k(torch::PackedTensorAccessor32<float, 2> x);\n"),
            "#include \"evo_torch.cuh\"\nint f();\n");
  EXPECT_EQ(with_torch_names(header, "void k(float* x);\n"), header);
}

TEST(StandardNames, ParametersOfTemplates) {
  const std::string source =
      "template <typename T, int N = 4, template <class> class P> struct S { T a = M; };\n";
  for (const char* name : {"T", "N", "P"}) EXPECT_TRUE(is_template_parameter(source, name, 1)) << name;
  for (const char* name : {"S", "M", "int", "typename"})
    EXPECT_FALSE(is_template_parameter(source, name, 1)) << name;
  EXPECT_FALSE(is_template_parameter("template <> struct S<T> {}; template <int = N> void f();\n", "N", 1));
}

TEST(StandardNames, AParameterOfOneTemplateIsAMacroElsewhere) {
  const std::string source =
      "template <int BLOCK>\nvoid a(int n) {\n  use(BLOCK);\n}\nvoid b() {\n  use(BLOCK);\n}\n";
  for (const int line : {1, 2, 3, 4}) EXPECT_TRUE(is_template_parameter(source, "BLOCK", line)) << line;
  for (const int line : {5, 6, 7}) EXPECT_FALSE(is_template_parameter(source, "BLOCK", line)) << line;
}

TEST(StandardNames, LoopsOfFrameworks) {
  EXPECT_TRUE(is_loop_name("identifier \"CUDA_KERNEL_LOOP\" is undefined"));
  EXPECT_FALSE(is_loop_name("identifier \"KERNEL_LOOP\" is undefined"));
  EXPECT_NE(loop_names_header().find("CUDA_2D_KERNEL_LOOP"), std::string::npos);
}

TEST(StandardNames, BuiltinsOfHostCompilers) {
  EXPECT_TRUE(is_host_builtin("identifier \"__builtin_clz\" is undefined"));
  EXPECT_TRUE(is_host_builtin("identifier \"__builtin_popcountll\" is undefined"));
  EXPECT_FALSE(is_host_builtin("identifier \"__builtin_nothing\" is undefined"));
  EXPECT_FALSE(is_host_builtin("\"__builtin_clz\" is ambiguous"));
}

}  // namespace
}  // namespace evo::intake
