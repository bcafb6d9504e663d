// What a variant is said to be correct for, and axes that outputs sum over.
#include "evaluators/gates/correct_for.hpp"

#include "evaluators/gates/grown_bounds.hpp"
#include "tests/kernels/derived_cases.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(ReducedAxes, AreThoseThatOutputsSumOver) {
  const auto axes_of = [](const std::string& problem, const model::Workload& workload) {
    const Derived derived(problem, workload, 1);
    return reduced_axes(evo::tests::known(), derived.context, derived.context.space.initial());
  };
  EXPECT_EQ(axes_of("attention_forward", attention), std::vector<std::string>{"seq"});
  EXPECT_EQ(axes_of("row_softmax", {"w", 1, {}}), std::vector<std::string>{"columns"});
  for (const char* problem : {"vector_add", "saxpy", "pitched_add"})
    EXPECT_TRUE(axes_of(problem, {"w", 1, {}}).empty()) << problem;
}

TEST(CorrectFor, NamesTheRangesAndWhatIsAlwaysEqual) {
  const Derived derived("attention_forward", attention, 1);
  DeviceJob job;
  for (const DerivedCase& one : derived.cases) {
    job.cases.push_back(one.bound);
    job.uses.push_back(one.use);
  }
  job.workload_count = 0;
  job.input_sets = {{"normal", "normal", {}}};
  const std::vector<Check> made = plan_checks(job, true);
  const model::Evidence covered = describe_coverage(job, made);
  const std::map<std::string, std::string> details(covered.details.begin(), covered.details.end());
  EXPECT_EQ(details.at("axis.head_dim"), "64");
  EXPECT_NE(details.at("strides").find("O"), std::string::npos);
  EXPECT_LE(std::stoi(details.at("sampled_launches")), std::stoi(details.at("launches")) / 2)
      << "those of long sequences and of many blocks";
  EXPECT_EQ(details.at("input_set_names"), "normal");
  EXPECT_EQ(details.at("nan_or_infinity"), "not shown");
  job.input_sets.push_back({"spots", "special_values", {}});
  const model::Evidence with_special = describe_coverage(job, plan_checks(job, true));
  EXPECT_FALSE(std::ranges::any_of(with_special.details,
                                   [](const auto& detail) { return detail.first == "nan_or_infinity"; }));
  job.input_sets.back().kind = "nans";
  const model::Evidence with_nans = describe_coverage(job, plan_checks(job, true));
  const std::map<std::string, std::string> of_nans(with_nans.details.begin(), with_nans.details.end());
  EXPECT_EQ(of_nans.at("nan_or_infinity"), "no infinity shown");
  job.input_sets.pop_back();
  EXPECT_TRUE(always_equal(job, made).empty()) << always_equal(job, made).front().message;
  for (model::Case& bound : job.cases) {
    for (const char* name : {"batch_stride", "head_stride", "row_stride"}) {
      bound.arguments[index_of(bound, std::string("o_") + name)].scalar_integer =
          bound.arguments[index_of(bound, name)].scalar_integer;
      bound.arguments[index_of(bound, std::string("o_") + name)].scalar_float =
          bound.arguments[index_of(bound, name)].scalar_float;
    }
  }
  ASSERT_EQ(always_equal(job, made).size(), 3U);
  EXPECT_EQ(always_equal(job, made)[0].details[0].second, "batch_stride, o_batch_stride");
  for (model::Case& bound : job.cases) bound.arguments[index_of(bound, "row_stride")].scalar_integer = 12345;
  EXPECT_EQ(always_equal(job, made).front().details[0].second, "row_stride") << "one number in every case";
}

TEST(CorrectFor, SaysWhatAnAxisHasAlone) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  rows.problem.axes[1].maximum = 192;
  rows.problem.axes[1].alone = 30000;
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  DeviceJob job;
  for (const DerivedCase& one : derive_cases(context, context.space.initial(), {}, 1, Extent{})) {
    job.cases.push_back(one.bound);
    job.uses.push_back(one.use);
  }
  job.workload_count = 0;
  job.input_sets = {{"normal", "normal", {}}};
  const model::Evidence covered = describe_coverage(job, plan_checks(job, true));
  const std::map<std::string, std::string> details(covered.details.begin(), covered.details.end());
  EXPECT_TRUE(details.at("axis.columns").ends_with(" to 192") ||
              details.at("axis.columns").ends_with(" to 191"))
      << details.at("axis.columns");
  ASSERT_TRUE(details.contains("alone.columns"));
  EXPECT_FALSE(details.contains("alone.rows"));
}

TEST(CorrectFor, NamesTheIntegersThatWereShown) {
  const Derived derived("windowed", {"w", 1, {{"n", 500}}}, 3);
  DeviceJob job;
  for (const DerivedCase& one : derived.cases) {
    job.cases.push_back(one.bound);
    job.uses.push_back(one.use);
  }
  job.input_sets = {{"normal", "normal", {}}};
  const model::Evidence covered = describe_coverage(job, plan_checks(job, true));
  const std::map<std::string, std::string> details(covered.details.begin(), covered.details.end());
  EXPECT_EQ(details.at("scalar.least"), "0, 1, 2");
}

}  // namespace
}  // namespace evo::evaluators::gates
