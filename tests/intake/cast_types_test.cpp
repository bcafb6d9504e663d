#include "intake/cast_types.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

using Types = std::vector<std::string>;

TEST(CastTypes, OfAParameterAndOfAMember) {
  const std::string text =
      "void f(P p, const void* x) {\n  const T* a = (const T*)p.x;\n  auto b = reinterpret_cast<input_t "
      "*>(x);\n"
      "  float c = ((float*)val)[3];\n  half2 d = *static_cast<const half2*>(p.inner.y);\n}\n";
  EXPECT_EQ(casts_of({text}, "x"), (Types{"T", "input_t"}));
  EXPECT_EQ(casts_of({text}, "val"), (Types{"float"}));
  EXPECT_EQ(casts_of({text, text}, "y"), (Types{"half2"}));
}

TEST(CastTypes, WhatIsNoCastOfTheName) {
  const std::string text =
      "int f(P p) { return (int)x + (a * b) * x + g((T*)x.first) + g((T*)x[1]) + g((void*)x) + g((T**)x); "
      "}\n";
  EXPECT_TRUE(casts_of({text}, "x").empty());
}

TEST(CastTypes, LocalNamesAndTemplateParametersAreSpelledOut) {
  const std::string body =
      "{ using input_t = typename K::input_t; typedef Vec<T, 4> vec_t; constexpr int n = 3; }";
  const std::vector<std::pair<std::string, std::string>> values{{"K", "Traits<64, float>"}, {"T", "half"}};
  EXPECT_EQ(spelled_out("input_t", body, values), "typename Traits<64,float>::input_t");
  EXPECT_EQ(spelled_out("vec_t", body, values), "Vec<half,4>");
  EXPECT_EQ(spelled_out("T", body, values), "half");
  EXPECT_EQ(spelled_out("unsigned int", body, values), "unsigned int");
}

}  // namespace
}  // namespace evo::intake
