#include "model/tensor_map.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace evo::model {
namespace {

Expression parse(const std::string& text) {
  return Expression::parse(text, "problem.yaml", 7).value();
}

/// [batch, seq, head_dim] with rows `pitch` elements apart.
std::vector<BoundArgument> arguments(std::int64_t seq, std::int64_t head_dim, std::int64_t pitch) {
  BoundArgument scalar;
  scalar.name = "n";
  scalar.role = ArgumentRole::scalar;
  BoundArgument array;
  array.name = "K";
  array.dtype = DType::f16;
  array.shape = {3, seq, head_dim};
  array.strides = {seq * pitch, pitch, 1};
  return {scalar, array};
}

TensorMapModel map_of(const std::string& inner = "64", const std::string& rows = "BLOCK_N",
                      const std::string& swizzle = "128") {
  return {"k_map", "K", {2, 1, 0}, {parse(inner), parse(rows), parse("1")}, parse(swizzle)};
}

const Environment genes{{"BLOCK_N", std::int64_t{96}}};

TEST(TensorMap, ResolvesToWhatTheDriverTakes) {
  const auto plan = bind_tensor_map(map_of(), arguments(512, 128, 128), genes);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->argument, 1U);
  EXPECT_EQ(plan->sizes, (std::vector<std::uint64_t>{128, 512, 3}));
  EXPECT_EQ(plan->strides, (std::vector<std::uint64_t>{256, 512 * 256}));
  EXPECT_EQ(plan->box, (std::vector<std::uint32_t>{64, 96, 1}));
  EXPECT_EQ(plan->swizzle, 128U);
  EXPECT_TRUE(plan->encodable);
}

RC_GTEST_PROP(TensorMap, EncodableExactlyIfDistancesAreMultiplesOf16Bytes, ()) {
  const auto seq = *rc::gen::inRange<std::int64_t>(1, 3000);
  const auto pitch = *rc::gen::inRange<std::int64_t>(64, 200);
  const auto plan = bind_tensor_map(map_of(), arguments(seq, 64, pitch), genes);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(plan->encodable == (pitch * 2 % 16 == 0));
}

TEST(TensorMap, AnEmptyArrayHasNone) {
  EXPECT_FALSE(bind_tensor_map(map_of(), arguments(0, 64, 64), genes)->encodable);
}

void expect_refused(const TensorMapModel& map, const std::string& part) {
  const auto plan = bind_tensor_map(map, arguments(512, 64, 64), genes);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find(part), std::string::npos) << plan.error().text();
  EXPECT_EQ(plan.error().line, 7);
}

TEST(TensorMap, WhatNoDriverTakesIsRefusedAtItsLine) {
  expect_refused(map_of("64", "257"), "it must be 1 to 256");
  expect_refused(map_of("64", "0"), "it must be 1 to 256");
  expect_refused(map_of("64", "96", "100"), "a swizzle of 100 bytes");
  expect_refused(map_of("65", "96", "0"), "no multiple of 16");
  expect_refused(map_of("64", "96", "64"), "the swizzle is over 64");
  TensorMapModel map = map_of();
  map.order = {1, 2, 0};
  expect_refused(map, "not contiguous");
  map = map_of();
  map.argument = "n";
  expect_refused(map, "no array 'n'");
}

TEST(TensorMap, TextsTellMapsApart) {
  EXPECT_NE(text_of(map_of()), text_of(map_of("32")));
  EXPECT_NE(text_of(map_of()), text_of(map_of("64", "BLOCK_N", "64")));
  const auto a = bind_tensor_map(map_of(), arguments(512, 64, 64), genes);
  const auto b = bind_tensor_map(map_of(), arguments(513, 64, 64), genes);
  EXPECT_NE(text_of(*a), text_of(*b));
}

}  // namespace
}  // namespace evo::model
