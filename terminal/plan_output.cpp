#include "terminal/plan_output.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "engine/search_space.hpp"
#include "terminal/json_output.hpp"

namespace evo::terminal {
namespace {

/// Of a Space's counts.
std::string count_text(std::uint64_t count) {
  return count == std::numeric_limits<std::uint64_t>::max() ? "2^64 - 1 or more" : std::to_string(count);
}

}  // namespace

void print_plan(const CommonOptions& common, const model::Experiment& experiment,
                const session::DeviceChoice& device) {
  const engine::SearchSpace space = engine::make_search_space(experiment);
  boost::json::array templates;
  std::string text = fmt::format("experiment {}: problem {}, target {}, device {}\n", experiment.name,
                                 experiment.problem.name, experiment.target.name, device.id);
  if (!device.note.empty()) text += fmt::format("  {}\n", device.note);
  for (const engine::SearchTemplate& entry : space.templates) {
    const std::uint64_t all = entry.space.count_all();
    const auto [legal, strong] = entry.space.count_legal();
    text += fmt::format("template {}: {} combinations, {} legal, {} of them without a weakened barrier\n",
                        entry.kernel_template.name, count_text(all), count_text(legal), count_text(strong));
    boost::json::array starts;
    for (const model::TemplateDesign& start : entry.kernel_template.initial_designs) {
      if (!entry.space.legal(start.genome)) continue;
      text += fmt::format("  start {}: {}\n", start.name, start.description);
      starts.emplace_back(start.name);
    }
    templates.push_back({{"name", entry.kernel_template.name},
                         {"combinations", all},
                         {"legal", legal},
                         {"legal_full_sync", strong},
                         {"starts", std::move(starts)}});
  }
  boost::json::array starts;
  for (const model::InitialDesign& start : space.initial_designs) {
    text += fmt::format("start of {}: {} {}\n", start.origin, start.template_name, start.genome.text());
    starts.push_back({{"template", start.template_name}, {"origin", start.origin}});
  }
  boost::json::array left_out;
  for (const std::string& why : experiment.left_out) {
    text += fmt::format("left out: {}\n", why);
    left_out.emplace_back(why);
  }
  for (const model::Workload& workload : experiment.workloads) {
    std::string axes;
    for (const auto& [axis, value] : workload.axes) axes += fmt::format(" {}={}", axis, value);
    text += fmt::format("workload {} (weight {}):{}\n", workload.name, workload.weight, axes);
  }
  text += fmt::format("baseline {}: {}\nbudget: {} trials\n", experiment.baseline_template,
                      experiment.baseline.text(), experiment.budget.trials);
  if (common.json) {
    print_json(boost::json::object{{"experiment", experiment.name},
                                   {"device", device.id},
                                   {"target", experiment.target.name},
                                   {"templates", std::move(templates)},
                                   {"starts", std::move(starts)},
                                   {"left_out", std::move(left_out)},
                                   {"trials", experiment.budget.trials}});
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace evo::terminal
