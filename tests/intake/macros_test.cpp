#include "intake/macros.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

TEST(Macros, NumbersThatTheFileDefines) {
  const SourceMacros m =
      macros_of("#define TILE 16\n#define PAD (1)\n#define F(x) 3\n#define E TILE + 1\n#define G\n");
  ASSERT_EQ(m.defined.size(), 2U);
  EXPECT_EQ(m.defined[0].name, "TILE");
  EXPECT_EQ(m.defined[0].value, "16");
  EXPECT_EQ(m.defined[0].line, 1);
  EXPECT_FALSE(m.defined[0].guarded);
  EXPECT_EQ(m.find("PAD")->value, "1");
}

TEST(Macros, ConstantsOfTheFileAreNoneOfFunctionsAndClasses) {
  const SourceMacros m = macros_of(
      "const int N= 1024;\nnamespace a {\nstatic constexpr unsigned int TILE = 32;\n}\n"
      "void f() { const int local = 3; }\nstruct S { static constexpr int member = 4; };\n"
      "int plain = 5;\nconst int sum = N + 1;\nconst float share = 2;\nconst int a = 1, b = 2;\n"
      "const int many = 33 * (1 << 10);\nconst std::size_t wide = 65536;\nconst long long wider = 65536;\n");
  ASSERT_EQ(m.constants.size(), 3U);
  EXPECT_EQ(m.constants[2].name, "many");
  EXPECT_EQ(m.constants[2].value, "33 * ( 1 << 10 )");
  EXPECT_EQ(m.constants[0].name, "N");
  EXPECT_EQ(m.constants[0].value, "1024");
  EXPECT_EQ(m.constants[1].name, "TILE");
  EXPECT_EQ(m.constants[1].line, 3);
  EXPECT_EQ(m.find("N")->value, "1024");
  EXPECT_TRUE(m.defined.empty());
}

TEST(Macros, AConstantIsAComment) {
  EXPECT_EQ(without_definition("int a; const int N = 8; int b;\n", "N"),
            "int a; /* const int N = 8; */ int b;\n");
  EXPECT_EQ(without_definition("void f() { const int N = 8; }\n", "N"), "void f() { const int N = 8; }\n");
}

TEST(Macros, AGuardedDefinitionYields) {
  const SourceMacros m = macros_of(
      "#ifndef BLOCK\n#define BLOCK 128\n#endif\n#if !defined(T)\n#define T 4\n#endif\n#define U 2\n");
  EXPECT_TRUE(m.find("BLOCK")->guarded);
  EXPECT_TRUE(m.find("T")->guarded);
  EXPECT_FALSE(m.find("U")->guarded);
  EXPECT_TRUE(m.asked.empty());
}

TEST(Macros, ConditionsAskForNames) {
  const SourceMacros m = macros_of(
      "#if USE_SOA == 0\n#elif USE_SOA == 1\n#endif\n#if defined(X)\n#endif\n#ifdef Y\n#endif\n#if "
      "__CUDA_ARCH__ > 800 && VEC > 1\n#endif\n");
  ASSERT_EQ(m.asked.size(), 4U);
  EXPECT_EQ(m.asked[0].name, "USE_SOA");
  EXPECT_EQ(m.asked[0].compared, (std::vector<std::string>{"0", "1"}));
  EXPECT_FALSE(m.asked[0].only_defined);
  EXPECT_TRUE(m.asked[1].only_defined);
  EXPECT_TRUE(m.asked[2].only_defined);
  EXPECT_EQ(m.asked[3].name, "VEC");
}

TEST(Macros, ADefinitionBecomesAComment) {
  const std::string source = "int a;\n  #define N 4\nint b[N];\n";
  EXPECT_EQ(without_definition(source, "N"), "int a;\n  // #define N 4\nint b[N];\n");
  EXPECT_EQ(without_definition(source, "M"), source);
}

TEST(Macros, Names) {
  EXPECT_EQ(line_of_name("int a;\n// N\nint b = N;", "N"), 3);
  EXPECT_EQ(line_of_name("int a;", "N"), 0);
  EXPECT_EQ(names_of("a + b * a"), (std::vector<std::string>{"a", "b"}));
}

TEST(Macros, NamesThatATextStandsBehind) {
  const auto needed = [](const std::string& source) { return needed_macros(source, source.find("KERNEL")); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(needed("#ifdef A\n#if defined(B)\n#if C\nKERNEL\n#endif\n#endif\n#endif\n"),
            (Names{"A", "B", "C"}));
  EXPECT_EQ(needed("#ifdef A\nint x;\n#endif\nKERNEL\n"), Names{});
  EXPECT_EQ(needed("#ifdef A\nint x;\n#else\nKERNEL\n#endif\n"), Names{});
  EXPECT_EQ(needed("#ifndef H\n#define H\nKERNEL\n#endif\n"), Names{});
  EXPECT_EQ(needed("#define A\n#ifdef A\nKERNEL\n#endif\n"), Names{});
  EXPECT_EQ(needed("#if 1\n#if __CUDA_ARCH__\n#if X > 2\nKERNEL\n#endif\n#endif\n#endif\n"), Names{});
}

TEST(Macros, ConstantsOfFunctions) {
  const std::string source =
      "const int N = 1;\nstruct A { static const int N = 2; int f() { const int N = 3; return N; } };\n"
      "template <class T> void g() {\n  if (N) { constexpr int N = 4; }\n  const int N = 5, M = 6;\n}\n";
  const std::vector<DefinedMacro> found = local_constants(source, "N", 3);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].value, "4");
  EXPECT_EQ(found[0].line, 4);
  ASSERT_EQ(local_constants(source, "N", 7).size(), 1U) << "that function has none";
  EXPECT_EQ(local_constants(source, "N", 7)[0].value, "3");
  EXPECT_TRUE(local_constants(source, "M", 3).empty());
  EXPECT_TRUE(local_constants("void f() { const unsigned N = 8; }\n", "N", 1).empty())
      << "it decides how an int that it is compared with is read";
}

/// Of a function that is not the kernel a constant of another value is another thing.
TEST(Macros, ConstantsOfOtherFunctionsKeepTheirValue) {
  const std::string source =
      "void warp() { const int N = 32; use(N); { N; } }\nvoid k() { const int N = 8; use(N); }\n"
      "void same() { const int N = 8; }\nint N_;\n";
  const std::vector<DefinedMacro> found = local_constants(source, "N", 2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 2) << "the kernel's own is the first";
  EXPECT_EQ(found[1].line, 3);
  EXPECT_EQ(without_local_constants(source, "N", "8"),
            "void warp() { const int N_own = 32; use(N_own); { N_own; } }\n"
            "void k() { /* const int N = 8; */ use(N); }\nvoid same() { /* const int N = 8; */ }\nint N_;\n");
}

}  // namespace
}  // namespace evo::intake
