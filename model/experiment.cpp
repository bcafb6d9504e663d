#include "model/experiment.hpp"

namespace evo::model {

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
