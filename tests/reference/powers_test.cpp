// References with powers by exp2f and log2f.
#include "evaluators/reference/powers.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::reference {
namespace {

TEST(Powers, CallsAreReplacedHoweverTheyAreNamed) {
  for (const std::string name : {"pow", "powf", "std::pow", "::pow", "::powf", "std::powf"})
    EXPECT_EQ(with_powers_by_exp2("y = " + name + "(x, 2.f) + 1;"), "y = evo_power(x, 2.f) + 1;") << name;
  EXPECT_EQ(with_powers_by_exp2("return pow (pow(a, b), c);"), "return evo_power (evo_power(a, b), c);");
}

TEST(Powers, AllElseStays) {
  for (const std::string text :
       {"float power(float x);", "float pow = 2;", "// pow(x, y)", "m.pow(x, y);", "m->pow(x, y);",
        "__device__ float pow(float x, float y) { return x; }", "math::pow(x, y);", "#define P pow(x, y)\n",
        "s = \"pow(x, y)\";", "__powf(x, y);", ""})
    EXPECT_EQ(with_powers_by_exp2(text), text);
}

}  // namespace
}  // namespace evo::evaluators::reference
