#include "evaluators/oracle/expression_oracle.hpp"

#include <algorithm>

#include "evaluators/oracle/formula_machine.hpp"

namespace evo::evaluators::oracle {
namespace {

bool reads_array(const BoundNode& node) {
  return node.op == model::formula::Op::element || std::ranges::any_of(node.children, reads_array);
}

/// Terms of a range whose bounds are expressions, of a window.
constexpr double bounded_terms = 16;

/// `stored`: terms of a range whose bounds are data (the offsets of a sparse matrix).
double depth_of(const BoundNode& node, double stored) {
  double inner = 1;
  for (const BoundNode& child : node.children) inner = std::max(inner, depth_of(child, stored));
  for (const BoundRange& range : node.ranges) {
    const double bounded = std::ranges::any_of(range.bounds, reads_array) ? stored : bounded_terms;
    inner *= std::max(1.0, range.bounds.empty() ? static_cast<double>(range.extent) : bounded);
  }
  return inner;
}

/// As many as the problem's work says that an output takes.
double terms_by_work(const model::Case& bound) {
  double elements = 1;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!model::is_judged(argument.role)) continue;
    double count = 1;
    for (const std::int64_t size : argument.shape) count *= static_cast<double>(size);
    elements = std::max(elements, count);
  }
  return std::max(bounded_terms, bound.flops / elements / 2);
}

}  // namespace

model::Expected<std::vector<model::formula::Statement>> ExpressionOracle::parsed_for(
    const model::Case& bound) const {
  if (!parsed_.empty()) return parsed_;
  return model::formula::parse(texts_, scope_of(bound));
}

model::Expected<ReferenceOutputs> ExpressionOracle::compute(const model::Case& bound,
                                                            const InputBuffers& inputs) const {
  return compute_rows(bound, inputs, {});
}

bool ExpressionOracle::computes_rows(const model::Case& bound) const {
  const auto outputs =
      std::ranges::count(bound.arguments, model::ArgumentRole::output, &model::BoundArgument::role);
  if (outputs != 1) return false;
  // A row of an inout's new contents would take the place of all of them.
  if (std::ranges::count(bound.arguments, model::ArgumentRole::inout, &model::BoundArgument::role) != 0)
    return false;
  const auto statements = parsed_for(bound);
  if (!statements || statements->empty()) return false;
  const auto last =
      std::ranges::find(bound.arguments, statements->back().target, &model::BoundArgument::name);
  return last != bound.arguments.end() && last->role == model::ArgumentRole::output && !last->shape.empty();
}

model::Expected<ReferenceOutputs> ExpressionOracle::compute_rows(const model::Case& bound,
                                                                 const InputBuffers& inputs,
                                                                 std::span<const std::int64_t> rows) const {
  const auto statements = parsed_for(bound);
  if (!statements) return tl::make_unexpected(statements.error());
  const auto program = bind_formula(*statements, bound);
  if (!program) return tl::make_unexpected(program.error());
  return run_formula(*program, bound, inputs, FormulaType::f64, rows);
}

model::Expected<std::optional<ReferenceOutputs>> ExpressionOracle::compute_plain(
    const model::Case& bound, const InputBuffers& inputs, std::span<const std::int64_t> rows) const {
  const auto statements = parsed_for(bound);
  if (!statements) return tl::make_unexpected(statements.error());
  const auto program = bind_formula(*statements, bound);
  if (!program) return tl::make_unexpected(program.error());
  auto outputs = run_formula(*program, bound, inputs, FormulaType::f32, rows);
  if (!outputs) return tl::make_unexpected(outputs.error());
  return std::optional(std::move(*outputs));
}

std::optional<double> ExpressionOracle::depth(const model::Case& bound) const {
  const auto statements = parsed_for(bound);
  if (!statements) return std::nullopt;
  const auto program = bind_formula(*statements, bound);
  if (!program) return std::nullopt;
  double depth = 1;
  for (const BoundStatement& statement : program->statements)
    depth = std::max(depth, depth_of(statement.value, terms_by_work(bound)));
  return depth;
}

std::vector<OracleMutant> ExpressionOracle::mutants(const model::Case& bound) const {
  std::vector<OracleMutant> mutants;
  const auto statements = parsed_for(bound);
  if (!statements) return mutants;
  for (model::formula::Mutant& mutant : model::formula::mutants_of(*statements, scope_of(bound))) {
    mutants.push_back(
        {std::move(mutant.text), std::make_shared<ExpressionOracle>(std::move(mutant.statements))});
  }
  return mutants;
}

}  // namespace evo::evaluators::oracle
