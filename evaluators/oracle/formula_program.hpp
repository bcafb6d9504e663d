// A formula bound to one case: names are slots, sizes are numbers. Made for each computation; cheap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.hpp"
#include "model/formula.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::oracle {

struct BoundNode;

struct BoundRange {
  std::size_t variable = 0;       ///< slot
  std::int64_t extent = 0;        ///< without bounds
  std::vector<BoundNode> bounds;  ///< empty, or the first value and the one behind the last
  std::int64_t skip_first = 0, skip_last = 0;
};

struct BoundNode {
  model::formula::Op op = model::formula::Op::number;
  double number = 0;
  std::size_t slot = 0;    ///< of a variable (name), of an array (element), of a function (call)
  std::uint64_t uses = 0;  ///< bit v: it changes with variable v
  /// It is made of integers alone, and computed in double whatever the kernels' type is.
  bool integral = false;
  int shifted = -1;
  std::size_t position = 0;
  std::size_t buffer = 0;  ///< a number of its own
  std::vector<BoundNode> children;
  std::vector<BoundRange> ranges;
};

struct BoundArray {
  std::string name;
  std::vector<std::int64_t> shape, strides;  ///< strides of a dense array
  bool integral = false;
  std::int64_t elements = 0;
};

struct BoundStatement {
  std::size_t target = 0;              ///< slot of the array that it gives
  std::vector<std::size_t> variables;  ///< of its indices; no_variable for a 0
  BoundNode value;
  model::OracleStatement place;
};
inline constexpr std::size_t no_variable = 63;

struct Program {
  std::vector<BoundArray> arrays;  ///< first the case's arguments (scalars without a shape), then targets
  /// Slot of the argument's new contents where a statement gives it, by the argument's index; else its own.
  std::vector<std::size_t> result_of;
  std::vector<BoundStatement> statements;
  std::vector<std::string> variables;
  std::size_t buffers = 0;
};

/// What the names of a formula mean in this case.
[[nodiscard]] model::formula::Scope scope_of(const model::Case& bound);

/// `statements` came from parse() under scope_of() of this case.
[[nodiscard]] model::Expected<Program> bind_formula(const std::vector<model::formula::Statement>& statements,
                                                    const model::Case& bound);

}  // namespace evo::evaluators::oracle
