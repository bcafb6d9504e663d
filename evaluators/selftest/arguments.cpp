// Would a candidate that ignores or mistakes an argument be refused? Asked of the oracle and the comparison:
// the right answer to another question is compared with the reference.
#include <algorithm>

#include <fmt/format.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/judging.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/yardstick.hpp"
#include "evaluators/selftest/cases.hpp"
#include "model/error.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;
using oracle::InputBuffers;
using oracle::ReferenceOutputs;

template <class T>
T value_or_throw(model::Expected<T> result) {
  if (!result) throw model::Exception(model::ExitCode::invalid_configuration, result.error().text());
  return std::move(*result);
}

class Question {
 public:
  Question(const Subject& subject, const model::Case& bound)
      : subject_(subject), case_(bound), domain_(domain_of(subject.experiment)) {
    oracle_ = subject.known.find_oracle(subject.experiment.problem.oracle);
    if (oracle_ == nullptr) {
      throw model::Exception(model::ExitCode::invalid_configuration,
                             "there is no oracle " + subject.experiment.problem.oracle);
    }
    for (const model::InputSet& set : domain_.sets) {
      inputs_.push_back(
          value_or_throw(oracle::make_inputs(subject.known, bound, set, {.seed = subject.input_seed})));
      oracle::Reference& reference = references_.emplace_back();
      reference.rules = oracle::rules_of(subject.known, set);
      reference.outputs = value_or_throw(oracle_->compute(bound, inputs_.back()));
      if (domain_.tolerance.reference_factor)
        reference.yardsticks =
            value_or_throw(oracle::measure_plain(*oracle_, bound, inputs_.back(), reference));
    }
  }

  /// True if on some input set the answer to other data of argument `index` would be refused.
  [[nodiscard]] bool notices_data(std::size_t index) const {
    model::Case all_vary = case_;
    all_vary.launch.symbols.clear();
    for (std::size_t s = 0; s < domain_.sets.size(); ++s) {
      InputBuffers other = inputs_[s];
      other[index] = value_or_throw(oracle::make_inputs(subject_.known, all_vary, domain_.sets[s],
                                                        {.seed = subject_.input_seed, .rotation = 1}))[index];
      const model::BoundFill* fill = case_.arguments[index].fill_in(domain_.sets[s].name);
      if (fill != nullptr && fill->is_fixed()) other[index] = other_numbers(index, inputs_[s][index]);
      if (refused(s, value_or_throw(oracle_->compute(case_, other)))) return true;
    }
    return false;
  }

  /// A number of the problem's own may be so small (an epsilon) that a quarter more of it is nothing: the
  /// gate shows it as 1 too (gates/case_matrix.hpp), and so is it asked here.
  [[nodiscard]] bool notices_scalar(std::size_t index) const {
    model::Case changed = case_;
    model::BoundArgument& scalar = changed.arguments[index];
    scalar.scalar_float = scalar.scalar_float == 0 ? 1 : scalar.scalar_float * 1.25;
    scalar.scalar_integer = scalar.scalar_integer == 1 ? 0 : scalar.scalar_integer + 1;
    if (notices(changed)) return true;
    const model::Argument& declared = subject_.experiment.problem.arguments[index];
    if (declared.scalar.form != model::ScalarValue::Form::number) return false;
    scalar.scalar_float = 1;
    return notices(changed);
  }

  [[nodiscard]] bool notices(const model::Case& changed) const {
    for (std::size_t s = 0; s < domain_.sets.size(); ++s) {
      const auto answer = oracle_->compute(changed, inputs_[s]);
      if (!answer || refused(s, *answer)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_geometry(std::size_t index) const {
    const std::int64_t value = case_.arguments[index].scalar_integer;
    if (oracle::is_floating(case_.arguments[index].dtype)) return false;
    return std::any_of(
        case_.arguments.begin(), case_.arguments.end(), [&](const model::BoundArgument& array) {
          return array.role != ArgumentRole::scalar &&
                 (std::find(array.shape.begin(), array.shape.end(), value) != array.shape.end() ||
                  std::find(array.strides.begin(), array.strides.end(), value) != array.strides.end());
        });
  }

 private:
  /// Of an argument that holds the same in every draw: its elements one further, or others where they are all
  /// the same.
  [[nodiscard]] std::vector<std::byte> other_numbers(std::size_t index,
                                                     const std::vector<std::byte>& bytes) const {
    const model::BoundArgument& argument = case_.arguments[index];
    std::vector<double> values = oracle::load_array(argument, bytes);
    const std::vector<double> before = values;
    if (!values.empty()) std::ranges::rotate(values, values.begin() + 1);
    if (values == before) {
      for (double& value : values) value = value * 1.5 + 1;
    }
    std::vector<std::byte> other = bytes;
    const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
    for (std::size_t e = 0; e < offsets.size(); ++e)
      oracle::store_element(argument.dtype, values[e],
                            other.data() + offsets[e] * model::size_of(argument.dtype));
    return other;
  }

  /// Whether `answer`, rounded to the outputs' types, is told from the reference of set `s`.
  [[nodiscard]] bool refused(std::size_t s, const ReferenceOutputs& answer) const {
    for (std::size_t i = 0; i < case_.arguments.size(); ++i) {
      const model::BoundArgument& output = case_.arguments[i];
      if (!model::is_judged(output.role)) continue;
      const std::int64_t size = model::size_of(output.dtype);
      std::vector<std::byte> bytes(static_cast<std::size_t>(oracle::buffer_bytes(output)));
      const std::vector<std::int64_t> offsets = oracle::element_offsets(output);
      for (std::size_t e = 0; e < offsets.size(); ++e)
        oracle::store_element(output.dtype, answer[i][e], bytes.data() + offsets[e] * size);
      const auto options = oracle::options_for(domain_.tolerance, references_[s], i);
      if (!oracle::compare(output, bytes, references_[s].outputs[i], options).pass) return true;
    }
    return false;
  }

  const Subject& subject_;
  const model::Case& case_;
  Domain domain_;
  const oracle::Oracle* oracle_ = nullptr;
  std::vector<InputBuffers> inputs_;
  std::vector<oracle::Reference> references_;
};

}  // namespace

std::vector<Check> check_arguments(const Subject& subject) {
  const model::Case bound = small_cases(subject.experiment).front();
  const Question question(subject, bound);
  std::vector<Check> checks;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    Check check{"argument " + argument.name, true, {}, 0};
    if (subject.experiment.problem.arguments[i].neutral) continue;
    if (model::is_given(argument.role)) {
      check.pass = question.notices_data(i);
      check.message = check.pass ? "the answer to other data is refused"
                                 : "the answer to other data is accepted: a candidate could ignore it";
    } else if (argument.role == ArgumentRole::scalar) {
      const bool noticed = question.notices_scalar(i);
      check.pass = noticed || question.is_geometry(i);
      check.message = noticed      ? "the answer to another value is refused"
                      : check.pass ? "a size or stride of an array"
                                   : "the answer to another value is accepted: a candidate could ignore it";
    } else {
      continue;
    }
    checks.push_back(std::move(check));
  }
  // Sizes alone are no question: a kernel that gives one answer to everything would be right.
  if (checks.empty())
    checks.push_back({"arguments", false, "every argument is declared unused or neutral", 0});
  return checks;
}

}  // namespace evo::evaluators::selftest
