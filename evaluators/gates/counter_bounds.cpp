#include "evaluators/gates/counter_bounds.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/gates/evidence.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

model::Evidence evidence_of(const char* kind, const std::string& what, const model::CounterReading& reading,
                            const model::KernelCounters& kernel, const model::CounterBound& bound) {
  return {kind,
          fmt::format("{} on {}: {} ({} by {}); the experiment asks for {}", kernel.kernel, kernel.workload,
                      what, model::name_of(reading.basis), reading.method, model::text_of(bound)),
          {},
          0,
          {{"counter", bound.counter},
           {"case", kernel.workload},
           {"kernel", kernel.kernel},
           {"basis", std::string(model::name_of(reading.basis))},
           {"bound", model::text_of(bound)}}};
}

}  // namespace

std::string refusal_of(const std::vector<NoProfile>& refused) {
  std::string text;
  bool permission = false;
  for (const NoProfile& tool : refused) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", tool.tool, tool.reason);
    permission = permission || tool.not_permitted;
  }
  if (text.empty()) text = "nothing was tried";
  if (permission)
    text +=
        ". The driver lets only administrators read counters (ERR_NVGPUCTRPERM): run as root or with "
        "CAP_SYS_ADMIN, or load the module nvidia with NVreg_RestrictProfilingToAdminUsers=0; evo profile "
        "--device virtual has the modelled counts";
  return text;
}

std::vector<std::string> unjudgeable(const std::vector<model::CounterBound>& bounds,
                                     model::CounterBasis basis) {
  std::vector<std::string> names;
  for (const model::CounterBound& bound : bounds) {
    const model::CounterName* counter = model::find_counter(bound.counter);
    const bool known =
        counter != nullptr &&
        (counter->compiled ||
         (basis == model::CounterBasis::modelled ? counter->modelled : !counter->metric.empty()));
    if (!known && std::find(names.begin(), names.end(), bound.counter) == names.end())
      names.push_back(bound.counter);
  }
  return names;
}

void refuse_unjudgeable(const std::vector<model::CounterBound>& bounds, model::CounterBasis basis) {
  const std::vector<std::string> never = unjudgeable(bounds, basis);
  if (never.empty()) return;
  throw model::Exception(
      model::ExitCode::invalid_configuration,
      fmt::format("gates.counters: the counters of this device are {}, and {} {} not among them",
                  model::name_of(basis), fmt::join(never, ", "), never.size() == 1 ? "is" : "are"));
}

std::optional<model::Failure> check_counters(const std::vector<model::CounterBound>& bounds,
                                             const model::CounterReading& reading) {
  model::Failure failure{model::Status::over_budget, {}, {}};
  for (const model::KernelCounters& kernel : reading.kernels) {
    for (const model::CounterBound& bound : bounds) {
      const auto value = kernel.find(bound.counter);
      if (value && bound.holds(*value)) continue;
      const char* kind = value ? "counter_bound" : "counter_missing";
      const std::string what = value ? fmt::format("{} is {:.4g}", bound.counter, *value)
                                     : fmt::format("{} was not counted", bound.counter);
      failure.evidence.push_back(evidence_of(kind, what, reading, kernel, bound));
    }
  }
  if (failure.evidence.empty()) return std::nullopt;
  failure.reason = failure.evidence.front().kind;
  return failure;
}

}  // namespace evo::evaluators::gates
