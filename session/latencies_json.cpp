#include "session/latencies_json.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/json.hpp>

namespace evo::session {

boost::json::array latencies_json(const std::vector<model::WorkloadLatency>& latencies) {
  boost::json::array list;
  for (const model::WorkloadLatency& one : latencies) {
    const model::Latency& latency = one.latency;
    boost::json::object entry{
        {"workload", one.workload},   {"weight", one.weight},       {"kind", model::name_of(latency.kind)},
        {"us", latency.microseconds}, {"samples", latency.samples}, {"method", latency.method}};
    if (latency.ci95) entry["ci95"] = {(*latency.ci95)[0], (*latency.ci95)[1]};
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<model::WorkloadLatency> latencies_of(const boost::json::value& list) {
  std::vector<model::WorkloadLatency> latencies;
  for (const boost::json::value& each : list.as_array()) {
    const boost::json::object& entry = each.as_object();
    model::Latency latency;
    const auto kind = model::latency_kind_from_name(std::string(entry.at("kind").as_string()));
    if (!kind) throw std::runtime_error("a latency of no known kind");
    latency.kind = *kind;
    latency.microseconds = entry.at("us").to_number<double>();
    latency.samples = entry.at("samples").to_number<std::uint32_t>();
    latency.method = std::string(entry.at("method").as_string());
    if (const boost::json::value* ends = entry.if_contains("ci95"))
      latency.ci95 = {ends->as_array().at(0).to_number<double>(), ends->as_array().at(1).to_number<double>()};
    latencies.push_back({std::string(entry.at("workload").as_string()),
                         entry.at("weight").to_number<double>(), std::move(latency)});
  }
  return latencies;
}

}  // namespace evo::session
