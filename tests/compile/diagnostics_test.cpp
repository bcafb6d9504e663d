#include "evaluators/compile/diagnostics.hpp"
#include "evaluators/compile/macro_clash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evo::evaluators::compile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Diagnostics, FrontEndErrorsHaveFileLineAndSource) {
  const auto errors = parse_errors(R"(scalar.cu(3): error: identifier "foo" is undefined
    float x = foo;
              ^

scalar.cu(9): warning #177-D: variable "y" was declared but never referenced
    float y;
          ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

common/tile.cuh(12): error #20: no instance of function template "f" matches the argument list
            argument types are: (int, float)
    f(1, 2.f);
    ^
          detected during instantiation of "void g<T>() [with T=int]" at line 40 of scalar.cu

scalar.cu(1): catastrophic error: cannot open source file "nothing.h"
  #include "nothing.h"
                      ^

3 errors detected in the compilation of "scalar.cu".
)");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].kind, "error");
  EXPECT_EQ(errors[0].file, "scalar.cu");
  EXPECT_EQ(errors[0].line, 3);
  EXPECT_EQ(errors[0].message, R"(identifier "foo" is undefined)");
  EXPECT_THAT(errors[0].details, ElementsAre(Pair("source", "float x = foo;")));
  EXPECT_EQ(errors[1].file, "common/tile.cuh");
  EXPECT_EQ(errors[1].line, 12);
  EXPECT_THAT(errors[1].message, HasSubstr("no instance"));
  EXPECT_THAT(errors[1].details, ::testing::Contains(Pair("context", HasSubstr("at line 40 of scalar.cu"))));
  EXPECT_EQ(errors[2].line, 1);
  EXPECT_THAT(errors[2].message, HasSubstr("nothing.h"));
}

TEST(Diagnostics, ANameWithColonsAndParentheses) {
  const auto errors = parse_errors("my (odd): name.cu(7): error: expected a \";\"\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].file, "my (odd): name.cu");
  EXPECT_EQ(errors[0].line, 7);
}

TEST(Diagnostics, OptionErrorsHaveNoFile) {
  const auto errors = parse_errors("nvrtc: error: unrecognized option --bogus found\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].file, "");
  EXPECT_EQ(errors[0].line, 0);
  EXPECT_EQ(errors[0].message, "unrecognized option --bogus found");
}

TEST(Diagnostics, PtxasErrorsAreTracedToTheSource) {
  const std::string ptx =
      "//\n.target sm_89\n.file 1 \"scalar.cu\"\n.loc 1 7 3\nmov.u32 %r1, 0;\n.loc\t1 9 1\nbogus;\n";
  const auto errors = parse_errors(
      R"(ptxas application ptx input, line 7; error   : Not a name of any known instruction: 'bogus'
ptxas fatal   : Ptx assembly aborted due to errors
)",
      ptx);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "ptxas: Not a name of any known instruction: 'bogus'");
  EXPECT_THAT(errors[0].details, ElementsAre(Pair("ptx_line", "7")));
  EXPECT_EQ(errors[0].file, "scalar.cu");
  EXPECT_EQ(errors[0].line, 9);
}

TEST(Diagnostics, Reasons) {
  EXPECT_EQ(reason_of("a.cu(1): error: identifier \"x\" is undefined\n"), "source_error");
  EXPECT_EQ(reason_of("a.cu(1): catastrophic error: cannot open source file \"x.h\"\n"), "include_not_found");
  EXPECT_EQ(
      reason_of("ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)\n"),
      "too_much_shared_memory");
  EXPECT_EQ(reason_of("ptxas fatal   : Memory allocation failure\n"), "ptxas_error");
}

TEST(Diagnostics, StableLogHasNoTimesAndIsUtf8) {
  EXPECT_EQ(stable_log("\n\nptxas info    : Used 2 registers\nptxas info    : Compile time = 1.874 ms\n\n\n"),
            "ptxas info    : Used 2 registers\n");
  EXPECT_EQ(stable_log(" "), "");
  EXPECT_EQ(valid_utf8("a\xff\xc3\xa4\xc0\xaf\xed\xa0\x80\xf0\x9f\x9a\x80\xe2\x82"),
            "a?\xc3\xa4?????\xf0\x9f\x9a\x80??");
}

TEST(Diagnostics, AGeneThatBreaksAHeaderIsNamed) {
  const auto macros =
      macros_ahead("#define T 32\n#define TILE 8\n#line 1 \"k.cu\"\n#define U 1\nint x;\n", {"-DW=2"});
  EXPECT_THAT(macros, ElementsAre("T=32", "TILE=8", "W=2"));
  const auto errors_of = [&](const std::string& line, const std::string& file) {
    auto errors = parse_errors(file + "(9): error: expected an identifier\n  " + line + "\n  ^\n");
    name_clashes(errors, "k.cu", macros);
    return errors.at(0).message;
  };
  EXPECT_THAT(errors_of("template <typename T>", "/include/cooperative_groups.h"), HasSubstr("T=32"));
  EXPECT_EQ(errors_of("template <typename T>", "k.cu"), "expected an identifier") << "the kernel's own line";
  EXPECT_EQ(errors_of("template <typename TT, int _T>", "/include/a.h"), "expected an identifier");
}

}  // namespace
}  // namespace evo::evaluators::compile
