#include "evaluators/benchmark/sampled_reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/tensor_sums.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/plain_errors.hpp"

namespace evo::evaluators::benchmark {

model::Expected<SampledReference> SampledReference::make(
    const oracle::Catalogue& known, const std::string& oracle_name, const model::Case& bound,
    const oracle::InputBuffers& inputs, std::uint64_t entropy, double most_flops, bool plain) {
  const oracle::Oracle* oracle = known.find_oracle(oracle_name);
  if (oracle == nullptr) return tl::make_unexpected(model::Error{"unknown oracle " + oracle_name});
  SampledReference made;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role)) continue;
    made.outputs_.push_back(bound.arguments[i]);
    made.outputs_.back().slices = 1;  // whoever ran a kernel has combined them
    made.indices_.push_back(i);
  }
  if (made.outputs_.empty()) return tl::make_unexpected(model::Error{"the problem has no output"});
  auto reference = oracle::make_reference(*oracle, bound, inputs, entropy, most_flops);
  if (!reference) return tl::make_unexpected(reference.error());
  if (plain) {
    auto plain_errors = oracle::measure_plain(*oracle, bound, inputs, *reference);
    if (!plain_errors) return tl::make_unexpected(plain_errors.error());
    reference->plain_errors = std::move(*plain_errors);
  }
  made.reference_ = std::move(*reference);
  return made;
}

OutputCheck SampledReference::check(const Outputs& outputs, const model::Tolerance& tolerance,
                                    double cut_off) const {
  OutputCheck result;
  result.scope = reference_.rows.empty() ? "all of it"
                                         : fmt::format("{} of {} rows", reference_.rows.size(),
                                                       oracle::row_count(outputs_.front()));
  if (outputs.size() != outputs_.size()) {
    result.text = fmt::format("{} outputs, should be {}", outputs.size(), outputs_.size());
    return result;
  }
  result.pass = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const model::BoundArgument& argument = outputs_[i];
    const std::int64_t bytes = oracle::buffer_bytes(argument);
    std::string text;
    if (static_cast<std::int64_t>(outputs[i].size()) != bytes) {
      text = fmt::format("an output {} of {} bytes, should be {}", argument.name, outputs[i].size(), bytes);
    } else {
      const std::size_t index = indices_[i];
      const std::vector<double>& correct = reference_.outputs[index];
      oracle::CompareOptions options = oracle::options_for(tolerance, reference_, index);
      if (options.plain_errors)
        options.plain_errors = gates::with_cut_off(*options.plain_errors, argument, cut_off, correct);
      const oracle::Comparison compared = oracle::compare(argument, outputs[i], correct, options);
      result.relative_frobenius = std::max(result.relative_frobenius, compared.relative_frobenius);
      result.max_abs_over_rms = std::max(result.max_abs_over_rms, compared.max_abs_over_rms);
      if (!compared.pass) text = compared.text(argument.name);
    }
    if (text.empty()) continue;
    result.pass = false;
    if (result.text.empty()) result.text = text;
  }
  return result;
}

}  // namespace evo::evaluators::benchmark
