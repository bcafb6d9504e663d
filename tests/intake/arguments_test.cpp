// What is inferred of an argument from its name, its type and what the code does with it, and in which order
// shapes are tried.
#include "intake/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "intake/packed_shapes.hpp"

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
  p.reference = p.kernel;
  EXPECT_EQ(infer_argument(p, {}, 0).role, "input") << "both pass it to a call";
  p.kernel.stored = true;
  EXPECT_EQ(infer_argument(p, {}, 0).role, "input") << "the reference passes it to a call";
  p.reference->stored = true;
  EXPECT_EQ(infer_argument(p, {}, 0).role, "inout") << "a const_cast in both";
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

TEST(Arguments, ScratchMemoryThatAtomicsAddToBeginsWithZeros) {
  KnownParameter p = pointer_to("unsigned int*");
  p.kernel.written = p.kernel.atomic = p.kernel.read_first = p.kernel.atomic_first = true;
  p.reference = PointerUse{};
  const DraftArgument counter = infer_argument(p, {}, 0);
  EXPECT_EQ(counter.role, "workspace");
  EXPECT_EQ(told(counter, "zeroed"), "true");
  p.flag.keys = {{"zeroed", "false"}};
  EXPECT_NE(told(infer_argument(p, {}, 0), "zeroed"), "true") << "as told";
  p.flag.keys.clear();
  p.kernel.atomic_first = false;
  EXPECT_EQ(told(infer_argument(p, {}, 0), "zeroed"), "") << "a plain read of what nobody has written";
}

TEST(Arguments, ANumberIsWhatItsNameUsuallyIs) {
  const auto value = [](const char* name, std::size_t index) {
    KnownParameter p;
    p.text.name = name;
    p.text.type = "float";
    p.type.dtype = "f32";
    const DraftArgument argument = infer_argument(p, {}, index);
    return argument.why == "by its name" ? std::stod(argument.value) : -1.0;
  };
  EXPECT_EQ(value("eps", 3), 1e-5);
  for (const char* name : {"b1", "beta_2", "beta1", "momentum", "weight_decay", "rho", "keep_prob",
                           "dropout_p", "ema", "emaWeight", "prob", "prob_left", "probability"}) {
    for (const std::size_t index : {0U, 1U, 2U, 3U}) {
      EXPECT_GT(value(name, index), 0) << name;
      EXPECT_LT(value(name, index), 1) << name;
      EXPECT_NE(value(name, index), value(name, index + 1)) << name;
    }
  }
  for (const char* name : {"alpha", "beta", "b", "bias1", "lr", "emax", "EMAX", "problem_scale"})
    EXPECT_EQ(value(name, 1), -1) << name;
}

/// A float* that both write without reading it.
KnownParameter written() {
  KnownParameter parameter;
  parameter.text.name = "O";
  parameter.text.type = "float*";
  parameter.type.dtype = "f32";
  parameter.type.pointer = true;
  parameter.kernel.written = parameter.kernel.stored = true;
  parameter.reference = parameter.kernel;
  return parameter;
}

DraftAxis axis(const char* name, std::vector<std::pair<std::string, std::string>> keys = {}) {
  DraftAxis one;
  one.name = name;
  one.values = {64};
  one.keys = std::move(keys);
  return one;
}

// t of thr(x, y, t, n) and m of bucket(x, y, m, n) are named like sizes.
TEST(Arguments, AnIntegerThatMeetsDataAloneIsNoAxis) {
  KnownParameter p;
  p.text.name = "t";
  p.text.type = "int";
  p.type = element_type("int");
  EXPECT_EQ(axes_of({p}).size(), 1U);
  EXPECT_EQ(infer_argument(p, {axis("n")}, 2).todo, "");
  EXPECT_EQ(infer_argument(p, {axis("n")}, 2).value, "n");
  p.meets_data = true;
  EXPECT_TRUE(axes_of({p}).empty());
  EXPECT_NE(infer_argument(p, {axis("n")}, 2).todo, "") << "a number, once no array is seen to depend on it";
  EXPECT_EQ(infer_argument(p, {axis("t")}, 2).value, "t") << "the user says that it is an axis";
}

TEST(Arguments, WhatHoldsSomethingBeforeIsNoPlainOutput) {
  KnownParameter parameter = written();
  EXPECT_EQ(infer_argument(parameter, {axis("n")}, 0).role, "output");
  parameter.flag.name = "O";
  parameter.flag.keys = {{"fill", "{constant: 0}"}};
  EXPECT_EQ(infer_argument(parameter, {axis("n")}, 0).role, "inout");
  parameter.flag.role = "output";
  EXPECT_EQ(infer_argument(parameter, {axis("n")}, 0).role, "output") << "told: problem.yaml refuses it";
}

TEST(Arguments, ConstThatBothWriteIsNoInput) {
  KnownParameter parameter = written();
  parameter.type.constant = true;
  EXPECT_EQ(infer_argument(parameter, {axis("n")}, 0).role, "output");
}

TEST(PackedShapes, AnAxisOfWholeGroupsIsSharedOutFirst) {
  Draft draft;
  draft.axes = {axis("m"), axis("k", {{"multiple_of", "32"}})};
  std::size_t whole = 0, rounded = 0;
  const std::vector<PackedShape> all = packed_shapes(draft);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].shape == std::vector<std::string>{"m", "k / 2"}) whole = i;
    if (all[i].shape == std::vector<std::string>{"k", "ceil_div(m, 2)"}) rounded = i;
  }
  EXPECT_GT(rounded, 0U);
  EXPECT_LT(whole, rounded) << "of even sizes of m both have as many elements";
}

TEST(PackedShapes, TwoAxesOfWholeGroupsAreSharedOutTogether) {
  Draft draft;
  draft.axes = {axis("k", {{"multiple_of", "32"}}), axis("m", {{"multiple_of", "8"}})};
  const auto has = [&](const std::vector<std::string>& shape) {
    return std::ranges::any_of(packed_shapes(draft),
                               [&](const PackedShape& each) { return each.shape == shape; });
  };
  EXPECT_TRUE(has({"k / 32", "m / 8"}));
  EXPECT_FALSE(has({"k / 32", "m / 16"}));
  draft.axes[1].keys.clear();
  EXPECT_FALSE(has({"k / 32", "m / 8"})) << "m is not told to be whole groups";
}

}  // namespace
}  // namespace evo::intake
