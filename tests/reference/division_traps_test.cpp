// References that divide an integer by 0.
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
  EXPECT_NE(traps_of("\tdiv.s32 \t%r5, %r3, %r4;\n").find("setp.eq.s32 evo_zero, %r4, 0;"),
            std::string::npos);
  EXPECT_NE(traps_of("\trem.u64 \t%rd5, %rd3, %rd4;").find("setp.eq.u64 evo_zero, %rd4, 0;"),
            std::string::npos);
  EXPECT_EQ(traps_of("\tdiv.rn.f64 \t%fd5, %fd3, %fd4;\n"), "");
  EXPECT_EQ(traps_of("\tdiv.s32 \t%r5, %r3, 7;\n"), "") << "a number";
  EXPECT_EQ(traps_of("\tmul.lo.s32 \t%r5, %r3, %r4;\n"), "");
  EXPECT_EQ(traps_of("@%p1 div.s32 \t%r5, %r3, %r4;\n"), "");
  EXPECT_EQ(traps_of("// div.s32 a, b\n\n"), "");
}

}  // namespace
}  // namespace evo::evaluators::reference
