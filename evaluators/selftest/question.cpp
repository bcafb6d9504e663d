#include "evaluators/selftest/question.hpp"

#include <algorithm>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/comparison_options.hpp"
#include "evaluators/oracle/conditioning.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reduced.hpp"
#include "model/error.hpp"

namespace evo::evaluators::selftest {

using model::ArgumentRole;

Question::Question(const Subject& subject, oracle::ReferenceCache& answers, const model::Case& bound)
    : subject_(subject),
      case_(bound),
      domain_(domain_of(subject.experiment)),
      sets_(domain_.sets),
      cache_(answers) {
  oracle_ = cache_.catalogue().find_oracle(subject.experiment.problem.oracle);
  if (oracle_ == nullptr) {
    throw model::Exception(model::ExitCode::invalid_configuration,
                           "there is no oracle " + subject.experiment.problem.oracle);
  }
  for (model::InputSet& set : oracle::structured_sets(subject.experiment.problem.arguments))
    sets_.push_back(std::move(set));
  references_.resize(sets_.size());
}

const oracle::ReferenceData* Question::reference(std::size_t s) {
  if (!references_[s]) {
    const model::Tolerance& tolerance = domain_.tolerance;
    const bool conditioned = oracle::rules_of(subject_.known, sets_[s]).conditioned;
    references_[s] = cache_.get(
        subject_.experiment.problem.oracle, case_, sets_[s], {.seed = subject_.input_seed},
        tolerance.reference_factor.has_value(),
        conditioned ? oracle::backward_error(tolerance, case_, sets_[s]) : oracle::rounding_of_inputs(case_));
  }
  const oracle::ReferenceData* data = references_[s]->get();
  return data->in_domain && data->rows.empty() ? data : nullptr;
}

std::optional<oracle::ReferenceOutputs> Question::answer(const oracle::InputBuffers& inputs) const {
  if (!oracle_->can_answer(case_, inputs)) return std::nullopt;
  auto outputs = oracle_->compute(case_, inputs);
  return outputs ? std::optional(std::move(*outputs)) : std::nullopt;
}

bool Question::refused(std::size_t s, const oracle::ReferenceOutputs& answer) {
  const oracle::ReferenceData* reference = this->reference(s);
  if (reference == nullptr) return false;
  for (std::size_t i = 0; i < case_.arguments.size(); ++i) {
    const model::BoundArgument& output = case_.arguments[i];
    if (!model::is_judged(output.role)) continue;
    const std::int64_t size = model::size_of(output.dtype);
    std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(output)));
    const std::vector<std::int64_t> offsets = oracle::element_offsets(output);
    for (std::size_t e = 0; e < offsets.size(); ++e)
      oracle::store_element(output.dtype, answer[i][e], bytes.data() + offsets[e] * size);
    oracle::spread_slices(output, bytes);
    const auto options = oracle::options_for(domain_.tolerance, *reference, i);
    if (!oracle::compare(output, bytes, reference->outputs[i], options).pass) return true;
  }
  return false;
}

}  // namespace evo::evaluators::selftest
