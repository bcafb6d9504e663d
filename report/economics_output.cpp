#include "report/economics_output.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::report {
namespace {

namespace json = boost::json;

json::value number_or_null(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

}  // namespace

std::string economics_text(const engine::Economics& economics) {
  std::string text = "cost      ";
  for (const engine::PhaseCost& phase : economics.phases) {
    text += fmt::format("{} {} {:.2f} s", &phase == economics.phases.data() ? "" : ",", phase.name,
                        phase.seconds);
    if (phase.cost > 0) text += fmt::format(" (cost {:.4f})", phase.cost);
  }
  text += " (sums over parallel trials)\n";
  if (economics.device_seconds_per_percent) {
    text += fmt::format("gain       {:.1f} % of the baseline's latency saved: device {:.3f} s",
                        *economics.gain_percent, *economics.device_seconds_per_percent);
    if (economics.cost_per_percent) text += fmt::format(", cost {:.6f}", *economics.cost_per_percent);
    text += " a percent\n";
  }
  if (!economics.stopped.empty()) text += fmt::format("stopped    {}\n", economics.stopped);
  return text;
}

json::object economics_json(const engine::Economics& economics) {
  json::array phases;
  for (const engine::PhaseCost& phase : economics.phases) {
    phases.push_back({{"phase", phase.name},
                      {"seconds", phase.seconds},
                      {"device_seconds", phase.device_seconds},
                      {"money", phase.cost}});
  }
  return {{"phases", std::move(phases)},
          {"device_seconds", economics.device_seconds},
          {"money", economics.cost},
          {"gain_percent", number_or_null(economics.gain_percent)},
          {"device_seconds_per_percent", number_or_null(economics.device_seconds_per_percent)},
          {"money_per_percent", number_or_null(economics.cost_per_percent)},
          {"stopped_by", economics.stopped_by},
          {"stopped", economics.stopped}};
}

}  // namespace evo::report
