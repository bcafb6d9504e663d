// What the compiler gets of a source: the same program, without what only looks like one.
#include "evaluators/compile/source_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "evaluators/compile/include_scan.hpp"
#include "tests/compile/support.hpp"

namespace evo::evaluators::compile {
namespace {

TEST(SourceText, CommentsAreBlanksOnTheSameLines) {
  EXPECT_EQ(without_comments("int a; // b\nint c;"), "int a;     \nint c;");
  EXPECT_EQ(without_comments("#define A 1 /* x\n y */ + 2\n"), "#define A 1     \\\n      + 2\n");
  EXPECT_EQ(without_comments("/\\\n/ x\nint a;"), "  \\\n   \nint a;");
  EXPECT_EQ(without_comments("a = b / c; /* no end"), "a = b / c; /* no end");
}

TEST(SourceText, StringsKeepWhatLooksLikeAComment) {
  for (const std::string same : {"const char* s = \"// \\\" /* \";", "R\"x(// )\" )x\"", "u8R\"(/* )\"",
                                 "int n = 1'000'000;", "const char* s = \"a\\\n// b\";"}) {
    EXPECT_EQ(without_comments(same), same);
  }
  EXPECT_EQ(without_comments("char c = '\"'; // \""), "char c = '\"';     ");
  EXPECT_EQ(without_comments("int n = 1'0; // x"), "int n = 1'0;     ");
}

TEST(SourceText, IncludesInCommentsAndStringsAreNone) {
  for (const char* harmless :
       {"// #include \"/etc/passwd\"\nint a;", "/* #include </etc/passwd>\n#include \"../x\" */ int a;",
        "const char* s = \"#include </etc/passwd>\";", "const char* s = \"import <x>\";",
        "assert(n > 0 && \"see #include_next\");", "// __has_include(X)\n",
        "// \\\n#include \"/etc/passwd\"\n"}) {
    EXPECT_TRUE(forbidden_includes(prepared_source(harmless), "k.cu").empty()) << harmless;
  }
  for (const char* forbidden :
       {"/* a */ #include \"/etc/passwd\"", "const char* s = \"\\\\\";\n#include \"/etc/passwd\"",
        "char c = '\"';\n#include \"/etc/passwd\" //\"", "#if 0\nR\"(\")\" /*\n#endif\n#include \"../x\"\n",
        "#include /* \" */ \"/etc/passwd\"", "/\\\n* a *\\\n/ #include \"/etc/passwd\""}) {
    EXPECT_FALSE(forbidden_includes(prepared_source(forbidden), "k.cu").empty()) << forbidden;
  }
}

TEST(SourceText, AByteOrderMarkGoes) {
  EXPECT_EQ(prepared_source("#line 1 \"k.cu\"\n\xef\xbb\xbfint a;"), "#line 1 \"k.cu\"\n   int a;");
}

TEST(SourceText, LinesAreWhereTheyStand) {
  const std::string own = "#define N 4\n#line 1 \"k.cu\"\n";
  for (const char* directive : {"#line 1 \"x\"", "  #  line 7", "# 1 \"x\" 2", "%: line 3", "#\\\nline 1",
                                "#li\\\nne 1", "/* a */ #line 9"}) {
    const std::string text = prepared_source(own + "int a;\n" + directive + "\nint b;\n");
    EXPECT_TRUE(text.starts_with(own + "int a;\n")) << directive;
    EXPECT_EQ(text.substr(own.size() + 7).find_first_not_of(" \n"), text.find("int b;") - own.size() - 7)
        << text;
  }
  for (const char* kept : {"#pragma unroll 4", "#define line 3", "#if 1\n#endif", "int line = 3;"}) {
    const std::string text = own + kept + std::string("\n");
    EXPECT_EQ(prepared_source(text), text);
  }
  EXPECT_EQ(prepared_source("#line 3\n", 0), "       \n") << "a header has none of evo's";
}

RC_GTEST_PROP(SourceText, AnyBytesKeepTheirLines, ()) {
  const auto source = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::element('/', '*', '\\', '\n', '"', '\'', 'R', '(', ')')));
  const std::string text = prepared_source(source);
  RC_ASSERT(std::count(text.begin(), text.end(), '\n') == std::count(source.begin(), source.end(), '\n'));
}

TEST_F(RealCompile, SourcesInUnusualEncodingsCompile) {
  const std::string kernel = "extern \"C\" __global__ void k(char* o) { o[0] = 1; }";
  EXPECT_TRUE(compile("\xef\xbb\xbf" + kernel)) << "a byte-order mark";
  EXPECT_TRUE(compile("// caf\xe9\n" + kernel)) << "Latin-1";
  EXPECT_TRUE(compile("// one\r\n" + kernel + "\r\n"));
  const auto zero = compile(kernel + std::string(1, '\0') + "\n");
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().reason, "source_encoding");
  EXPECT_FALSE(compile(""));
}

TEST_F(RealCompile, ADirectiveGoesOnBehindAComment) {
  EXPECT_TRUE(
      compile("#define A 1 /* two\n lines */ + 1\nextern \"C\" __global__ void k(char* o) {\n"
              "  static_assert(A == 2 && __LINE__ == 4, \"\");\n o[0] = \"#include <../x>\"[0];\n}\n"));
}

}  // namespace
}  // namespace evo::evaluators::compile
