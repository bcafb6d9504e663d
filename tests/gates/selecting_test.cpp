// The ends of a type are shown to kernels of problems that choose among their inputs, and to no others.
#include "evaluators/gates/selecting.hpp"

#include <gtest/gtest.h>

#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/expression_oracle.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

/// Rows of `columns` numbers, and what `formula` makes of each.
model::Case rows_case(std::int64_t columns) {
  model::Case bound;
  bound.name = "rows of " + std::to_string(columns);
  bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {8, columns}),
                     tests::array_argument("y", model::ArgumentRole::output, model::DType::f32, {8})};
  return bound;
}

struct Asked {
  bool selects = false;
  bool lowest = false;    ///< the undeclared set at the end of the type, of the least shape
  bool declared = false;  ///< the same, declared
};

Asked asked(const char* formula) {
  tests::FakeDevice device{tests::FakeDeviceSettings{}};
  DeviceJob job = tests::vector_add_job();
  job.cases = {rows_case(1), rows_case(40), rows_case(2)};
  job.uses = {CaseUse::workload, CaseUse::odd, CaseUse::crossed};
  job.workload_count = 1;
  job.oracle = "problem";
  job.input_sets = {{"normal", "normal", {}},
                    {"lowest", "lowest", {{std::string(oracle::undeclared_parameter), 1}}},
                    {"own", "lowest", {}}};
  oracle::Catalogue known;
  known.add("problem", std::make_shared<oracle::ExpressionOracle>(
                           std::vector<model::OracleStatement>{{formula, "p", 1, 1}}));
  oracle::ReferenceCache cache(known);
  const JobContext context{device, 0, job, cache};
  Check lowest, declared;
  lowest.set_index = 1;
  declared.set_index = 2;
  return {problem_selects(context), asks_what_is_meant(context, lowest),
          asks_what_is_meant(context, declared)};
}

TEST(Selecting, AMaximumDoes) {
  const Asked of = asked("y[i] = max(j, x[i,j])");
  EXPECT_TRUE(of.selects);
  EXPECT_TRUE(of.lowest);
}

// Of rows of one number a mean is that number, and so is a softmax of one logit.
TEST(Selecting, AMeanDoesNotThoughItDoesOfOneNumber) {
  const Asked of = asked("y[i] = sum(j, x[i,j]) / 2");
  EXPECT_FALSE(of.selects);
  EXPECT_FALSE(of.lowest);
  EXPECT_TRUE(of.declared) << "what a problem declares is asked";
  const Asked mean = asked("y[i] = sum(j, x[i,j])");
  EXPECT_FALSE(mean.selects);
  EXPECT_FALSE(mean.lowest);
}

}  // namespace
}  // namespace evo::evaluators::gates
