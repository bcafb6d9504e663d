// The line of a value in a JSON file.
#include "intake/json_place.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

constexpr const char* places = R"({
  "a": {"x": [1, {"y}": "]"},
        2]},
  "b\"c": 3,
  "list": [
    [],
    {"k": "v",
     "m": null}
  ]
})";

TEST(JsonPlace, TheLineOfAPath) {
  EXPECT_EQ(json_line(places, ""), 1);
  EXPECT_EQ(json_line(places, "a.x"), 2);
  EXPECT_EQ(json_line(places, "a.x[2]"), 3);
  EXPECT_EQ(json_line(places, "list"), 5);
  EXPECT_EQ(json_line(places, "list[0]"), 6);
  EXPECT_EQ(json_line(places, "list[1].m"), 8);
}

TEST(JsonPlace, WhatIsNotThereHasTheLineOfWhatHoldsIt) {
  EXPECT_EQ(json_line(places, "list[1].q"), 7);
  EXPECT_EQ(json_line(places, "nope"), 1);
  EXPECT_EQ(json_line("", "a"), std::nullopt);
}

}  // namespace
}  // namespace evo::intake
