#include "diagnose/answer_list.hpp"

#include <algorithm>
#include <cmath>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {

namespace oracle = evaluators::oracle;
using model::BoundArgument;

namespace {

/// How far `actual` is from `expected`, over the elements of `mask` (empty: all). NaN where one has a NaN or
/// an infinity and the other not, in more than a hundredth.
double distance(const std::vector<double>& actual, const std::vector<double>& expected,
                const std::vector<bool>& mask) {
  double error = 0, norm = 0;
  std::size_t apart = 0, finite = 0, all = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!mask.empty() && !mask[i]) continue;
    ++all;
    if (std::isfinite(actual[i]) != std::isfinite(expected[i])) ++apart;
    if (!std::isfinite(actual[i]) || !std::isfinite(expected[i])) continue;
    ++finite;
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  if (all == 0 || 100 * apart > all || (finite == 0 && apart > 0)) return std::nan("");
  if (finite == 0) return 0;  // NaNs in the same places
  return norm > 0 ? std::sqrt(error / norm) : (error > 0 ? std::nan("") : 0);
}

}  // namespace

void AnswerList::look_at(std::size_t output) {
  output_ = output;
  actual_ = oracle::load_array(seen_.bound.arguments[output], seen_.contents[output]);
}

void AnswerList::weigh(const std::string& name, const std::string& argument, const std::string& text,
                       const std::vector<double>& expected, const std::vector<bool>& mask) {
  if (expected.size() != actual_.size()) return;
  const double from_right = distance(actual_, seen_.references[output_], mask);
  const double from_this = distance(actual_, expected, mask);
  const double near = std::max(4 * close_error(subject_), 1e-5);
  if (std::isnan(from_this) || from_this > near) return;
  if (fitting_) {
    answers_.push_back({name, argument, text, from_this});
    return;
  }
  if (!std::isnan(from_right) && from_this > 0.2 * from_right) return;
  // What is the same as the correct answer here says nothing.
  const double apart = distance(expected, seen_.references[output_], mask);
  if (!std::isnan(apart) && apart < 2 * close_error(subject_)) return;
  answers_.push_back({name, argument, text, from_this});
}

void AnswerList::ask(const std::string& name, const std::string& argument, const std::string& text,
                     const model::Case& bound, const oracle::InputBuffers& inputs) {
  const auto outputs = oracle_.compute(bound, inputs);
  if (outputs) weigh(name, argument, text, (*outputs)[output_]);
}

void AnswerList::moved(const std::string& name, std::size_t i, const std::string& text, const From& from) {
  const BoundArgument& argument = seen_.bound.arguments[i];
  const std::vector<double> values = oracle::load_array(argument, seen_.inputs[i]);
  ask(name, argument.name, text, seen_.bound, with(i, moved_values(argument, values, from)));
}

oracle::InputBuffers AnswerList::with(std::size_t i, const std::vector<double>& values) const {
  oracle::InputBuffers inputs = seen_.inputs;
  const BoundArgument& argument = seen_.bound.arguments[i];
  const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
  const std::int64_t size = model::size_of(argument.dtype);
  for (std::size_t e = 0; e < offsets.size(); ++e)
    oracle::store_element(argument.dtype, values[e], inputs[i].data() + offsets[e] * size);
  return inputs;
}

std::vector<Answer> AnswerList::take() {
  std::stable_sort(answers_.begin(), answers_.end(),
                   [](const Answer& a, const Answer& b) { return a.error < b.error; });
  return std::move(answers_);
}

std::vector<double> moved_values(const BoundArgument& argument, const std::vector<double>& values,
                                 const AnswerList::From& from) {
  std::vector<double> result(values.size(), 0);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto source = from(oracle::coordinates_of(argument, static_cast<std::int64_t>(e)));
    if (!source) continue;
    std::int64_t flat = 0;
    bool inside = true;
    for (std::size_t d = 0; d < source->size(); ++d) {
      inside = inside && (*source)[d] >= 0 && (*source)[d] < argument.shape[d];
      flat = flat * argument.shape[d] + (*source)[d];
    }
    if (inside) result[e] = values[static_cast<std::size_t>(flat)];
  }
  return result;
}

}  // namespace evo::diagnose
