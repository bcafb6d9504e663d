// What is inferred of an argument from its type and from what the code does with it.
#include "intake/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace evo::intake {
namespace {

KnownParameter pointer_to(const char* type) {
  KnownParameter p;
  p.text.name = "x";
  p.text.type = type;
  p.text.pointer = true;
  p.type = element_type(type);
  return p;
}

std::string told(const DraftArgument& argument, std::string_view key) {
  const auto found = std::ranges::find_if(argument.keys, [&](const auto& each) { return each.first == key; });
  return found == argument.keys.end() ? "" : found->second;
}

TEST(Arguments, ConstMakesAnInput) {
  KnownParameter p = pointer_to("const float*");
  // What a call does that was not inlined nobody knows: it counts as read and written.
  p.kernel.read = p.kernel.written = p.kernel.read_first = true;
  EXPECT_EQ(infer_argument(p, {}, 0).role, "input");
  p = pointer_to("float*");
  p.kernel.read = p.kernel.written = p.kernel.read_first = true;
  EXPECT_EQ(infer_argument(p, {}, 0).role, "inout");
}

TEST(Arguments, SumsThatAtomicsAddToAreInAnyOrder) {
  KnownParameter p = pointer_to("float*");
  p.kernel.written = p.kernel.atomic = p.kernel.sums = true;
  EXPECT_EQ(told(infer_argument(p, {}, 0), "reproducible"), "false");
  p.kernel.sums = false;
  EXPECT_EQ(told(infer_argument(p, {}, 0), "reproducible"), "");
  p = pointer_to("int*");
  p.kernel.written = p.kernel.atomic = p.kernel.sums = true;
  EXPECT_EQ(told(infer_argument(p, {}, 0), "reproducible"), "") << "integers add up in each order";
}

}  // namespace
}  // namespace evo::intake
