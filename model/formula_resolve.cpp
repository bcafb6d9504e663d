// What the names and variables of a formula mean.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/formula.hpp"

namespace evo::model::formula {
namespace {

std::string squeezed(std::string text) {
  std::erase(text, ' ');
  return text;
}

struct NameStop {
  Error error;
};

/// One place where a variable stands alone as an index.
struct Use {
  const Scope::Array* array;
  std::size_t dimension;
};

class Resolver {
 public:
  Resolver(const Scope& scope, const Suggest& suggest) : scope_(scope), suggest_(suggest) {
    for (const Scope::Array& array : scope.arrays) {
      if (array.given) known_.push_back(array);
    }
  }

  void resolve(Statement& statement) {
    place_ = &statement.place;
    variables_.clear();
    const Scope::Array* output = wanted(statement.target);
    check_target(statement, output);
    Scope::Array made{statement.target, false, false, {}};
    for (std::size_t d = 0; d < statement.indices.size(); ++d) {
      Range& range = statement.indices[d];
      if (range.variable.empty() && output == nullptr)
        fail(0, fmt::format("{} is an intermediate array: its indices are variables", statement.target));
      if (output != nullptr) {
        range.array = output->name;
        range.dimension = d;
        if (range.variable.empty() && squeezed(output->extents[d]) != "1")
          fail(0, fmt::format("dimension {} of {} has {} elements; its index is a variable", d,
                              statement.target, output->extents[d]));
      } else {
        find_range(range, statement.value, 0, "");
      }
      if (!range.variable.empty()) {
        if (is_variable(range.variable)) fail(0, fmt::format("the index {} occurs twice", range.variable));
        variables_.push_back(range.variable);
      }
      made.extents.push_back(extent_of(range));
    }
    resolve(statement.value);
    if (output != nullptr) made.extents = output->extents;
    std::erase_if(known_, [&](const Scope::Array& array) { return array.name == made.name; });
    known_.push_back(std::move(made));
    done_.push_back(statement.target);
  }

  void check_complete(const OracleStatement& last) {
    place_ = &last;
    for (const Scope::Array& array : scope_.arrays) {
      if (array.wanted && std::ranges::find(done_, array.name) == done_.end())
        fail(0, fmt::format("no statement gives the output {}", array.name));
    }
  }

 private:
  [[noreturn]] void fail(std::size_t position, std::string message) const {
    throw NameStop{detail::error_at(*place_, position, std::move(message))};
  }
  [[nodiscard]] std::string hint(std::string_view word, const std::vector<std::string>& known) const {
    return suggest_ ? suggest_(word, known) : std::string();
  }
  [[nodiscard]] const Scope::Array* wanted(const std::string& name) const {
    for (const Scope::Array& array : scope_.arrays) {
      if (array.name == name && array.wanted) return &array;
    }
    return nullptr;
  }
  [[nodiscard]] const Scope::Array* find(const std::string& name) const {
    for (const Scope::Array& array : known_) {
      if (array.name == name) return &array;
    }
    return nullptr;
  }
  [[nodiscard]] bool is_variable(const std::string& name) const {
    return std::ranges::find(variables_, name) != variables_.end();
  }
  [[nodiscard]] bool is_plain(const std::string& name) const {
    return name == "pi" || name == "inf" || std::ranges::find(scope_.scalars, name) != scope_.scalars.end() ||
           std::ranges::find(scope_.axes, name) != scope_.axes.end();
  }

  void check_target(const Statement& statement, const Scope::Array* output) const {
    const std::string& target = statement.target;
    if (std::ranges::find(done_, target) != done_.end())
      fail(0, fmt::format("{} is given by two statements", target));
    if (output == nullptr && find(target) != nullptr)
      fail(0, fmt::format("{} is an input: a statement gives an output or an intermediate array", target));
    if (output == nullptr && is_plain(target))
      fail(0, fmt::format("{} is a scalar or an axis of the problem", target));
    if (output != nullptr && output->extents.size() != statement.indices.size()) {
      fail(0, fmt::format("{} has {} dimension{}, and {} {} given", target, output->extents.size(),
                          output->extents.size() == 1 ? "" : "s", statement.indices.size(),
                          statement.indices.size() == 1 ? "index is" : "indices are"));
    }
  }

  void collect(const Node& node, const std::string& variable, std::vector<Use>& uses) const {
    if (node.op == Op::element) {
      const Scope::Array* array = find(node.name);
      for (std::size_t d = 0; d < node.children.size(); ++d) {
        const Node& index = node.children[d];
        if (index.op == Op::name && index.name == variable && array != nullptr && d < array->extents.size())
          uses.push_back({array, d});
      }
    }
    for (const Node& child : node.children) collect(child, variable, uses);
    for (const Range& range : node.ranges) {
      for (const Node& bound : range.bounds) collect(bound, variable, uses);
    }
  }

  [[nodiscard]] std::string extent_of(const Range& range) const {
    if (!range.axis.empty()) return range.axis;
    if (const Scope::Array* output = wanted(range.array)) return output->extents[range.dimension];
    const Scope::Array* array = find(range.array);
    return array == nullptr ? std::string() : array->extents[range.dimension];
  }

  /// A misspelt array is told before what its indices cannot mean.
  void check_arrays(const Node& node) const {
    if (node.op == Op::element && !is_variable(node.name) && !is_plain(node.name) &&
        find(node.name) == nullptr)
      unknown(node);
    for (const Node& child : node.children) check_arrays(child);
  }

  void find_range(Range& range, const Node& body, std::size_t position, std::string_view reduction) {
    check_arrays(body);
    std::vector<Use> uses;
    collect(body, range.variable, uses);
    for (const Use& use : uses) {
      const Use& first = uses.front();
      if (squeezed(use.array->extents[use.dimension]) == squeezed(first.array->extents[first.dimension]))
        continue;
      fail(position,
           fmt::format("{0} runs over {1} (dimension {2} of {3}) and over {4} (dimension {5} of {6}); say "
                       "which: {7}({0} < ..., ...)",
                       range.variable, first.array->extents[first.dimension], first.dimension,
                       first.array->name, use.array->extents[use.dimension], use.dimension, use.array->name,
                       reduction.empty() ? "sum" : reduction));
    }
    if (!uses.empty()) {
      range.array = uses.front().array->name;
      range.dimension = uses.front().dimension;
    } else if (std::ranges::find(scope_.axes, range.variable) != scope_.axes.end()) {
      range.axis = range.variable;
    } else {
      fail(position, fmt::format("nothing says what {0} runs over: no array is indexed by {0} alone, and no "
                                 "axis has that name{1}{2}",
                                 range.variable, reduction.empty() ? "" : "; give it bounds: 0 <= ",
                                 reduction.empty() ? "" : range.variable + " < n"));
    }
  }

  void resolve_name(Node& node) const {
    if (is_variable(node.name) || is_plain(node.name)) return;
    if (const Scope::Array* array = find(node.name)) {
      if (!array->extents.empty()) {
        fail(node.position, fmt::format("{} has {} dimension{}: it needs as many indices", node.name,
                                        array->extents.size(), array->extents.size() == 1 ? "" : "s"));
      }
      node.op = Op::element;
      return;
    }
    unknown(node);
  }

  [[noreturn]] void unknown(const Node& node) const {
    if (wanted(node.name) != nullptr)
      fail(node.position, fmt::format("{} is an output that no statement before this one gives", node.name));
    std::vector<std::string> words;
    for (const Scope::Array& array : known_) words.push_back(array.name);
    words.insert(words.end(), variables_.begin(), variables_.end());
    words.insert(words.end(), scope_.scalars.begin(), scope_.scalars.end());
    words.insert(words.end(), scope_.axes.begin(), scope_.axes.end());
    fail(node.position, fmt::format("unknown name '{}'{}", node.name, hint(node.name, words)));
  }

  void resolve_element(Node& node) {
    const Scope::Array* array = find(node.name);
    if (array == nullptr && (is_variable(node.name) || is_plain(node.name)))
      fail(node.position, fmt::format("{} is no array", node.name));
    if (array == nullptr) unknown(node);
    if (array->extents.size() != node.children.size()) {
      fail(node.position,
           fmt::format("{} has {} dimension{}, and {} {} given", node.name, array->extents.size(),
                       array->extents.size() == 1 ? "" : "s", node.children.size(),
                       node.children.size() == 1 ? "index is" : "indices are"));
    }
  }

  void resolve(Node& node) {
    const std::size_t before = variables_.size();
    for (Range& range : node.ranges) {
      if (is_variable(range.variable))
        fail(node.position, fmt::format("{} is an index already", range.variable));
      for (Node& bound : range.bounds) resolve(bound);
      if (range.bounds.empty()) find_range(range, node.children.front(), node.position, node.name);
      variables_.push_back(range.variable);
    }
    if (node.op == Op::name) resolve_name(node);
    if (node.op == Op::element && !node.children.empty()) resolve_element(node);
    for (Node& child : node.children) resolve(child);
    variables_.resize(before);
  }

  const Scope& scope_;
  const Suggest& suggest_;
  const OracleStatement* place_ = nullptr;
  std::vector<Scope::Array> known_;
  std::vector<std::string> variables_, done_;
};

}  // namespace

Scope scope_of(const Problem& problem) {
  Scope scope;
  for (const Argument& argument : problem.arguments) {
    if (argument.role == ArgumentRole::scalar) {
      scope.scalars.push_back(argument.name);
      continue;
    }
    const bool given = is_given(argument.role), wanted = is_judged(argument.role);
    if (!given && !wanted) continue;
    Scope::Array array{argument.name, given, wanted, {}};
    for (const Expression& size : argument.shape) array.extents.push_back(size.text());
    scope.arrays.push_back(std::move(array));
  }
  for (const Axis& axis : problem.axes) scope.axes.push_back(axis.name);
  return scope;
}

Expected<std::vector<Statement>> parse(const std::vector<OracleStatement>& texts, const Scope& scope,
                                       const Suggest& suggest) {
  std::vector<Statement> statements;
  for (const OracleStatement& text : texts) {
    auto statement = detail::parse_statement(text, suggest);
    if (!statement) return tl::make_unexpected(statement.error());
    statements.push_back(std::move(*statement));
  }
  try {
    Resolver resolver(scope, suggest);
    for (Statement& statement : statements) resolver.resolve(statement);
    if (!texts.empty()) resolver.check_complete(texts.back());
  } catch (const NameStop& stop) {
    return tl::make_unexpected(stop.error);
  }
  return detail::lifted(std::move(statements));
}

}  // namespace evo::model::formula
