#include "config/nearest.hpp"

#include <gtest/gtest.h>

namespace evo::config {
namespace {

TEST(Nearest, FindsTypos) {
  const std::vector<std::string> known{"population", "generations", "seed", "window"};
  EXPECT_EQ(nearest("popluation", known), "population");
  EXPECT_EQ(nearest("SEED", known), "seed");
  EXPECT_EQ(nearest("windows", known), "window");
  EXPECT_FALSE(nearest("temperature", known));
}

TEST(Nearest, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(suggestion("xyzzy", {"a_long_word", "another"}), "; known: a_long_word, another");
  EXPECT_EQ(suggestion("anothr", {"a_long_word", "another"}), " (did you mean 'another'?)");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace evo::config
