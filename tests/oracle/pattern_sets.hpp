// Arguments and inputs of structured sets, for tests of the patterns.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {

inline std::vector<model::Argument> arguments_of(const model::Case& bound) {
  std::vector<model::Argument> arguments;
  for (const model::BoundArgument& bound_argument : bound.arguments) {
    model::Argument argument;
    argument.name = bound_argument.name;
    argument.role = bound_argument.role;
    argument.dtype = bound_argument.dtype;
    arguments.push_back(argument);
  }
  return arguments;
}

inline std::vector<double> values_of(const model::Case& bound, const model::InputSet& set,
                                     std::size_t argument) {
  const auto inputs = make_inputs(evo::tests::known(), bound, set, {.seed = 3});
  EXPECT_TRUE(inputs) << inputs.error().text();
  return load_array(bound.arguments[argument], (*inputs)[argument]);
}

}  // namespace evo::evaluators::oracle
