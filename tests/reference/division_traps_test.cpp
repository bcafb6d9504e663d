// References that divide integers where C++ has no quotient.
#include "evaluators/reference/division_traps.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::reference {
namespace {

std::string traps_of(const std::string& line) {
  const std::string text = with_division_traps(line);
  EXPECT_TRUE(text.ends_with(line)) << "the instruction stays";
  return text.substr(0, text.size() - line.size());
}

TEST(DivisionTraps, StandBeforeDivisionsOfIntegers) {
  EXPECT_NE(traps_of("\tdiv.s32 \t%r5, %r3, %r4;\n").find("setp.eq.s32 evo_undefined, %r4, 0;"),
            std::string::npos);
  EXPECT_NE(traps_of("\trem.u64 \t%rd5, %rd3, %rd4;").find("setp.eq.u64 evo_undefined, %rd4, 0;"),
            std::string::npos);
  EXPECT_EQ(traps_of("\tdiv.rn.f64 \t%fd5, %fd3, %fd4;\n"), "");
  EXPECT_EQ(traps_of("\tdiv.s32 \t%r5, %r3, 7;\n"), "") << "a number";
  EXPECT_EQ(traps_of("\tmul.lo.s32 \t%r5, %r3, %r4;\n"), "");
  EXPECT_EQ(traps_of("@%p1 div.s32 \t%r5, %r3, %r4;\n"), "");
  EXPECT_EQ(traps_of("// div.s32 a, b\n\n"), "");
}

TEST(DivisionTraps, ASignedTypeDoesNotHoldItsLeastNumberByMinusOne) {
  const auto asks_for_the_least = [](const std::string& line) {
    return traps_of(line).find("_less, %r4, -1;") != std::string::npos;
  };
  EXPECT_TRUE(asks_for_the_least("rem.s64 %r5, %r3, %r4;\n"));
  EXPECT_FALSE(asks_for_the_least("div.u32 %r5, %r3, %r4;\n"));
  EXPECT_FALSE(asks_for_the_least("div.s32 %r5, 100, %r4;\n")) << "no least number";
  EXPECT_NE(traps_of("div.s16 %r5, %r3, %r4;\n").find("%r3, -32768;"), std::string::npos);
}

TEST(DivisionTraps, OtherQuotientsFollowTheDivisionAndAskBeforeIt) {
  const std::string line = "\tdiv.u32 \t%r3, %r3, %r4;\n", text = with_other_quotients(line, 0);
  const auto asks = text.find("setp.eq"), divides = text.find("div.u32"),
             moves = text.find("mov.u32 %r3, 21845;");
  ASSERT_NE(moves, std::string::npos);
  EXPECT_LT(asks, divides) << "the result may stand where an operand stood";
  EXPECT_LT(divides, moves);
  EXPECT_NE(with_other_quotients(line, 1).find("mov.u32 %r3, 0;"), std::string::npos);
  EXPECT_EQ(with_other_quotients("\tdiv.u32 \t%r3, %r3, 8;\n", 0), "\tdiv.u32 \t%r3, %r3, 8;\n");
}

}  // namespace
}  // namespace evo::evaluators::reference
