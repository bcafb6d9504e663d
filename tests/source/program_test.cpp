#include "source/program.hpp"

#include <gtest/gtest.h>

#include "source/scope.hpp"

namespace evo::source {
namespace {

std::vector<std::string> statements(const Program& program, NodeKind kind) {
  std::vector<std::string> result;
  for (const Node& node : program.nodes) {
    if (node.kind == kind) result.push_back(program.flat(node.span));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(SourceProgram, OnlyWhatTheMacrosLeaveAliveIsRead) {
  const Program program = read_program(
      "#define TILE 32\n#define MODE_a 0\n#define MODE_b 1\n#define MODE MODE_b\n#line 1 \"k.cu\"\n"
      "__global__ void k(int* x) {\n#if TILE > 16 && MODE == MODE_b\n  x[0] = 1;\n#else\n  x[0] = "
      "2;\n#endif\n"
      "#ifdef NOTHING\n  x[1] = 3;\n#elif defined(TILE)\n  x[1] = 4;\n#endif\n"
      "#if TILE > 32\n  x[2] = 5;\n#endif\n}\n");
  EXPECT_EQ(statements(program, NodeKind::expression), (Texts{"x[0] = 1;", "x[1] = 4;"}));
  EXPECT_TRUE(program.complaints.empty());
  ASSERT_EQ(program.functions.size(), 1U);
  EXPECT_TRUE(program.functions[0].kernel);
  EXPECT_EQ(program.line(program.nodes[1]), 3);
}

TEST(SourceProgram, StatementsNest) {
  const Program program = read_program(
      "template <int N> __global__ void __launch_bounds__(128) k(float* x, int n) {\n"
      "  for (int i = 0; i < N; ++i) { if (i < n) x[i] = 0; else x[i] = 1; }\n"
      "  do { --n; } while (n > 0);\n  switch (n) { case 1: x[0] = 1; break; default: return; }\n"
      "  auto f = [&](int a) { return a; };\n  FOR_EACH(i) { x[i] = 2; }\n}\n");
  EXPECT_TRUE(program.complaints.empty());
  EXPECT_EQ(program.functions.at(0).name, "k");
  EXPECT_EQ(statements(program, NodeKind::loop).size(), 2U);
  EXPECT_EQ(statements(program, NodeKind::label), (Texts{"case 1:", "default:"}));
  EXPECT_EQ(statements(program, NodeKind::branch), (Texts{"if (i < n) x[i] = 0; else x[i] = 1;"}));
  EXPECT_EQ(statements(program, NodeKind::macro_block).size(), 1U);
  EXPECT_EQ(statements(program, NodeKind::declaration), (Texts{"auto f = [&](int a) { return a; };"}));
}

TEST(SourceProgram, FunctionsAmongEverythingElse) {
  const Program program = read_program(
      "#include <x>\nnamespace a { struct S { int v; S() : v{1}, w(2) { v = 2; } int get() const { return v; "
      "} };\n"
      "enum class E { one, two };\n}\nextern \"C\" {\n__device__ float f(float x) { return x; }\n}\n"
      "INSTANTIATE(f)\nstatic const int table[] = {1, 2};\n"
      "__device__ float f(double x) { return x; }\nint operator()(int) { return 1; }\nusing T = int;\n");
  EXPECT_TRUE(program.complaints.empty());
  Texts names;
  for (const Function& function : program.functions) names.push_back(function.name);
  EXPECT_EQ(names, (Texts{"S", "get", "f", "f~1", "operator"}));
}

TEST(SourceProgram, WhatCannotBeReadIsSaid) {
  const Program program = read_program("void f() {\n  if x > 1) y = 2;\n}\n");
  ASSERT_FALSE(program.complaints.empty());
  EXPECT_EQ(program.complaints[0].line, 2);
  EXPECT_FALSE(read_program("void f() { x = 1;").complaints.empty());
}

TEST(SourceProgram, APragmaBelongsToItsLoop) {
  const std::string text =
      "void f() {\n  g();\n#pragma unroll 4\n  for (;;) g();\n  UNROLL for (;;) h();\n}\n";
  const Program program = read_program(text);
  int loops = 0;
  for (const Node& node : program.nodes) {
    if (node.kind != NodeKind::loop) continue;
    ++loops;
    ASSERT_NE(node.pragma, none);
    EXPECT_EQ(text.find(loops == 1 ? "#pragma" : "UNROLL"), node.pragma);
  }
  EXPECT_EQ(loops, 2);
}

TEST(SourceScope, ANameMeansTheDeclarationThatIsSeen) {
  const Program program = read_program(
      "void f(float* x, int n) {\n  int a = 1;\n  for (int i = 0; i < n; ++i) {\n    int a = 2;\n    x[i] = "
      "a;\n  }\n"
      "  x[0] = a;\n  int b = 3;\n  x[1] = b + n;\n}\n");
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].kind == NodeKind::expression) work.push_back(i);
  }
  ASSERT_EQ(work.size(), 3U);
  EXPECT_FALSE(in_scope(program, work[0], work[1]));  // i is not there, a is another one
  EXPECT_FALSE(in_scope(program, work[1], work[0]));  // a is another one
  EXPECT_FALSE(in_scope(program, work[2], work[1]));  // b comes later
  EXPECT_TRUE(in_scope(program, work[1], work[2]));
}

}  // namespace
}  // namespace evo::source
