#include "model/metric.hpp"

#include "model/real_expression.hpp"

namespace evo::model {

tl::expected<double, std::string> evaluate_metric(std::string_view text, const MetricValues& values) {
  return evaluate_real(text, values);
}

tl::expected<std::set<std::string>, std::string> metric_names(std::string_view text) {
  const auto use = use_of_real(text);
  if (!use) return tl::make_unexpected(use.error());
  return use->names;
}

}  // namespace evo::model
