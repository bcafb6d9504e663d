#include "evaluators/compile/macro_scan.hpp"

#include <gtest/gtest.h>

#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
namespace {

TEST(MacroScan, ClocksAreFoundWithTheirLines) {
  const auto found = forbidden_macros(
      "#define BLOCK 32\n#line 1 \"k.cu\"\nint a;\nconst char* when = __TIME__ __DATE__ __TIMESTAMP__;\n"
      "// __TIME__\n",
      "k.cu");
  ASSERT_EQ(found.size(), 3U) << "not the one in the comment";
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[1].line, 2);
  EXPECT_EQ(found[0].file, "k.cu");
  EXPECT_NE(found[1].message.find("__DATE__"), std::string::npos);
}

TEST(MacroScan, OtherNamesPass) {
  EXPECT_TRUE(forbidden_macros("__DATE __TIME___ my__DATE__ __FILE__ __LINE__ # line", "k.cu").empty());
}

TEST(MacroScan, SplicedAndPastedClocksAreFound) {
  const auto found = [](const std::string& source) { return !forbidden_macros(source, "k.cu").empty(); };
  EXPECT_TRUE(found("char c = __TI\\\nME__[0];"));
  EXPECT_TRUE(found("char c = __TI\\\r\nME__[0];"));
  EXPECT_TRUE(found("#define P(a, b) a##b\nchar c = P(__TI, ME__)[0];"));
  EXPECT_TRUE(found("#define P(a, b) a %:%: b\nchar c = P(__DA, TE__)[0];"));
  EXPECT_TRUE(found("%:define P(a, b) a %\\\n:%: b\nchar c = P(__DA, TE__)[0];"));
  EXPECT_TRUE(found("#define T(x) __##x##__\n#define U(a, b) a##b\n#define _ __\nU(_, U(TIME, __))"));
  EXPECT_TRUE(found("#include <cuda/std/cstdint>\n_CCCL_PP_CAT(__TI, ME__)")) << "a header's macro pastes";
  EXPECT_TRUE(found("char c = '\"'; char d = __TIME__[0]; char e = '\"';"));
  EXPECT_TRUE(found("const char* s = R\"(\")\"; char c = __TIME__[0]; // \""));
  EXPECT_TRUE(found("#if 0\nR\"(\n#endif\nchar c = __TIME__[0];\n// )\"\n"))
      << "who skips the group sees no raw string";
  EXPECT_TRUE(found("int x = 1'000; char c = __TIME__[0]; int y = 1'000;"));
}

TEST(MacroScan, CommentsAndStringsMaySayTheWords) {
  const auto found = [](const std::string& source) { return !forbidden_macros(source, "k.cu").empty(); };
  EXPECT_FALSE(found("// no __TIME__ here\nint a; /* __DATE__\n __TIME__ */ int b;"));
  EXPECT_FALSE(found("const char* s = \"__TIME__ \\\" __DATE__\";"));
  EXPECT_FALSE(found("#include <x.h>\n#define P(a, b) a##b\nint TIME, DATE_, __T; P(x, TIME)"));
  EXPECT_FALSE(found("// \\\n __TIME__\nint a;")) << "a comment goes on behind a splice";
}

TEST_F(RealCompile, ASourceThatAsksForTheDateIsRefused) {
  const auto failed = compile("extern \"C\" __global__ void k(char* o) { o[0] = __TIME__[7]; }\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_error);
  EXPECT_EQ(failed.error().reason, "forbidden_macro");
}

}  // namespace
}  // namespace evo::evaluators::compile
