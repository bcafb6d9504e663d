#include "session/unfilled_grid.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/expression.hpp"
#include "model/variant.hpp"

namespace evo::session {
namespace {

/// "m=3,n=5" as numbers of an environment.
void add_sizes(const std::string& axes, model::Environment& environment) {
  for (std::size_t at = 0; at < axes.size();) {
    const std::size_t end = std::min(axes.find(',', at), axes.size()), is = axes.find('=', at);
    if (is >= end) break;
    std::int64_t value = 0;
    (void)std::from_chars(axes.data() + is + 1, axes.data() + end, value);
    environment.insert_or_assign(axes.substr(at, is - at), value);
    at = end + 1;
  }
}

std::optional<std::int64_t> value_of(const model::Expression& expression,
                                     const model::Environment& environment) {
  const auto value = expression.evaluate_integer(environment);
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

}  // namespace

std::string unfilled_grid_hint(const engine::TrialRecord& trial, const model::Experiment& experiment,
                               const std::string& axes) {
  if (trial.reason != "mismatch" && trial.reason != "unwritten") return {};
  const auto kernel =
      std::ranges::find(experiment.problem.templates, trial.template_name, &model::Template::name);
  if (kernel == experiment.problem.templates.end() || axes.empty()) return {};
  model::Environment there = model::environment_of(kernel->space, trial.genome);
  add_sizes(axes, there);
  for (const model::Expression& side : kernel->launch.grid) {
    for (const std::string& axis : side.names()) {
      std::vector<std::int64_t> told;
      for (const model::Workload& workload : experiment.workloads) {
        const auto value = workload.axes.find(axis);
        if (value != workload.axes.end()) told.push_back(value->second);
      }
      const auto size = value_of(*model::Expression::parse(axis), there);
      if (told.empty() || !size) continue;
      model::Environment own = there;
      own.insert_or_assign(axis, told.front());
      const auto blocks = value_of(side, own), fewer = value_of(side, there);
      if (!blocks || !fewer || *blocks < 1 || told.front() % *blocks != 0) continue;
      const std::int64_t each = told.front() / *blocks;
      // Rounded up there are more; what does not grow with the axis has a loop.
      if (each < 2 || *blocks < 2 || *fewer * each >= *size || *size - *fewer * each >= each) continue;
      return fmt::format(
          "the grid {0} leaves the last {1} of {2}={3} to nobody: where sizes are always whole blocks, say "
          "so: "
          "{2}: {{multiple_of: {4}, min: {4}}} (evo tune: --axis '{2}={5} multiple_of={4} min={4}'), or "
          "round "
          "up, where the kernel asks for the end itself: ceil_div({2}, {4})\n",
          side.text(), *size - *fewer * each, axis, *size, each, fmt::join(told, ","));
    }
  }
  return {};
}

}  // namespace evo::session
