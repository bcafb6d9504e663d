// What the lines of a source do, whoever wrote it: kernels in namespaces, templates, several launches, and
// arguments that are variables of the module.
#include "diagnose/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/diagnose/support.hpp"

namespace evo::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A problem of examples/ with its template's own text replaced.
diagnose::Roles roles_of(const std::string& example, const std::string& template_name,
                         const std::string& source, const std::string& symbol = "") {
  model::Problem problem = fixture_problem("../../../examples/" + example);
  for (model::Argument& argument : problem.arguments) {
    if (!symbol.empty() && !argument.symbol.empty()) argument.symbol = symbol;
  }
  model::Experiment experiment;
  experiment.problem = problem;
  tests::set_shipped_target(experiment, "l4");
  experiment.accuracy_class = problem.tolerances.front().accuracy_class;
  experiment.workloads = {{"any", 1, {}}};
  config::complete_workloads(experiment);
  const model::Template& kernel = *problem.find_template(template_name);
  return diagnose::Roles(diagnose::make_subject(experiment, template_name, kernel.space.initial(),
                                                evo::tests::known(), source, "mine.cu"));
}

TEST(Roles, ATemplateIsFoundByItsNameAlone) {
  const auto roles =
      roles_of("sgemm", "tiled",
               "template <int T>\n"
               "__global__ void sgemm(const float* p, const float* q, float* r, int m, int n, int k) {\n"
               "  r[0] =\n"
               "      p[1];\n"
               "}\n");
  ASSERT_NE(roles.names(), nullptr);
  EXPECT_THAT(roles.names()->inputs, ElementsAre("p", "q"));
  EXPECT_THAT(roles.names()->outputs, ElementsAre("r"));
  EXPECT_THAT(roles.uses("A"), Contains(4));
  EXPECT_THAT(roles.stores(), ElementsAre(3));
}

TEST(Roles, AKernelInANamespaceIsFoundByItsLastName) {
  const auto roles = roles_of("transpose", "tiles",
                              "namespace matrix {\n"
                              "__global__ void transpose(const int* from, int* to, int h, int w) {\n"
                              "  to[0] = from[0];\n"
                              "}\n"
                              "}\n");
  ASSERT_NE(roles.names(), nullptr);
  EXPECT_THAT(roles.names()->integer_scalars, ElementsAre("h", "w"));
  EXPECT_THAT(roles.stores(), ElementsAre(3));
}

TEST(Roles, EachLaunchHasTheArgumentsThatItTakes) {
  const auto roles = roles_of("reduction", "two_launches",
                              "__global__ void partial_sums(const float* x, float* some, int n) {\n"
                              "  some[0] = x[0];\n"
                              "}\n"
                              "__global__ void total(const float* some, float* all, int count) {\n"
                              "  all[0] = some[0];\n"
                              "}\n");
  ASSERT_NE(roles.names(), nullptr);
  EXPECT_THAT(roles.names()->integer_scalars, ElementsAre("n", "count"));
  EXPECT_THAT(roles.stores(), ElementsAre(5)) << "what the workspace holds is no output";
  EXPECT_THAT(roles.uses("partial"), Contains(5));
}

TEST(Roles, AnArgumentMayBeAVariableOfTheModule) {
  const auto roles =
      roles_of("convolution", "tiled",
               "__constant__ float d_filter[25];\n"
               "__device__ float tap(int i) {\n"
               "  return d_filter[i];\n"
               "}\n"
               "__global__ void convolution_tiled(float* out, const float* in, int h, int w) {\n"
               "  out[0] = in[0] * tap(0);\n"
               "}\n");
  ASSERT_NE(roles.names(), nullptr);
  EXPECT_THAT(roles.uses("filter"), ElementsAre(3));
  EXPECT_THAT(roles.uses("input"), ElementsAre(6));
  EXPECT_THAT(roles.names()->integer_scalars, ElementsAre("h", "w"));
}

TEST(Roles, OfAVariableInANamespaceTheLastNameCounts) {
  const auto roles =
      roles_of("convolution", "tiled",
               "namespace filters {\n"
               "__constant__ float d_filter[25];\n"
               "__device__ float tap(int i) {\n"
               "  return d_filter[i];\n"
               "}\n"
               "}\n"
               "__global__ void convolution_tiled(float* out, const float* in, int h, int w) {\n"
               "  out[0] = in[0] * filters::tap(0);\n"
               "}\n",
               "filters::d_filter");
  ASSERT_NE(roles.names(), nullptr);
  EXPECT_THAT(roles.uses("filter"), ElementsAre(4));
}

TEST(Roles, AKernelOfAnotherNameOrWithTooFewParametersIsNotRead) {
  EXPECT_EQ(
      roles_of("transpose", "tiles", "__global__ void turn(const int* a, int* b, int h, int w) {}\n").names(),
      nullptr);
  const auto few =
      roles_of("transpose", "tiles", "__global__ void transpose(const int* a, int* b) { b[0] = a[0]; }\n");
  EXPECT_EQ(few.names(), nullptr);
  EXPECT_THAT(few.stores(), IsEmpty());
}

}  // namespace
}  // namespace evo::tests
