#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evaluators/oracle/layout.hpp"
#include "packs/attention/references.hpp"

namespace evo::packs::attention {

model::Expected<ReferenceOutputs> row_softmax(const model::Case& bound, const InputBuffers& inputs) {
  const auto x = argument_index(bound, "x");
  const auto y = argument_index(bound, "y");
  if (!x) return tl::make_unexpected(x.error());
  if (!y) return tl::make_unexpected(y.error());
  const std::vector<std::int64_t>& shape = bound.arguments[*x].shape;
  if (shape.size() != 2 || shape != bound.arguments[*y].shape) {
    return tl::make_unexpected(model::Error{"row_softmax: x and y must have one shape [rows, columns]"});
  }
  std::vector<double> values = load_array(bound.arguments[*x], inputs[*x]);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    double* first = values.data() + row * shape[1];
    double* last = first + shape[1];
    const double largest = std::accumulate(first, last, -std::numeric_limits<double>::infinity(),
                                           [](double a, double b) { return std::max(a, b); });
    double sum = 0;
    for (double* value = first; value != last; ++value) sum += * value = std::exp(*value - largest);
    for (double* value = first; value != last; ++value) *value /= sum;
  }
  ReferenceOutputs outputs(bound.arguments.size());
  outputs[*y] = std::move(values);
  return outputs;
}

}  // namespace evo::packs::attention
