// Integers at the border of two, which a rounding on the way decides.
#include "evaluators/oracle/undecided.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::oracle {
namespace {

model::BoundArgument array(const char* name, model::ArgumentRole role, model::DType dtype, std::int64_t n) {
  return {name, role, dtype, {n}, {1}};
}

const model::BoundArgument output = array("q", model::ArgumentRole::output, model::DType::i8, 2048);
const std::vector<double> reference(2048, 5);

/// `changes` are elements and what the kernel gives there.
std::vector<std::byte> given(const std::vector<std::pair<std::size_t, int>>& changes) {
  std::vector<std::byte> bytes(2048, std::byte{5});
  for (const auto& [element, value] : changes) bytes[element] = static_cast<std::byte>(value);
  return bytes;
}

/// Draw k has 4 at element 10 k.
std::optional<ReferenceOutputs> tens(const InputBuffers&, std::uint64_t draw) {
  if (draw > 3) return std::nullopt;
  ReferenceOutputs outputs{{}, reference};
  outputs[1][10 * draw] = 4;
  return outputs;
}

bool grants(const std::vector<std::pair<std::size_t, int>>& changes,
            const std::vector<std::uint8_t>& written = {}, const NearbyAnswers& nearby = tens) {
  return with_undecided(output, 1, given(changes), reference, written, InputBuffers(2), nearby).has_value();
}

TEST(Undecided, WhatANearbyAnswerHasIsGranted) {
  EXPECT_TRUE(grants({{0, 4}}));
  EXPECT_TRUE(grants({{30, 4}, {10, 4}})) << "each by a draw of its own";
  const auto patched =
      with_undecided(output, 1, given({{10, 4}}), reference, {}, InputBuffers(2), NearbyAnswers(tens));
  ASSERT_TRUE(patched);
  EXPECT_EQ((*patched)[10], 4);
  EXPECT_EQ((*patched)[11], 5);
}

TEST(Undecided, WhatNoneHasIsNot) {
  EXPECT_FALSE(grants({{10, 6}})) << "the other side";
  EXPECT_FALSE(grants({{11, 4}})) << "another element";
  EXPECT_FALSE(grants({{10, 4}, {11, 4}})) << "one of two";
  EXPECT_FALSE(grants({{10, 4}}, {}, {})) << "nobody to ask";
  EXPECT_FALSE(grants({})) << "nothing differs: the refusal has another cause";
}

TEST(Undecided, ManyAreNoMatterOfBorders) {
  const NearbyAnswers all = [](const InputBuffers&, std::uint64_t) -> std::optional<ReferenceOutputs> {
    return ReferenceOutputs{{}, std::vector<double>(2048, 4)};
  };
  EXPECT_TRUE(grants({{1, 4}, {2, 4}, {3, 4}, {4, 4}}, {}, all));
  EXPECT_FALSE(grants({{1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}}, {}, all));
}

TEST(Undecided, OnlyWhatALaunchWroteCounts) {
  std::vector<std::uint8_t> written(2048, 0);
  written[10] = 1;
  EXPECT_TRUE(grants({{10, 4}, {11, 9}}, written));
}

/// rint(x) in fp64, floor(x) in float.
class Rounded final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers& inputs) const override {
    return ReferenceOutputs{{}, {std::rint(load_element(model::DType::f32, inputs[0].data()))}};
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case&, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    return ReferenceOutputs{{}, {std::floor(load_element(model::DType::f32, inputs[0].data()))}};
  }
};

model::Case rounding(model::DType input, model::DType result) {
  model::Case bound;
  bound.arguments = {array("x", model::ArgumentRole::input, input, 1),
                     array("q", model::ArgumentRole::output, result, 1)};
  return bound;
}

TEST(Undecided, NearbyIsAFewUnitsInTheLastPlace) {
  const Rounded computed;
  Oracle oracle{};
  oracle.computed = &computed;
  const NearbyAnswers nearby = nearby_answers(oracle, rounding(model::DType::f32, model::DType::i32), 7);
  ASSERT_TRUE(nearby);
  const auto reached = [&](float x) {
    std::set<double> values;
    InputBuffers inputs(2);
    inputs[0].resize(4);
    std::memcpy(inputs[0].data(), &x, 4);
    for (std::uint64_t draw = 1;; ++draw) {
      const auto answer = nearby(inputs, draw);
      if (!answer) break;
      values.insert((*answer)[1][0]);
    }
    return values;
  };
  EXPECT_EQ(reached(2.5000005F), (std::set<double>{2, 3}));
  EXPECT_EQ(reached(2.501F), (std::set<double>{3}));
  InputBuffers inputs(2);
  inputs[0].resize(4);
  const float x = 2.9F;
  std::memcpy(inputs[0].data(), &x, 4);
  EXPECT_EQ((*nearby(inputs, 0))[1][0], 2) << "first, as float has it";
}

TEST(Undecided, OnlyIntegersOfFloatingPointInputs) {
  const Oracle oracle{};
  EXPECT_FALSE(nearby_answers(oracle, rounding(model::DType::i32, model::DType::i32), 7));
  EXPECT_FALSE(nearby_answers(oracle, rounding(model::DType::f32, model::DType::f32), 7));
}

TEST(Undecided, SetsOfEqualsAreHeldToTheBit) {
  for (const char* kind :
       {"ties", "near_ties", "halves", "lowest", "highest", "ones", "plateau", "dominant", "equal"})
    EXPECT_TRUE(has_equals({kind, kind, {}})) << kind;
  EXPECT_FALSE(has_equals({"normal", "normal", {}}));
}

}  // namespace
}  // namespace evo::evaluators::oracle
