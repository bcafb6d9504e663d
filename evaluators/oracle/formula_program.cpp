#include "evaluators/oracle/formula_program.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "evaluators/oracle/elements.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::formula::Node;
using model::formula::Op;
using model::formula::Range;
using model::formula::Statement;

struct BindStop {
  model::Error error;
};

/// Dense row-major.
BoundArray dense(std::string name, std::vector<std::int64_t> shape, bool integral) {
  BoundArray array{std::move(name), std::move(shape), {}, integral, 1};
  array.strides.resize(array.shape.size());
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    array.strides[d] = array.elements;
    array.elements *= array.shape[d];
  }
  return array;
}

class Binder {
 public:
  explicit Binder(const model::Case& bound) : case_(bound) {
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      const bool integral = !is_floating(argument.dtype);
      if (argument.role == model::ArgumentRole::scalar) {
        double value = static_cast<double>(argument.scalar_integer);
        if (!integral) {
          std::array<std::byte, 8> bits{};  // as the candidate gets it
          store_element(argument.dtype, argument.scalar_float, bits.data());
          value = load_element(argument.dtype, bits.data());
        }
        constants_[argument.name] = {value, integral};
      }
      program_.arrays.push_back(dense(argument.name, argument.shape, integral));
      program_.result_of.push_back(i);
      arrays_[argument.name] = i;
    }
    for (const auto& [axis, value] : bound.axes)
      constants_.try_emplace(axis, Constant{static_cast<double>(value), true});
    constants_["pi"] = {std::numbers::pi, false};
    constants_["inf"] = {std::numeric_limits<double>::infinity(), false};
  }

  void bind(const Statement& statement) {
    place_ = &statement.place;
    BoundStatement result;
    result.place = statement.place;
    std::vector<std::int64_t> shape;
    variables_.clear();
    for (const Range& range : statement.indices) {
      shape.push_back(range.variable.empty() ? 1 : extent_of(range));
      result.variables.push_back(range.variable.empty() ? no_variable : declare(range.variable));
    }
    result.value = bind(statement.value, false);
    result.target = program_.arrays.size();
    program_.arrays.push_back(dense(statement.target, std::move(shape), result.value.integral));
    const auto argument = std::ranges::find(case_.arguments, statement.target, &model::BoundArgument::name);
    if (argument != case_.arguments.end())
      program_.result_of[static_cast<std::size_t>(argument - case_.arguments.begin())] = result.target;
    arrays_[statement.target] = result.target;
    program_.statements.push_back(std::move(result));
  }

  Program take() { return std::move(program_); }

 private:
  struct Constant {
    double value = 0;
    bool integral = false;
  };

  std::size_t declare(const std::string& name) {
    if (program_.variables.size() >= no_variable)
      throw BindStop{{"a formula has 62 variables at most", place_->file, place_->line, 0}};
    variables_[name] = program_.variables.size();
    program_.variables.push_back(name);
    return variables_[name];
  }

  std::int64_t extent_of(const Range& range) const {
    if (!range.axis.empty()) return static_cast<std::int64_t>(constants_.at(range.axis).value);
    return program_.arrays[arrays_.at(range.array)].shape.at(range.dimension);
  }

  BoundNode bind(const Node& node, bool index) {
    BoundNode result;
    result.op = node.op;
    result.number = node.number;
    result.position = node.position;
    result.shifted = node.shifted;
    result.buffer = program_.buffers++;
    const auto outer = variables_;
    std::uint64_t own = 0;  // variables that the node brings
    for (const Range& range : node.ranges) {
      BoundRange made;
      made.skip_first = range.skip_first;
      made.skip_last = range.skip_last;
      for (const Node& bound : range.bounds) made.bounds.push_back(bind(bound, true));
      for (const BoundNode& bound : made.bounds) result.uses |= bound.uses;
      if (range.bounds.empty()) made.extent = extent_of(range);
      made.variable = declare(range.variable);
      own |= std::uint64_t{1} << made.variable;
      result.ranges.push_back(std::move(made));
    }
    const bool within = index || node.op == Op::element;
    result.integral = true;
    for (const Node& child : node.children) {
      result.children.push_back(bind(child, within));
      result.uses |= result.children.back().uses;
      result.integral = result.integral && result.children.back().integral;
    }
    result.uses &= ~own;
    variables_ = outer;
    settle(node, index, result);
    return result;
  }

  void settle(const Node& node, bool index, BoundNode& result) {
    switch (node.op) {
      case Op::number:
        result.integral = node.number == static_cast<double>(static_cast<std::int64_t>(node.number));
        break;
      case Op::name: {
        const auto variable = variables_.find(node.name);
        if (variable != variables_.end()) {
          result.slot = variable->second;
          result.uses = std::uint64_t{1} << variable->second;
          break;
        }
        const Constant& constant = constants_.at(node.name);
        result.op = Op::number;
        result.number = constant.value;
        result.integral = constant.integral;
        break;
      }
      case Op::element:
        result.slot = arrays_.at(node.name);
        result.integral = program_.arrays[result.slot].integral;
        break;
      case Op::divide:
        if (index) result.op = Op::floor_divide;
        result.integral = result.integral && index;
        break;
      case Op::power:
        result.integral = result.integral && index;
        break;
      case Op::call: {
        const auto& names = model::formula::function_names();
        result.slot = static_cast<std::size_t>(std::ranges::find(names, node.name) - names.begin());
        result.integral = result.integral && node.name == "abs";
        break;
      }
      default:
        break;
    }
  }

  const model::Case& case_;
  Program program_;
  std::map<std::string, std::size_t> arrays_, variables_;
  std::map<std::string, Constant> constants_;
  const model::OracleStatement* place_ = nullptr;
};

}  // namespace

model::formula::Scope scope_of(const model::Case& bound) {
  model::formula::Scope scope;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::scalar) scope.scalars.push_back(argument.name);
    const bool given = model::is_given(argument.role);
    const bool wanted = model::is_judged(argument.role);
    if (!given && !wanted) continue;
    model::formula::Scope::Array array{argument.name, given, wanted, {}};
    for (const std::int64_t size : argument.shape) array.extents.push_back(std::to_string(size));
    scope.arrays.push_back(std::move(array));
  }
  for (const auto& [axis, value] : bound.axes) scope.axes.push_back(axis);
  return scope;
}

model::Expected<Program> bind_formula(const std::vector<Statement>& statements, const model::Case& bound) {
  try {
    Binder binder(bound);
    for (const Statement& statement : statements) binder.bind(statement);
    return binder.take();
  } catch (const BindStop& stop) {
    return tl::make_unexpected(stop.error);
  }
}

}  // namespace evo::evaluators::oracle
