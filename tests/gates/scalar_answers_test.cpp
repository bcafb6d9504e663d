// Which other values of scalars are asked of a kernel, told by the problem's own answers to them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "evaluators/gates/unusual_scalars.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

/// y[i] = f(x[i], k), in double and, if `in_float` is given, as a plain kernel would have it.
class ElementByElement final : public oracle::ComputedOracle {
 public:
  using Function = std::function<double(double x, double k)>;
  using OfRow = std::function<double(const std::vector<float>& x, std::size_t i, double k)>;
  explicit ElementByElement(Function function, Function in_float = {})
      : function_(std::move(function)), in_float_(std::move(in_float)) {}
  /// y[i] = f(x, i, k)
  explicit ElementByElement(OfRow of_row) : of_row_(std::move(of_row)) {}

  [[nodiscard]] model::Expected<oracle::ReferenceOutputs> compute(
      const model::Case& bound, const oracle::InputBuffers& inputs) const override {
    if (!of_row_) return of(function_, bound, inputs);
    return of_each(bound, inputs, [&](const std::vector<float>& x, std::size_t i) {
      return of_row_(x, i, bound.arguments[2].scalar_float);
    });
  }
  [[nodiscard]] model::Expected<std::optional<oracle::ReferenceOutputs>> compute_plain(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      std::span<const std::int64_t>) const override {
    if (!in_float_) return std::nullopt;
    return of(in_float_, bound, inputs);
  }

 private:
  static oracle::ReferenceOutputs of_each(
      const model::Case& bound, const oracle::InputBuffers& inputs,
      const std::function<double(const std::vector<float>&, std::size_t)>& value) {
    std::vector<float> x(inputs[0].size() / sizeof(float));
    std::memcpy(x.data(), inputs[0].data(), inputs[0].size());
    oracle::ReferenceOutputs outputs(bound.arguments.size());
    for (std::size_t i = 0; i < x.size(); ++i) outputs[1].push_back(value(x, i));
    return outputs;
  }
  static oracle::ReferenceOutputs of(const Function& function, const model::Case& bound,
                                     const oracle::InputBuffers& inputs) {
    return of_each(bound, inputs, [&](const std::vector<float>& x, std::size_t i) {
      return function(x[i], bound.arguments[2].scalar_float);
    });
  }
  Function function_, in_float_;
  OfRow of_row_;
};

model::Case elements_case(model::DType output, model::DType scalar, double k) {
  model::Case bound;
  bound.name = "elements";
  bound.arguments = {tests::array_argument("x", model::ArgumentRole::input, model::DType::f32, {8}),
                     tests::array_argument("y", model::ArgumentRole::output, output, {8}),
                     tests::scalar_argument("k", scalar, k)};
  return bound;
}

struct ScalarAnswers : ::testing::Test {
  /// Is `value` asked of a scalar that is `usual`, where f says what each element is?
  bool is_asked(model::DType scalar, double usual, double value, ElementByElement::Function f) {
    DeviceJob job = job_of(elements_case(model::DType::f32, scalar, usual),
                           elements_case(model::DType::f32, scalar, value), CaseUse::unusual);
    if (scalar == model::DType::i32) job.cases[1].undeclared_scalar = 2;
    oracle::ReferenceCache cache(knowing(ElementByElement(std::move(f))));
    Check check;
    check.case_index = 1;
    return asks_what_is_meant({device, 0, job, cache}, check);
  }
  /// As above, of a far integer and a function of all elements, with more input sets.
  bool is_asked_of_rows(double usual, double value, ElementByElement::OfRow f,
                        const std::vector<std::string>& more) {
    DeviceJob job = job_of(elements_case(model::DType::f32, model::DType::i32, usual),
                           elements_case(model::DType::f32, model::DType::i32, value), CaseUse::unusual);
    job.cases[1].undeclared_scalar = 2;
    job.input_sets[0] = {"all_zero", "all_zero", {}};
    job.declared_sets = 1;
    for (const std::string& kind : more) job.input_sets.push_back({kind, kind, {}});
    oracle::ReferenceCache cache(knowing(ElementByElement(std::move(f))));
    Check check;
    check.case_index = 1;
    return asks_what_is_meant({device, 0, job, cache}, check);
  }
  /// Is an answer in integers asked for at `value`, where a plain kernel in float computes `in_float`?
  bool has_one(double usual, double value, ElementByElement::Function in_float) {
    const model::Case bound = elements_case(model::DType::i32, model::DType::f32, value);
    DeviceJob job =
        job_of(elements_case(model::DType::i32, model::DType::f32, usual), bound, CaseUse::changed);
    const auto exact = [](double, double k) { return std::floor(k); };
    oracle::ReferenceCache cache(knowing(ElementByElement(exact, std::move(in_float))));
    oracle::ReferenceData reference;
    reference.inputs.resize(3);
    reference.inputs[0].resize(8 * sizeof(float));
    reference.outputs = {{}, std::vector<double>(8, std::floor(value)), {}};
    Check check;
    check.case_index = 1;
    return has_an_answer({device, 0, job, cache}, check, reference);
  }

  tests::FakeDevice device{tests::FakeDeviceSettings{}};

 private:
  static DeviceJob job_of(model::Case declared, model::Case other, CaseUse use) {
    DeviceJob job = tests::vector_add_job();
    job.cases = {std::move(declared), std::move(other)};
    job.uses = {CaseUse::workload, use};
    job.oracle = "problem";
    job.input_sets = {{"normal", "normal", {}}};
    return job;
  }
  static oracle::Catalogue knowing(ElementByElement oracle) {
    oracle::Catalogue known;
    known.add("problem", std::make_shared<ElementByElement>(std::move(oracle)));
    return known;
  }
};

constexpr auto i32 = model::DType::i32;
constexpr auto f32 = model::DType::f32;

TEST_F(ScalarAnswers, AnIntegerIsAskedOnlyWhereTheAnswerIsAnother) {
  EXPECT_TRUE(is_asked(i32, 0, 1, [](double x, double k) { return x + k; }));
  EXPECT_FALSE(is_asked(i32, 0, 1, [](double x, double) { return x; })) << "a flag that changes nothing";
  EXPECT_FALSE(is_asked(i32, 4, 8, [](double x, double k) { return k < 4 ? 2 * x : x; }));
}

TEST_F(ScalarAnswers, ANumberOfTheCodeCountsOnlyWhereTheNextOneIsAnother) {
  EXPECT_TRUE(is_asked(i32, 100, 7, [](double x, double k) { return x * k; }));
  EXPECT_FALSE(is_asked(i32, 100, 7, [](double x, double k) { return k < 50 ? 2 * x : x; }))
      << "a name of one of two ways";
}

TEST_F(ScalarAnswers, ANumberIsAskedWhereTheNextOneIsAnotherOnValuesThatGrowOnly) {
  // What the last element within reach is; the first elements, where all values are the same, do not tell.
  const auto reach = [](const std::vector<float>& x, std::size_t i, double k) {
    const auto last = std::min(x.size() - 1, i + static_cast<std::size_t>(k));
    return static_cast<double>(x[last] == x[0] ? k < 3 : x[last]) + static_cast<double>(i);
  };
  EXPECT_FALSE(is_asked_of_rows(1, 4, reach, {}));
  EXPECT_TRUE(is_asked_of_rows(1, 4, reach, {"rising"}));
  EXPECT_TRUE(is_asked_of_rows(1, 4, reach, {"normal", "falling"}));
  EXPECT_FALSE(is_asked_of_rows(1, 4, reach, {"normal"}));
}

TEST_F(ScalarAnswers, ANumberOfTheCodeIsNotAskedWhereAllElementsAreOneNumber) {
  EXPECT_FALSE(is_asked(i32, 100, 7, [](double, double k) { return k; }));
}

TEST_F(ScalarAnswers, ANumberIsAskedOnlyWhereTheAnswerIsAPolynomialOfIt) {
  EXPECT_TRUE(is_asked(f32, 1, -0.75, [](double x, double k) { return x * k * k + k; }));
  EXPECT_FALSE(is_asked(f32, 1, -0.75, [](double x, double k) { return x * std::exp(k); }));
}

TEST_F(ScalarAnswers, IntegersThatFloatMakesOtherwiseAreAskedOfTheProblemsOwnValueOnly) {
  const auto correct = [](double, double k) { return std::floor(k); };
  const auto next = [](double, double k) { return std::floor(k) + 1; };
  EXPECT_TRUE(has_one(1, 5, correct));
  EXPECT_FALSE(has_one(1, 5, next));
  EXPECT_TRUE(has_one(5, 5, next)) << "the problem's own";
}

}  // namespace
}  // namespace evo::evaluators::gates
