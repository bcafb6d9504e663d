// Floating-point operations and bytes of a formula, as expressions over axes.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/dtype.hpp"
#include "model/formula.hpp"

namespace evo::model::formula {
namespace {

struct WorkStop {
  Error error;
};

/// So many operations, and those of the terms.
struct Cost {
  std::int64_t constant = 0;
  std::string terms;  ///< "" or " + ..."
  void add(const Cost& other) {
    constant += other.constant;
    terms += other.terms;
  }
  [[nodiscard]] std::string text() const { return fmt::format("({}{})", constant, terms); }
};

class Counter {
 public:
  explicit Counter(const Problem& problem) {
    for (const Argument& argument : problem.arguments) {
      for (const Expression& size : argument.shape) extents_[argument.name].push_back(size.text());
    }
    for (const Axis& axis : problem.axes) axes_[axis.name] = true;
  }

  std::string count(const Statement& statement) {
    place_ = &statement.place;
    Cost cost = of(statement.value);
    if (cost.constant == 0 && cost.terms.empty()) cost.constant = 1;  // a copy
    std::string text = cost.text();
    std::vector<std::string> sizes;
    for (const Range& range : statement.indices) {
      sizes.push_back(extent(range));
      text = fmt::format("({}) * {}", sizes.back(), text);
    }
    extents_.emplace(statement.target, std::move(sizes));
    return text;
  }

 private:
  std::string extent(const Range& range) {
    if (!range.bounds.empty())
      return fmt::format("max({} - ({}), 0)", text_of(range.bounds[1]), text_of(range.bounds[0]));
    return range.axis.empty() ? extents_.at(range.array).at(range.dimension) : range.axis;
  }

  std::string text_of(const Node& node) {
    const auto two = [&](const char* op) {
      return fmt::format("({} {} {})", text_of(node.children[0]), op, text_of(node.children[1]));
    };
    switch (node.op) {
      case Op::number:
        if (node.number == static_cast<double>(static_cast<std::int64_t>(node.number)))
          return fmt::format("{}", static_cast<std::int64_t>(node.number));
        break;
      case Op::name:
        if (axes_.contains(node.name)) return node.name;
        break;
      case Op::add:
        return two("+");
      case Op::subtract:
        return two("-");
      case Op::multiply:
        return two("*");
      case Op::divide:
      case Op::floor_divide:
        return two("/");
      default:
        break;
    }
    throw WorkStop{
        detail::error_at(*place_, node.position,
                         "the bounds of this variable are no expression over axes, so that the problem "
                         "has to name its work: {flops: ..., bytes: ...}")};
  }

  Cost of(const Node& node) {
    Cost cost;
    if (node.op == Op::element) return cost;  // where an element lies is no work
    for (const Node& child : node.children) cost.add(of(child));
    switch (node.op) {
      case Op::number:
      case Op::name:
      case Op::where:
        return cost;
      case Op::sum:
      case Op::product:
      case Op::smallest:
      case Op::largest: {
        ++cost.constant;
        std::string text = cost.text();
        for (const Range& range : node.ranges) text = fmt::format("({}) * {}", extent(range), text);
        return {0, " + " + text};
      }
      default:
        ++cost.constant;
        return cost;
    }
  }

  std::map<std::string, std::vector<std::string>> extents_;
  std::map<std::string, bool> axes_;
  const OracleStatement* place_ = nullptr;
};

}  // namespace

Expected<Work> work_of(const std::vector<Statement>& statements, const Problem& problem) {
  Work work;
  try {
    Counter counter(problem);
    for (const Statement& statement : statements)
      work.flops += (work.flops.empty() ? "" : " + ") + counter.count(statement);
  } catch (const WorkStop& stop) {
    return tl::make_unexpected(stop.error);
  }
  for (const Argument& argument : problem.arguments) {
    if (argument.role == ArgumentRole::scalar || argument.role == ArgumentRole::workspace) continue;
    work.bytes += fmt::format("{}{}", work.bytes.empty() ? "" : " + ", size_of(argument.dtype));
    for (const Expression& size : argument.shape) work.bytes += fmt::format(" * ({})", size.text());
  }
  return work;
}

}  // namespace evo::model::formula
