#include "evaluators/compile/compound_literals.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::compile {
namespace {

TEST(CompoundLiterals, AreValuesOfCppInTheSamePlace) {
  EXPECT_EQ(without_compound_literals("return (T2){ a, b };"), "return  T2 { a, b };");
  EXPECT_EQ(without_compound_literals("x = (float2) {a, b};"), "x =  float2  {a, b};");
  EXPECT_EQ(without_compound_literals("f(1, (ns::v<float, 2>){1, 2})"), "f(1,  ns::v<float, 2> {1, 2})");
  EXPECT_EQ(without_compound_literals("#define one   (T2){  1, -1 }// one"),
            "#define one    T2 {  1, -1 }// one");
}

TEST(CompoundLiterals, EverythingElseStays) {
  for (const char* text : {"if (x) { y(); }", "while (go){ }", "int f(T){ return 1; }", "for (;;) {}",
                           "auto g = [](T){ return 1; };", "s = \"(T){1}\"; // (T){2}", "#define F(T) {1, 2}",
                           "#define G(T){1, 2}", "y = (a + b) { }", "switch (n) {", "z = (unsigned char){1};",
                           "void (*p)(T) {nullptr}"})
    EXPECT_EQ(without_compound_literals(text), text);
}

}  // namespace
}  // namespace evo::evaluators::compile
