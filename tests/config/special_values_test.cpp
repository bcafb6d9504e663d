// What a reference's text says of NaN and infinity.
#include "config/special_values.hpp"

#include <gtest/gtest.h>

namespace evo::config {
namespace {

/// "n" for NaN, "i" for infinity.
std::string named(const std::string& code) {
  const model::SpecialValues values = named_special_values(code);
  return std::string(values.nan ? "n" : "") + (values.infinity ? "i" : "");
}

TEST(NamedSpecialValues, AreThoseThatTheTextAsksFor) {
  EXPECT_EQ(named("y[i] = isnan(v) ? 0 : v;"), "n");
  EXPECT_EQ(named("y[i] = std::isnan (x[i]) ? 0 : v;"), "n");
  EXPECT_EQ(named("y[i] = isinf(v) ? 0 : v;"), "i");
  EXPECT_EQ(named("if (!isfinite(v)) return;"), "ni");
  EXPECT_EQ(named("y[i] = v != v ? 0 : v;"), "n");
  EXPECT_EQ(named("if (x[i * n + k] != x[i * n + k]) ++count;"), "n");
  EXPECT_EQ(named("bool number = v == v;"), "n");
  EXPECT_EQ(named("y[r] = most == -INFINITY ? most : 0;"), "i");
  EXPECT_EQ(named("if (m > -INFINITY) s += exp(v - m);"), "i");
  EXPECT_EQ(named("if (CUDART_INF_F == v) return;"), "i");
  EXPECT_EQ(named("if (v < std::numeric_limits<float>::infinity()) ++k;"), "i");
}

TEST(NamedSpecialValues, NothingIsAskedByAMaximumThatBeginsThere) {
  EXPECT_EQ(named("float m = -INFINITY; for (;;) m = fmax(m, x[i]);"), "");
  EXPECT_EQ(named("EVO_REAL best = least ? INFINITY : -INFINITY;"), "");
  EXPECT_EQ(named("// isnan(v)\n/* v != v */ puts(\"isinf(v)\");"), "");
  EXPECT_EQ(named("if (a != ab) x(); if (a.x != b.x) y(); if (a[i] == a[j]) z(); if (n != n1) w();"), "");
  EXPECT_EQ(named("if (2 * a != a + b) x(); if (b.a != a) y(); if (f(a) != a[0]) z();"), "");
  EXPECT_EQ(named("bool has_isnan_x = myisnan(v);"), "");
  EXPECT_EQ(named(""), "");
}

TEST(NamedSpecialValues, ForInputsThatSayNothingElse) {
  std::vector<model::Argument> arguments(5);
  for (model::Argument& argument : arguments) argument.dtype = model::DType::f32;
  arguments[1].role = model::ArgumentRole::output;
  arguments[2].dtype = model::DType::i32;
  arguments[3].fill.emplace();
  arguments[4].special.emplace();
  infer_special_values("y[i] = isnan(v) ? 0 : v;", arguments);
  ASSERT_TRUE(arguments[0].special);
  EXPECT_TRUE(arguments[0].special->nan && arguments[0].special->inferred);
  EXPECT_FALSE(arguments[0].special->infinity);
  EXPECT_FALSE(arguments[1].special);
  EXPECT_FALSE(arguments[2].special);
  EXPECT_FALSE(arguments[3].special) << "it holds what its fill says";
  EXPECT_FALSE(arguments[4].special->nan) << "the problem says that there are none";
}

}  // namespace
}  // namespace evo::config
