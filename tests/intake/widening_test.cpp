#include "intake/widening.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

bool defines(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(Widening, FloatAndItsFunctions) {
  const std::string text = widening_for({"float", "expf", "sum"});
  EXPECT_TRUE(defines(text, "#define float EVO_REAL\n"));
  EXPECT_TRUE(defines(text, "#define expf exp\n"));
  EXPECT_FALSE(defines(text, "sqrtf")) << "not mentioned";
}

TEST(Widening, HalfAndItsVectors) {
  const std::string text = widening_for({"__half", "half2", "__half2float", "__hadd2", "cuda_fp16"});
  EXPECT_TRUE(defines(text, "#define __half EVO_REAL\n"));
  EXPECT_TRUE(defines(text, "#define half2 evo_real2\n"));
  EXPECT_TRUE(defines(text, "#define __half2float(a) EVO_REAL(a)\n"));
  EXPECT_TRUE(defines(text, "operator+(evo_real2"));
}

TEST(Widening, FloatsOfEightBitsSaturateAndAreNotRounded) {
  const std::string text = widening_for({"__nv_fp8_e4m3", "__nv_fp8_e5m2"});
  EXPECT_TRUE(defines(text, "#define __nv_fp8_e4m3 evo_fp8<448>\n"));
  EXPECT_TRUE(defines(text, "#define __nv_fp8_e5m2 evo_fp8<57344>\n"));
  EXPECT_TRUE(defines(text, "v < -Largest ? EVO_REAL(-Largest) : v"));
  EXPECT_FALSE(defines(widening_for({"float"}), "evo_fp8")) << "not mentioned";
}

TEST(Widening, HalfMayBeAVariable) {
  EXPECT_FALSE(defines(widening_for({"float", "half"}), "#define half "));
  EXPECT_TRUE(defines(widening_for({"half", "cuda_fp16"}), "#define half EVO_REAL\n"));
}

TEST(Widening, LiteralsOfFloat) {
  EXPECT_EQ(with_wide_literals("y = powf(1e4f, -2.f * c / d) * .5F; // 1.f"),
            "y = powf(EVO_REAL(1e4f), -EVO_REAL(2.f) * c / d) * EVO_REAL(.5F); // 1.f");
  EXPECT_EQ(with_wide_literals("x = 0x1f + 2.0 + f + 3;"), "x = 0x1f + 2.0 + f + 3;");
  const std::string index = "y = x[(int)(i * 0.7f)];";
  EXPECT_EQ(with_wide_literals(index), index) << "float decides which element";
}

TEST(Widening, NothingToWiden) {
  EXPECT_EQ(widening_for({"int", "double"}), "");
  EXPECT_TRUE(defines(widening_for({"int", "double"}, true), "#define double evo_real\n"));
}

}  // namespace
}  // namespace evo::intake
