// Python's lists of values, as T1 files have them.
#include "intake/value_lists.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

using Words = std::vector<std::string>;

TEST(ValueLists, ListsRangesAndSumsOfThem) {
  EXPECT_EQ(listed_values("[16, 32,48, ]").value(), (Words{"16", "32", "48"}));
  EXPECT_EQ(listed_values("[1, 2] + list(range(32, 97, 32))").value(), (Words{"1", "2", "32", "64", "96"}));
  EXPECT_EQ(listed_values("range(3)").value(), (Words{"0", "1", "2"}));
  EXPECT_EQ(listed_values("list(range(8, 0, -4))").value(), (Words{"8", "4"}));
  EXPECT_EQ(listed_values("[0.5, 1e-3, True, False, 'a_b', half, \"c\"]").value(),
            (Words{"0.5", "1e-3", "1", "0", "a_b", "half", "c"}));
  EXPECT_EQ(listed_values("[2**5, (1 + 1) * 3]").value(), (Words{"32", "6"}));
}

TEST(ValueLists, Comprehensions) {
  EXPECT_EQ(listed_values("[2**i for i in range(0, 4)]").value(), (Words{"1", "2", "4", "8"}));
  EXPECT_EQ(listed_values("[i for i in range(1, 10+1) if i % 3 == 0]").value(), (Words{"3", "6", "9"}));
  EXPECT_EQ(listed_values("[32 * k for k in [1, 3]] + [7]").value(), (Words{"32", "96", "7"}));
}

TEST(ValueLists, WhatIsNoneIsRefused) {
  for (const char* text : {"", "32", "[f(2)]", "[i for i]", "[j for i in range(3)]", "range()",
                           "range(1, 2, 0)", "range(1, 2, 3, 4)", "range(9999999)",
                           "range(9223372036854775807, 9223372036854775807)", "[1, 2", "[a b]", "[1] + 3"})
    EXPECT_FALSE(listed_values(text).has_value()) << text;
}

}  // namespace
}  // namespace evo::intake
