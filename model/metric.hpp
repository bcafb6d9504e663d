// Numbers of the user's own, in floating point: `GFLOP/s: 2 * m * n * k / time`.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "model/problem.hpp"
#include "model/real_expression.hpp"

namespace evo::model {

/// What a metric may name besides the axes: `time` in nanoseconds, so that flops / time is GFLOP/s and
/// bytes / time is GB/s; `flops` and `bytes` of the problem's work.
inline constexpr const char* metric_values[] = {"time", "flops", "bytes"};

using MetricValues = RealValues;

/// As evaluate_real().
[[nodiscard]] tl::expected<double, std::string> evaluate_metric(std::string_view text,
                                                                const MetricValues& values);
/// The names in it, or why it is none.
[[nodiscard]] tl::expected<std::set<std::string>, std::string> metric_names(std::string_view text);

}  // namespace evo::model
