#include "model/domain.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::model {
namespace {

constexpr std::int64_t farthest = 8192;  ///< from the size that was asked for

/// Genes, fixed names and the axes of a workload.
Environment with_axes(const Problem& problem, Environment values, const Workload& workload) {
  for (const Axis& axis : problem.axes) {
    if (axis.initial) values.insert_or_assign(axis.name, *axis.initial);
  }
  for (const auto& [name, value] : workload.axes) values.insert_or_assign(name, value);
  return values;
}

bool holds(const Constraint& constraint, const Environment& values) {
  const auto result = constraint.condition.evaluate_integer(values);
  return result && *result != 0;
}

bool takes(const Axis& axis, std::int64_t value) {
  return value >= axis.minimum.value_or(1) && (!axis.maximum || value <= *axis.maximum) &&
         (!axis.multiple_of || value % *axis.multiple_of == 0);
}

/// Gives one of the axes that `broken` names the nearest value with which it holds, and with it all others
/// that name the axis.
bool mend(const Problem& problem, const Template& kernel, const Constraint& broken, Environment& values,
          Workload& workload) {
  for (std::int64_t distance = 1; distance <= farthest; ++distance) {
    for (const std::int64_t step : {-distance, distance}) {
      for (const Axis& axis : problem.axes) {
        const bool free = !axis.compile_time && axis.allowed.empty();
        if (!free || !broken.condition.names().contains(axis.name)) continue;
        const auto at = values.find(axis.name);
        if (at == values.end()) continue;
        const std::int64_t before = std::get<std::int64_t>(at->second);
        if (!takes(axis, before + step)) continue;
        at->second = before + step;
        const bool fits =
            std::all_of(kernel.domain.begin(), kernel.domain.end(), [&](const Constraint& each) {
              return !each.condition.names().contains(axis.name) || holds(each, values);
            });
        if (fits) {
          workload.axes.insert_or_assign(axis.name, before + step);
          return true;
        }
        at->second = before;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> domain_violation(const Problem& problem, const Template& kernel,
                                            const Environment& values, const Workload& workload) {
  if (kernel.domain.empty()) return std::nullopt;
  const Environment all = with_axes(problem, values, workload);
  for (const Constraint& constraint : kernel.domain) {
    const auto result = constraint.condition.evaluate_integer(all);
    if (!result) return result.error().text();
    if (*result != 0) continue;
    std::vector<std::string> named;
    for (const std::string& name : constraint.condition.names())
      named.push_back(fmt::format("{}={}", name, to_string(all.at(name))));
    return fmt::format("{}{}{} does not hold for {}", constraint.reason,
                       constraint.reason.empty() ? "" : ": ", constraint.condition.text(),
                       fmt::join(named, ", "));
  }
  return std::nullopt;
}

std::optional<Workload> within_domain(const Problem& problem, const Template& kernel,
                                      const Environment& values, Workload workload) {
  if (kernel.domain.empty()) return workload;
  Environment all = with_axes(problem, values, workload);
  // Each turn mends one condition and breaks none that names the same axis.
  for (std::size_t turn = 0; turn <= kernel.domain.size(); ++turn) {
    const auto broken = std::find_if(kernel.domain.begin(), kernel.domain.end(),
                                     [&](const Constraint& each) { return !holds(each, all); });
    if (broken == kernel.domain.end()) return workload;
    if (!mend(problem, kernel, *broken, all, workload)) return std::nullopt;
  }
  return std::nullopt;
}

std::string domain_text(const Template& kernel, const Environment& values) {
  std::vector<std::string> conditions, genes;
  for (const Constraint& constraint : kernel.domain) {
    conditions.push_back(constraint.condition.text());
    for (const std::string& name : constraint.condition.names()) {
      const auto found = values.find(name);
      if (found == values.end()) continue;
      std::string gene = fmt::format("{}={}", name, to_string(found->second));
      if (std::find(genes.begin(), genes.end(), gene) == genes.end()) genes.push_back(std::move(gene));
    }
  }
  if (conditions.empty()) return {};
  return fmt::format("{}{}", fmt::join(conditions, ", "),
                     genes.empty() ? "" : fmt::format(" ({})", fmt::join(genes, ", ")));
}

}  // namespace evo::model
