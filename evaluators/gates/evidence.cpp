#include "evaluators/gates/evidence.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::evaluators::gates {

model::Failure fail(model::Status status, std::string reason, std::string message, Details details,
                    std::string file, int line) {
  model::Evidence evidence{reason, std::move(message), std::move(file), line, std::move(details)};
  return {status, std::move(reason), {std::move(evidence)}};
}

model::Failure located(model::Failure failure, const Details& details) {
  if (failure.evidence.empty()) failure.evidence.push_back({failure.reason, failure.reason, {}, 0, {}});
  for (model::Evidence& evidence : failure.evidence) {
    for (const auto& detail : details) {
      const auto named = [&](const auto& other) { return other.first == detail.first; };
      if (std::none_of(evidence.details.begin(), evidence.details.end(), named))
        evidence.details.push_back(detail);
    }
  }
  return failure;
}

std::string axes_text(const model::Case& bound) {
  std::vector<std::string> axes;
  for (const auto& [axis, value] : bound.axes) axes.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(axes, ","));
}

}  // namespace evo::evaluators::gates
