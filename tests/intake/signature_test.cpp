#include "intake/signature.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

KernelText only(const std::string& source) {
  const std::vector<KernelText> kernels = kernels_of(source);
  EXPECT_EQ(kernels.size(), 1U);
  return kernels.empty() ? KernelText{} : kernels.front();
}

struct Expected {
  const char* text;
  const char* name;
  const char* type;
  bool pointer, constant;
};

TEST(Signature, Parameters) {
  for (const Expected& e : {
           Expected{"float* x", "x", "float*", true, false},
           {"const float* __restrict__ x", "x", "const float*", true, true},
           {"float const *__restrict__ const x", "x", "const float*", true, true},
           {"float* const x", "x", "float*", true, false},
           {"unsigned int n", "n", "unsigned int", false, false},
           {"unsigned n", "n", "unsigned", false, false},
           {"const int n", "n", "int", false, true},
           {"long long n = 4 * (2 + 3)", "n", "long long", false, false},
           {"float4* out", "out", "float4*", true, false},
           {"const T x[]", "x", "const T*", true, true},
           {"const ns::pair<int, float>* p", "p", "const ns::pair<int, float>*", true, true},
           {"MACRO(3) float* x", "x", "float*", true, false},
           {"const __half /* in */ *x", "x", "const __half*", true, true},
           {"const __grid_constant__ Params p", "p", "Params", false, true},
           {"volatile float* x", "x", "float*", true, false},
       }) {
    const Parameter p = read_parameter(e.text);
    EXPECT_EQ(p.name, e.name) << e.text;
    EXPECT_EQ(p.type, e.type) << e.text;
    EXPECT_EQ(p.pointer, e.pointer) << e.text;
    EXPECT_EQ(p.constant, e.constant) << e.text;
  }
}

TEST(Signature, APlainKernel) {
  const KernelText k =
      only("// __global__ void no(int);\n__global__ void add(const float* a, float* c, int n) { }\n");
  EXPECT_EQ(k.name, "add");
  EXPECT_EQ(k.line, 2);
  EXPECT_FALSE(k.extern_c);
  ASSERT_EQ(k.parameters.size(), 3U);
  EXPECT_EQ(k.parameters[2].name, "n");
}

TEST(Signature, LinkageAndNamespaces) {
  EXPECT_TRUE(only("extern \"C\" __global__ void a(int n) {}").extern_c);
  EXPECT_TRUE(only("extern \"C\" {\n__global__ void a(int n) {}\n}").extern_c);
  EXPECT_FALSE(only("extern \"C\" int f();\n__global__ void a(int n) {}").extern_c);
  EXPECT_EQ(only("namespace a::b { struct S { int x; }; __global__ void k() {} }").name, "a::b::k");
  EXPECT_EQ(only("namespace a { void f() { { } } }\n__global__ void k() {}").name, "k");
}

TEST(Signature, Attributes) {
  const KernelText k =
      only("__global__ void __launch_bounds__(BLOCK, 2) __attribute__((used)) k(float* x) {}");
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.launch_bounds, "BLOCK");
  EXPECT_EQ(k.parameters.size(), 1U);
  EXPECT_EQ(only("__global__ __launch_bounds__(128) static void k(void) {}").parameters.size(), 0U);
}

TEST(Signature, Templates) {
  const KernelText k =
      only("template <typename T, int TILE = 16, bool PAD = (1 > 0)>\n__global__ void k(T* x) {}");
  ASSERT_EQ(k.templates.size(), 3U);
  EXPECT_TRUE(k.templates[0].type);
  EXPECT_EQ(k.templates[0].name, "T");
  EXPECT_EQ(k.templates[1].name, "TILE");
  EXPECT_EQ(k.templates[1].fallback, "16");
  EXPECT_TRUE(k.templates[2].boolean);
  EXPECT_TRUE(only("template <class T> struct S {};\n__global__ void k(S<int> s) {}").templates.empty());
}

TEST(Signature, DeclarationsAreNoKernels) {
  EXPECT_TRUE(kernels_of("__global__ void k(int n);\n#define K __global__ void m(int n) { }\n").empty());
  EXPECT_EQ(kernels_of("__global__ void k(int n);\n__global__ void k(int n) {}").size(), 1U);
}

TEST(Signature, ArmsOfAConditionalAreAllThere) {
  const auto kernels =
      kernels_of("#if A\n__global__ void k(int n) {}\n#else\n__global__ void k(float* x) {}\n#endif\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1].parameters[0].name, "x");
}

TEST(Signature, BodiesAreFound) {
  const std::string source = "__global__ void k(int n) { if (n) { f(); } }\nint after;";
  const KernelText k = only(source);
  EXPECT_EQ(source.substr(k.begin, k.end - k.begin), "{ if (n) { f(); } }");
}

TEST(Signature, Entries) {
  const EntryName entry = read_entry("ns::k<float, {TILE}, pair<int, 2>>");
  EXPECT_EQ(entry.name, "ns::k");
  EXPECT_EQ(entry.arguments, (std::vector<std::string>{"float", "{TILE}", "pair<int, 2>"}));
  EXPECT_TRUE(read_entry("add").arguments.empty());
}

TEST(Signature, ListsKeepWhatIsInBrackets) {
  EXPECT_EQ(split_list("ceil_div(n, 2), m"), (std::vector<std::string>{"ceil_div(n, 2)", "m"}));
  EXPECT_EQ(split_list("a < b ? 1 : 2, m"), (std::vector<std::string>{"a < b ? 1 : 2", "m"}));
  EXPECT_TRUE(split_list("  ").empty());
}

}  // namespace
}  // namespace evo::intake
