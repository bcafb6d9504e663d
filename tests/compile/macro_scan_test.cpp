#include "evaluators/compile/macro_scan.hpp"

#include <gtest/gtest.h>

#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
namespace {

TEST(MacroScan, ClocksAreFoundWithTheirLines) {
  const auto found = forbidden_macros(
      "#define BLOCK 32\n#line 1 \"k.cu\"\nint a;\nconst char* when = __TIME__ __DATE__;\n"
      "// __TIMESTAMP__\n",
      "k.cu");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[1].line, 2);
  EXPECT_EQ(found[2].line, 3);
  EXPECT_EQ(found[0].file, "k.cu");
  EXPECT_NE(found[1].message.find("__DATE__"), std::string::npos);
}

TEST(MacroScan, OtherNamesPass) {
  EXPECT_TRUE(forbidden_macros("__DATE __TIME___ my__DATE__ __FILE__ __LINE__ # line", "k.cu").empty());
}

TEST_F(RealCompile, ASourceThatAsksForTheDateIsRefused) {
  const auto failed = compile("extern \"C\" __global__ void k(char* o) { o[0] = __TIME__[7]; }\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status, model::Status::compile_error);
  EXPECT_EQ(failed.error().reason, "forbidden_macro");
}

}  // namespace
}  // namespace evo::evaluators::compile
