// Formulas against loops that say the same.
#include "evaluators/oracle/expression_oracle.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;
using tests::array_argument;

struct Expressions : ::testing::Test {
  /// Adds an array with element e as value(e); a given one for inputs.
  template <class Value>
  void input(const std::string& name, DType dtype, std::vector<std::int64_t> shape, const Value& value) {
    bound.arguments.push_back(array_argument(name, ArgumentRole::input, dtype, std::move(shape)));
    const model::BoundArgument& argument = bound.arguments.back();
    inputs.emplace_back(static_cast<std::size_t>(buffer_bytes(argument)));
    for (std::int64_t e = 0; e < element_count(argument); ++e)
      store_element(dtype, value(e), inputs.back().data() + e * model::size_of(dtype));
  }
  void output(const std::string& name, std::vector<std::int64_t> shape, DType dtype = DType::f32) {
    bound.arguments.push_back(array_argument(name, ArgumentRole::output, dtype, std::move(shape)));
    inputs.emplace_back();
  }
  void scalar(const std::string& name, double value, DType dtype = DType::f32) {
    bound.arguments.push_back(tests::scalar_argument(name, dtype, value));
    inputs.emplace_back();
  }
  static ExpressionOracle oracle(const std::vector<std::string>& texts) {
    std::vector<model::OracleStatement> statements;
    for (const std::string& text : texts) statements.push_back({text, "p.yaml", 3, 1});
    return ExpressionOracle(std::move(statements));
  }
  std::vector<double> values(const std::vector<std::string>& texts) {
    const auto outputs = oracle(texts).compute(bound, inputs);
    EXPECT_TRUE(outputs) << outputs.error().text();
    return outputs ? outputs->back() : std::vector<double>{};
  }
  std::string error(const std::vector<std::string>& texts) {
    const auto outputs = oracle(texts).compute(bound, inputs);
    EXPECT_FALSE(outputs);
    return outputs ? "" : outputs.error().text();
  }
  model::Case bound = [] {
    model::Case made;
    made.name = "case";
    return made;
  }();
  InputBuffers inputs;
};

double noise(std::int64_t e) {
  return std::sin(static_cast<double>(e) * 12.9898) * 3;
}

TEST_F(Expressions, AProductOfMatrices) {
  constexpr std::int64_t m = 37, n = 301, k = 53;
  input("A", DType::f32, {m, k}, noise);
  input("B", DType::f16, {k, n}, [](std::int64_t e) { return noise(e + 7); });
  output("C", {m, n});
  const std::vector<double> a = load_array(bound.arguments[0], inputs[0]);
  const std::vector<double> b = load_array(bound.arguments[1], inputs[1]);
  const std::vector<double> c = values({"C[m, n] = sum(k, A[m, k] * B[k, n])"});
  ASSERT_EQ(c.size(), m * n);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
      ASSERT_NEAR(c[static_cast<std::size_t>(i * n + j)], sum, 1e-11) << i << "," << j;
    }
  }
  const ExpressionOracle one = oracle({"C[m, n] = sum(k, A[m, k] * B[k, n])"});
  ASSERT_TRUE(one.computes_rows(bound));
  const auto rows = one.compute_rows(bound, inputs, std::vector<std::int64_t>{3, 36}).value();
  ASSERT_EQ(rows.back().size(), 2 * n);
  EXPECT_EQ(rows.back()[5], c[3 * n + 5]);
  EXPECT_EQ(rows.back()[n + 300], c[36 * n + 300]);
  EXPECT_EQ(one.depth(bound), k);
  const auto plain = one.compute_plain(bound, inputs, {}).value();
  ASSERT_TRUE(plain);
  double worst = 0;
  for (std::size_t e = 0; e < c.size(); ++e) worst = std::max(worst, std::abs((*plain).back()[e] - c[e]));
  EXPECT_GT(worst, 1e-7) << "float is not double";
  EXPECT_LT(worst, 1e-3);
}

TEST_F(Expressions, IntermediateArraysAndFunctions) {
  constexpr std::int64_t rows = 5, columns = 300;
  input("X", DType::f32, {rows, columns}, noise);
  output("Y", {rows, columns});
  const std::vector<double> x = load_array(bound.arguments[0], inputs[0]);
  const std::vector<double> y = values(
      {"M[i] = max(j, X[i, j])", "E[i, j] = exp(X[i, j] - M[i])", "Y[i, j] = E[i, j] / sum(l, E[i, l])"});
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += std::exp(x[i * columns + j]);
    for (std::size_t j = 0; j < columns; ++j)
      EXPECT_NEAR(y[i * columns + j], std::exp(x[i * columns + j]) / sum, 1e-14);
  }
}

TEST_F(Expressions, AnInoutIsReadAsItWasAndThenAsItIs) {
  input("m", DType::f32, {3}, [](std::int64_t e) { return static_cast<double>(e + 1); });
  bound.arguments.back().role = ArgumentRole::inout;
  output("y", {3});
  EXPECT_EQ(values({"m[i] = m[i] * 2", "y[i] = m[i] + 1"}), (std::vector<double>{3, 5, 7}));
  EXPECT_EQ(values({"y[i] = m[i] + 1", "m[i] = m[i] * 2"}), (std::vector<double>{2, 3, 4}));
  EXPECT_NE(error({"y[i] = m[i]"}).find("no statement gives the output m"), std::string::npos);
  EXPECT_FALSE(oracle({"m[i] = m[i] * 2", "y[i] = m[i] + 1"}).computes_rows(bound));
}

TEST_F(Expressions, GuardsAndIndexArithmetic) {
  constexpr std::int64_t n = 70;
  input("x", DType::f32, {n}, [](std::int64_t e) { return static_cast<double>(e); });
  input("w", DType::f32, {3}, [](std::int64_t e) { return static_cast<double>(e + 1); });
  output("y", {n});
  const std::vector<double> y =
      values({"y[i] = sum(r, where(i + r >= 1 and i + r <= 70, x[i + r - 1], 0) * w[r])"});
  EXPECT_EQ(y[0], 0 * 1 + 0 * 2 + 1 * 3);
  EXPECT_EQ(y[10], 9 * 1 + 10 * 2 + 11 * 3);
  EXPECT_EQ(y[69], 68 * 1 + 69 * 2);
  const std::string message = error({"y[i] = sum(r, x[i + r - 1] * w[r])"});
  EXPECT_NE(message.find("p.yaml:3:15"), std::string::npos) << message;
  EXPECT_NE(message.find("index 0 of x is -1"), std::string::npos) << message;
  EXPECT_NE(message.find("i = 0"), std::string::npos) << message;
  EXPECT_NE(error({"y[i] = x[i + w[1]]"}).find("70 elements"), std::string::npos);
  EXPECT_EQ(values({"y[i] = x[i // 2] + x[i % 7] - x[i / 10]"})[69], 34 + 6 - 6);
}

TEST_F(Expressions, BoundsMayBeDataAndOtherVariables) {
  input("offsets", DType::i32, {4}, [](std::int64_t e) {
    return std::vector<double>{0, 2, 2, 5}[static_cast<std::size_t>(e)];
  });
  input("columns", DType::i32, {5}, [](std::int64_t e) { return static_cast<double>(4 - e); });
  input("v", DType::f32, {5}, [](std::int64_t e) { return static_cast<double>(e + 1); });
  input("x", DType::f32, {5}, [](std::int64_t e) { return static_cast<double>(10 * e); });
  output("y", {3});
  EXPECT_EQ(values({"y[r] = sum(offsets[r] <= e < offsets[r + 1], v[e] * x[columns[e]])"}),
            (std::vector<double>{1 * 40 + 2 * 30, 0, 3 * 20 + 4 * 10 + 5 * 0}));
  // How many terms there are the data says; the problem's work, on the average.
  const ExpressionOracle stored =
      oracle({"y[r] = sum(offsets[r] <= e < offsets[r + 1], v[e] * x[columns[e]])"});
  bound.flops = 2.0 * 3 * 40000;
  EXPECT_EQ(stored.depth(bound), 40000);
  bound.flops = 0;
  EXPECT_EQ(stored.depth(bound), 16);
  EXPECT_EQ(values({"y[r] = sum(j <= r, x[j])"}), (std::vector<double>{0, 10, 30}));
  EXPECT_EQ(values({"y[r] = prod(j < 3, v[j + r])"}), (std::vector<double>{6, 24, 60}));
}

TEST_F(Expressions, OneOutputScalarsAndAxes) {
  bound.axes = {{"n", 100}};
  input("x", DType::f64, {100}, [](std::int64_t e) { return static_cast<double>(e); });
  scalar("alpha", 0.1);
  scalar("shift", 3, DType::i32);
  output("y", {1}, DType::f64);
  EXPECT_DOUBLE_EQ(values({"mean = sum(i, x[i]) / n", "y[0] = alpha * mean + shift"}).front(),
                   double{0.1F} * 49.5 + 3);
  EXPECT_EQ(values({"y[0] = max(i, -abs(x[i] - 40))"}).front(), 0);
}

TEST_F(Expressions, MutantsGiveOtherAnswers) {
  input("x", DType::f32, {20}, noise);
  input("y", DType::f32, {20}, [](std::int64_t e) { return noise(e + 99); });
  output("z", {20});
  const ExpressionOracle correct = oracle({"z[i] = 2 * x[i] - exp(y[i])"});
  const auto answer = correct.compute(bound, inputs).value().back();
  const auto mutants = correct.mutants(bound);
  EXPECT_GE(mutants.size(), 5U);
  for (const OracleMutant& mutant : mutants) {
    const auto wrong = mutant.oracle->compute(bound, inputs);
    ASSERT_TRUE(wrong) << mutant.text << wrong.error().text();
    EXPECT_NE(wrong->back(), answer) << mutant.text;
  }
}

}  // namespace
}  // namespace evo::evaluators::oracle
