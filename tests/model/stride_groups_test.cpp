#include "model/stride_groups.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

Argument array(const std::string& name, const std::vector<std::string>& shape,
               const std::vector<std::string>& strides) {
  Argument argument;
  argument.name = name;
  argument.role = name == "out" ? ArgumentRole::output : ArgumentRole::input;
  for (const std::string& text : shape) argument.shape.push_back(*Expression::parse(text, "t", 1, 1));
  for (const std::string& text : strides) argument.strides.push_back(*Expression::parse(text, "t", 1, 1));
  return argument;
}

Argument scalar(const std::string& name, const std::string& value, std::vector<std::string> stride_of = {},
                std::size_t dimension = 0) {
  Argument argument;
  argument.name = name;
  argument.role = ArgumentRole::scalar;
  argument.dtype = DType::i64;
  argument.scalar.expression = *Expression::parse(value, "t", 1, 1);
  argument.scalar.stride_of = std::move(stride_of);
  argument.scalar.dimension = dimension;
  return argument;
}

Problem two_matrices() {
  Problem problem;
  for (const char* name : {"m", "n"}) problem.axes.push_back({name, false, {}, {}, {}, {}, {}, {}, {}});
  problem.arguments = {array("a", {"m", "n"}, {"n + 8", "1"}), array("out", {"m", "n"}, {"n + 8", "1"})};
  return problem;
}

TEST(StrideGroups, NobodyIsToldAStride) {
  EXPECT_TRUE(stride_groups(two_matrices()).empty());
}

TEST(StrideGroups, OneScalarOfAStridesExpressionTellsItOfAllArrays) {
  Problem problem = two_matrices();
  problem.arguments.push_back(scalar("pitch", "n + 8"));
  const auto groups = stride_groups(problem);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].arrays, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(groups[0].scalars.at(0), (std::vector<std::size_t>{2}));
}

TEST(StrideGroups, WhichOfTwoScalarsTellsWhichArrayHasToBeSaid) {
  Problem problem = two_matrices();
  problem.arguments.push_back(scalar("a_pitch", "n + 8"));
  problem.arguments.push_back(scalar("out_pitch", "n + 8"));
  EXPECT_TRUE(stride_groups(problem).empty());
  problem.arguments[2].scalar.stride_of = {"a"};
  problem.arguments[3].scalar.stride_of = {"out"};
  const auto groups = stride_groups(problem);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].arrays, (std::vector<std::size_t>{0}));
  EXPECT_EQ(groups[1].arrays, (std::vector<std::size_t>{1}));
}

TEST(StrideGroups, ASizeIsNoStride) {
  Problem problem = two_matrices();
  for (Argument& argument : problem.arguments) argument.strides[0] = *Expression::parse("n", "t", 1, 1);
  problem.arguments.push_back(scalar("n", "n"));
  EXPECT_TRUE(stride_groups(problem).empty());
}

RC_GTEST_PROP(StrideGroups, PaddedElementsNeverMeet, ()) {
  StrideGroup group;
  group.arrays = {0};
  const auto rank = *rc::gen::inRange<std::size_t>(1, 4);
  Case bound;
  BoundArgument array;
  array.name = "a";
  std::map<std::size_t, std::int64_t> pads;
  std::int64_t dense = 1;
  array.shape.resize(rank);
  array.strides.resize(rank);
  for (std::size_t d = rank; d-- > 0;) {
    array.shape[d] = *rc::gen::inRange<std::int64_t>(1, 5);
    array.strides[d] = dense;
    dense *= array.shape[d];
    if (*rc::gen::arbitrary<bool>()) {
      group.scalars[d] = {d + 1};
      pads[d] = *rc::gen::inRange<std::int64_t>(0, 9);
    }
  }
  bound.arguments.push_back(array);
  const auto changes = padded_strides(group, bound, pads);
  if (!changes) return;
  const std::vector<std::int64_t>& strides = changes->strides.at(0);
  std::set<std::int64_t> offsets;
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) count *= size;
  for (std::int64_t index = 0; index < count; ++index) {
    std::int64_t rest = index, offset = 0;
    for (std::size_t d = rank; d-- > 0;) {
      offset += rest % array.shape[d] * strides[d];
      rest /= array.shape[d];
    }
    offsets.insert(offset);
  }
  RC_ASSERT(static_cast<std::int64_t>(offsets.size()) == count);
  for (std::size_t d = 0; d < rank; ++d) {
    if (!group.scalars.contains(d)) RC_ASSERT(strides[d] == array.strides[d]);
    if (group.scalars.contains(d)) RC_ASSERT(changes->scalars.at(d + 1) == static_cast<double>(strides[d]));
  }
}

}  // namespace
}  // namespace evo::model
