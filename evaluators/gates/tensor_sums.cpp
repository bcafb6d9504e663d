#include "evaluators/gates/tensor_sums.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/ptx_statements.hpp"

namespace evo::evaluators::gates {
namespace {

/// Root of the mean square, and the largest.
oracle::OutputErrors magnitude_of(const std::vector<double>& values) {
  oracle::OutputErrors size;
  double squares = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    squares += value * value;
    size.largest = std::max(size.largest, std::abs(value));
  }
  if (!values.empty()) size.rms = std::sqrt(squares / static_cast<double>(values.size()));
  return size;
}

}  // namespace

bool adds_in_tensor_cores(const std::string& ptx) {
  const code::PtxModule module(ptx);
  return std::ranges::any_of(module.statements(), [](const code::Statement& statement) {
    const std::string_view opcode = instruction_of(statement).opcode;
    const bool multiplies = opcode.starts_with("wmma.mma.") || opcode.starts_with("mma.") ||
                            opcode.starts_with("wgmma.mma_async.") || opcode.starts_with("tcgen05.mma");
    return multiplies && (opcode.starts_with("tcgen05.") || opcode.find(".f32") != std::string_view::npos);
  });
}

std::vector<double> terms_along(const std::vector<std::string>& reduced, const model::Case& bound) {
  std::vector<double> terms{1};
  for (const std::string& axis : reduced) {
    const auto value = bound.axes.find(axis);
    if (value != bound.axes.end()) terms.push_back(static_cast<double>(value->second));
  }
  return terms;
}

double cut_off_by_tensor_cores(const std::vector<std::string>& reduced, const model::Case& bound) {
  // Longer sums are split between accumulators, and of several axes an output has seldom the product in one.
  constexpr double terms_of_a_step = 8, most_terms = 16384, half_a_unit = 0x1p-25;
  const std::vector<double> terms = terms_along(reduced, bound);
  const double longest = std::min(*std::ranges::max_element(terms), most_terms);
  return half_a_unit * std::max(1.0, longest / terms_of_a_step);
}

oracle::OutputErrors with_cut_off(oracle::OutputErrors plain, const model::BoundArgument& argument,
                                  double share, const std::vector<double>& correct) {
  // Sums of FP32 in tensor cores are no excuse for an output in double.
  const bool narrow = model::is_floating(argument.dtype) && argument.dtype != model::DType::f64;
  if (!(share > 0) || !narrow) return plain;
  const oracle::OutputErrors size = magnitude_of(correct);
  plain.rms += share * size.rms;
  plain.largest += share * size.largest;
  return plain;
}

std::vector<std::string> reduced_axes_of(const oracle::Catalogue& known,
                                         const model::Experiment& experiment) {
  const model::Template* kernel = experiment.problem.find_template(experiment.baseline_template);
  if (kernel == nullptr) return {};
  return reduced_axes(known, make_context(experiment, *kernel), experiment.baseline);
}

}  // namespace evo::evaluators::gates
