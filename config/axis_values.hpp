// Which values an axis of a problem may have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/problem.hpp"

namespace evo::config {

/// The legal value that is nearest to `value`; the smaller of two. Nothing if none is legal.
[[nodiscard]] std::optional<std::int64_t> nearest_legal(const model::Axis& axis, std::int64_t value);

/// Why `value` is none for the axis (its minimum, maximum, multiple_of or list), with the nearest one that
/// is.
[[nodiscard]] std::optional<std::string> axis_objection(const model::Axis& axis, std::int64_t value);

}  // namespace evo::config
