// Index notation: what parses, what it means, and how mistakes are told.
#include "model/formula.hpp"

#include <gtest/gtest.h>

namespace evo::model::formula {
namespace {

Expression parsed(const std::string& text) {
  return Expression::parse(text).value();
}

/// C[m, n] = A[m, k] B[k, n], a vector x of n, a scalar alpha.
Problem product() {
  Problem problem;
  const auto add = [&](const char* name, ArgumentRole role, std::vector<std::string> shape) {
    Argument argument;
    argument.name = name;
    argument.role = role;
    argument.dtype = DType::f32;
    for (const std::string& size : shape) argument.shape.push_back(parsed(size));
    problem.arguments.push_back(std::move(argument));
  };
  add("A", ArgumentRole::input, {"m", "k"});
  add("B", ArgumentRole::input, {"k", "n"});
  add("x", ArgumentRole::input, {"n"});
  add("C", ArgumentRole::output, {"m", "n"});
  add("alpha", ArgumentRole::scalar, {});
  for (const char* axis : {"m", "n", "k"}) {
    problem.axes.emplace_back();
    problem.axes.back().name = axis;
  }
  return problem;
}

Expected<std::vector<Statement>> parse_all(const std::vector<std::string>& texts) {
  std::vector<OracleStatement> statements;
  for (const std::string& text : texts) statements.push_back({text, "problem.yaml", 7, 10});
  return parse(statements, scope_of(product()),
               [](std::string_view word, const std::vector<std::string>& known) {
                 for (const std::string& each : known) {
                   if (each.size() == word.size() && each.substr(1) == word.substr(1))
                     return " (did you mean '" + each + "'?)";
                 }
                 return std::string();
               });
}

Error error_of(const std::vector<std::string>& texts) {
  const auto statements = parse_all(texts);
  EXPECT_FALSE(statements) << texts.back();
  return statements ? Error{} : statements.error();
}

TEST(Formulas, VariablesRunOverWhatTheyIndexAlone) {
  const auto statements = parse_all({"C[i, j] = alpha * sum(l, A[i, l] * B[l, j])"});
  ASSERT_TRUE(statements) << statements.error().text();
  const Statement& statement = statements->front();
  EXPECT_EQ(statement.indices[1].array, "C");
  EXPECT_EQ(statement.indices[1].dimension, 1U);
  const Node& sum = statement.value.children[1];
  ASSERT_EQ(sum.op, Op::sum);
  EXPECT_EQ(sum.ranges.front().array, "A");
  EXPECT_EQ(sum.ranges.front().dimension, 1U);
  EXPECT_TRUE(parse_all({"C[m, n] = sum(k, A[m, k] * B[k, n])"})) << "axes' names may be variables";
  EXPECT_TRUE(parse_all({"r[i] = max(l, A[i, l])", "C[i, j] = max(r[i], 0) + min(x[j], 1, alpha)"}));
  EXPECT_TRUE(parse_all({"t = sum(j, x[j]) / n", "C[i, j] = where(j > 0 and i < m - 1, x[j - 1], t) ** 2"}));
  EXPECT_TRUE(parse_all({"C[i, j] = sum(0 <= l < k, A[i, l])"}));
}

TEST(Formulas, WhatIsWrongIsToldWithItsPlace) {
  const auto at = [](const std::vector<std::string>& texts) { return error_of(texts).column; };
  const auto text = [](const std::vector<std::string>& texts) { return error_of(texts).message; };
  EXPECT_EQ(at({"C[i, j] = sun(l, A[i, l])"}), 20);
  EXPECT_NE(text({"C[i, j] = sun(l, A[i, l])"}).find("unknown function 'sun'"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = axp(x[j])"}).find("did you mean 'exp'"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = y[j]"}).find("unknown name 'y' (did you mean"), std::string::npos);
  EXPECT_EQ(at({"C[i, j] = y[j]"}), 20);
  EXPECT_EQ(error_of({"C[i, j] = y[j]"}).line, 7);
  EXPECT_NE(text({"C[i, j] = A[i]"}).find("A has 2 dimensions, and 1 index is given"), std::string::npos);
  EXPECT_NE(text({"C[i] = x[i]"}).find("C has 2 dimensions"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = x"}).find("it needs as many indices"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = sum(l, 1)"}).find("nothing says what l runs over"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = sum(l, A[i, l] * x[l])"}).find("l runs over k"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = sum(i, A[i, j])"}).find("i is an index already"), std::string::npos);
  EXPECT_NE(text({"C[i, i] = 0"}).find("occurs twice"), std::string::npos);
  EXPECT_NE(text({"A[i, j] = 0"}).find("A is an input"), std::string::npos);
  EXPECT_NE(text({"alpha = 0"}).find("a scalar or an axis"), std::string::npos);
  EXPECT_NE(text({"t = sum(j, x[j])"}).find("no statement gives the output C"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = 0", "C[i, j] = 1"}).find("two statements"), std::string::npos);
  EXPECT_NE(text({"t = sum(i, j, C[i, j])", "C[i, j] = t"}).find("C is an output that no statement before"),
            std::string::npos);
  EXPECT_NE(text({"C[i, j] = (1"}).find("expected ')'"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = 1 1"}).find("unexpected '1'"), std::string::npos);
  EXPECT_NE(text({"C[i, j] == 1"}).find("expected '='"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = where(1, 2)"}).find("where takes 3 arguments, not 2"), std::string::npos);
  EXPECT_NE(text({"C[i, j] = " + std::string(500, '(')}).find("nested too deeply"), std::string::npos);
}

TEST(Formulas, TheWorkFollows) {
  const auto statements = parse_all({"C[i, j] = sum(l, A[i, l] * B[l, j])"}).value();
  const Work work = work_of(statements, product()).value();
  Environment sizes;
  sizes.insert_or_assign("m", std::int64_t{2});
  sizes.insert_or_assign("n", std::int64_t{3});
  sizes.insert_or_assign("k", std::int64_t{5});
  EXPECT_EQ(parsed(work.flops).evaluate_integer(sizes).value(), 2 * 2 * 3 * 5);
  EXPECT_EQ(parsed(work.bytes).evaluate_integer(sizes).value(), 4 * (2 * 5 + 5 * 3 + 3 + 2 * 3));
  const auto by_data = parse_all({"C[i, j] = sum(l < x[j], A[i, l])"}).value();
  EXPECT_NE(work_of(by_data, product()).error().message.find("name its work"), std::string::npos);
  const auto copy = parse_all({"C[i, j] = x[j]"}).value();
  EXPECT_EQ(parsed(work_of(copy, product())->flops).evaluate_integer(sizes).value(), 6)
      << "a copy is no nothing";
}

TEST(Formulas, AReductionIsDoneOncePerValueThatItDependsOn) {
  const auto statements = parse_all({"C[i, j] = A[i, 0] / sum(l, A[i, l])"}).value();
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(statements[0].indices.size(), 1U);
  EXPECT_EQ(statements[1].target, "C");
  Environment sizes;
  sizes.insert_or_assign("m", std::int64_t{2});
  sizes.insert_or_assign("n", std::int64_t{300});
  sizes.insert_or_assign("k", std::int64_t{5});
  const Work work = work_of(statements, product()).value();
  EXPECT_EQ(parsed(work.flops).evaluate_integer(sizes).value(), 2 * 5 + 2 * 300);
  const auto count = [](const std::string& text) { return parse_all({text}).value().size(); };
  EXPECT_EQ(count("C[i, j] = sum(l, A[i, l] * B[l, j])"), 1U) << "needs both";
  EXPECT_EQ(count("C[i, j] = sum(l, A[i, l] * sum(h, B[h, j]))"), 2U) << "not for every l";
  EXPECT_EQ(count("C[i, j] = where(i > 0, sum(l, A[i - 1, l]), 0)"), 1U) << "i - 1 may be no row";
}

TEST(Formulas, MutantsHaveOneMistakeEach) {
  const auto statements = parse_all({"C[i, j] = sum(l, A[i, l] * B[l, j])"}).value();
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants_of(statements, scope_of(product()))) texts.push_back(mutant.text);
  const auto has = [&](const std::string& part) {
    for (const std::string& text : texts) {
      if (text.find(part) != std::string::npos) return true;
    }
    return false;
  };
  for (const char* part : {"the last term of sum over l", "the first term of sum over l", "* is +",
                           "index 0 of A is off by one", "index 1 of B is off by one"}) {
    EXPECT_TRUE(has(part)) << part;
  }
  EXPECT_FALSE(has("swapped")) << "A and B have different shapes";
}

}  // namespace
}  // namespace evo::model::formula
