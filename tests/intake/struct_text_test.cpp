#include "intake/struct_text.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

using Names = std::vector<std::string>;

TEST(StructText, MembersInTheirOrder) {
  EXPECT_EQ(data_members({"typedef struct Dim_ { int rows; int cols, stride; } Dim;"}, "Dim"),
            (Names{"rows", "cols", "stride"}));
  EXPECT_EQ(data_members({"typedef struct Dim_ { int rows; } Dim;"}, "Dim_"), (Names{"rows"}));
  EXPECT_EQ(data_members(
                {"struct A { float x = 1, y[4], *p; unsigned b : 3; const char* const s{nullptr}; };"}, "A"),
            (Names{"x", "y", "p", "b", "s"}));
}

TEST(StructText, WhatIsNoMember) {
  const std::string text =
      "template <class T, int N> class __align__(16) View : public Base<T> {\n public:\n"
      "  View(T* d, int n) : data(d), n{n} {}\n  using type = T;\n  static constexpr int rank = N;\n"
      "  template <class U> __device__ U as(int i) const { return U(data[i]); }\n"
      "  T operator()(int i) const;\n  enum { two = 2 };\n  struct Inner { int hidden; };\n  Inner inner;\n"
      "  friend struct Other;\n private:\n  alignas(8) T* __restrict__ data;\n  int n;\n};\n";
  EXPECT_EQ(data_members({"template <class T> struct Base { T first; };", text}, "ns::View<float, 2>"),
            (Names{"first", "inner", "data", "n"}));
  EXPECT_TRUE(data_members({"struct A;"}, "A").empty());
  EXPECT_FALSE(declares_struct({"struct A;", "A f();"}, "A"));
}

TEST(StructText, AnonymousUnionsAreTheirFirstMember) {
  EXPECT_EQ(
      data_members({"struct V { union { float r; int i; }; struct { int a, b; }; struct Pair p; };"}, "V"),
      (Names{"r", "a", "b", "p"}));
}

}  // namespace
}  // namespace evo::intake
