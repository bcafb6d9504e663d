#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "evaluators/measure/statistics.hpp"
#include "model/random.hpp"

namespace evo::evaluators::measure {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double median_in_place(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  const auto position = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), position, values.end());
  if (values.size() % 2 != 0) return *position;
  return (*position + *std::max_element(values.begin(), position)) / 2;
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) return nothing;
  std::vector<double> values(samples.begin(), samples.end());
  return median_in_place(values);
}

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) return nothing;
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  return values[below] + share * (values[above] - values[below]);
}

std::array<double, 2> median_interval(std::span<const double> samples, const BootstrapSettings& settings) {
  if (samples.empty()) return {nothing, nothing};
  model::RandomStream stream({.seed = settings.seed, .generation = 0, .slot = 0, .purpose = "bootstrap"});
  std::vector<double> medians(static_cast<std::size_t>(std::max(settings.resamples, 1)));
  std::vector<double> resample(samples.size());
  for (double& value : medians) {
    for (double& drawn : resample) drawn = samples[stream.below(samples.size())];
    value = median_in_place(resample);
  }
  const double tail = (1 - settings.confidence) / 2;
  return {quantile(medians, tail), quantile(medians, 1 - tail)};
}

}  // namespace evo::evaluators::measure
