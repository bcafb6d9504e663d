#include "diagnose/patterns.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace evo::diagnose {
namespace {

std::string name(std::int64_t rows, std::int64_t columns,
                 const std::function<bool(std::int64_t, std::int64_t)>& wrong) {
  Mask mask{rows, columns, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) mask.marked.push_back(wrong(i, j));
  }
  return find_pattern(mask).name;
}

using I = std::int64_t;

TEST(Patterns, AreNamed) {
  EXPECT_EQ(name(8, 8, [](I, I) { return false; }), "none");
  EXPECT_EQ(name(8, 8, [](I, I) { return true; }), "everywhere");
  EXPECT_EQ(name(8, 8, [](I i, I j) { return i == 3 && j == 4; }), "one_element");
  EXPECT_EQ(name(8, 8, [](I i, I) { return i == 3; }), "rows");
  EXPECT_EQ(name(8, 8, [](I i, I) { return i >= 6; }), "last_rows");
  EXPECT_EQ(name(8, 8, [](I i, I) { return i < 2; }), "first_rows");
  EXPECT_EQ(name(8, 8, [](I, I j) { return j == 7; }), "last_columns");
  EXPECT_EQ(name(8, 8, [](I, I j) { return j == 2 || j == 5; }), "columns");
  EXPECT_EQ(name(16, 8, [](I i, I) { return i % 4 == 1; }), "stride");
  EXPECT_EQ(name(16, 16, [](I i, I j) { return i >= 8 && i < 12 && j >= 4 && j < 8; }), "tile");
  EXPECT_EQ(name(16, 16, [](I i, I j) { return j > i; }), "upper_triangle");
  EXPECT_EQ(name(16, 16, [](I i, I j) { return j == i + 1; }), "diagonal");
  EXPECT_EQ(name(16, 16, [](I i, I j) { return (i * 7 + j * 13) % 11 == 0; }), "scattered");
}

TEST(Patterns, SayWhichLines) {
  Mask mask{4, 2, {false, false, true, true, false, false, false, false}};
  EXPECT_EQ(find_pattern(mask).text, "rows 1 of 4");
}

}  // namespace
}  // namespace evo::diagnose
