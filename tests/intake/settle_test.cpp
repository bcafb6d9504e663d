// What evo tune mends of its own guesses, without a run.
#include <gtest/gtest.h>

#include <set>

#include "intake/draft_settler.hpp"
#include "intake/settled_draft.hpp"

namespace evo::intake {
namespace {

using evaluators::selftest::Check;
using Keys = std::vector<std::pair<std::string, std::string>>;

const Keys positive{{"fill", "{uniform: [0.1, 2]}"}};

Draft two_inputs() {
  Draft draft;
  for (const char* name : {"x", "y"}) {
    DraftArgument input;
    input.name = name;
    input.role = "input";
    input.dtype = "f32";
    draft.arguments.push_back(input);
  }
  DraftArgument alpha;
  alpha.name = "alpha";
  alpha.role = "scalar";
  alpha.dtype = "f32";
  alpha.value = "1.25";
  draft.arguments.push_back(alpha);
  draft.notes = {"of another step"};
  return draft;
}

Check not_finite() {
  Check check;
  check.reference_not_finite = true;
  return check;
}
Check about(const char* argument) {
  Check check;
  check.argument = argument;
  return check;
}

TEST(Settle, AnAxisThatIsNeverLongerThanAnotherIsNamed) {
  Draft draft = two_inputs();
  draft.arguments[0].shape = {"batch", "stride"};
  for (const auto& [name, size] : {std::pair{"batch", 4}, {"k", 300}, {"stride", 512}}) {
    DraftAxis axis;
    axis.name = name;
    axis.values = {size};
    draft.axes.push_back(axis);
  }
  const std::string message =
      "reference.cu:13: the reference: out_of_bounds: Out of bounds: it reads 8 bytes at x byte offset 48 "
      "(line 13). (case drawn 37: batch=4 k=9 stride=1, p = 0.8)";
  const std::string hint = shape_hint(draft, message);
  EXPECT_NE(hint.find("--axis 'k=300 max=300' --axis 'stride=512 min=300'"), std::string::npos) << hint;
  EXPECT_EQ(hint.find("batch is longer"), std::string::npos) << "4 elements, as told, and more than 1";
  draft.axes[1].values = {600};
  EXPECT_EQ(shape_hint(draft, message).find("k is longer"), std::string::npos) << "it was told so";
}

TEST(Settle, AxesThatAreSmallerThanToldAreNamed) {
  Draft draft = two_inputs();
  draft.arguments[0].shape = {"r", "c"};
  draft.arguments[2].value = "0.0";
  for (const auto& [name, size] : {std::pair{"r", 6}, {"c", 5}, {"b", 4}}) {
    DraftAxis axis;
    axis.name = name;
    axis.values = {size};
    draft.axes.push_back(axis);
  }
  const std::string left =
      "reference.cu:13: the reference: out_of_bounds: Out of bounds: it reads 8 bytes at x byte offset 48 "
      "(line 13). (case drawn 37: b=1 c=5 r=2, ";
  const std::string hint = shape_hint(draft, left + "alpha = 0)");
  EXPECT_NE(hint.find("--axis 'r=6 min=3'"), std::string::npos) << hint;
  EXPECT_EQ(hint.find("--axis 'c="), std::string::npos) << "as told";
  EXPECT_EQ(hint.find("--axis 'b="), std::string::npos) << "x is not as large as it";
  const std::string other = shape_hint(draft, left + "alpha = 0.75)");
  EXPECT_NE(other.find("--arg 'alpha: {value: 0.0, fixed: true}'"), std::string::npos) << other;
  draft.arguments[2].value = "neutral";
  EXPECT_EQ(shape_hint(draft, left + "alpha = 0.75)").find("alpha"), std::string::npos) << "nobody told it";
}

TEST(Settle, WhatASumIsAddedToHoldsNumbersThatShowBesideIt) {
  Draft draft = two_inputs();
  draft.arguments[1].role = "inout";
  DraftSettler settler{Request{}};
  EXPECT_TRUE(settler.mend(draft, about("y")));
  EXPECT_EQ(draft.arguments[1].keys, (Keys{{"fill", "{uniform: [-1000, 1000]}"}}));
  EXPECT_EQ(draft.notes.size(), 2U);
  EXPECT_TRUE(settler.mend(draft, about("y")));
  EXPECT_EQ(draft.arguments[1].keys, (Keys{{"fill", "{uniform: [-1000000, 1000000]}"}}));
  EXPECT_FALSE(settler.mend(draft, about("y"))) << "it changes nothing at all";
  EXPECT_TRUE(draft.arguments[1].keys.empty());
  EXPECT_EQ(draft.notes.size(), 1U);
  // What is told stays.
  draft.arguments[1].keys = {{"fill", "{uniform: [0, 1]}"}};
  DraftSettler other{Request{}};
  EXPECT_FALSE(other.mend(draft, about("y")));
  EXPECT_EQ(draft.arguments[1].keys, (Keys{{"fill", "{uniform: [0, 1]}"}}));
}

TEST(Settle, ANumberOfARowThatChangesNothingIsNeutralUnlessItWasTold) {
  const auto draft_of = [] {
    Draft draft;
    DraftArgument places;
    places.name = "places";
    places.role = "input";
    places.dtype = "i32";
    places.fields = {{"c0", "i32", 1}, {"c1", "i32", 1}};
    places.fields[0].keys = {{"fill", "{integers: [0, d - 1]}"}};
    draft.arguments.push_back(places);
    return draft;
  };
  Draft draft = draft_of();
  DraftSettler settler{Request{}};
  EXPECT_TRUE(settler.mend(draft, about("places[].c0")));
  EXPECT_EQ(draft.arguments[0].fields[0].keys.back(),
            (std::pair<std::string, std::string>{"neutral", "true"}));
  EXPECT_FALSE(settler.mend(draft, about("places[].c0"))) << "once";
  Request request;
  request.arguments = {"places[0]: {fill: {integers: [0, d - 1]}}"};
  Draft told = draft_of();
  EXPECT_FALSE(DraftSettler{request}.mend(told, about("places[].c0")));
}

TEST(Settle, OneInputAfterAnotherGetsPositiveNumbersThenAll) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  const auto has = [&](std::size_t at) { return draft.arguments[at].keys == positive; };
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(has(0) && !has(1));
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(!has(0) && has(1));
  EXPECT_EQ(draft.notes.size(), 2U);
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(has(0) && has(1));
  EXPECT_FALSE(settler.mend(draft, not_finite()));
  EXPECT_TRUE(!has(0) && !has(1));
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
}

TEST(Settle, ScalarsThatWereDrawnAreSharesWherePositiveNumbersDoNotHelp) {
  // Adam's second moment: v = b2 * v + (1 - b2) * g * g has no root where b2 is 2.25.
  Draft draft = two_inputs();
  draft.arguments[2].why = "drawn";
  DraftSettler settler{Request{}};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(settler.mend(draft, not_finite()));
  const DraftArgument& alpha = draft.arguments[2];
  EXPECT_EQ(alpha.value, "1.25") << "inputs come first";
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_EQ(alpha.value, "0.75");
  EXPECT_EQ(alpha.keys, (Keys{{"range", "[0.05, 0.95]"}}));
  EXPECT_TRUE(draft.arguments[0].keys.empty() && draft.arguments[1].keys.empty());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_EQ(draft.arguments[0].keys, positive);
  EXPECT_EQ(draft.arguments[1].keys, positive);
  EXPECT_EQ(draft.notes.size(), 3U) << "both guesses are told";
  EXPECT_FALSE(settler.mend(draft, not_finite()));
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_TRUE(alpha.keys.empty() && draft.arguments[0].keys.empty());
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
}

TEST(Settle, AShareThatChangesNothingStaysWithinItsRange) {
  Draft draft = two_inputs();
  draft.arguments[2].why = "drawn";
  DraftSettler settler{Request{}};
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(settler.mend(draft, not_finite()));
  const DraftArgument& alpha = draft.arguments[2];
  const Keys range{{"range", "[0.05, 0.95]"}};
  ASSERT_EQ(alpha.keys, range);
  const std::string share = alpha.value;
  std::set<std::string> values{share};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(settler.mend(draft, about("alpha")));
    EXPECT_TRUE(values.insert(alpha.value).second) << alpha.value;
    EXPECT_GE(std::stod(alpha.value), 0.05);
    EXPECT_LE(std::stod(alpha.value), 0.95);
    EXPECT_EQ(alpha.keys, range);
  }
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_EQ(alpha.value, share) << "with what was drawn the reference gives NaN";
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, share);
  EXPECT_EQ(alpha.keys.back(), (std::pair<std::string, std::string>{"neutral", "true"}));
  // Where shares are given up, it is what was drawn.
  while (settler.mend(draft, not_finite())) {
  }
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_EQ(alpha.keys, (Keys{{"neutral", "true"}}));
}

TEST(Settle, AScalarThatWasToldIsNoShare) {
  Draft draft = two_inputs();
  draft.arguments[2].why = "as told";
  DraftSettler settler{Request{}};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_FALSE(settler.mend(draft, not_finite()));
  EXPECT_EQ(draft.arguments[2].value, "1.25");
}

TEST(Settle, AScalarGetsItsFirstValueBackWhereNoOtherHelps) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  DraftArgument& alpha = draft.arguments[2];
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "0.25");
  EXPECT_EQ(draft.notes.size(), 2U) << "a value that is kept is told";
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "4.0");
  EXPECT_EQ(draft.notes.size(), 2U);
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_EQ(alpha.keys, (Keys{{"neutral", "true"}}));
  EXPECT_FALSE(settler.mend(draft, about("alpha")));
  EXPECT_TRUE(alpha.keys.empty());
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
}

TEST(Settle, ABoundThatWasDrawnYieldsWhereDataChangesNothing) {
  Draft draft = two_inputs();
  draft.arguments[2].why = "drawn";
  const std::string input = draft.arguments[0].name, drawn = draft.arguments[2].value;
  DraftSettler settler{Request{}};
  ASSERT_TRUE(settler.mend(draft, about(input.c_str())));
  EXPECT_EQ(draft.arguments[2].value, "0.25");
  ASSERT_TRUE(settler.mend(draft, about(input.c_str())));
  EXPECT_EQ(draft.arguments[2].value, "-0.5");
  EXPECT_FALSE(settler.mend(draft, about(input.c_str()))) << "no further guess";
  EXPECT_EQ(draft.arguments[2].value, drawn);
  EXPECT_EQ(draft.notes, std::vector<std::string>{"of another step"});
  Request request;
  request.arguments = {"alpha: 1.25"};
  DraftSettler told{request};
  EXPECT_FALSE(told.mend(draft, about(input.c_str()))) << "what was told stays";
}

TEST(Settle, AValueWithoutAnswerIsTakenBack) {
  Draft draft = two_inputs();
  DraftSettler settler{Request{}};
  DraftArgument& alpha = draft.arguments[2];
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  ASSERT_TRUE(settler.mend(draft, not_finite()));
  EXPECT_EQ(alpha.value, "1.25");
  EXPECT_TRUE(draft.arguments[0].keys.empty()) << "the inputs are not at fault";
  ASSERT_TRUE(settler.mend(draft, about("alpha")));
  EXPECT_EQ(alpha.keys, (Keys{{"neutral", "true"}}));
}

TEST(Settle, WhatWasToldStays) {
  for (const char* flag : {"alpha : 1.5", "alpha: 1.5", "d: {rows: 3, alpha: 1.5}"}) {
    Draft draft = two_inputs();
    if (*flag == 'd') draft.arguments[2].place.path = "d.alpha";
    Request request;
    request.arguments = {flag};
    EXPECT_FALSE(DraftSettler{request}.mend(draft, about("alpha"))) << flag;
    EXPECT_EQ(draft.arguments[2].value, "1.25");
  }
}

TEST(Settle, WhatTheReferenceLeavesIsKeptOnce) {
  Draft draft = two_inputs();
  draft.arguments[1].role = "output";
  draft.arguments[0].role = "inout";
  DraftSettler settler{Request{}};
  EXPECT_FALSE(settler.keep_what_is_left(draft, "sums of so many terms may leave the range of float"));
  ASSERT_TRUE(settler.keep_what_is_left(
      draft, "the reference reference.cu writes nothing, or not all of it, to y[7,0] of case w0"));
  EXPECT_EQ(draft.arguments[1].keys, (Keys{{"before", "zero"}, {"unwritten", "keep"}}));
  EXPECT_EQ(draft.notes.size(), 2U);
  ASSERT_TRUE(settler.keep_what_is_left(
      draft, "the reference reference.cu leaves x[0,0] of case crossed 8 as it was, whatever it was"));
  EXPECT_EQ(draft.arguments[0].keys, (Keys{{"unwritten", "keep"}}));
  EXPECT_FALSE(settler.keep_what_is_left(
      draft, "the reference reference.cu writes nothing, or not all of it, to y[7,0] of case w0"));
}

TEST(Settle, AGuessedLaunchThatIsTooSmallYieldsToTheNext) {
  Draft draft = two_inputs();
  draft.arguments[1].role = "output";
  draft.reference_grid = {"n"};
  draft.reference_block = {"64"};
  draft.reference_guessed = true;
  draft.other_launches = {{}, {{"ceil_div(n * 3, 256)"}, {"256"}}};
  const std::string few =
      "the reference reference.cu is launched with too few threads: more blocks write y[7,0] of case w0, too";
  DraftSettler settler{Request{}};
  ASSERT_TRUE(settler.mend_reference(draft, few));
  EXPECT_TRUE(draft.reference_grid.empty());
  EXPECT_TRUE(draft.arguments[1].keys.empty()) << "nothing is kept for that";
  ASSERT_TRUE(settler.mend_reference(draft, few));
  EXPECT_EQ(draft.reference_grid, std::vector<std::string>{"ceil_div(n * 3, 256)"});
  EXPECT_TRUE(draft.reference_guessed);
  EXPECT_FALSE(settler.mend_reference(draft, few));
  // What is kept is asked for a launch that is too small from now on, also where that was told.
  Draft told = two_inputs();
  told.arguments[1].role = "output";
  told.reference_grid = {"n"};
  ASSERT_TRUE(settler.mend_reference(
      told, "the reference reference.cu writes nothing, or not all of it, to y[7,0] of case w0"));
  EXPECT_TRUE(told.reference_guessed);
}

Draft one_integer(const char* value, Keys keys = {}) {
  Draft draft;
  DraftArgument size;
  size.name = "size";
  size.role = "scalar";
  size.dtype = "u32";
  size.value = value;
  size.keys = std::move(keys);
  draft.arguments.push_back(size);
  return draft;
}

TEST(Settle, AnIntegerIsKeptToWhatIsNearThenToItself) {
  Draft draft = one_integer("7");
  DraftSettler settler{Request{}};
  ASSERT_TRUE(settler.keep_near(draft, "size", 263, "mismatch"));
  EXPECT_EQ(draft.arguments[0].keys, (Keys{{"range", "[6, 8]"}}));
  EXPECT_EQ(draft.notes.size(), 1U);
  ASSERT_TRUE(settler.keep_near(draft, "size", 97, "mismatch"));
  EXPECT_EQ(draft.arguments[0].keys, (Keys{{"fixed", "true"}}));
  EXPECT_EQ(draft.notes.size(), 1U) << "of the guess that stands";
  EXPECT_FALSE(settler.keep_near(draft, "size", 97, "mismatch"));
}

TEST(Settle, BetweenPowersOfTwoIsNoRange) {
  for (const char* value : {"64", "10", "2"}) {
    Draft draft = one_integer(value);
    ASSERT_TRUE(DraftSettler{Request{}}.keep_near(draft, "size", 320, "mismatch"));
    EXPECT_EQ(draft.arguments[0].keys, (Keys{{"fixed", "true"}})) << value;
  }
}

TEST(Settle, AFlagIsKeptToItsTwoValues) {
  Draft draft = one_integer("1");
  ASSERT_TRUE(DraftSettler{Request{}}.keep_near(draft, "size", 8, "mismatch"));
  EXPECT_EQ(draft.arguments[0].keys, (Keys{{"range", "[0, 1]"}}));
}

TEST(Settle, WhatTheUserSaysOfAnIntegerStands) {
  for (const Keys& said : {Keys{{"range", "[2, 400]"}}, Keys{{"fixed", "true"}}, Keys{{"neutral", "true"}}}) {
    Draft draft = one_integer("64", said);
    EXPECT_FALSE(DraftSettler{Request{}}.keep_near(draft, "size", 320, "mismatch"));
    EXPECT_EQ(draft.arguments[0].keys, said);
  }
  Draft of_a_size = one_integer("2 * n");
  EXPECT_FALSE(DraftSettler{Request{}}.keep_near(of_a_size, "size", 320, "mismatch"));
  EXPECT_FALSE(DraftSettler{Request{}}.keep_near(of_a_size, "other", 320, "mismatch"));
}

TEST(Settle, WhatAMaximumIsTakenWithHoldsMoreIntegers) {
  for (const auto& [dtype, range] :
       {std::pair{"i32", "{integers: [-1000, 1000]}"}, {"u32", "{integers: [0, 1000]}"}}) {
    Draft draft = two_inputs();
    draft.arguments[1].role = "inout";
    draft.arguments[1].dtype = dtype;
    DraftSettler settler{Request{}};
    EXPECT_TRUE(settler.mend(draft, about("y")));
    EXPECT_EQ(draft.arguments[1].keys, (Keys{{"fill", range}}));
    EXPECT_FALSE(settler.mend(draft, about("y"))) << "it changes nothing at all";
    EXPECT_TRUE(draft.arguments[1].keys.empty());
  }
  for (const char* other : {"told", "bytes", "input", "fill"}) {
    Request request;
    if (other == std::string("told")) request.arguments = {"y: inout"};
    Draft draft = two_inputs();
    draft.arguments[1].role = other == std::string("input") ? "input" : "inout";
    draft.arguments[1].dtype = other == std::string("bytes") ? "u8" : "i32";
    if (other == std::string("fill")) draft.arguments[1].keys = {{"fill", "{integers: [0, 9]}"}};
    EXPECT_FALSE(DraftSettler{request}.mend(draft, about("y"))) << other;
  }
}

}  // namespace
}  // namespace evo::intake
