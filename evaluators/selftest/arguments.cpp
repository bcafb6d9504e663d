// Would a candidate that ignores or mistakes an argument be refused? Asked of the oracle and the comparison:
// the correct answer to another question is compared with the reference.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "evaluators/gates/unusual_scalars.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/selftest/cases.hpp"
#include "evaluators/selftest/question.hpp"
#include "model/error.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;
using oracle::InputBuffers;

template <class T>
T value_or_throw(model::Expected<T> result) {
  if (!result) throw model::Exception(model::ExitCode::invalid_configuration, result.error().text());
  return std::move(*result);
}

bool has_infinities(model::DType dtype) {
  return dtype == model::DType::f16 || dtype == model::DType::bf16 || dtype == model::DType::f32;
}

class ArgumentQuestion {
 public:
  ArgumentQuestion(const Subject& subject, oracle::ReferenceCache& answers, const model::Case& bound)
      : subject_(subject), case_(bound), question_(subject, answers, bound) {}

  /// True if on some declared set the answer to other data of argument `index` would be refused.
  [[nodiscard]] bool notices_data(std::size_t index) {
    model::Case all_vary = case_;
    all_vary.launch.symbols.clear();
    for (std::size_t s = 0; s < question_.declared(); ++s) {
      const oracle::ReferenceData* reference = question_.reference(s);
      if (reference == nullptr) continue;
      InputBuffers other = reference->inputs;
      // Rows that are all empty are legal wherever they begin; other lengths may not be.
      const model::BoundFill* rows = case_.arguments[index].fill_in(question_.set(s).name);
      if (rows != nullptr && !model::follows_another(rows->form)) rows = nullptr;
      if (rows != nullptr) other[index] = empty_rows(index, *rows, reference->inputs);
      // A few bools, or numbers of a narrow range, may be drawn alike.
      for (unsigned rotation = 1;
           rows == nullptr && rotation <= 4 && other[index] == reference->inputs[index]; ++rotation) {
        InputBuffers drawn = value_or_throw(oracle::make_inputs(
            subject_.known, all_vary, question_.set(s), {.seed = subject_.input_seed, .rotation = rotation}));
        for (std::size_t i = 0; i < other.size(); ++i) {
          if (i == index || begins_rows(index, i, question_.set(s).name)) other[i] = std::move(drawn[i]);
        }
      }
      const model::BoundFill* fill = case_.arguments[index].fill_in(question_.set(s).name);
      const bool alike =
          other[index] == reference->inputs[index] && case_.arguments[index].dtype == model::DType::boolean;
      const bool fixed = alike || (fill != nullptr && fill->is_fixed());
      if (fixed) other[index] = other_numbers(index, reference->inputs[index]);
      auto answer = question_.oracle().compute(case_, other);
      // Other lengths of rows may lead out of what they are rows of: then they matter.
      if (!answer && fixed) return true;
      if (question_.refused(s, value_or_throw(std::move(answer)))) return true;
    }
    return false;
  }

  /// A number of the problem's own may be so small (an epsilon) that a quarter more of it is nothing: the
  /// gate shows it as 1 too (gates/case_matrix.hpp), and so is it asked here.
  [[nodiscard]] bool notices_scalar(std::size_t index) {
    model::Case changed = case_;
    model::BoundArgument& scalar = changed.arguments[index];
    scalar.scalar_float = scalar.scalar_float == 0 ? 1 : scalar.scalar_float * 1.25;
    scalar.scalar_integer = scalar.scalar_integer == 1 ? 0 : scalar.scalar_integer + 1;
    if (notices(changed)) return true;
    // A count of threads that fill their blocks: one more has nobody to do it, one less leaves an element
    // out.
    if (case_.arguments[index].scalar_integer > 1) {
      scalar.scalar_integer = case_.arguments[index].scalar_integer - 1;
      if (notices(changed)) return true;
    }
    const model::Argument& declared = subject_.experiment.problem.arguments[index];
    // Those that kernels are shown: of a large number, one more may be less than what rounding is granted.
    if (!oracle::is_floating(scalar.dtype) && gates::may_be_another(declared)) {
      for (const std::int64_t value :
           gates::other_integers(case_.arguments[index].scalar_integer, scalar.dtype)) {
        if (declared.range && !declared.range->has(static_cast<double>(value))) continue;
        scalar.scalar_integer = value;
        if (notices(changed)) return true;
      }
    }
    if (declared.scalar.form != model::ScalarValue::Form::number) return false;
    scalar.scalar_float = 1;
    return notices(changed);
  }

  /// On some declared set, a number of the answer that its type rounds to infinity: no kernel can be correct
  /// there, and that of a recurrence grows so with data that is told of nothing.
  [[nodiscard]] std::optional<Check> leaves_its_type() {
    for (std::size_t s = 0; s < question_.declared(); ++s) {
      const oracle::ReferenceData* reference = question_.reference(s);
      if (reference == nullptr || reference->rules.special_values) continue;
      for (std::size_t i = 0; i < case_.arguments.size(); ++i) {
        const model::BoundArgument& output = case_.arguments[i];
        if (!model::is_judged(output.role) || !has_infinities(output.dtype)) continue;
        const double high = model::range_of(output.dtype).high;
        const auto& values = reference->outputs[i];
        const auto beyond = std::ranges::find_if(
            values, [&](double value) { return std::isfinite(value) && std::abs(value) > high; });
        if (beyond == values.end()) continue;
        const auto given = std::ranges::find_if(case_.arguments, [](const model::BoundArgument& argument) {
          return model::is_given(argument.role) && oracle::is_floating(argument.dtype);
        });
        Check check{"answers", false, {}, 0, output.name};
        check.reference_not_finite = true;
        check.message = fmt::format(
            "on the input set {} the reference writes {:.3g} to {}, which {} rounds to infinity: a `fill` "
            "gives its inputs numbers that suit it (evo tune: --arg '{}: {{fill: {{uniform: [0.1, 1]}}}}')",
            question_.set(s).name, *beyond, output.name, model::name_of(output.dtype),
            given == case_.arguments.end() ? std::string("x") : given->name);
        return check;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool notices(const model::Case& changed) {
    for (std::size_t s = 0; s < question_.declared(); ++s) {
      const oracle::ReferenceData* reference = question_.reference(s);
      if (reference == nullptr) continue;
      const auto answer = question_.oracle().compute(changed, reference->inputs);
      if (!answer || question_.refused(s, *answer)) return true;
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
  /// Whether the rows that begin where argument `index` says end where argument `other` does.
  [[nodiscard]] bool begins_rows(std::size_t index, std::size_t other, const std::string& set) const {
    const model::BoundFill* fill = case_.arguments[other].fill_in(set);
    const bool rows =
        fill != nullptr && (fill->form == model::FillForm::ends || fill->form == model::FillForm::lengths);
    return rows && model::is_given(case_.arguments[other].role) && fill->argument == index;
  }

  /// Rows without elements.
  [[nodiscard]] std::vector<std::byte> empty_rows(std::size_t index, const model::BoundFill& rows,
                                                  const InputBuffers& inputs) const {
    const model::BoundArgument& argument = case_.arguments[index];
    std::vector<double> values(oracle::load_array(argument, inputs[index]).size(), 0.0);
    if (rows.form == model::FillForm::ends)
      values = oracle::load_array(case_.arguments[rows.argument], inputs[rows.argument]);
    std::vector<std::byte> bytes = inputs[index];
    const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
    for (std::size_t e = 0; e < std::min(offsets.size(), values.size()); ++e)
      oracle::store_element(argument.dtype, values[e],
                            bytes.data() + offsets[e] * model::size_of(argument.dtype));
    return bytes;
  }

  /// Of an argument that holds the same in every draw: its elements one further, or others where they are all
  /// the same.
  [[nodiscard]] std::vector<std::byte> other_numbers(std::size_t index,
                                                     const std::vector<std::byte>& bytes) const {
    const model::BoundArgument& argument = case_.arguments[index];
    std::vector<double> values = oracle::load_array(argument, bytes);
    const std::vector<double> before = values;
    if (!values.empty()) std::rotate(values.begin(), values.begin() + 1, values.end());
    if (values == before) {
      const bool truth = argument.dtype == model::DType::boolean;
      for (double& value : values) value = truth ? 1 - value : value * 1.5 + 1;
    }
    std::vector<std::byte> other = bytes;
    const std::vector<std::int64_t> offsets = oracle::element_offsets(argument);
    for (std::size_t e = 0; e < offsets.size(); ++e)
      oracle::store_element(argument.dtype, values[e],
                            other.data() + offsets[e] * model::size_of(argument.dtype));
    return other;
  }

  const Subject& subject_;
  const model::Case& case_;
  Question question_;
};

}  // namespace

/// Integers that are all one number, as whoever wrote the fill said: a table of sizes, or of flags.
bool holds_one_number(const model::Argument& declared, const model::BoundArgument& argument) {
  const auto& fill = argument.fill;
  // Whatever the sizes are.
  const bool hangs_on_sizes =
      declared.fill && std::ranges::any_of(declared.fill->numbers, [](const model::Fill::Number& number) {
        return !number.number && !number.expression.names().empty();
      });
  return !hangs_on_sizes && fill && argument.set_fills.empty() && !oracle::is_floating(argument.dtype) &&
         (fill->form == model::FillForm::constant || (fill->has_range() && fill->low() == fill->high()));
}

std::vector<Check> check_arguments(const Subject& subject, oracle::ReferenceCache& answers) {
  std::vector<Check> checks;
  // Recorded arrays have no answer to another question.
  if (model::oracle_kinds(subject.experiment.problem) == std::vector{model::OracleKind::files}) return checks;
  const model::Case bound = small_cases(subject.experiment).front();
  ArgumentQuestion question(subject, answers, bound);
  if (auto beyond = question.leaves_its_type()) return {std::move(*beyond)};
  bool matters = false;  // the data of some array
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    Check check{"argument " + argument.name, true, {}, 0, argument.name};
    if (subject.experiment.problem.arguments[i].neutral) continue;
    // The same numbers once more: a reference needs one of the two, and so does a genome of some kernels.
    const auto& fill = subject.experiment.problem.arguments[i].fill;
    if (fill && fill->form == model::FillForm::column) continue;
    if (model::is_given(argument.role)) {
      check.pass = question.notices_data(i);
      matters = matters || check.pass;
      check.message =
          check.pass
              ? "the answer to other data is refused"
              : fmt::format(
                    "the answer to other data is accepted: a candidate could ignore it (a fill "
                    "gives it numbers that matter; evo tune: --arg '{0}: {{fill: {{{1}: [LOW, "
                    "HIGH]}}}}', or '{0}: {2}' where {3})",
                    argument.name, oracle::is_floating(argument.dtype) ? "uniform" : "integers",
                    argument.role == ArgumentRole::inout ? "{role: output}" : "{neutral: true}",
                    argument.role == ArgumentRole::inout ? "nobody asks for what it held before the launch"
                                                         : "it always holds the same");
    } else if (argument.role == ArgumentRole::scalar) {
      const bool noticed = question.notices_scalar(i);
      check.pass = noticed || question.is_geometry(i);
      check.message =
          noticed ? "the answer to another value is refused"
          : check.pass
              ? "a size or stride of an array"
              : fmt::format(
                    "the answer to another value is accepted: a candidate could ignore it (neutral: true if "
                    "that is meant; evo tune: --arg '{}: {{value: ..., neutral: true}}')",
                    argument.name);
    } else {
      continue;
    }
    checks.push_back(std::move(check));
  }
  // Where nothing but such tables is given, no answer depends on any data.
  for (std::size_t i = 0; i < bound.arguments.size() && matters; ++i) {
    if (!model::is_given(bound.arguments[i].role) ||
        !holds_one_number(subject.experiment.problem.arguments[i], bound.arguments[i]))
      continue;
    for (Check& check : checks) {
      if (check.pass || check.argument != bound.arguments[i].name) continue;
      check.pass = true;
      check.message = "it always holds the same number, as its fill says";
    }
  }
  // Sizes alone are no question: a kernel that gives one answer to everything would be correct.
  if (checks.empty())
    checks.push_back({"arguments", false, "every argument is declared unused or neutral", 0, {}});
  return checks;
}

}  // namespace evo::evaluators::selftest
