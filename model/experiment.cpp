#include "model/experiment.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace evo::model {
namespace {

std::string time_text(double seconds) {
  for (const auto& [unit, length] : {std::pair{"hour", 3600.0}, std::pair{"minute", 60.0}}) {
    const double count = seconds / length;
    if (count >= 1 && count == std::floor(count))
      return fmt::format("{} {}{}", count, unit, count > 1 ? "s" : "");
  }
  return fmt::format("{} seconds", seconds);
}

}  // namespace

std::string text_of(const StopIf& stop_if) {
  if (!stop_if.set()) return {};
  // Twelve digits: 100 times 0.01 is then 1 again, and not a little more.
  std::string text = fmt::format("no gain of {:.12g} % in ", 100 * stop_if.gain);
  if (stop_if.trials > 0) text += fmt::format("{} trial{}", stop_if.trials, stop_if.trials > 1 ? "s" : "");
  if (stop_if.trials > 0 && stop_if.seconds > 0) text += " or ";
  if (stop_if.seconds > 0) text += time_text(stop_if.seconds);
  return text;
}

std::map<std::string, std::int64_t, std::less<>> compile_time_axes(const Experiment& experiment) {
  std::map<std::string, std::int64_t, std::less<>> axes;
  for (const Axis& axis : experiment.problem.axes) {
    if (!axis.compile_time) continue;
    for (const Workload& workload : experiment.workloads) {
      const auto found = workload.axes.find(axis.name);
      if (found != workload.axes.end()) axes.emplace(axis.name, found->second);
    }
  }
  return axes;
}

}  // namespace evo::model
