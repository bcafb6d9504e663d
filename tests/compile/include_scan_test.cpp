#include "evaluators/compile/include_scan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace evo::evaluators::compile {
namespace {

class Forbidden : public ::testing::TestWithParam<const char*> {};
class Allowed : public ::testing::TestWithParam<const char*> {};

TEST_P(Forbidden, IsSeen) {
  EXPECT_FALSE(forbidden_includes(GetParam(), "c.cu").empty()) << GetParam();
}
TEST_P(Allowed, IsLeftAlone) {
  const auto found = forbidden_includes(GetParam(), "c.cu");
  EXPECT_TRUE(found.empty()) << GetParam() << " -> " << found.front().message;
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, Forbidden,
    ::testing::Values(
        "#include \"/etc/passwd\"", "#include </etc/passwd>", "# include \"../secret.h\"",
        "#include <a/../../b.h>", "#include \"..\"", "#include \"a/..\"", "#include \" /etc/passwd\"",
        "#include \"a\\b.h\"", "%:include \"/etc/passwd\"", "%: include \"/etc/passwd\"",
        "?\?=include \"/etc/passwd\"", "#inclu\\\nde \"/etc/passwd\"", "#\\\r\ninclude \"/etc/passwd\"",
        "#inclu?\?/\nde \"/etc/passwd\"", "#include \"/et\\\nc/passwd\"", "#include \".\\\n./x\"",
        "#/* c */include/* c */\"/etc/passwd\"", "/* a\n b */ #include \"/etc/passwd\"",
        "#/* two\nlines */include \"/etc/passwd\"", "#\rinclude \"/etc/passwd\"",
        "\f#\vinclude\t\"/etc/passwd\"", "int a; /**/ # include </etc/passwd>",
        "#define X \"/etc/passwd\"\n#include X", "#include X(1)", "#include", "#include L\"/etc/passwd\"",
        "#include_next \"a.h\"", "#import \"a.h\"", "#embed \"a.bin\"", "#using \"a.dll\"",
        "#if __has_include(\"/etc/passwd\")", "#if __has_include(<../x>)", "#if __has_include(X)",
        "#define H __has_include", "#if __has_embed(\"/etc/passwd\")",
        "#if __has_include_next(</etc/passwd>)", "import \"/etc/passwd\";", "export import <cstdint>;",
        "#pragma include_alias(\"a.h\", \"/etc/passwd\")", "R\"(\n#include \"/etc/passwd\"\n)\"",
        "// \\\n#include \"/etc/passwd\"", "#include \"~/x\"", "#include \" .. /x\"", "#include <a/\t../x>",
        "#include \"a/..\v\""));

INSTANTIATE_TEST_SUITE_P(Spellings, Allowed,
                         ::testing::Values("#include <cuda_fp16.h>", "#include \"evo_half.cuh\"",
                                           "#include <cub/block/block_reduce.cuh>", "#include \"a..b.h\"",
                                           "#include <...h>",
                                           "#ifdef __has_include\n#if __has_include(<mma.h>)\n#endif\n#endif",
                                           "#if defined(__has_include) && __has_include(\"x.h\")\n#endif",
                                           "int import = 3;", "#define STR(x) #x",
                                           "#define CAT(a, b) a %: %: b", "const char* s = \"# 1\";", "",
                                           "#line 3 \"/etc/passwd\"", "int included; // include it"));

TEST(IncludeScan, TellsFileAndLineOfTheUse) {
  const auto found = forbidden_includes("// one\n#define A \\\n  1\n#include \"/etc/passwd\"\n", "c.cu");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "error");
  EXPECT_EQ(found[0].file, "c.cu");
  EXPECT_EQ(found[0].line, 4);
  EXPECT_NE(found[0].message.find("/etc/passwd"), std::string::npos);
}

// What reads the name may take it to end there.
TEST(IncludeScan, AZeroByteInAHeadersNameIsSeen) {
  using namespace std::string_literals;
  const auto found = forbidden_includes("#include \"a.h\0.txt\"\n"s, "c.cu");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].message.find("zero byte"), std::string::npos) << found[0].message;
}

TEST(IncludeScan, FollowsLineDirectives) {
  const auto found = forbidden_includes(
      "#define BLOCK_M 64\n#line 1 \"scalar.cu\"\n#include \"../x\"\n#line 40\n\n#include \"../y\"\n",
      "c.cu");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].file, "scalar.cu");
  EXPECT_EQ(found[0].line, 1);
  EXPECT_EQ(found[1].file, "scalar.cu");
  EXPECT_EQ(found[1].line, 41);
}

/// Whatever noise surrounds it, however the directive is broken up by splices, comments and blanks.
RC_GTEST_PROP(IncludeScan, NoDisguiseHidesAnAbsoluteInclude, ()) {
  const auto gap = [] {
    return *rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                             " ", "\t", "\\\n", "\\\r\n", "/**/", "/* x */", "/*\n*/", "\v", "\f", "\r")),
                         [](const std::vector<std::string>& parts) {
                           std::string text;
                           for (const auto& part : parts) text += part;
                           return text;
                         });
  };
  std::string word;
  for (const char c : std::string("include")) {
    word += c;
    if (*rc::gen::inRange(0, 4) == 0) word += "\\\n";
  }
  const std::string hash = *rc::gen::element<std::string>("#", "%:", "%\\\n:");
  const std::string quoted =
      *rc::gen::element<std::string>("\"/etc/passwd\"", "</etc/passwd>", "\"../x\"", "MACRO");
  const auto noise =
      *rc::gen::container<std::string>(rc::gen::element('a', '\n', '"', '\'', '/', '*', '#', '(', 'R', '\\'));
  // After a backslash-free newline the directive stands at the start of a line, as it must.
  const std::string source =
      noise + "x\n" + gap() + hash + gap() + word + " " + gap() + quoted + "\n" + noise;
  RC_ASSERT(!forbidden_includes(source, "c.cu").empty());
}

RC_GTEST_PROP(IncludeScan, AnyBytesAreHandled, ()) {
  const auto source = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::element('#', '\\', '\n', '%', ':', '"', '<', '/', '*', '.', '?')));
  for (const auto& item : forbidden_includes(source, "c.cu")) RC_ASSERT(!item.message.empty());
}

}  // namespace
}  // namespace evo::evaluators::compile
