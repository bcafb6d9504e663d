// A case with one input of a fill, and what each set draws for it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evaluators/oracle/fills.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {

struct Fills : ::testing::Test {
  /// One input of `dtype` with this fill, and a plain float beside it.
  model::Case with(model::BoundFill fill, model::DType dtype = model::DType::i32,
                   std::vector<std::int64_t> shape = {12, 10}) {
    model::Case bound;
    bound.name = "case";
    bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, dtype, std::move(shape)),
                       tests::array_argument("y", model::ArgumentRole::input, model::DType::f32, {120})};
    bound.arguments[0].fill = std::move(fill);
    return bound;
  }
  std::vector<double> values(const model::Case& bound, const model::InputSet& set, std::uint64_t seed = 1,
                             std::size_t argument = 0) {
    const auto inputs = make_inputs(tests::known(), bound, set, {.seed = seed});
    EXPECT_TRUE(inputs);
    return load_array(bound.arguments[argument], inputs->at(argument));
  }
  /// The declared set "plain" and all that nobody declares.
  std::vector<model::InputSet> all_sets(model::FillForm form, model::DType dtype) {
    std::vector<model::Argument> arguments(2);
    arguments[0].name = "x";
    arguments[0].dtype = dtype;
    arguments[0].fill.emplace();
    arguments[0].fill->form = form;
    arguments[1].name = "y";
    arguments[1].dtype = model::DType::f32;
    std::vector<model::InputSet> sets = structured_sets(arguments);
    sets.push_back({"plain", "normal", {}});
    sets.push_back({"apart", "normal", {{"mean", 60}, {"deviation", 15}}});
    return sets;
  }
};

}  // namespace evo::evaluators::oracle
