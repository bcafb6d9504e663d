#include "config/metrics.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "model/metric.hpp"

namespace evo::config {

std::vector<model::Metric> read_metrics(const Reader& root, const model::Problem& problem) {
  std::vector<model::Metric> metrics;
  const auto section = root.find("metrics");
  if (!section) return metrics;
  std::vector<std::string> known(std::begin(model::metric_values), std::end(model::metric_values));
  for (const model::Axis& axis : problem.axes) known.push_back(axis.name);
  for (const std::string& name : section->keys()) {
    const Reader item = section->at(name);
    const auto names = model::metric_names(item.text());
    if (!names) item.fail(names.error());
    if (problem.work.assumed && names->contains("flops"))
      item.fail("flops is that of the section work, which the problem does not have");
    for (const std::string& used : *names) {
      if (std::find(known.begin(), known.end(), used) == known.end())
        item.fail(fmt::format("unknown name '{}'{}", used, suggestion(used, known)));
    }
    metrics.push_back({name, item.text()});
  }
  return metrics;
}

}  // namespace evo::config
