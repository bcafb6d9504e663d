// Index notation: what the outputs of a problem are, as statements over the elements of its arrays.
//
//   C[m, n] = sum(k, A[m, k] * B[k, n])
//   M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); Y[i, j] = E[i, j] / sum(j, E[i, j])
//   y[r] = sum(offsets[r] <= e < offsets[r + 1], values[e] * x[columns[e]])
//
// A statement gives every element of an output, or of an intermediate array that later ones read. Each index
// of its left side is a variable that runs over that dimension; sum, prod, min and max bring variables of
// their own. A variable without bounds runs over the dimension that it indexes alone (A[m, k]: k), or over
// the axis of its name. Names: arguments of the problem, axes, earlier targets, pi, inf. Operators: + - * / %
// // ** , < <= > >= == != (chains as in Python), and or not. Within an index / is //, which rounds down; %
// has the sign of the divisor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/oracle_source.hpp"
#include "model/problem.hpp"

namespace evo::model::formula {

enum class Op : std::uint8_t {
  number,
  name,     ///< a variable, an axis, a scalar, or an array without dimensions
  element,  ///< of an array; the children are its indices
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  remainder,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  where,  ///< condition, value where it holds, value elsewhere; the other one is not looked at
  minimum,
  maximum,
  call,  ///< a function of one number: `name`
  sum,   ///< and the three below: one child, the body, and `ranges`
  product,
  smallest,
  largest,
};

struct Node;

/// A variable of a reduction or of a left side.
struct Range {
  std::string variable;
  std::vector<Node> bounds;  ///< empty, or the first value and the one behind the last
  /// Without bounds: it runs over this dimension of this array, or over the axis of this name. Set by
  /// resolve().
  std::string array;
  std::size_t dimension = 0;
  std::string axis;
  int skip_first = 0, skip_last = 0;  ///< values left out: a mistake (mutants_of)
};

struct Node {
  Op op = Op::number;
  double number = 0;
  std::string name;
  std::vector<Node> children;
  std::vector<Range> ranges;
  std::size_t position = 0;  ///< in the statement's text, from 0
  /// element: this index is one further, but for the last: a mistake (mutants_of). -1: none.
  int shifted = -1;
};

struct Statement {
  std::string target;
  std::vector<Range>
      indices;  ///< one a dimension; an empty variable: the index 0 of a dimension of one element
  Node value;
  OracleStatement place;
};

/// What to say behind an unknown word: " (did you mean 'exp'?)". May be empty.
using Suggest = std::function<std::string(std::string_view word, const std::vector<std::string>& known)>;

/// What the names of a formula may mean. Extents are texts, alike where two dimensions always have one size.
struct Scope {
  struct Array {
    std::string name;
    bool given = false;   ///< its contents are there before the first statement
    bool wanted = false;  ///< some statement must give it
    std::vector<std::string> extents;
  };
  std::vector<Array> arrays;
  std::vector<std::string> scalars, axes;
};
[[nodiscard]] Scope scope_of(const Problem& problem);

/// Parses statements and finds what every name and variable means. An Error says where in the text, and the
/// nearest valid word: what is no formula, names that mean nothing, a wrong number of indices, variables
/// without a range or with two, an output that no statement gives or that two do. The statements are as
/// detail::lifted() makes them.
[[nodiscard]] Expected<std::vector<Statement>> parse(const std::vector<OracleStatement>& texts,
                                                     const Scope& scope, const Suggest& suggest = {});

/// The work of all statements as expressions over axes: floating-point operations, and the bytes of inputs
/// and outputs. Error: a bound that depends on data or on another variable; the problem then names its work
/// itself.
struct Work {
  std::string flops, bytes;
};
[[nodiscard]] Expected<Work> work_of(const std::vector<Statement>& statements, const Problem& problem);

/// Copies of the statements with one mistake in each: a term dropped, an index off by one, inputs swapped, a
/// sign turned, a scalar or a constant changed, a function left out.
struct Mutant {
  std::string text;
  std::vector<Statement> statements;
};
[[nodiscard]] std::vector<Mutant> mutants_of(const std::vector<Statement>& statements, const Scope& scope);

/// Names of the functions of one number.
[[nodiscard]] const std::vector<std::string>& function_names();

namespace detail {
/// Syntax only.
[[nodiscard]] Expected<Statement> parse_statement(const OracleStatement& place, const Suggest& suggest);
/// The same statements, in which a reduction that needs fewer variables than stand around it has a statement
/// of its own before.
[[nodiscard]] std::vector<Statement> lifted(std::vector<Statement> statements);
/// An Error at a character of the statement.
[[nodiscard]] Error error_at(const OracleStatement& place, std::size_t position, std::string message);
}  // namespace detail

}  // namespace evo::model::formula
