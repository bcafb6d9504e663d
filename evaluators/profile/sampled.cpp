#include "evaluators/profile/sampled.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace evo::evaluators::profile {
namespace {

namespace json = boost::json;
using Lines = std::map<std::pair<std::string, int>, model::LineSamples>;

/// The readings of a case's kernels, in the plan's order.
std::vector<model::KernelCounters*> kernels_of(const std::string& workload, model::CounterReading& reading) {
  std::vector<model::KernelCounters*> kernels;
  for (model::KernelCounters& kernel : reading.kernels) {
    if (kernel.workload == workload) kernels.push_back(&kernel);
  }
  return kernels;
}

void add_place(const json::object& place, Lines& lines) {
  const std::string file(place.at("file").as_string());
  const int number = place.at("line").to_number<int>();
  model::LineSamples& line = lines[{file, number}];
  line.file = file;
  line.line = number;
  for (const auto& [reason, count] : place.at("stalls").as_object())
    line.stalls[reason] += count.to_number<std::uint64_t>();
}

}  // namespace

void add_samples(const json::value& samples, const gates::DeviceJob& job, model::CounterReading& reading) {
  const json::array& cases = samples.at("cases").as_array();
  for (std::size_t i = 0; i < std::min(cases.size(), job.cases.size()); ++i) {
    const std::vector<model::KernelCounters*> kernels = kernels_of(job.cases[i].name, reading);
    if (kernels.empty()) continue;
    std::map<model::KernelCounters*, Lines> found;
    for (const json::value& one : cases[i].at("places").as_array()) {
      const json::object& place = one.as_object();
      const std::string function(place.at("function").as_string());
      const auto named = std::ranges::find_if(
          kernels, [&](const model::KernelCounters* kernel) { return kernel->kernel == function; });
      add_place(place, found[named == kernels.end() ? kernels.front() : *named]);
    }
    for (auto& [kernel, lines] : found) {
      for (auto& line : lines) kernel->sampled.push_back(std::move(line.second));
      std::ranges::stable_sort(kernel->sampled, std::ranges::greater{}, &model::LineSamples::samples);
    }
    kernels.front()->samples_dropped = cases[i].at("dropped").to_number<std::uint64_t>();
  }
}

}  // namespace evo::evaluators::profile
