#include "intake/constants.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

TEST(Constants, DeclarationsWithoutAValue) {
  const auto found = open_constants(
      "__constant__ float filter[2 * R + 1], other;\nnamespace a { static __constant__ __device__ unsigned "
      "int t[3][4]; }\n"
      "__constant__ int known[2] = {1, 2};\n// __constant__ int none;\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "filter");
  EXPECT_EQ(found[0].type, "float");
  EXPECT_EQ(found[1].name, "other");
  EXPECT_EQ(found[1].type, "float");
  EXPECT_EQ(found[2].name, "t");
  EXPECT_EQ(found[2].type, "unsigned int");
  EXPECT_EQ(found[2].line, 2);
}

TEST(Constants, ATypedefSaysTheType) {
  const std::vector<std::string> texts{"struct A { int x; };\ntypedef struct { int y; } B;\n",
                                       "typedef unsigned int WORD; // 32 bits\ntypedef float REAL;\n"};
  EXPECT_EQ(typedef_of("WORD", texts), "unsigned int");
  EXPECT_EQ(typedef_of("REAL", texts), "float");
  EXPECT_EQ(typedef_of("B", texts), "");
  EXPECT_EQ(typedef_of("x", texts), "");
}

TEST(Constants, VariablesOfAModuleWithoutAValue) {
  const auto found = open_constants_of(
      ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .u32 radius;\n"
      ".const .align 4 .b8 f[36];\n"
      ".const .align 4 .b8 known[8] = {0, 0, 128, 63, 0, 0, 0, 64};\n.const .align 4 .b8 "
      "_ZN2ns6filterE[68];\n"
      ".global .align 4 .b8 other[4];\n.const .align 4 .b8 others[4];\n.visible .entry m()\n{\n.reg .b32 "
      "%r<4>;\n"
      "ld.const.u32 %r1, [others];\nret;\n}\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
      "ld.const.u32 %r1, [radius];\nld.const.f32 %f1, [f];\nld.const.u32 %r2, "
      "[_ZN2ns6filterE+4];\nld.const.u32 %r3, "
      "[known];\nret;\n}\n",
      "k");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].type, "") << "a sign is not told";
  EXPECT_EQ(found[0].symbol, "radius");
  EXPECT_EQ(found[0].bytes, 4);
  EXPECT_EQ(found[1].symbol, "f") << "not float, which is the type of that name";
  EXPECT_EQ(found[1].bytes, 36);
  EXPECT_EQ(found[2].symbol, "ns::filter");
  EXPECT_EQ(found[2].bytes, 68);
}

TEST(Constants, OfOneNumberTheModuleSaysTheType) {
  const auto found = open_constants_of(
      ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 8 .f64 d_kx;\n"
      ".const .align 4 .f32 d_ky;\n.const .align 4 .b8 f[36];\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
      "ld.const.f64 %fd1, [d_kx];\nld.const.f32 %f1, [d_ky];\nld.const.f32 %f2, [f];\nret;\n}\n",
      "k");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].type, "double");
  EXPECT_EQ(found[1].type, "float");
  EXPECT_EQ(found[2].type, "") << "an array's bytes";
}

}  // namespace
}  // namespace evo::intake
