#include "intake/reachable.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

bool holds(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// What is left of `source` for the kernel k.
std::string for_k(std::string source, std::map<std::string, std::string> headers = {}) {
  const std::string before = source;
  (void)keep_reachable(source, headers, {"k"});
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'), std::count(before.begin(), before.end(), '\n'));
  return source;
}

TEST(Reachable, FunctionsTypesVariablesAndMacrosLeadOn) {
  const std::string left = for_k(
      "#define LOOP(i, n) for (int i = first(); i < (n); ++i)\n"
      "__device__ int first() { return second; }\n__constant__ int second;\nstruct Pair { Item a; };\n"
      "typedef struct Item_ { int x; } Item;\nenum Kind { red, green };\n"
      "__device__ int unused() { return 1; }\nvoid host() { other<<<1, 1>>>(); }\nint spare = 3;\n"
      "__global__ void k(Pair p, int* y) { LOOP(i, 4) y[i] = p.a.x + green; }\n__global__ void other() { "
      "unused(); }\n");
  for (const char* kept : {"first() {", "second;", "struct Pair", "Item_", "enum Kind", "void k("})
    EXPECT_TRUE(holds(left, kept)) << kept;
  for (const char* gone : {"unused", "host", "spare", "other"}) EXPECT_FALSE(holds(left, gone)) << gone;
}

TEST(Reachable, SpecialisationsAndOverloadsStayTogether) {
  const std::string left = for_k(
      "template <class T> struct Cast;\ntemplate <> struct Cast<float> { };\ntemplate <> struct Other<float> "
      "{ };\n"
      "template <class A, class B> __device__ A to(B b) { return b; }\n"
      "template <> __device__ float to<float, double>(double b) { return b; }\n"
      "template <> __device__ float from<float, double>(double b) { return b; }\n"
      "template void launch<float>(float*);\n"
      "__global__ void k(float* y) { Cast<float> c; y[0] = to<float, double>(1.0); }\n");
  EXPECT_TRUE(holds(left, "struct Cast<float>"));
  EXPECT_TRUE(holds(left, "to<float, double>(double b) {"));
  EXPECT_FALSE(holds(left, "struct Other"));
  EXPECT_FALSE(holds(left, "from<"));
  EXPECT_FALSE(holds(left, "launch"));
}

TEST(Reachable, HeadersToo) {
  std::string source = "#include \"a.h\"\n__global__ void k(int* y) { y[0] = twice(1); }\n";
  std::map<std::string, std::string> headers{{"a.h",
                                              "#define CHECK(x) report(x)\nstd::string report(int "
                                              "x);\n__device__ inline int twice(int x) { return 2 * x; }\n"}};
  EXPECT_EQ(keep_reachable(source, headers, {"k"}), 1);
  EXPECT_TRUE(holds(headers["a.h"], "twice"));
  EXPECT_FALSE(holds(headers["a.h"], "std::string"));
  EXPECT_TRUE(holds(headers["a.h"], "#define CHECK"));
}

TEST(Reachable, DefaultArgumentsAreNoAssignments) {
  const std::string left = for_k(
      "__device__ inline void sync(unsigned mask = 0xffffffff) {}\n"
      "template <class T> __global__ void k(T* y) { if (y) { sync(); } }\nvoid host(int a = 1) { k<<<1, "
      "a>>>(0); }\n");
  EXPECT_TRUE(holds(left, "void sync("));
  EXPECT_TRUE(holds(left, "{ if (y) { sync(); } }"));
  EXPECT_FALSE(holds(left, "host"));
}

TEST(Reachable, OperatorsOfDeviceCodeStay) {
  const std::string left = for_k(
      "struct V { float a; };\n__device__ V operator+(V a, V b) { return {a.a + b.a}; }\n"
      "__device__ V& operator+=(V& a, V b) { a.a += b.a; return a; }\n__global__ void k(V* y) { y[0] = y[1] "
      "+ y[2]; }\n");
  EXPECT_TRUE(holds(left, "operator+(V a"));
  EXPECT_TRUE(holds(left, "operator+=(V& a"));
}

TEST(Reachable, AFunctionOfTheHostLeadsNowhere) {
  const std::string text =
      "struct Stream { int id; };\nstruct Board { Stream s; };\n"
      "inline int size(const Board& b) { return b.s.id; }\n__device__ int size(int n) { return n; }\n"
      "#define HD __host__ __device__\nHD int two() { return 2; }\nEIGEN_HD int three() { return 3; }\n"
      "constexpr int four() { return 4; }\n"
      "__global__ void k(int* y) { y[0] = size(1) + two() + three() + four(); }\n";
  const std::string left = for_k(text);
  for (const char* kept : {"size(int n)", "two()", "three() {", "four() {"})
    EXPECT_TRUE(holds(left, kept)) << kept;
  for (const char* gone : {"Board", "Stream"}) EXPECT_FALSE(holds(left, gone)) << gone;
}

TEST(Reachable, AConditionThatEndsBehindWhatGoesStays) {
  const std::string left = for_k(
      "__device__ int unused(int n) {\n#ifdef A\n  return n;\n#else\n  return 1;\n#endif\n}\n"
      "#ifdef A\n__device__ int other(int n) {\n#else\n__device__ int other(long n) {\n#endif\n  return "
      "2;\n}\n"
      "__global__ void k(int* y) { y[0] = 1; }\n");
  EXPECT_FALSE(holds(left, "other"));
  const auto count = [&](const std::string& word) {
    int n = 0;
    for (std::size_t at = left.find(word); at != std::string::npos; at = left.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("#ifdef A"), 1) << left;
  EXPECT_EQ(count("#else"), 1) << left;
  EXPECT_EQ(count("#endif"), 1) << left;
}

TEST(Reachable, AHeaderThatDeclaresNothingMoreIsShort) {
  std::string source =
      "#include \"a.h\"\n#include \"b.h\"\n__global__ void k(int* y) { y[0] = twice(N(1)); }\n";
  std::map<std::string, std::string> headers{
      {"a.h",
       "// Much.\n\n#pragma once\n\n#define N(x) \\\n  (x)\n#define M (1)\nnamespace a {\nint spare();\n}\n"},
      {"b.h", "// Kept.\n\n__device__ inline int twice(int x) { return 2 * x; }\n"}};
  EXPECT_EQ(keep_reachable(source, headers, {"k"}), 1);
  EXPECT_EQ(headers["a.h"], "#pragma once\n#define N(x) (x)\n#define M (1)\nnamespace a { }\n");
  std::map<std::string, std::string> others{
      {"c.h", "#ifndef LIBRARY\n#error \"no library\"\n#endif\n"},
      {"d.h", "#ifndef LIBRARY\n#error \"no library\"\n#endif\n#define N(x) (x)\n"}};
  source += "int spare;\n";
  EXPECT_EQ(keep_reachable(source, others, {"k", "N"}), 1);
  EXPECT_EQ(others["c.h"], "#ifndef LIBRARY\n#endif\n") << "nobody needs anything of it";
  EXPECT_NE(others["d.h"].find("#error"), std::string::npos);
  EXPECT_TRUE(headers["b.h"].starts_with("// Kept.\n\n")) << "its lines are asked for";
}

TEST(Reachable, NamesThatArePastedTogetherCannotBeFollowed) {
  std::string source =
      "#define CALL(x) op_##x()\n__device__ int op_a() { return 1; }\n__global__ void k(int* y) { y[0] = "
      "CALL(a); }\n";
  const std::string before = source;
  std::map<std::string, std::string> none;
  EXPECT_EQ(keep_reachable(source, none, {"k"}), 0);
  EXPECT_EQ(source, before);
}

TEST(Reachable, AMacroCallWithoutASemicolonIsADeclarationOfItsOwn) {
  std::string source =
      "#define MAKE(T) template __global__ void other<T>(T* x);\n"
      "template <class T> __global__ void other(T* x) {}\nMAKE(float)\nMAKE(int)\n"
      "__global__ void k(float* x) {}\nMAKE(long)\nnamespace a {\nMAKE(short)\n}\n";
  std::map<std::string, std::string> headers;
  EXPECT_GT(keep_reachable(source, headers, {"k"}), 0);
  EXPECT_NE(source.find("void k("), std::string::npos);
  for (const char* gone : {"MAKE(float)", "MAKE(int)", "MAKE(long)", "MAKE(short)"})
    EXPECT_EQ(source.find(gone), std::string::npos) << source;
}

// Which of the device's functions is meant nobody says; none of the host's is.
TEST(Reachable, WherePastedNamesLeadAllOfTheDeviceStays) {
  const std::string left = for_k(
      "#define CALL(x) op_##x()\n__device__ int op_a() { return limit; }\n__constant__ int limit;\n"
      "void host() { std::sort(); }\n__global__ void k(int* y) { y[0] = CALL(a); }\n");
  EXPECT_TRUE(holds(left, "op_a() {"));
  EXPECT_TRUE(holds(left, "int limit;"));
  EXPECT_FALSE(holds(left, "host"));
}

}  // namespace
}  // namespace evo::intake
