#include "evaluators/compare/sampled_reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluators/oracle/judging.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/yardstick.hpp"

namespace evo::evaluators::compare {

model::Expected<SampledReference> SampledReference::make(
    const oracle::Catalogue& known, const std::string& oracle_name, const model::Case& bound,
    const oracle::InputBuffers& inputs, std::uint64_t entropy, double most_flops, bool plain) {
  const oracle::Oracle* oracle = known.find_oracle(oracle_name);
  if (oracle == nullptr) return tl::make_unexpected(model::Error{"unknown oracle " + oracle_name});
  const auto output = std::find_if(bound.arguments.begin(), bound.arguments.end(),
                                   [](const auto& argument) { return model::is_judged(argument.role); });
  if (output == bound.arguments.end()) return tl::make_unexpected(model::Error{"the problem has no output"});
  auto reference = oracle::make_reference(*oracle, bound, inputs, entropy, most_flops);
  if (!reference) return tl::make_unexpected(reference.error());
  if (plain) {
    auto yardsticks = oracle::measure_plain(*oracle, bound, inputs, *reference);
    if (!yardsticks) return tl::make_unexpected(yardsticks.error());
    reference->yardsticks = std::move(*yardsticks);
  }
  SampledReference made;
  made.output_ = *output;
  made.reference_ = std::move(*reference);
  made.index_ = static_cast<std::size_t>(output - bound.arguments.begin());
  return made;
}

OutputCheck SampledReference::check(std::span<const std::byte> output,
                                    const model::Tolerance& tolerance) const {
  OutputCheck result;
  const std::int64_t bytes = oracle::buffer_bytes(output_);
  result.scope = reference_.rows.empty()
                     ? "all of it"
                     : fmt::format("{} of {} rows", reference_.rows.size(), oracle::row_count(output_));
  if (static_cast<std::int64_t>(output.size()) != bytes) {
    result.text = fmt::format("an output of {} bytes, should be {}", output.size(), bytes);
    return result;
  }
  const oracle::CompareOptions options = oracle::options_for(tolerance, reference_, index_);
  const oracle::Comparison compared = oracle::compare(output_, output, reference_.outputs[index_], options);
  result.pass = compared.pass;
  result.relative_frobenius = compared.relative_frobenius;
  result.max_abs_over_rms = compared.max_abs_over_rms;
  if (!compared.pass) result.text = compared.text(output_.name);
  return result;
}

}  // namespace evo::evaluators::compare
