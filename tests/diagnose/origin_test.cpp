#include "diagnose/origin.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::diagnose {
namespace {

std::string text_of(const std::vector<int>& lines) {
  std::string text;
  for (const int line : lines) text += "line " + std::to_string(line) + "\n";
  return text;
}

RC_GTEST_PROP(LineEdits, TurnTheOneTextIntoTheOther, ()) {
  const auto lines = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  const std::string known = text_of(*lines), diagnosed = text_of(*lines);
  RC_ASSERT(apply_edits(known, line_edits(known, diagnosed)) == diagnosed);
  RC_ASSERT(apply_edits(known, {}) == known);
}

TEST(LineEdits, AreAsSmallAsTheyCanBe) {
  const auto edits = line_edits("a\nb\nc\nd\n", "a\nx\nc\n");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].line, 2);
  EXPECT_EQ(edits[0].removed, std::vector<std::string>{"b"});
  EXPECT_EQ(edits[0].added, std::vector<std::string>{"x"});
  EXPECT_EQ(edits[1].line, 4);
  EXPECT_EQ(edits[1].text(), "line 4: was `d`, now nothing");
}

TEST(LineEdits, EachCanBeAppliedAlone) {
  const std::string known = "a\nb\nc\nd\n", diagnosed = "a\nx\nc\ny\n";
  const auto edits = line_edits(known, diagnosed);
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(apply_edits(known, {edits[1]}), "a\nb\nc\ny\n");
}

}  // namespace
}  // namespace evo::diagnose
