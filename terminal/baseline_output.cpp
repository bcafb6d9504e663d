#include "terminal/baseline_output.hpp"

#include <utility>

#include <fmt/format.h>

#include <boost/json.hpp>

namespace evo::terminal {

std::string baseline_text(const session::StoredBaseline& baseline, const std::string& variant,
                          const std::string& file) {
  std::string text = fmt::format("{} written to {}\n", variant, file);
  for (const session::StoredTimes& times : baseline.times)
    text += fmt::format("  {:<20} {:.4g} us ({}, {} samples)\n", times.workload, times.median_us(),
                        baseline.latency_kind, times.samples_us.size());
  return text;
}

boost::json::object baseline_to_json(const session::StoredBaseline& baseline, const std::string& variant,
                                     const std::string& file) {
  boost::json::array workloads;
  for (const session::StoredTimes& times : baseline.times)
    workloads.push_back(
        {{"name", times.workload}, {"latency_us", times.median_us()}, {"samples", times.samples_us.size()}});
  return {{"file", file},
          {"variant", variant},
          {"latency_kind", baseline.latency_kind},
          {"device", baseline.device_name},
          {"workloads", std::move(workloads)}};
}

}  // namespace evo::terminal
