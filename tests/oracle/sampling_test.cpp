// What tolerance: auto grants to the filter of the hardware: 2^-8 of the differences of neighbouring texels.
#include "evaluators/oracle/sampling.hpp"

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

constexpr std::int64_t texels = 16;

/// How far y = x moves for these texels.
OutputErrors granted(const std::vector<double>& values, model::TextureModel texture, DType dtype = DType::f32,
                     std::vector<std::int64_t> shape = {texels}) {
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, dtype, shape),
                     tests::array_argument("y", ArgumentRole::output, DType::f32, shape)};
  bound.arguments[0].texture = texture;
  EXPECT_TRUE(filters_textures(bound));
  const std::string formula = shape.size() == 2 ? "y[i, j] = x[i, j]" : "y[i] = x[i]";
  Oracle oracle{"problem", "", nullptr};
  const ExpressionOracle computed(std::vector<model::OracleStatement>{{formula, "p", 1, 1}});
  oracle.computed = &computed;
  InputBuffers inputs(2);
  inputs[0].resize(values.size() * static_cast<std::size_t>(model::size_of(dtype)));
  for (std::size_t e = 0; e < values.size(); ++e)
    store_element(dtype, values[e], inputs[0].data() + static_cast<std::int64_t>(e) * model::size_of(dtype));
  Reference reference;
  reference.outputs = {{}, values};
  const auto moved = measure_sampling(oracle, bound, inputs, reference, 7);
  EXPECT_TRUE(moved) << moved.error().text();
  return moved->at(1);
}

model::TextureModel filtered(model::TextureAddress address = model::TextureAddress::clamp) {
  model::TextureModel texture;
  texture.filter = model::TextureFilter::linear;
  texture.address = address;
  return texture;
}

TEST(Sampling, FollowsTheDifferencesOfNeighbours) {
  std::vector<double> zigzag;
  for (int i = 0; i < texels; ++i) zigzag.push_back(i % 2 == 0 ? 0 : 256);
  EXPECT_DOUBLE_EQ(granted(zigzag, filtered()).largest, 1);
  EXPECT_DOUBLE_EQ(granted(zigzag, filtered()).rms, 1);
  EXPECT_EQ(granted(std::vector<double>(texels, 100), filtered()).largest, 0);
  // Rows differ by nothing, columns by 256.
  EXPECT_DOUBLE_EQ(granted(zigzag, filtered(), DType::f32, {2, 8}).largest, 1);
  // Neighbours of a channel are texels, not the other channel.
  model::TextureModel pairs = filtered();
  pairs.channels = 2;
  EXPECT_EQ(granted(zigzag, pairs, DType::f32, {8, 2}).largest, 0);
}

TEST(Sampling, KnowsTheEdge) {
  std::vector<double> step(texels, 0);
  step.back() = 256;
  EXPECT_DOUBLE_EQ(granted(step, filtered()).largest, 1);
  const std::vector<double> flat(texels, 256);
  EXPECT_DOUBLE_EQ(granted(flat, filtered(model::TextureAddress::border)).largest, 1)
      << "beyond it are zeros";
  EXPECT_EQ(granted(flat, filtered(model::TextureAddress::wrap)).largest, 0);
  EXPECT_EQ(granted(flat, filtered(model::TextureAddress::mirror)).largest, 0);
}

TEST(Sampling, MovesIntegersByOneAtLeast) {
  std::vector<double> slope;
  for (int i = 0; i < texels; ++i) slope.push_back(10 * i);
  model::TextureModel texture = filtered();
  texture.normalized_float = true;
  EXPECT_EQ(granted(slope, texture, DType::u8).largest, 1);
}

TEST(Sampling, IsOfLinearFiltersAlone) {
  model::Case bound;
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f32, {texels})};
  EXPECT_FALSE(filters_textures(bound));
  bound.arguments[0].texture = model::TextureModel{};
  EXPECT_FALSE(filters_textures(bound));
}

}  // namespace
}  // namespace evo::evaluators::oracle
