// Where an axis has its ticks, and how numbers stand beside them.
#pragma once

#include <string>
#include <vector>

namespace evo::report {

/// 1, 2 and 5 times powers of ten (log), or round steps, between the ends; at least two where they fit.
[[nodiscard]] std::vector<double> ticks_between(double low, double high, bool log);

/// 2300000 -> "2.3M", 0.25 -> "0.25".
[[nodiscard]] std::string short_number(double value);

}  // namespace evo::report
