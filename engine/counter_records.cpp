#include "engine/counter_records.hpp"

#include <cmath>
#include <exception>
#include <stdexcept>

#include <boost/json.hpp>

namespace evo::engine {
namespace {

model::CounterReading counted_reading(const std::map<std::string, std::string>& details) {
  model::CounterReading reading;
  const auto basis = model::counter_basis_from_name(details.at("basis"));
  if (!basis) throw std::runtime_error("no such basis");
  reading.basis = *basis;
  reading.method = details.at("method");
  reading.device = details.at("device");
  const boost::json::value kernels = boost::json::parse(details.at("kernels"));
  for (const boost::json::value& one : kernels.as_array()) {
    model::KernelCounters kernel;
    kernel.workload = std::string(one.at("workload").as_string());
    kernel.kernel = std::string(one.at("kernel").as_string());
    kernel.launches = one.at("launches").to_number<int>();
    for (const auto& [name, value] : one.at("counters").as_object())
      kernel.values.emplace(std::string(name), value.to_number<double>());
    reading.kernels.push_back(std::move(kernel));
  }
  return reading;
}

}  // namespace

EventRecord counted_event_of(std::int64_t trial, const model::CounterReading& reading) {
  boost::json::array kernels;
  for (const model::KernelCounters& kernel : reading.kernels) {
    boost::json::object counters;
    for (const auto& [name, value] : kernel.values)
      if (std::isfinite(value)) counters[name] = value;
    kernels.push_back({{"workload", kernel.workload},
                       {"kernel", kernel.kernel},
                       {"launches", kernel.launches},
                       {"counters", std::move(counters)}});
  }
  return {counted_event,
          trial,
          {{"basis", std::string(model::name_of(reading.basis))},
           {"method", reading.method},
           {"device", reading.device},
           {"kernels", boost::json::serialize(kernels)}}};
}

CountedTrials counted_trials(std::span<const EventRecord> events) {
  CountedTrials counted;
  for (const EventRecord& event : events) {
    if (event.kind != counted_event) continue;
    try {
      counted.insert_or_assign(event.trial, counted_reading(event.details));
    } catch (const std::exception&) {
      continue;
    }
  }
  return counted;
}

}  // namespace evo::engine
