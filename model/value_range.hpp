// Between which integers an expression lies, whatever the sizes that a problem allows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/expression.hpp"
#include "model/problem.hpp"

namespace evo::model {

/// From `least` to `most`, both included; each a multiple of `multiple`, which is 0 where all are 0.
struct ValueRange {
  std::int64_t least = 0, most = 0;
  std::int64_t multiple = 1;
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// By name.
using ValueRanges = std::map<std::string, ValueRange, std::less<>>;

/// One number.
[[nodiscard]] ValueRange range_of(std::int64_t number);

/// The values that a workload may give the axis: those of its list, or from its minimum to its maximum, each
/// that of 64 bits where it is not declared.
[[nodiscard]] ValueRange range_of(const Axis& axis);

/// A range that holds every value of the expression while its names take values of theirs; it may be wider
/// than need be. Nothing where it cannot be said: another name, a symbol, an operation that may leave 64 bits
/// or divide by zero.
[[nodiscard]] std::optional<ValueRange> range_of(const Expression& expression, const ValueRanges& names);

}  // namespace evo::model
