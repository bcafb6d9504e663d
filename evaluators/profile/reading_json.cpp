#include "evaluators/profile/reading_json.hpp"

#include <algorithm>
#include <stdexcept>

#include "evaluators/profile/limit.hpp"

namespace evo::evaluators::profile {

namespace json = boost::json;

namespace {

json::array sampled_json(const std::vector<model::LineSamples>& sampled, std::size_t most_lines) {
  json::array lines;
  for (std::size_t i = 0; i < std::min(most_lines, sampled.size()); ++i) {
    json::object stalls;
    for (const auto& [reason, count] : sampled[i].stalls) stalls[reason] = count;
    lines.push_back({{"file", sampled[i].file},
                     {"line", sampled[i].line},
                     {"samples", sampled[i].samples()},
                     {"stalls", std::move(stalls)},
                     {"text", sampled[i].text}});
  }
  return lines;
}

void read_sampled(const json::object& kernel, model::KernelCounters& into) {
  const json::value* lines = kernel.if_contains("sampled_lines");
  if (lines == nullptr) return;
  for (const json::value& one : lines->as_array()) {
    model::LineSamples& line = into.sampled.emplace_back();
    line.file = one.at("file").as_string();
    line.line = one.at("line").to_number<int>();
    line.text = one.at("text").as_string();
    for (const auto& [reason, count] : one.at("stalls").as_object())
      line.stalls[reason] = count.to_number<std::uint64_t>();
  }
  if (const auto* dropped = kernel.if_contains("samples_dropped"))
    into.samples_dropped = dropped->to_number<std::uint64_t>();
}

}  // namespace

json::object to_json(const model::CounterReading& reading, std::size_t most_lines) {
  json::array kernels;
  for (const model::KernelCounters& kernel : reading.kernels) {
    json::object counters;
    for (const model::CounterName& counter : model::counter_names()) {
      if (const auto value = kernel.find(counter.name)) counters[counter.name] = *value;
    }
    const Limit limit = limit_of(kernel, reading.basis);
    json::object object{{"workload", kernel.workload}, {"kernel", kernel.kernel},
                        {"launches", kernel.launches}, {"counters", std::move(counters)},
                        {"limited_by", limit.by},      {"limit", limit.sentence}};
    if (!kernel.spread.empty()) {
      json::object spread;
      for (const auto& [name, ends] : kernel.spread) spread[name] = {ends[0], ends[1]};
      object["spread"] = std::move(spread);
    }
    if (reading.basis == model::CounterBasis::modelled) {
      object["bottleneck"] = kernel.bottleneck;
      json::array lines;
      for (std::size_t i = 0; i < std::min(most_lines, kernel.lines.size()); ++i)
        lines.push_back({{"file", kernel.lines[i].file},
                         {"line", kernel.lines[i].line},
                         {"warp_instructions", kernel.lines[i].warp_instructions},
                         {"sectors", kernel.lines[i].sectors},
                         {"bank_conflicts", kernel.lines[i].bank_conflicts},
                         {"text", kernel.lines[i].text}});
      object["lines"] = std::move(lines);
    }
    if (!kernel.sampled.empty()) {
      object["sampled_lines"] = sampled_json(kernel.sampled, most_lines);
      object["samples_dropped"] = kernel.samples_dropped;
    }
    kernels.push_back(std::move(object));
  }
  return {{"basis", model::name_of(reading.basis)},
          {"method", reading.method},
          {"device", reading.device},
          {"kernels", std::move(kernels)}};
}

model::CounterReading reading_from_json(const json::value& value) {
  model::CounterReading reading;
  const auto basis = model::counter_basis_from_name(std::string_view(value.at("basis").as_string()));
  if (!basis) throw std::runtime_error("counters that are neither measured nor modelled");
  reading.basis = *basis;
  reading.method = value.at("method").as_string();
  reading.device = value.at("device").as_string();
  for (const json::value& one : value.at("kernels").as_array()) {
    model::KernelCounters& kernel = reading.kernels.emplace_back();
    kernel.workload = one.at("workload").as_string();
    kernel.kernel = one.at("kernel").as_string();
    for (const auto& [name, number] : one.at("counters").as_object())
      kernel.values[name] = number.to_number<double>();
    if (const auto* bottleneck = one.as_object().if_contains("bottleneck"))
      kernel.bottleneck = bottleneck->as_string();
    // A file of evo 0.2 is of one launch.
    if (const auto* launches = one.as_object().if_contains("launches"))
      kernel.launches = launches->to_number<int>();
    if (const auto* spread = one.as_object().if_contains("spread")) {
      for (const auto& [name, ends] : spread->as_object())
        kernel.spread[name] = {ends.at(0).to_number<double>(), ends.at(1).to_number<double>()};
    }
    read_sampled(one.as_object(), kernel);
    if (const auto* lines = one.as_object().if_contains("lines")) {
      for (const json::value& line : lines->as_array()) {
        model::LineCount& count = kernel.lines.emplace_back();
        count.file = line.at("file").as_string();
        count.line = line.at("line").to_number<int>();
        count.warp_instructions = line.at("warp_instructions").to_number<std::uint64_t>();
        // A file of evo 0.2 has no more than that.
        const json::object& object = line.as_object();
        if (const auto* sectors = object.if_contains("sectors"))
          count.sectors = sectors->to_number<std::uint64_t>();
        if (const auto* conflicts = object.if_contains("bank_conflicts"))
          count.bank_conflicts = conflicts->to_number<std::uint64_t>();
        if (const auto* text = object.if_contains("text")) count.text = text->as_string();
      }
    }
  }
  return reading;
}

}  // namespace evo::evaluators::profile
