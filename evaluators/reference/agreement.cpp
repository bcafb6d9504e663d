#include "evaluators/reference/agreement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/layout.hpp"

namespace evo::evaluators::reference {
namespace {

/// How far two answers of this rounding may be apart, relative to the norm and, for one element, to the root
/// mean square. Two in fp64: long sums that cancel to a thousandth of their size. One that was computed or
/// kept in a narrower type has errors of its own, and a lost term must still show.
struct Apart {
  double norm, element;
};
Apart apart(double rounding) {
  if (rounding <= 0x1p-53) return {0x1p-33, 0x1p-29};
  return {std::min(rounding * 0x1p8, 4e-3), std::min(rounding * 0x1p12, 0.1)};
}

}  // namespace

std::optional<model::Error> disagreement(const Answer& first, const Answer& second, const model::Case& bound,
                                         std::span<const std::int64_t> rows) {
  const oracle::ReferenceOutputs &a = first.outputs, &b = second.outputs;
  const Apart most = apart(std::max(first.rounding, second.rounding));
  for (std::size_t i = 0; i < a.size(); ++i) {
    double squares = 0, errors = 0, worst = 0;
    std::size_t where = 0;
    bool broken = a[i].size() != b[i].size();
    for (std::size_t e = 0; e < a[i].size() && !broken; ++e) {
      if (std::isnan(a[i][e]) && std::isnan(b[i][e])) continue;
      const double error = a[i][e] == b[i][e] ? 0 : std::abs(a[i][e] - b[i][e]);
      squares += std::isfinite(a[i][e]) ? a[i][e] * a[i][e] : 0;
      errors += error * error;
      if (error > worst || std::isnan(error)) {
        worst = error;
        where = e;
        if (std::isnan(error)) break;
      }
    }
    const double rms = a[i].empty() ? 0 : std::sqrt(squares / static_cast<double>(a[i].size()));
    const bool alike = std::sqrt(errors) <= most.norm * std::sqrt(squares) && worst <= most.element * rms;
    if (!broken && alike) continue;
    if (broken)
      return model::Error{fmt::format("the oracles disagree: {} gives {} elements of {}, {} gives {}",
                                      first.name, a[i].size(), bound.arguments[i].name, second.name,
                                      b[i].size())};
    std::int64_t element = static_cast<std::int64_t>(where);
    if (!rows.empty() && !bound.arguments[i].shape.empty()) {
      const std::int64_t width = bound.arguments[i].shape.back();
      element = rows[static_cast<std::size_t>(element / width)] * width + element % width;
    }
    return model::Error{fmt::format(
        "the oracles disagree: {}[{}] of case {} is {:.9g} by {} and {:.9g} by {}", bound.arguments[i].name,
        fmt::join(oracle::coordinates_of(bound.arguments[i], element), ","), bound.name, a[i][where],
        first.name, b[i][where], second.name)};
  }
  return std::nullopt;
}

}  // namespace evo::evaluators::reference
